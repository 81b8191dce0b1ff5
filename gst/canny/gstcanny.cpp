// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-canny
 * @title: canny
 *
 * Edges, by Canny's method. See docs/canny.md.
 */
#include "canny/canny.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/settingsfilter.h"
#include "cannysmoothing.h"
#include "core/layout.h"
#include "edgecolour.h"
#include "edgesettings.h"
#include "object/owned.h"
#include "picture/formats.h"
#include "picture/scratch_picture.h"
#include "video/memorycaps.h"

GST_DEBUG_CATEGORY_STATIC(gst_canny_debug);
#define GST_CAT_DEFAULT gst_canny_debug

using namespace coalesce;
using namespace coalesce::gst;

namespace {

enum class CannyOutput { edges, overlay };

struct CannySettings : EdgeSettings {
  CannyOutput output = CannyOutput::edges;
  guint edge_color = 0xff00ff00;
};

GType output_type() {
  static const GEnumValue values[] = {
      {int(CannyOutput::edges), "Edges alone: GRAY8, 255 where there is one, else 0", "edges"},
      {int(CannyOutput::overlay), "The picture in its own format, and its edges in edge-color",
       "overlay"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstCannyOutput", values);
  return type;
}

const PropertyTable<CannySettings> &properties() {
  using S = CannySettings;
  static const PropertyTable<S> table = [] {
    PropertyTable<S> t;
    constexpr int kFlags = G_PARAM_READWRITE | GST_PARAM_MUTABLE_PLAYING | GST_PARAM_CONTROLLABLE;
    t.set_flags(kFlags);
    add_edge_properties(&t);
    const GType output = output_type();
    gst_type_mark_as_plugin_api(output, GstPluginAPIFlags(0));
    t.add(&S::output,
          {"output", "Output", "Output picture: edges, or the input with its edges drawn"}, output);
    t.add_colour(&S::edge_color, {"edge-color", "Edge color",
                                  "Color of edges for output=overlay, big-endian ARGB"});
    return t;
  }();
  return table;
}

struct CannyPrivate {
  explicit CannyPrivate(gpointer self)
      : settings(self), in_use(self, aperture_part<CannySettings>(), sigma_part<CannySettings>()) {}

  Settings<CannySettings> settings;
  // The streaming thread's.
  SettingsInUse<CannySettings> in_use;
  CannySmoothing smoothing;
  EdgeColour colour;
};

struct GstCanny {
  GstCoalesceFilter parent;
  CannyPrivate *priv;
};
using GstCannyClass = GstCoalesceFilterClass;

}  // namespace

G_DEFINE_TYPE(GstCanny, gst_canny, GST_TYPE_COALESCE_FILTER)
GST_ELEMENT_REGISTER_DEFINE(canny, "canny", GST_RANK_NONE, gst_canny_get_type())

namespace {

CannyPrivate &priv_of(gpointer object) {
  return *static_cast<GstCanny *>(object)->priv;
}

void set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
  const bool rounds = is_controlled(object, pspec);
  bool other_caps = false;
  priv_of(object).settings.change([&](CannySettings &settings) {
    const CannyOutput before = settings.output;
    const bool changed = set_edge_property(properties(), id, rounds, &settings, value);
    other_caps = settings.output != before;
    return changed;
  });
  if (!other_caps) return;
  gst_base_transform_reconfigure_sink(GST_BASE_TRANSFORM(object));
  gst_base_transform_reconfigure_src(GST_BASE_TRANSFORM(object));
}

// ---- caps ------------------------------------------------------------------------------------

using Formats = std::vector<std::string>;

const Formats &sink_formats() {
  static const Formats formats = edge_formats();
  return formats;
}

// Edges have grey's own colorimetry, whatever the picture's is: they are 0 and 255.
gboolean convert_caps(GstCoalesceFilter *self, GstPadDirection direction, guint alternative,
                      GstStructure *structure) {
  if (alternative > 0) return FALSE;
  const auto output =
      priv_of(self).settings.read([](const CannySettings &settings) { return settings.output; });
  if (output == CannyOutput::overlay) return TRUE;
  const Formats given = formats_in(structure);
  if (direction == GST_PAD_SRC && std::find(given.begin(), given.end(), "GRAY8") == given.end())
    return FALSE;
  gst_structure_remove_fields(structure, "colorimetry", "chroma-site", nullptr);
  set_formats(structure,
              direction == GST_PAD_SRC ? format_list(sink_formats()).c_str() : "{ GRAY8 }");
  return TRUE;
}

std::string conflict(const Conflict &c) {
  if (!c.ours.starts_with("format=")) return {};
  return c.ours + ", but downstream accepts " + c.theirs +
         "; output=edges makes GRAY8, output=overlay the input's format" +
         (c.advice.empty() ? "" : "; ") + c.advice;
}

// ---- settings --------------------------------------------------------------------------------

std::vector<std::string> ignored(const CannySettings &settings) {
  if (settings.output == CannyOutput::overlay || settings.edge_color == CannySettings().edge_color)
    return {};
  return {"edge-color has no effect; it requires output=overlay"};
}

bool update(gpointer self, const GstVideoInfo &info, bool new_format) {
  CannyPrivate &priv = priv_of(self);
  const double sigma_before = priv.in_use->sigma;
  return priv.in_use.follow(priv.settings, info, new_format, [&](const CannySettings &s) {
    // Cannot fail: the limits are those of the properties.
    if (new_format || s.sigma != sigma_before) priv.smoothing.set_sigma(s.usable_sigma());
    priv.colour = edge_colour(info, s.edge_color);
    GST_DEBUG_OBJECT(self, "thresholds %g and %g, aperture %d, %s, sigma %g", s.low, s.high,
                     s.aperture, s.l2 ? "roots of squares" : "absolute values", s.sigma);
  });
}

// ---- frames ----------------------------------------------------------------------------------

// Caps say what leaves, unless the picture is as grey as its edges.
bool is_overlay(GstCoalesceFilter *self) {
  const GstVideoInfo &in = self->priv->in.info, &out = self->priv->out.info;
  return GST_VIDEO_INFO_FORMAT(&in) == GST_VIDEO_FORMAT_GRAY8
             ? priv_of(self).in_use->output == CannyOutput::overlay
             : GST_VIDEO_INFO_FORMAT(&out) != GST_VIDEO_FORMAT_GRAY8;
}

// What is in scratch memory, where it begins.
struct CannyScratch {
  CannyScratch(GstCoalesceFilter *self, const ConstImage &picture, void *memory) {
    Layout layout(256, memory);
    canny = layout.at<std::uint8_t>(canny_scratch_bytes(picture.width, picture.height));
    if (is_overlay(self)) {
      edges = picture_of(coalesce::pixel_format("GRAY8"), picture.width, picture.height);
      put_in_scratch(&edges, layout.at<std::uint8_t>(scratch_picture_bytes(edges)));
    }
    smoothing = layout.at<std::uint8_t>(priv_of(self).smoothing.scratch_bytes(picture));
    bytes = layout.end();
  }
  void *canny, *smoothing;
  Image edges;  // that are to be drawn
  gsize bytes;
};

gsize scratch_bytes(GstCoalesceFilter *self, const Frame &in) {
  // Cannot fail: what has been used for this format can be used again.
  (void)update(self, in.info(), false);
  return CannyScratch(self, in.image(), nullptr).bytes;
}

Status run(GstCoalesceFilter *self, const Frame &in, const Frame &out, const Queue &queue) {
  CannyPrivate &priv = priv_of(self);
  const ConstImage picture = in.image();
  const CannyScratch scratch(self, picture, gst_coalesce_filter_scratch(self));
  const bool overlay = is_overlay(self);
  ConstImage smoothed;
  if (Status s = priv.smoothing.run(picture, queue, scratch.smoothing, &smoothed); !s.ok())
    return s;
  const Image edges = overlay ? scratch.edges : out.image();
  if (Status s = canny(priv.in_use->params(), smoothed, edges, queue, scratch.canny); !s.ok())
    return s;
  return overlay ? draw_edges(priv.colour, edges, picture, out.image(), queue) : Status();
}

}  // namespace

static void gst_canny_class_init(GstCannyClass *klass) {
  GST_DEBUG_CATEGORY_INIT(gst_canny_debug, "coalesce-canny", 0, "Edges by Canny's method");
  auto *filter_class = GST_COALESCE_FILTER_CLASS(klass);
  SettingsFilter<priv_of, properties, ignored, update>::install(filter_class);
  G_OBJECT_CLASS(klass)->set_property = guarded<set_property>;
  GST_COALESCE_TRANSFORM_CLASS(klass)->conflict = conflict;
  filter_class->convert_caps = convert_caps;
  filter_class->scratch_bytes = scratch_bytes;
  filter_class->run = run;
  const std::string formats = format_list(sink_formats());
  gst_coalesce_filter_class_add_templates(filter_class, formats.c_str(), formats.c_str());
  gst_element_class_set_static_metadata(
      GST_ELEMENT_CLASS(klass), "Canny edge detector", "Filter/Effect/Video",
      "Finds edges by Canny's method, on the GPU or on the CPU", "The gst-coalesce authors");
}

static void gst_canny_init(GstCanny *self) {
  initialise(self, [self] { self->priv = add_part<CannyPrivate>(self, self); });
}
