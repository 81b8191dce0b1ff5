// SPDX-License-Identifier: LGPL-2.1-or-later
#include "conversion.h"

#include "object/guarded.h"
#include "object/owned.h"
#include "object/propertytable.h"
#include "object/settings.h"
#include "video/colorimetry.h"
#include "video/enumnumber.h"
#include "video/pixelformat.h"

using namespace coalesce;
using namespace coalesce::gst;

G_DEFINE_ABSTRACT_TYPE(GstCoalesceConversion, gst_coalesce_conversion, GST_TYPE_COALESCE_FILTER)

namespace {

struct ConversionSettings {
  ChromaFilter chroma = ChromaFilter::linear;
  Dither dither = Dither::none;
};

}  // namespace

struct GstCoalesceConversionPrivate {
  explicit GstCoalesceConversionPrivate(gpointer self) : settings(self) {}

  Settings<ConversionSettings> settings;
  ConvertParams params;  // of the caps; the streaming thread's
};

namespace {

GstCoalesceConversionPrivate &priv_of(gpointer object) {
  return *GST_COALESCE_CONVERSION(object)->priv;
}

const GstCoalesceConversionClass &class_of(gpointer object) {
  return *GST_COALESCE_CONVERSION_GET_CLASS(object);
}

// ---- properties ------------------------------------------------------------------------------

GType chroma_type() {
  static const GEnumValue values[] = {
      {int(ChromaFilter::linear), "By the chroma sites of the caps: interpolated or averaged",
       "linear"},
      {int(ChromaFilter::nearest), "The sample that the pixel has, without a filter", "nearest"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstCoalesceChromaFilter", values);
  return type;
}

GType dither_type() {
  static const GEnumValue values[] = {
      {int(Dither::none), "Samples are rounded to nearest", "none"},
      {int(Dither::ordered), "Samples are rounded by thresholds of an 8 x 8 Bayer matrix",
       "ordered"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstCoalesceDither", values);
  return type;
}

const PropertyTable<ConversionSettings> &properties() {
  static const PropertyTable<ConversionSettings> table = [] {
    PropertyTable<ConversionSettings> t;
    t.set_flags(G_PARAM_READWRITE | GST_PARAM_CONTROLLABLE | GST_PARAM_MUTABLE_PLAYING);
    t.add(&ConversionSettings::chroma,
          {"chroma", "Chroma filter",
           "Filter of chroma where input and output differ in subsampling"},
          chroma_type());
    t.add(
        &ConversionSettings::dither,
        {"dither", "Dither", "Rounding of samples where the output has fewer bits than the input"},
        dither_type());
    return t;
  }();
  return table;
}

void set_property(GObject *object, guint id, const GValue *value, GParamSpec *) {
  priv_of(object).settings.change(
      [&](ConversionSettings &settings) { return properties().set(id, &settings, value); });
}

void get_property(GObject *object, guint id, GValue *value, GParamSpec *) {
  priv_of(object).settings.read(
      [&](const ConversionSettings &settings) { properties().get(id, settings, value); });
}

// ---- caps ------------------------------------------------------------------------------------

unsigned families_in(const GstStructure *structure) {
  unsigned families = 0;
  for (const std::string &name : formats_in(structure))
    families |= family_of(pixel_format(gst_video_format_from_string(name.c_str())));
  return families;
}

// What a structure says of colours, or its format and size do; nothing if they are open.
std::optional<GstVideoColorimetry> colorimetry_in(const GstStructure *structure) {
  const gchar *name = gst_structure_get_string(structure, "colorimetry");
  auto info = default_info(structure);
  GstVideoColorimetry named;
  if (name != nullptr && gst_video_colorimetry_from_string(&named, name)) {
    if (!info) return named;
    info->colorimetry = named;
  }
  if (!info || (gst_structure_has_field(structure, "colorimetry") && name == nullptr)) return {};
  return effective_colorimetry(*info);
}

void set_any_of(GstStructure *structure, const char *field, const std::vector<std::string> &texts) {
  GValue list = G_VALUE_INIT;
  g_value_init(&list, GST_TYPE_LIST);
  for (const std::string &text : texts) {
    GValue value = G_VALUE_INIT;
    g_value_init(&value, G_TYPE_STRING);
    g_value_set_string(&value, text.c_str());
    gst_value_list_append_and_take_value(&list, &value);
  }
  gst_structure_take_value(structure, field, &list);
}

// The n-th way to convert what a structure has without a matrix. False: there are fewer.
//   as it is
//   between formats with chroma: in the same matrix; a source need not name it
//   to grey: in the same matrix, or in grey's own colorimetry
//   from grey, which has none: in any colorimetry
gboolean convert_unconverted(GstPadDirection direction, guint alternative,
                             GstStructure *structure) {
  if (alternative == 0) return TRUE;
  const auto colorimetry = colorimetry_in(structure);
  const unsigned families = families_in(structure);
  std::vector<std::pair<unsigned, bool>> ways;  // families, and is the matrix named?
  if ((families & kYuv) != 0) {
    if (colorimetry) ways.emplace_back(kYuv, true);
    if (!colorimetry || direction == GST_PAD_SRC) ways.emplace_back(kYuv, false);
    ways.emplace_back(kGrey, colorimetry && direction == GST_PAD_SINK);
  }
  if ((families & kGrey) != 0) ways.emplace_back(kYuv | kGrey, false);
  if (alternative > ways.size()) return FALSE;
  const auto &[to, with_matrix] = ways[alternative - 1];
  gst_structure_remove_fields(structure, "colorimetry", "chroma-site", nullptr);
  set_formats(structure, formats_of(to).c_str());
  if (!with_matrix) return TRUE;
  std::vector<std::string> names = colorimetries_like(*colorimetry);
  if (to == kGrey) {
    // GStreamer's default of grey, with what the input says of its light, and without.
    names.push_back("1:4:" + std::to_string(number_of(colorimetry->transfer)) + ":" +
                    std::to_string(number_of(colorimetry->primaries)));
    names.emplace_back("1:4:0:0");
  }
  set_any_of(structure, "colorimetry", names);
  return TRUE;
}

// With a matrix every colorimetry and site of one side goes with every one of the other.
gboolean convert_caps(GstCoalesceFilter *self, GstPadDirection direction, guint alternative,
                      GstStructure *structure) {
  const GstCoalesceConversionClass &klass = class_of(self);
  if (klass.unconverted) return convert_unconverted(direction, alternative, structure);
  if (alternative > 0) return FALSE;
  gst_structure_remove_fields(structure, "colorimetry", "chroma-site", nullptr);
  const unsigned families = direction == GST_PAD_SINK ? klass.src_families : klass.sink_families;
  set_formats(structure, formats_of(families).c_str());
  return TRUE;
}

gint loss(GstCoalesceFilter *, const GstStructure *given, GstVideoFormat format) {
  const gchar *name = gst_structure_get_string(given, "format");
  return name != nullptr ? conversion_loss(gst_video_format_from_string(name), format) : 0;
}

bool is_the_same(const GstStructure *given, const GstStructure *result) {
  return g_strcmp0(gst_structure_get_string(given, "format"),
                   gst_structure_get_string(result, "format")) == 0 &&
         !gst_structure_has_field(given, "colorimetry") &&
         !gst_structure_has_field(result, "colorimetry");
}

void fixate(GstCoalesceFilter *self, GstPadDirection direction, const GstStructure *given,
            GstStructure *result) {
  if (direction != GST_PAD_SINK) return;
  if (!is_the_same(given, result)) fixate_colours(given, result);
  // GStreamer itself warns of some of these, but does not say what it found.
  for (const GstStructure *structure : {given, static_cast<const GstStructure *>(result)})
    if (const std::string found = meaningless_colours(structure); !found.empty())
      GST_CAT_WARNING_OBJECT(class_of(self).category, self,
                             "%s has no meaning here: the default is used", found.c_str());
}

// ---- frames ----------------------------------------------------------------------------------

gboolean set_info(GstCoalesceFilter *self, const GstVideoInfo *in, const GstVideoInfo *out) {
  if (const std::string problem = conversion_problem(*in, *out); !problem.empty()) {
    GST_ELEMENT_ERROR(self, STREAM, FORMAT, ("Unsupported caps: %s", problem.c_str()), (nullptr));
    return FALSE;
  }
  priv_of(self).params = conversion_params(*in, *out);
  GST_CAT_DEBUG_OBJECT(class_of(self).category, self, "%s",
                       conversion_text(priv_of(self).params).c_str());
  return TRUE;
}

gboolean is_identity(GstCoalesceFilter *, const GstVideoInfo *in, const GstVideoInfo *out) {
  return coalesce::gst::is_identity(*in, *out);
}

Status run(GstCoalesceFilter *self, const Frame &in, const Frame &out, const Queue &queue) {
  const GstCoalesceConversionPrivate &priv = priv_of(self);
  const ConversionSettings settings = priv.settings.snapshot();
  ConvertParams params = priv.params;
  params.chroma = settings.chroma;
  params.dither = settings.dither;
  return class_of(self).convert(params, in.image(), out.image(), queue);
}

}  // namespace

static void gst_coalesce_conversion_class_init(GstCoalesceConversionClass *klass) {
  klass->convert = convert;
  auto *object_class = G_OBJECT_CLASS(klass);
  object_class->set_property = guarded<set_property>;
  object_class->get_property = guarded<get_property>;
  properties().install(object_class);
  auto *filter_class = GST_COALESCE_FILTER_CLASS(klass);
  filter_class->convert_caps = convert_caps;
  filter_class->loss = loss;
  filter_class->fixate = fixate;
  filter_class->set_info = set_info;
  filter_class->is_identity = is_identity;
  filter_class->run = run;
  gst_type_mark_as_plugin_api(GST_TYPE_COALESCE_CONVERSION, GstPluginAPIFlags(0));
  gst_type_mark_as_plugin_api(chroma_type(), GstPluginAPIFlags(0));
  gst_type_mark_as_plugin_api(dither_type(), GstPluginAPIFlags(0));
}

static void gst_coalesce_conversion_init(GstCoalesceConversion *self) {
  initialise(self, [self] { self->priv = add_part<GstCoalesceConversionPrivate>(self, self); });
}

void gst_coalesce_conversion_class_describe(GstCoalesceConversionClass *klass,
                                            unsigned sink_families, unsigned src_families,
                                            const char *long_name, const char *description,
                                            GstDebugCategory *category) {
  klass->sink_families = sink_families;
  klass->src_families = src_families;
  klass->unconverted = sink_families == src_families;
  klass->category = category;
  gst_coalesce_filter_class_add_templates(GST_COALESCE_FILTER_CLASS(klass),
                                          formats_of(sink_families).c_str(),
                                          formats_of(src_families).c_str());
  gst_element_class_set_static_metadata(GST_ELEMENT_CLASS(klass), long_name,
                                        "Filter/Converter/Video/Colorspace", description,
                                        "The gst-coalesce authors");
}
