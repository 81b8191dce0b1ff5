// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-stereodisparity
 * @title: stereodisparity
 *
 * Disparities of a pair of pictures. See docs/stereodisparity.md.
 */
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/aggregator.h"
#include "base/grey.h"
#include "object/guarded.h"
#include "object/owned.h"
#include "object/propertytable.h"
#include "rectifier.h"
#include "stereo/stereo.h"
#include "stereo/view.h"
#include "video/channelsettings.h"
#include "video/memorycaps.h"

GST_DEBUG_CATEGORY_STATIC(gst_stereo_disparity_debug);
#define GST_CAT_DEFAULT gst_stereo_disparity_debug

using namespace coalesce;
using namespace coalesce::gst;

namespace {

enum class DisparityOutput { disparity, depth, turbo, viridis };

bool is_coloured(DisparityOutput output) {
  return output == DisparityOutput::turbo || output == DisparityOutput::viridis;
}

// Of focal length and baseline.
constexpr double kMostLength = 1e6;

struct DisparitySettings : StereoParams {
  DisparityOutput output = DisparityOutput::disparity;
  double focal_length = 0, baseline = 0;  // pixels, millimetres; 0: those of the calibration
  double max_skew = 0;                    // milliseconds; 0: any
  std::string rectify;                    // a file; empty: none
  // Of the file that is in use; no property.
  double calibrated_focal_length = 0, calibrated_baseline = 0;

