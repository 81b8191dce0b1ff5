// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-bilateral
 * @title: bilateral
 *
 * A mean of pixels that are near and alike. See docs/bilateral.md.
 */
#include "bilateral/bilateral.h"

#include <string>

#include "base/settingsfilter.h"
#include "object/owned.h"
#include "video/channelsettings.h"
#include "video/pixelformat.h"

GST_DEBUG_CATEGORY_STATIC(gst_bilateral_debug);
#define GST_CAT_DEFAULT gst_bilateral_debug

using namespace coalesce;
using namespace coalesce::gst;

namespace {

struct FilterSettings : ChannelSettings, BilateralSettings {
  int iterations = 1;
};

const PropertyTable<FilterSettings> &properties() {
  using S = FilterSettings;
  static const PropertyTable<S> table = [] {
    PropertyTable<S> t;
    t.set_flags(G_PARAM_READWRITE | GST_PARAM_MUTABLE_PLAYING | GST_PARAM_CONTROLLABLE);
    t.add(&S::radius,
          {"radius", "Radius", "Radius of the round window in pixels: 2 has 13 of them, 5 has 81"},
          1, kMaxBilateralRadius);
    t.add(&S::sigma_space,
          {"sigma-space", "Sigma of space",
           "Standard deviation of the weights over distances, in pixels"},
          kMinBilateralSigma, kMaxBilateralSigma);
    t.add(&S::sigma_range,
          {"sigma-range", "Sigma of the range",
           "Standard deviation of the weights over differences, in 255ths of the sample range; of "
           "RGB, over the sum of the three differences"},
          kMinBilateralSigma, kMaxBilateralSigma);
    t.add(
        &S::iterations,
        {"iterations", "Iterations", "Number of passes; each filters the result of the one before"},
        1, kMaxBilateralIterations);
    const GType border = border_type("GstBilateralBorder");
    const GType planes = planes_type("GstBilateralPlanes");
    add_channel_properties(&t, border, planes);
    for (GType type : {border, planes})
      gst_type_mark_as_plugin_api(type, GstPluginAPIFlags(0));
    return t;
  }();
  return table;
}

struct BilateralPrivate {
  explicit BilateralPrivate(gpointer self) : settings(self), in_use(self) {}

  Settings<FilterSettings> settings;
  // The streaming thread's.
  SettingsInUse<FilterSettings> in_use;
  Bilateral weights;  // of these settings
};

struct GstBilateral {
  GstCoalesceFilter parent;
  BilateralPrivate *priv;
};
using GstBilateralClass = GstCoalesceFilterClass;

}  // namespace

G_DEFINE_TYPE(GstBilateral, gst_bilateral, GST_TYPE_COALESCE_FILTER)
GST_ELEMENT_REGISTER_DEFINE(bilateral, "bilateral", GST_RANK_NONE, gst_bilateral_get_type())

namespace {

BilateralPrivate &priv_of(gpointer object) {
  return *static_cast<GstBilateral *>(object)->priv;
}

std::vector<std::string> ignored(const FilterSettings &settings) {
  return {ignored_border_value(settings)};
}

bool update(gpointer self, const GstVideoInfo &info, bool new_format) {
  BilateralPrivate &priv = priv_of(self);
  return priv.in_use.follow(priv.settings, info, new_format, [&](const FilterSettings &s) {
    // Cannot fail: the limits are those of the properties.
    (void)make_bilateral(s, pixel_format(info), &priv.weights);
    GST_DEBUG_OBJECT(self, "radius %d, %d pixels, %d weights of steps of %d, %d times, on %s",
                     s.radius, priv.weights.pixels(), priv.weights.last + 1,
                     1 << priv.weights.shift, s.iterations, s.luma_only ? "luma" : "all planes");
  });
}

gboolean worth_the_trip(GstCoalesceFilter *self, const GstVideoInfo *in) {
  const BilateralPrivate &priv = priv_of(self);
  return backend_of(self).is_heavy_enough(
      *in, kBilateralWork * priv.weights.pixels() * priv.in_use->iterations);
}

gsize scratch_bytes(GstCoalesceFilter *self, const Frame &in) {
  // Cannot fail: what has been used for this format can be used again.
  (void)update(self, in.info(), false);
  return bilateral_scratch_bytes(in.image(), priv_of(self).in_use->iterations);
}

Status run(GstCoalesceFilter *self, const Frame &in, const Frame &out, const Queue &queue) {
  const BilateralPrivate &priv = priv_of(self);
  const FilterSettings &settings = *priv.in_use;
  BilateralParams params;
  params.bilateral = &priv.weights;
  params.iterations = settings.iterations;
  params.border = settings.border;
  params.border_value = settings.border_value;
  params.luma_only = settings.luma_only;
  params.filter_alpha = settings.filter_alpha;
  return bilateral(params, in.image(), out.image(), queue, gst_coalesce_filter_scratch(self));
}

}  // namespace

static void gst_bilateral_class_init(GstBilateralClass *klass) {
  GST_DEBUG_CATEGORY_INIT(gst_bilateral_debug, "coalesce-bilateral", 0, "Bilateral filter");
  auto *filter_class = GST_COALESCE_FILTER_CLASS(klass);
  SettingsFilter<priv_of, properties, ignored, update>::install(filter_class);
  filter_class->scratch_bytes = scratch_bytes;
  filter_class->run = run;
  filter_class->worth_the_trip = worth_the_trip;
  gst_coalesce_filter_class_add_templates(filter_class, channel_formats().c_str(),
                                          channel_formats().c_str());
  gst_element_class_set_static_metadata(GST_ELEMENT_CLASS(klass), "Bilateral filter",
                                        "Filter/Effect/Video",
                                        "Smooths what is alike and keeps edges: a mean of the "
                                        "pixels around, weighted by how near and "
                                        "how alike they are, on the GPU or on the CPU",
                                        "The gst-coalesce authors");
}

static void gst_bilateral_init(GstBilateral *self) {
  initialise(self, [self] { self->priv = add_part<BilateralPrivate>(self, self); });
}
