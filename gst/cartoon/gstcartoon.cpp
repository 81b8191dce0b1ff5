// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-cartoon
 * @title: cartoon
 *
 * Flat areas in a few tones, and lines over them. See docs/cartoon.md.
 */
#include "cartoon/cartoon.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/settingsfilter.h"
#include "object/owned.h"
#include "object/propertytable.h"
#include "object/settings.h"
#include "video/channelsettings.h"
#include "video/conversion.h"
#include "video/pixelformat.h"

GST_DEBUG_CATEGORY_STATIC(gst_cartoon_debug);
#define GST_CAT_DEFAULT gst_cartoon_debug

using namespace coalesce;
using namespace coalesce::gst;

namespace {

const CartoonSettings kDefaults;

struct FilterSettings : BilateralSettings {
  FilterSettings() : BilateralSettings(kDefaults.areas) {}

  int iterations = kDefaults.iterations;
  int levels = kDefaults.levels;
  double softness = kDefaults.softness;
  CartoonLines edges = kDefaults.lines;
  guint edge_color = 0xff000000;
  double low = kDefaults.canny.low, high = kDefaults.canny.high;
  double dog_sigma = kDefaults.dog_sigma, dog_threshold = kDefaults.dog_threshold;

  // (GObject takes -1e-100 for 0.)
  CartoonSettings for_frames(const GstVideoInfo &info) const {
    CartoonSettings s;
    s.areas = *this;
    s.iterations = iterations;
    s.levels = levels;
    s.softness = std::clamp(softness, 0., kMaxCartoonSoftness);
    s.range = conversion_params(info, info).in_range;
    s.lines = edges;
    s.canny.low = std::clamp(low, 0., kMaxCannyThreshold);
    s.canny.high = std::clamp(high, 0., kMaxCannyThreshold);
    s.dog_sigma = dog_sigma;
    s.dog_threshold = dog_threshold;
    set_colour(edge_color, info, s.colour.sample);
    s.colour.opacity = int(edge_color >> 24);
    return s;
  }
};

GType edges_type() {
  static const GEnumValue values[] = {
      {int(CartoonLines::none), "No lines", "none"},
      {int(CartoonLines::canny), "Lines of one pixel, by Canny's method", "canny"},
      {int(CartoonLines::dog), "Soft lines, by a difference of Gaussians", "dog"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstCartoonEdges", values);
  return type;
}

const PropertyTable<FilterSettings> &properties() {
  using S = FilterSettings;
  static const PropertyTable<S> table = [] {
    PropertyTable<S> t;
    constexpr int kFlags = G_PARAM_READWRITE | GST_PARAM_MUTABLE_PLAYING | GST_PARAM_CONTROLLABLE;
    t.set_flags(kFlags);
    t.add(&S::levels, {"levels", "Levels", "Number of tones of luma, black and white included"},
          kMinCartoonLevels, kMaxCartoonLevels);
    t.add(&S::softness,
          {"softness", "Softness",
           "Softness of the steps between tones: 0 is hard, 1 almost no step"},
          0., kMaxCartoonSoftness);
    t.add(&S::radius,
          {"radius", "Radius", "Radius in pixels of the bilateral filter that makes the areas"}, 1,
          kMaxBilateralRadius);
    t.add(&S::sigma_space,
          {"sigma-space", "Sigma of space",
           "Standard deviation of the bilateral filter over distances, in pixels"},
          kMinBilateralSigma, kMaxBilateralSigma);
    t.add(&S::sigma_range,
          {"sigma-range", "Sigma of the range",
           "Standard deviation of the bilateral filter over differences, in 255ths of the sample "
           "range: smaller differences are smoothed"},
          kMinBilateralSigma, kMaxBilateralSigma);
    t.add(&S::iterations,
          {"iterations", "Iterations",
           "Number of passes of the bilateral filter: more make larger areas"},
          1, kMaxBilateralIterations);
    const GType edges = edges_type();
    gst_type_mark_as_plugin_api(edges, GstPluginAPIFlags(0));
    t.add(&S::edges, {"edges", "Edges", "Method that finds the lines over the areas"}, edges);
    t.add_colour(&S::edge_color,
                 {"edge-color", "Edge color", "Color of the lines, big-endian ARGB"});
    t.add(&S::low,
          {"low-threshold", "Low threshold",
           "Gradient that a line of edges=canny exceeds everywhere, in sums of samples times Sobel "
           "weights"},
          0., kMaxCannyThreshold);
    t.add(&S::high,
          {"high-threshold", "High threshold",
           "Gradient that a line of edges=canny exceeds somewhere, in sums of samples times Sobel "
           "weights"},
          0., kMaxCannyThreshold);
    t.add(&S::dog_sigma,
          {"dog-sigma", "Sigma of the difference of Gaussians",
           "Standard deviation in pixels of the narrower Gaussian of edges=dog: larger ones make "
           "wider lines"},
          kMinDogSigma, kMaxDogSigma);
    t.add(&S::dog_threshold,
          {"dog-threshold", "Threshold of the difference of Gaussians",
           "Difference of Gaussians, in steps of luma, at which a line of edges=dog begins; it is "
           "whole at twice that"},
          kMinDogThreshold, kMaxDogThreshold);
    return t;
  }();
  return table;
}

struct CartoonPrivate {
  explicit CartoonPrivate(gpointer self) : settings(self), in_use(self) {}

  Settings<FilterSettings> settings;
  // The streaming thread's.
  SettingsInUse<FilterSettings> in_use;
  Cartoon cartoon;
};

struct GstCartoon {
  GstCoalesceFilter parent;
  CartoonPrivate *priv;
};
using GstCartoonClass = GstCoalesceFilterClass;

}  // namespace

G_DEFINE_TYPE(GstCartoon, gst_cartoon, GST_TYPE_COALESCE_FILTER)
GST_ELEMENT_REGISTER_DEFINE(cartoon, "cartoon", GST_RANK_NONE, gst_cartoon_get_type())

namespace {

CartoonPrivate &priv_of(gpointer object) {
  return *static_cast<GstCartoon *>(object)->priv;
}

bool update(gpointer self, const GstVideoInfo &info, bool new_format) {
  CartoonPrivate &priv = priv_of(self);
  return priv.in_use.follow(priv.settings, info, new_format, [&](const FilterSettings &s) {
    // Cannot fail: the limits are those of the properties.
    (void)make_cartoon(s.for_frames(info), pixel_format(info), &priv.cartoon);
    GST_DEBUG_OBJECT(self, "%d levels, softness %g, areas by radius %d, sigmas %g and %g, %d times",
                     s.levels, s.softness, s.radius, s.sigma_space, s.sigma_range, s.iterations);
  });
}

// The areas are most of the work.
gboolean worth_the_trip(GstCoalesceFilter *self, const GstVideoInfo *in) {
  const Cartoon &cartoon = priv_of(self).cartoon;
  return backend_of(self).is_heavy_enough(
      *in, kBilateralWork * cartoon.areas.pixels() * cartoon.iterations);
}

// The settings decide what run() needs, so they are followed here.
gsize scratch_bytes(GstCoalesceFilter *self, const Frame &in) {
  (void)update(self, in.info(), false);
  return cartoon_scratch_bytes(priv_of(self).cartoon, in.image());
}

Status run(GstCoalesceFilter *self, const Frame &in, const Frame &out, const Queue &queue) {
  return cartoon(priv_of(self).cartoon, in.image(), out.image(), queue,
                 gst_coalesce_filter_scratch(self));
}

// Properties that were set, and that other values of `edges` use.
std::vector<std::string> without_effect(const FilterSettings &s) {
  const FilterSettings initial;
  std::vector<std::string> texts;
  const auto add = [&](const char *name, bool changed, bool used, const char *required) {
    if (changed && !used)
      texts.push_back(std::string(name) + " has no effect; it requires edges=" + required);
  };
  const bool canny = s.edges == CartoonLines::canny, dog = s.edges == CartoonLines::dog;
  add("edge-color", s.edge_color != initial.edge_color, canny || dog, "canny or edges=dog");
  add("low-threshold", s.low != initial.low, canny, "canny");
  add("high-threshold", s.high != initial.high, canny, "canny");
  add("dog-sigma", s.dog_sigma != initial.dog_sigma, dog, "dog");
  add("dog-threshold", s.dog_threshold != initial.dog_threshold, dog, "dog");
  return texts;
}

}  // namespace

static void gst_cartoon_class_init(GstCartoonClass *klass) {
  GST_DEBUG_CATEGORY_INIT(gst_cartoon_debug, "coalesce-cartoon", 0, "Cartoons");
  auto *filter_class = GST_COALESCE_FILTER_CLASS(klass);
  SettingsFilter<priv_of, properties, without_effect, update>::install(filter_class);
  filter_class->scratch_bytes = scratch_bytes;
  filter_class->run = run;
  filter_class->worth_the_trip = worth_the_trip;
  // What a source that has a choice makes comes first.
  const std::string formats =
      format_list(formats_where({"I420", "YV12", "NV12", "NV21", "Y42B", "Y444", "GRAY8"},
                                [](const PixelFormat &format) { return format.in_bytes(); }));
  gst_coalesce_filter_class_add_templates(filter_class, formats.c_str(), formats.c_str());
  gst_element_class_set_static_metadata(
      GST_ELEMENT_CLASS(klass), "Cartoon", "Filter/Effect/Video",
      "Flat areas in a few tones, and lines over them, on the GPU or on the CPU",
      "The gst-coalesce authors");
}

static void gst_cartoon_init(GstCartoon *self) {
  initialise(self, [self] { self->priv = add_part<CartoonPrivate>(self, self); });
}
