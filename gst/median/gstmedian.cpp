// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-median
 * @title: median
 *
 * Median, minimum, maximum and other ranks of a window. See docs/median.md.
 */
#include "median/median.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "base/settingsfilter.h"
#include "object/owned.h"
#include "video/channelsettings.h"

GST_DEBUG_CATEGORY_STATIC(gst_median_debug);
#define GST_CAT_DEFAULT gst_median_debug

using namespace coalesce;
using namespace coalesce::gst;

namespace {

// What a percentile is called.
enum class MedianPreset { none, erode, dilate };

struct MedianSettings : ChannelSettings {
  int size = 3;
  int width = 0, height = 0;  // 0: size
  double percentile = 50;
  MedianPreset preset = MedianPreset::none;

  MedianParams params() const {
    MedianParams p;
    p.width = width != 0 ? width : size;
    p.height = height != 0 ? height : size;
    // GObject takes -1e-100 for 0.
    p.percentile = preset == MedianPreset::none    ? std::max(percentile, 0.)
                   : preset == MedianPreset::erode ? 0
                                                   : 100;
    p.border = border;
    p.border_value = border_value;
    p.luma_only = luma_only;
    p.filter_alpha = filter_alpha;
    return p;
  }
};

GType preset_type() {
  static const GEnumValue values[] = {
      {int(MedianPreset::none), "The property percentile", "none"},
      {int(MedianPreset::erode), "The least sample, percentile 0", "erode"},
      {int(MedianPreset::dilate), "The largest sample, percentile 100", "dilate"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstMedianPreset", values);
  return type;
}

const PropertyTable<MedianSettings> &properties() {
  using S = MedianSettings;
  static const PropertyTable<S> table = [] {
    PropertyTable<S> t;
    t.set_flags(G_PARAM_READWRITE | GST_PARAM_MUTABLE_PLAYING | GST_PARAM_CONTROLLABLE);
    // As kWindow has them.
    t.add(&S::size,
          {"size", "Size",
           "Rows and columns of the window in pixels, an odd number. Where a control source gives "
           "an even one, the next is used, as for width and height"},
          3, kMaxMedianSize);
    t.add(&S::width,
          {"width", "Width", "Columns of the window in pixels, an odd number (0 = size)"}, 0,
          kMaxMedianSize);
    t.add(&S::height,
          {"height", "Height", "Rows of the window in pixels, an odd number (0 = size)"}, 0,
          kMaxMedianSize);
    t.add(&S::percentile,
          {"percentile", "Percentile",
           "Rank of the output among the window's sorted samples, in per cent: 0 the least "
           "(erosion), 50 the median, 100 the largest (dilation)"},
          0., 100.);
    const GType preset = preset_type();
    t.add(&S::preset, {"preset", "Preset", "Percentile by its name, in place of percentile"},
          preset);
    const GType border = border_type("GstMedianBorder"), planes = planes_type("GstMedianPlanes");
    add_channel_properties(&t, border, planes);
    for (GType type : {preset, border, planes})
      gst_type_mark_as_plugin_api(type, GstPluginAPIFlags(0));
    return t;
  }();
  return table;
}

// The first properties.
constexpr int MedianSettings::*kWindow[] = {&MedianSettings::size, &MedianSettings::width,
                                            &MedianSettings::height};

// A window has a middle.
std::string window_problem(const MedianSettings &settings) {
  std::string even;
  const auto check = [&even](const char *name, int size) {
    if (size % 2 == 0) even += (even.empty() ? "" : ", ") + (name + std::to_string(size));
  };
  if (settings.width == 0 || settings.height == 0) check("size=", settings.size);
  if (settings.width != 0) check("width=", settings.width);
  if (settings.height != 0) check("height=", settings.height);
  return even.empty() ? even : even + ": a window requires odd numbers";
}

const OwnPart<MedianSettings> kWindowPart = {
    window_problem, [](const MedianSettings &before, MedianSettings *settings) {
      settings->size = before.size, settings->width = before.width;
      settings->height = before.height;
    }};

struct MedianPrivate {
  explicit MedianPrivate(gpointer self) : settings(self), in_use(self, kWindowPart) {}

  Settings<MedianSettings> settings;
  SettingsInUse<MedianSettings> in_use;
};

struct GstMedian {
  GstCoalesceFilter parent;
  MedianPrivate *priv;
};
using GstMedianClass = GstCoalesceFilterClass;

}  // namespace

G_DEFINE_TYPE(GstMedian, gst_median, GST_TYPE_COALESCE_FILTER)
GST_ELEMENT_REGISTER_DEFINE(median, "median", GST_RANK_NONE, gst_median_get_type())

namespace {

MedianPrivate &priv_of(gpointer object) {
  return *static_cast<GstMedian *>(object)->priv;
}

void set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
  const bool rounds = id <= std::size(kWindow) && is_controlled(object, pspec);
  priv_of(object).settings.change([&](MedianSettings &settings) {
    if (!rounds) return properties().set(id, &settings, value);
    int &size = settings.*kWindow[id - 1];
    const int before = size;
    properties().set(id, &settings, value);
    if (size > 0) size |= 1;
    return size != before;
  });
}

std::vector<std::string> ignored(const MedianSettings &settings) {
  const MedianSettings initial;
  std::vector<std::string> texts;
  if (settings.size != initial.size && settings.width != 0 && settings.height != 0)
    texts.push_back("size=" + std::to_string(settings.size) +
                    " has no effect with width=" + std::to_string(settings.width) +
                    " and height=" + std::to_string(settings.height));
  if (settings.percentile != initial.percentile && settings.preset != MedianPreset::none) {
    texts.push_back("percentile=" + number_text(settings.percentile) +
                    " has no effect with preset=" +
                    (settings.preset == MedianPreset::erode ? "erode" : "dilate") +
                    "; it requires preset=none");
  }
  texts.push_back(ignored_border_value(settings));
  return texts;
}

bool update(gpointer self, const GstVideoInfo &info, bool new_format) {
  MedianPrivate &priv = priv_of(self);
  return priv.in_use.follow(priv.settings, info, new_format, [self](const MedianSettings &s) {
    const MedianParams params = s.params();
    const int count = params.width * params.height;
    GST_DEBUG_OBJECT(self, "%d x %d, sample %d of %d, on %s", params.width, params.height,
                     median_rank(count, params.percentile), count,
                     params.luma_only ? "luma" : "all planes");
  });
}

// As of convolve, the samples of the window being its coefficients.
gboolean worth_the_trip(GstCoalesceFilter *self, const GstVideoInfo *in) {
  const MedianParams params = priv_of(self).in_use->params();
  return backend_of(self).is_heavy_enough(*in, params.width * params.height);
}

gsize scratch_bytes(GstCoalesceFilter *self, const Frame &in) {
  // Cannot fail: what has been used for this format can be used again.
  (void)update(self, in.info(), false);
  return container_scratch_bytes(in.image());
}

Status run(GstCoalesceFilter *self, const Frame &in, const Frame &out, const Queue &queue) {
  return median(priv_of(self).in_use->params(), in.image(), out.image(), queue,
                gst_coalesce_filter_scratch(self));
}

}  // namespace

static void gst_median_class_init(GstMedianClass *klass) {
  GST_DEBUG_CATEGORY_INIT(gst_median_debug, "coalesce-median", 0, "Rank filter");
  auto *filter_class = GST_COALESCE_FILTER_CLASS(klass);
  SettingsFilter<priv_of, properties, ignored, update>::install(filter_class);
  G_OBJECT_CLASS(klass)->set_property = guarded<set_property>;
  filter_class->worth_the_trip = worth_the_trip;
  filter_class->scratch_bytes = scratch_bytes;
  filter_class->run = run;
  gst_coalesce_filter_class_add_templates(filter_class, channel_formats().c_str(),
                                          channel_formats().c_str());
  gst_element_class_set_static_metadata(
      GST_ELEMENT_CLASS(klass), "Median filter", "Filter/Effect/Video",
      "Replaces samples by the median, or another percentile, of a window of up to 75 x 75, on the "
      "GPU or on the CPU",
      "The gst-coalesce authors");
}

static void gst_median_init(GstMedian *self) {
  initialise(self, [self] { self->priv = add_part<MedianPrivate>(self, self); });
}