  double usable_focal_length() const {
    return focal_length > 0 ? focal_length : calibrated_focal_length;
  }
  double usable_baseline() const { return baseline > 0 ? baseline : calibrated_baseline; }
  bool lacks_lengths() const {
    return output == DisparityOutput::depth &&
           !(usable_focal_length() > 0 && usable_baseline() > 0);
  }
  // A depth times its disparity.
  std::uint32_t depth_scale() const {
    const double scale = std::round(kDisparityUnit * usable_focal_length() * usable_baseline());
    return static_cast<std::uint32_t>(std::clamp(scale, 1., double{kMaxDepthScale}));
  }
};
using S = DisparitySettings;

// ---- properties ------------------------------------------------------------------------------

constexpr const char *kMethodNames[] = {"sad", "ncc", "census", "sgm"};

GType method_type() {
  static const GEnumValue values[] = {
      {int(StereoMethod::sad), "Windows: sums of absolute differences", "sad"},
      {int(StereoMethod::ncc), "Windows: zero-mean normalised cross-correlation", "ncc"},
      {int(StereoMethod::census), "Windows: sums of the bits in which census transforms differ",
       "census"},
      {int(StereoMethod::sgm), "Semi-global matching of census transforms", "sgm"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstStereoDisparityMethod", values);
  return type;
}

GType paths_type() {
  static const GEnumValue values[] = {{4, "Along rows and columns", "4"},
                                      {8, "Along rows, columns and diagonals", "8"},
                                      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstStereoDisparityPaths", values);
  return type;
}

GType median_type() {
  static const GEnumValue values[] = {{0, "No median", "0"},
                                      {3, "A window of 3 x 3", "3"},
                                      {5, "A window of 5 x 5", "5"},
                                      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstStereoDisparityMedian", values);
  return type;
}

GType output_type() {
  static const GEnumValue values[] = {
      {int(DisparityOutput::disparity), "Disparities: GRAY16_LE, 16ths of a pixel; 0 is unknown",
       "disparity"},
      {int(DisparityOutput::depth), "Depths: GRAY16_LE, millimetres; 0 is unknown", "depth"},
      {int(DisparityOutput::turbo), "Colours, from blue (far) to red (near); black is unknown",
       "turbo"},
      {int(DisparityOutput::viridis),
       "Colours, from violet (far) to yellow (near); black is unknown", "viridis"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstStereoDisparityOutput", values);
  return type;
}

const PropertyTable<S> &properties() {
  static const PropertyTable<S> table = [] {
    PropertyTable<S> t;
    t.set_flags(G_PARAM_READWRITE | GST_PARAM_MUTABLE_PLAYING | GST_PARAM_CONTROLLABLE);
    const GType method = method_type(), paths = paths_type(), median = median_type(),
                output = output_type();
    for (GType type : {method, paths, median, output})
      gst_type_mark_as_plugin_api(type, GstPluginAPIFlags(0));
    t.add(&S::method, {"method", "Method", "Measure of likeness by which disparities are found"},
          method);
    // As kWindow and kCandidates have them.
    t.add(&S::window,
          {"window-size", "Window size",
           "Rows and columns of the window of method=sad, ncc and census in pixels, an odd number. "
           "Where a control source gives an even one, the next is used"},
          3, kMaxStereoWindow);
    t.add(&S::disparities,
          {"num-disparities", "Number of disparities",
           "Number of candidate disparities: whole pixels from min-disparity on, a multiple of 16. "
           "Where a control source gives another number, the next multiple is used"},
          16, kMaxDisparities);
    t.add(&S::min_disparity,
          {"min-disparity", "Minimum disparity", "Least candidate disparity in pixels"}, 0,
          kMaxMinDisparity);
    t.add(&S::paths,
          {"paths", "Paths", "Directions from which each pixel is reached, for method=sgm"}, paths);
    t.add(&S::p1,
          {"p1", "Small penalty",
           "Cost of a step of one pixel of disparity in a path of method=sgm, in bits of the "
           "census transform; at most p2"},
          1, kMaxStereoPenalty);
    t.add(&S::p2,
          {"p2", "Large penalty",
           "Cost of a larger step of disparity in a path of method=sgm, in bits of the census "
           "transform"},
          1, kMaxStereoPenalty);
    t.add(&S::adaptive, {"adaptive-p2", "Adaptive large penalty",
                         "Reduce p2 where the left picture has an edge, for method=sgm"});
    t.add(&S::subpixel, {"subpixel", "Subpixel",
                         "Compute disparities in 16ths of a pixel, in place of whole pixels"});
    t.add(&S::uniqueness,
          {"uniqueness", "Uniqueness",
           "Margin in per cent by which the best candidate must be better than those that are no "
           "neighbours of it, or the disparity is unknown (0 = any)"},
          0, 99);
    t.add(&S::left_right,
          {"left-right-check", "Left-right check",
           "Difference in pixels up to which the disparity of the right picture agrees, or the "
           "disparity is unknown (-1 = not checked)"},
          -1, kMaxDisparities);
    t.add(&S::median,
          {"median", "Median", "Rows and columns in pixels of a median filter of the disparities"},
          median);
    t.add(&S::speckle_size,
          {"speckle-size", "Speckle size",
           "Largest area, in pixels, whose disparities become unknown (0 = none)"},
          0, G_MAXINT);
    t.add(&S::speckle_range,
          {"speckle-range", "Speckle range",
           "Difference of disparity in pixels above which neighbours are of different areas, for "
           "speckle-size"},
          0, kMaxStereoSize);
    t.add(&S::output, {"output", "Output", "Output picture: disparities, depths or colours"},
          output);
    t.add(&S::focal_length,
          {"focal-length", "Focal length",
           "Focal length of both cameras in pixels, for output=depth (0 = that of rectify, if it "
           "is set)"},
          0., kMostLength);
    t.add(&S::baseline,
          {"baseline", "Baseline",
           "Distance of the cameras in millimetres, for output=depth (0 = that of rectify, if it "
           "is set)"},
          0., kMostLength);
    add_max_skew(&t);
    t.set_flags(G_PARAM_READWRITE | GST_PARAM_MUTABLE_READY);
    t.add(&S::rectify, {"rectify", "Rectify",
                        "Path of a file with the calibration of both cameras, in YAML as OpenCV "
                        "writes it (M1, D1, R1, P1, M2, D2, R2, P2), by which the pictures are "
                        "undistorted and rectified. It is read at the start"});
    return t;
  }();
  return table;
}

constexpr guint kWindow = 2, kCandidates = 3;

// ---- what cannot be used ---------------------------------------------------------------------

const OwnPart<S> kCandidatesPart = {
    [](const S &s) -> std::string {
      if (s.disparities % 16 == 0) return {};
      return "num-disparities=" + std::to_string(s.disparities) + ": a multiple of 16 is required";
    },
    [](const S &before, S *s) { s->disparities = before.disparities; }};

const OwnPart<S> kPenaltiesPart = {[](const S &s) -> std::string {
                                     if (s.p1 <= s.p2) return {};
                                     return "p1=" + std::to_string(s.p1) +
                                            " is more than p2=" + std::to_string(s.p2);
                                   },
                                   [](const S &before, S *s) {
                                     s->p1 = before.p1;
                                     s->p2 = before.p2;
                                   }};

const OwnPart<S> kDepthPart = {[](const S &s) -> std::string {
                                 if (!s.lacks_lengths()) return {};
                                 return "output=depth requires a focal-length and a baseline, or "
                                        "rectify with a P2 that has them";
                               },
                               [](const S &before, S *s) {
                                 s->output = before.output;
                                 s->focal_length = before.focal_length;
                                 s->baseline = before.baseline;
                               }};

// Of what has been set and has no effect.
std::vector<std::string> ignored(const S &s) {
  const S initial;
  std::vector<std::string> texts;
  const auto check = [&texts](bool set, bool used, const char *name, const char *required) {
    if (set && !used)
      texts.push_back(std::string(name) + " has no effect; it requires " + required);
  };
  const bool sgm = s.method == StereoMethod::sgm;
  check(s.window != initial.window, !sgm, "window-size", "method=sad, ncc or census");
  check(s.paths != initial.paths, sgm, "paths", "method=sgm");
  check(s.p1 != initial.p1, sgm, "p1", "method=sgm");
  check(s.p2 != initial.p2, sgm, "p2", "method=sgm");
  check(s.adaptive != initial.adaptive, sgm, "adaptive-p2", "method=sgm");
  check(s.speckle_range != initial.speckle_range, s.speckle_size > 0, "speckle-range",
        "speckle-size above 0");
  const bool depth = s.output == DisparityOutput::depth;
  check(s.focal_length != 0, depth, "focal-length", "output=depth");
  check(s.baseline != 0, depth, "baseline", "output=depth");
  return texts;
}

// ---- the element -----------------------------------------------------------------------------

struct DisparityPrivate {
  explicit DisparityPrivate(gpointer self)
      : settings(self),
        in_use(self, kOddWindow<S>, kCandidatesPart, kPenaltiesPart, kDepthPart),
        rectifier(self) {}

  // What leaves now: as the settings have it, where the caps are of its kind; else as before.
  void follow_output() {
    if (is_coloured(in_use->output) == coloured)
      shown = in_use->output;
    else if (is_coloured(shown) != coloured)
      shown = coloured ? DisparityOutput::turbo : DisparityOutput::disparity;
  }

  Settings<S> settings;
  // The source pad's thread's.
  SettingsInUse<S> in_use;
  ConvertParams to_grey[2];  // of pads whose samples stereo() does not look at
  Rectifier rectifier;
  bool coloured = false;  // the caps
  DisparityOutput shown = DisparityOutput::disparity;
};

struct GstStereoDisparity {
  GstCoalesceAggregator parent;
  DisparityPrivate *priv;
};
using GstStereoDisparityClass = GstCoalesceAggregatorClass;

}  // namespace

G_DEFINE_TYPE(GstStereoDisparity, gst_stereo_disparity, GST_TYPE_COALESCE_AGGREGATOR)
#define parent_class gst_stereo_disparity_parent_class
GST_ELEMENT_REGISTER_DEFINE(stereodisparity, "stereodisparity", GST_RANK_NONE,
                            gst_stereo_disparity_get_type())

namespace {

DisparityPrivate &priv_of(gpointer object) {
  return *static_cast<GstStereoDisparity *>(object)->priv;
}

void set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
  const bool rounds = is_controlled(object, pspec);
  bool other_caps = false;
  priv_of(object).settings.change([&](S &s) {
    const S before = s;
    const bool changed = properties().set(id, &s, value);
    other_caps = is_coloured(s.output) != is_coloured(before.output) ||
                 s.lacks_lengths() != before.lacks_lengths();
    if (!rounds || (id != kWindow && id != kCandidates)) return changed;
    if (id == kWindow) s.window |= 1;
    if (id == kCandidates) s.disparities = (s.disparities + 15) / 16 * 16;
    return s.window != before.window || s.disparities != before.disparities;
  });
  if (other_caps) gst_pad_mark_reconfigure(GST_AGGREGATOR_SRC_PAD(object));
}

void get_property(GObject *object, guint id, GValue *value, GParamSpec *) {
  priv_of(object).settings.read([&](const S &s) { properties().get(id, s, value); });
}

// What is in scratch memory, where it begins.
struct DisparityScratch {
  DisparityScratch(gpointer self, const GstVideoInfo &info, void *memory) {
    const DisparityPrivate &priv = priv_of(self);
    const int width = GST_VIDEO_INFO_WIDTH(&info), height = GST_VIDEO_INFO_HEIGHT(&info);
    Layout layout(256, memory);
    for (int i = 0; i < 2; i++) {
      grey[i] = grey_copy_in(&layout, info);
      if (priv.rectifier.is_on())
        rectified[i] = picture_in(&layout, grey_format(info), width, height);
    }
    if (priv.coloured) found = picture_in(&layout, "GRAY16_LE", width, height);
    const bool on_gpu = GST_COALESCE_AGGREGATOR(self)->backend->is_on_gpu();
    operation = layout.at<std::uint8_t>(stereo_scratch_bytes(*priv.in_use, width, height, on_gpu));
    bytes = layout.end();
  }
  Image grey[2];  // of colours
  Image rectified[2];
  Image found;  // disparities that are to be coloured
  void *operation;
  gsize bytes;
};

// Posts an error and returns false if there are no usable settings.
bool update(gpointer self, const GstVideoInfo &info, bool new_format) {
  DisparityPrivate &priv = priv_of(self);
  return priv.in_use.follow(priv.settings, info, new_format, [&](const S &s) {
    GST_DEBUG_OBJECT(self, "%s, candidates %d to %d, %" G_GSIZE_FORMAT " bytes beside the frames",
                     kMethodNames[int(s.method)], s.min_disparity,
                     s.min_disparity + s.disparities - 1,
                     DisparityScratch(self, info, nullptr).bytes);
  });
}

gboolean start(GstAggregator *aggregator) {
  DisparityPrivate &priv = priv_of(aggregator);
  Rectifier &rectifier = priv.rectifier;
  if (!rectifier.load(priv.settings.snapshot().rectify)) return FALSE;
  priv.settings.change([&rectifier](S &s) {
    s.calibrated_focal_length = rectifier.is_on() ? rectifier.calibration().focal_length() : 0;
    s.calibrated_baseline = rectifier.is_on() ? rectifier.calibration().baseline() : 0;
    return true;
  });
  const S settings = priv.settings.snapshot();
  warn_of_ignored(aggregator, ignored(settings));
  return priv.in_use.start(settings) && GST_AGGREGATOR_CLASS(parent_class)->start(aggregator);
}

gboolean stop(GstAggregator *aggregator) {
  const gboolean stopped = GST_AGGREGATOR_CLASS(parent_class)->stop(aggregator);
  priv_of(aggregator).in_use.stop();
  priv_of(aggregator).rectifier.drop();
  return stopped;
}

// ---- caps ------------------------------------------------------------------------------------

// Disparities and depths are no light: they have no colorimetry.
gboolean output_caps(GstCoalesceAggregator *self, const GstVideoInfo *const *in, guint,
                     guint alternative, GstStructure *structure) {
  if (alternative > 0) return FALSE;
  // Cannot fail: the start has found settings that can be used.
  (void)update(self, *in[0], false);
  gst_structure_remove_fields(structure, "colorimetry", "chroma-site", nullptr);
  set_formats(structure, is_coloured(priv_of(self).in_use->output) ? formats_of_colours().c_str()
                                                                   : "{ GRAY16_LE }");
  return TRUE;
}

gboolean input_caps(GstCoalesceAggregator *, guint alternative, GstStructure *structure) {
  if (alternative > 0) return FALSE;
  gst_structure_remove_fields(structure, "colorimetry", "chroma-site", nullptr);
  set_formats(structure, formats_with_grey().c_str());
  return TRUE;
}

gboolean set_info(GstCoalesceAggregator *self, const GstVideoInfo *const *in, guint n,
                  const GstVideoInfo *out) {
  const int width = GST_VIDEO_INFO_WIDTH(in[0]), height = GST_VIDEO_INFO_HEIGHT(in[0]);
  if (width > kMaxStereoSize || height > kMaxStereoSize) {
    GST_ELEMENT_ERROR(
        self, STREAM, FORMAT,
        ("Pads left and right have %dx%d; sizes are limited to %d", width, height, kMaxStereoSize),
        (nullptr));
    return FALSE;
  }
  DisparityPrivate &priv = priv_of(self);
  if (!priv.rectifier.make_maps(width, height)) return FALSE;
  priv.coloured = GST_VIDEO_INFO_FORMAT(out) != GST_VIDEO_FORMAT_GRAY16_LE;
  for (guint i = 0; i < std::min(n, 2u); i++)
    priv.to_grey[i] = params_to_grey(*in[i]);
  if (!update(self, *in[0], true)) return FALSE;
  priv.follow_output();
  return TRUE;
}

double max_skew(GstCoalesceAggregator *self) {
  return priv_of(self).settings.read([](const S &s) { return s.max_skew; });
}

JobTable *table(GstCoalesceAggregator *self) {
  Rectifier &rectifier = priv_of(self).rectifier;
  return rectifier.is_on() ? &rectifier.table() : nullptr;
}

// ---- frames ----------------------------------------------------------------------------------

// What a candidate of a pixel costs, beside a multiplication and addition of a filter.
constexpr int kWindowWork = 16, kPathsWork = 64;

gboolean worth_the_trip(GstCoalesceAggregator *self, const GstVideoInfo *const *in, guint n) {
  const GstVideoInfo *known = n > 0 && in[0] != nullptr ? in[0] : n > 1 ? in[1] : nullptr;
  const S &s = *priv_of(self).in_use;
  const int work = s.disparities * (s.method == StereoMethod::sgm ? kPathsWork : kWindowWork);
  return known != nullptr && self->backend->is_heavy_enough(*known, work);
}

gsize scratch_bytes(GstCoalesceAggregator *self, const Frame *const *in, guint) {
  const GstVideoInfo &info = in[0]->info();
  // Cannot fail: what has been used for this format can be used again.
  (void)update(self, info, false);
  priv_of(self).follow_output();
  return DisparityScratch(self, info, nullptr).bytes;
}

// What stereo() looks at: the frame, or its grey, and of that what has been rectified.
Status look(const DisparityPrivate &priv, const DisparityScratch &scratch, int i, const Frame &in,
            const Queue &queue, ConstImage *picture) {
  if (Status status = look_at_grey(in, priv.to_grey[i], scratch.grey[i], queue, picture);
      !status.ok() || !priv.rectifier.is_on())
    return status;
  const ConstImage seen = std::exchange(*picture, scratch.rectified[i]);
  return remap(priv.rectifier.map(i), seen, scratch.rectified[i], queue);
}

Status run(GstCoalesceAggregator *self, const Frame *const *in, guint, const Frame &out,
           const Queue &queue) {
  const DisparityPrivate &priv = priv_of(self);
  const S &s = *priv.in_use;
  const DisparityScratch scratch(self, in[0]->info(), gst_coalesce_aggregator_scratch(self));
  const Image found = priv.coloured ? scratch.found : out.image();
  ConstImage pictures[2];
  for (int i = 0; i < 2; i++)
    if (Status status = look(priv, scratch, i, *in[i], queue, &pictures[i]); !status.ok())
      return status;
  if (Status status = stereo(s, pictures[0], pictures[1], found, queue, scratch.operation);
      !status.ok())
    return status;
  if (priv.rectifier.is_on())
    if (Status status = hide_outside(priv.rectifier.map(0), priv.rectifier.map(1), found, queue);
        !status.ok())
      return status;
  switch (priv.shown) {
    case DisparityOutput::depth:
      return depths(s.depth_scale(), found, found, queue);
    case DisparityOutput::turbo:
    case DisparityOutput::viridis: {
      const ColourMap map =
          priv.shown == DisparityOutput::turbo ? ColourMap::turbo : ColourMap::viridis;
      const ColourRange range = {kDisparityUnit * s.min_disparity,
                                 kDisparityUnit * (s.min_disparity + s.disparities - 1)};
      return colours(map, range, found, out.image(), queue);
    }
    default:
      return {};
  }
}

}  // namespace

static void gst_stereo_disparity_class_init(GstStereoDisparityClass *klass) {
  GST_DEBUG_CATEGORY_INIT(gst_stereo_disparity_debug, "coalesce-stereodisparity", 0,
                          "Disparities of a pair of pictures");
  auto *object_class = G_OBJECT_CLASS(klass);
  object_class->set_property = guarded<set_property>;
  object_class->get_property = guarded<get_property>;
  properties().install(object_class);
  GST_AGGREGATOR_CLASS(klass)->start = guarded<start>;
  GST_AGGREGATOR_CLASS(klass)->stop = guarded<stop>;
  auto *aggregator_class = GST_COALESCE_AGGREGATOR_CLASS(klass);
  aggregator_class->alike =
      GST_COALESCE_ALIKE_FORMAT | GST_COALESCE_ALIKE_SIZE | GST_COALESCE_ALIKE_RATE;
  aggregator_class->output_caps = output_caps;
  aggregator_class->input_caps = input_caps;
  aggregator_class->set_info = set_info;
  aggregator_class->table = table;
  aggregator_class->max_skew = max_skew;
  aggregator_class->worth_the_trip = worth_the_trip;
  aggregator_class->scratch_bytes = scratch_bytes;
  aggregator_class->run = run;
  gst_coalesce_aggregator_class_add_input(aggregator_class, "left", formats_with_grey().c_str());
  gst_coalesce_aggregator_class_add_input(aggregator_class, "right", formats_with_grey().c_str());
  const std::string outputs = "{ GRAY16_LE, " + formats_of_colours().substr(1);
  gst_coalesce_aggregator_class_add_output(aggregator_class, outputs.c_str());
  gst_element_class_set_static_metadata(
      GST_ELEMENT_CLASS(klass), "Stereo disparities", "Filter/Analyzer/Video",
      "Finds how far left each point of the left picture is in the right one, by windows or by "
      "semi-global matching, on the GPU or on the CPU",
      "The gst-coalesce authors");
}

static void gst_stereo_disparity_init(GstStereoDisparity *self) {
  initialise(self, [self] { self->priv = add_part<DisparityPrivate>(self, self); });
}
