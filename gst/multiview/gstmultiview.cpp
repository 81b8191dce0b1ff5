// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-multiview
 * @title: multiview
 *
 * Depths by several cameras whose places are known. See docs/multiview.md.
 */
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/aggregator.h"
#include "base/grey.h"
#include "multiview/cameras.h"
#include "multiview/multiview.h"
#include "object/guarded.h"
#include "object/owned.h"
#include "object/propertytable.h"
#include "object/textfile.h"
#include "stereo/view.h"
#include "video/channelsettings.h"
#include "video/memorycaps.h"

GST_DEBUG_CATEGORY_STATIC(gst_multiview_debug);
#define GST_CAT_DEFAULT gst_multiview_debug

using namespace coalesce;
using namespace coalesce::gst;

namespace {

enum class Output { depth, floats, confidence, depth_confidence, turbo, viridis };

// Outputs with the same caps.
Output kind_of(Output output) {
  return output == Output::viridis ? Output::turbo : output;
}
bool is_in_words(Output output) {
  return output == Output::depth || output == Output::depth_confidence;
}

constexpr double kLeastScale = 1e-9;
constexpr int kWordMost = 0xFFFF;

struct MultiviewSettings : MultiviewParams {
  Output shown = Output::depth;
  double depth_scale = 1;
  int reference = 0;
  std::string cameras;
  double max_skew = 0;  // milliseconds; 0: any
};
using S = MultiviewSettings;

// ---- properties ------------------------------------------------------------------------------

constexpr const char *kMethodNames[] = {"sad", "ncc"};

GType method_type() {
  static const GEnumValue values[] = {
      {int(MultiviewMethod::sad), "Sums of absolute differences of a window", "sad"},
      {int(MultiviewMethod::ncc), "Normalised cross-correlation of a window", "ncc"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstMultiviewMethod", values);
  return type;
}

GType output_type() {
  static const GEnumValue values[] = {
      {int(Output::depth), "Depths times depth-scale: GRAY16_LE; 0 is unknown", "depth"},
      {int(Output::floats), "Depths: a row of float32 in GRAY16_LE of twice the width", "float"},
      {int(Output::confidence), "The share of neighbours that agree: GRAY8, 255 is all of them",
       "confidence"},
      {int(Output::depth_confidence),
       "Depths as of depth, and below them confidences, 65535 being all: GRAY16_LE, twice the "
       "height",
       "depth-confidence"},
      {int(Output::turbo), "Colours, from blue (far) to red (near); black is unknown", "turbo"},
      {int(Output::viridis), "Colours, from violet (far) to yellow (near); black is unknown",
       "viridis"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstMultiviewOutput", values);
  return type;
}

const PropertyTable<S> &properties() {
  static const PropertyTable<S> table = [] {
    PropertyTable<S> t;
    constexpr int kPlaying = G_PARAM_READWRITE | GST_PARAM_MUTABLE_PLAYING;
    t.set_flags(kPlaying | GST_PARAM_CONTROLLABLE);
    const GType method = method_type(), output = output_type();
    for (GType type : {method, output})
      gst_type_mark_as_plugin_api(type, GstPluginAPIFlags(0));
    t.add(&S::method, {"method", "Method", "Measure of likeness by which depths are found"},
          method);
    // As kWindow has it.
    t.add(&S::window,
          {"window-size", "Window size",
           "Rows and columns of the compared window in pixels, an odd number. Where a control "
           "source gives an even one, the next is used"},
          kMinMultiviewWindow, kMaxMultiviewWindow);
    t.add(&S::depths,
          {"num-depths", "Number of depths",
           "Number of candidate depths of each pixel, from near to far, whose inverses are evenly "
           "spaced"},
          kMinMultiviewDepths, kMaxMultiviewDepths);
    t.add(&S::nearest,
          {"near", "Near",
           "Nearest candidate depth, in the unit of the camera matrices; less than far"},
          kMinMultiviewDepth, kMaxMultiviewDepth);
    t.add(&S::farthest,
          {"far", "Far", "Farthest candidate depth, in the unit of the camera matrices"},
          kMinMultiviewDepth, kMaxMultiviewDepth);
    t.add(&S::tolerance,
          {"tolerance", "Tolerance",
           "Difference up to which the depths of two pictures agree, in candidate depths"},
          0, kMaxMultiviewDepths);
    t.add(&S::min_count,
          {"min-count", "Minimum count",
           "Number of neighbouring pictures that must agree, or the depth is unknown; of fewer, "
           "all must"},
          1, kMaxMultiviewViews - 1);
    t.add(&S::shown, {"output", "Output", "Output picture: depths, confidences or colours"},
          output);
    t.add(&S::depth_scale,
          {"depth-scale", "Depth scale",
           "Steps of a sample of output=depth and depth-confidence in one unit of the camera "
           "matrices"},
          kLeastScale, kMaxMultiviewScale);
    add_max_skew(&t);
    t.set_flags(kPlaying);
    t.add(&S::reference,
          {"reference", "Reference", "Number of the pad whose pixels get depths: 0 is sink_0"}, 0,
          G_MAXINT);
    t.set_flags(G_PARAM_READWRITE | GST_PARAM_MUTABLE_READY);
    t.add(&S::cameras, {"cameras", "Cameras",
                        "Path of a text file with a projection matrix for each pad, in the order "
                        "of their numbers: three rows of four numbers. It is read at the start"});
    return t;
  }();
  return table;
}

constexpr guint kWindow = 2;

// ---- what cannot be used ---------------------------------------------------------------------

const OwnPart<S> kRangePart = {[](const S &s) -> std::string {
                                 if (s.nearest < s.farthest) return {};
                                 return "near=" + number_text(s.nearest) +
                                        " is not less than far=" + number_text(s.farthest);
                               },
                               [](const S &before, S *s) {
                                 s->nearest = before.nearest;
                                 s->farthest = before.farthest;
                               }};

// ---- the element -----------------------------------------------------------------------------

struct MultiviewPrivate {
  explicit MultiviewPrivate(gpointer self)
      : settings(self), in_use(self, kOddWindow<S>, kRangePart) {}

  // What leaves now: as the settings have it, where the caps are of its kind; else as before.
  void follow_output() {
    if (kind_of(in_use->shown) == kind)
      shown = in_use->shown;
    else if (kind_of(shown) != kind)
      shown = kind;
  }

  Settings<S> settings;
  // The source pad's thread's.
  SettingsInUse<S> in_use;
  std::vector<CameraMatrix> cameras;  // of the file
  // Of the negotiated inputs.
  int reference = 0;  // which of them it is
  std::vector<MultiviewView> views;
  std::vector<ConvertParams> to_grey;
  Output kind = Output::depth;  // the caps
  Output shown = Output::depth;
};

struct GstMultiview {
  GstCoalesceAggregator parent;
  MultiviewPrivate *priv;
};
using GstMultiviewClass = GstCoalesceAggregatorClass;

}  // namespace

G_DEFINE_TYPE(GstMultiview, gst_multiview, GST_TYPE_COALESCE_AGGREGATOR)
#define parent_class gst_multiview_parent_class
GST_ELEMENT_REGISTER_DEFINE(multiview, "multiview", GST_RANK_NONE, gst_multiview_get_type())

namespace {

MultiviewPrivate &priv_of(gpointer object) {
  return *static_cast<GstMultiview *>(object)->priv;
}

void set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
  const bool rounds = id == kWindow && is_controlled(object, pspec);
  bool negotiates = false;
  priv_of(object).settings.change([&](S &s) {
    const S before = s;
    const bool changed = properties().set(id, &s, value);
    negotiates = kind_of(s.shown) != kind_of(before.shown) || s.reference != before.reference;
    if (!rounds) return changed;
    s.window |= 1;
    return s.window != before.window;
  });
  if (negotiates) gst_pad_mark_reconfigure(GST_AGGREGATOR_SRC_PAD(object));
}

void get_property(GObject *object, guint id, GValue *value, GParamSpec *) {
  priv_of(object).settings.read([&](const S &s) { properties().get(id, s, value); });
}

// Posts an error and returns false if there are no usable settings.
bool update(gpointer self, const GstVideoInfo &info, bool new_format) {
  MultiviewPrivate &priv = priv_of(self);
  return priv.in_use.follow(priv.settings, info, new_format, [&](const S &s) {
    GST_DEBUG_OBJECT(self, "%s, %d depths from %g to %g, reference sink_%d",
                     kMethodNames[int(s.method)], s.depths, s.nearest, s.farthest, s.reference);
  });
}

// Posts an error and returns false if there are no usable ones.
bool read_cameras(GstMultiview *self, const std::string &path) {
  constexpr const char *kRequired = "a file with a matrix of 3x4 numbers for each pad is required";
  if (path.empty())
    return post_settings_problem(self, std::string("cameras is not set; ") + kRequired, false);
  const std::string setting = quote_setting("cameras", path, 200);
  std::string text;
  if (const std::string problem = read_text_file(path, &text); !problem.empty()) {
    GST_ELEMENT_ERROR(self, RESOURCE, OPEN_READ,
                      ("%s cannot be read: %s; %s", setting.c_str(), problem.c_str(), kRequired),
                      (nullptr));
    return false;
  }
  std::string problem;
  return parse_cameras(text, &self->priv->cameras, &problem) ||
         post_settings_problem(self, setting + ": " + problem, false);
}

gboolean start(GstAggregator *aggregator) {
  auto *self = reinterpret_cast<GstMultiview *>(aggregator);
  const S settings = self->priv->settings.snapshot();
  if (settings.depth_scale != S().depth_scale && !is_in_words(settings.shown))
    warn_of_ignored(self,
                    {"depth-scale has no effect; it requires output=depth or depth-confidence"});
  return self->priv->in_use.start(settings) && read_cameras(self, settings.cameras) &&
         GST_AGGREGATOR_CLASS(parent_class)->start(aggregator);
}

gboolean stop(GstAggregator *aggregator) {
  const gboolean stopped = GST_AGGREGATOR_CLASS(parent_class)->stop(aggregator);
  priv_of(aggregator).in_use.stop();
  return stopped;
}

// ---- caps ------------------------------------------------------------------------------------

void double_field(GstStructure *structure, const char *name) {
  int number = 0;
  if (gst_structure_get_int(structure, name, &number))
    gst_structure_set(structure, name, G_TYPE_INT, number <= G_MAXINT / 2 ? 2 * number : number,
                      nullptr);
}

// Depths are no light: they have no colorimetry.
gboolean output_caps(GstCoalesceAggregator *self, const GstVideoInfo *const *in, guint,
                     guint alternative, GstStructure *structure) {
  if (alternative > 0) return FALSE;
  // Cannot fail: the start has found settings that can be used.
  (void)update(self, *in[0], false);
  gst_structure_remove_fields(structure, "colorimetry", "chroma-site", nullptr);
  switch (kind_of(priv_of(self).in_use->shown)) {
    case Output::confidence:
      set_formats(structure, "{ GRAY8 }");
      return TRUE;
    case Output::turbo:
      set_formats(structure, formats_of_colours().c_str());
      return TRUE;
    case Output::floats:
      double_field(structure, "width");
      break;
    case Output::depth_confidence:
      double_field(structure, "height");
      break;
    default:
      break;
  }
  set_formats(structure, "{ GRAY16_LE }");
  return TRUE;
}

gboolean input_caps(GstCoalesceAggregator *self, guint alternative, GstStructure *structure) {
  if (alternative > 0) return FALSE;
  gst_structure_remove_fields(structure, "colorimetry", "chroma-site", nullptr);
  // Where the output has another size, downstream's is none of the inputs'.
  const Output output = priv_of(self).settings.read([](const S &s) { return s.shown; });
  if (output == Output::floats) gst_structure_remove_field(structure, "width");
  if (output == Output::depth_confidence) gst_structure_remove_field(structure, "height");
  set_formats(structure, formats_with_grey().c_str());
  return TRUE;
}

Output kind_of_caps(const GstVideoInfo &in, const GstVideoInfo &out) {
  if (GST_VIDEO_INFO_FORMAT(&out) == GST_VIDEO_FORMAT_GRAY8) return Output::confidence;
  if (GST_VIDEO_INFO_FORMAT(&out) != GST_VIDEO_FORMAT_GRAY16_LE) return Output::turbo;
  if (GST_VIDEO_INFO_WIDTH(&out) != GST_VIDEO_INFO_WIDTH(&in)) return Output::floats;
  return GST_VIDEO_INFO_HEIGHT(&out) != GST_VIDEO_INFO_HEIGHT(&in) ? Output::depth_confidence
                                                                   : Output::depth;
}

// Posts an error and returns false if a pad's camera cannot be used.
bool place_cameras(GstCoalesceAggregator *self, guint n) {
  MultiviewPrivate &priv = priv_of(self);
  const auto number = [self](guint i) { return gst_coalesce_aggregator_input_number(self, i); };
  const auto pad = [&](guint i) { return "sink_" + std::to_string(number(i)); };
  const auto refuse = [&](const std::string &problem) {
    return post_settings_problem(self, problem, false);
  };
  const int wanted = priv.in_use->reference;
  priv.views.assign(n, {});
  priv.reference = -1;
  for (guint i = 0; i < n; i++) {
    if (number(i) >= priv.cameras.size())
      return refuse("Pad " + pad(i) +
                    " has no camera: " + quote_setting("cameras", priv.in_use->cameras, 200) +
                    " has no matrix behind that of sink_" +
                    std::to_string(priv.cameras.size() - 1));
    const CameraMatrix &camera = priv.cameras[number(i)];
    std::copy_n(&camera.at[0][0], 12, &priv.views[i].matrix[0][0]);
    if (number(i) == static_cast<guint>(wanted)) priv.reference = static_cast<int>(i);
  }
  if (priv.reference < 0) {
    std::string pads;
    for (guint i = 0; i < n; i++)
      pads += (i > 0 ? ", " : "") + pad(i);
    return refuse("reference=" + std::to_string(wanted) + ": there is no pad sink_" +
                  std::to_string(wanted) + " among " + pads);
  }
  const auto reference = static_cast<guint>(priv.reference);
  for (guint i = 0; i < n; i++) {
    if (i == reference) continue;
    const Status status =
        check_neighbour(priv.views[reference].matrix, priv.views[i].matrix, priv.in_use->nearest);
    if (!status.ok())
      return refuse("Pads " + pad(reference) + " and " + pad(i) + ", by lines " +
                    std::to_string(priv.cameras[number(reference)].line) + " and " +
                    std::to_string(priv.cameras[number(i)].line) + " of " +
                    quote_setting("cameras", priv.in_use->cameras, 200) + ": " + status.message());
  }
  return true;
}

gboolean set_info(GstCoalesceAggregator *self, const GstVideoInfo *const *in, guint n,
                  const GstVideoInfo *out) {
  const int width = GST_VIDEO_INFO_WIDTH(in[0]), height = GST_VIDEO_INFO_HEIGHT(in[0]);
  if (n > kMaxMultiviewViews) {
    GST_ELEMENT_ERROR(self, CORE, PAD,
                      ("There are %u inputs; at most %d can be used", n, kMaxMultiviewViews),
                      (nullptr));
    return FALSE;
  }
  if (width > kMaxMultiviewSize || height > kMaxMultiviewSize) {
    GST_ELEMENT_ERROR(
        self, STREAM, FORMAT,
        ("The inputs have %dx%d; sizes are limited to %d", width, height, kMaxMultiviewSize),
        (nullptr));
    return FALSE;
  }
  MultiviewPrivate &priv = priv_of(self);
  if (!update(self, *in[0], true) || !place_cameras(self, n)) return FALSE;
  priv.kind = kind_of_caps(*in[0], *out);
  priv.to_grey.clear();
  for (guint i = 0; i < n; i++)
    priv.to_grey.push_back(params_to_grey(*in[i]));
  priv.follow_output();
  return TRUE;
}

double max_skew(GstCoalesceAggregator *self) {
  return priv_of(self).settings.read([](const S &s) { return s.max_skew; });
}

// ---- frames ----------------------------------------------------------------------------------

// What a candidate of a pixel costs in each neighbour, beside a multiplication and addition of a
// filter.
constexpr int kCandidateWork = 16;

gboolean worth_the_trip(GstCoalesceAggregator *self, const GstVideoInfo *const *in, guint n) {
  const auto known = std::find_if(in, in + n, [](const GstVideoInfo *info) { return info; });
  const int neighbours = std::min(static_cast<int>(n), kMaxMultiviewViews) - 1;
  const int work = priv_of(self).in_use->depths * kCandidateWork * neighbours;
  return known != in + n && self->backend->is_heavy_enough(**known, work);
}

// Depths that become colours: words, and what they are divided by.
struct ColouredDepths {
  explicit ColouredDepths(const S &s) {
    // The farthest one is in the range of words, or has the colour of what is infinitely far.
    constexpr double kFewest = 256;
    scale = std::clamp(std::max(kWordMost / s.farthest, kFewest / s.nearest), kLeastScale,
                       kMaxMultiviewScale);
    const auto word = [this](double depth) {
      return std::clamp(std::round(depth * scale), 1., double{kWordMost});
    };
    inverse = std::min(word(s.nearest) * kWordMost, double{kMaxDepthScale});
    range.last = std::max(2, static_cast<int>(inverse / word(s.nearest)));
    range.first = std::min(static_cast<int>(inverse / word(s.farthest)), range.last - 1);
  }
  double scale;    // of the words
  double inverse;  // of depths()
  ColourRange range;
};

// The parameters of n views.
MultiviewParams params_of(const MultiviewPrivate &priv, guint n) {
  MultiviewParams params = *priv.in_use;
  params.min_count = std::min(params.min_count, static_cast<int>(n) - 1);
  params.output = priv.shown == Output::floats ? MultiviewDepth::floats : MultiviewDepth::words;
  if (is_in_words(priv.shown)) params.scale = priv.in_use->depth_scale;
  if (priv.kind == Output::turbo) params.scale = ColouredDepths(*priv.in_use).scale;
  return params;
}

// What is in scratch memory, where it begins.
struct Room {
  Room(GstCoalesceAggregator *self, const GstVideoInfo &info, guint n, void *memory) {
    const MultiviewPrivate &priv = priv_of(self);
    const int width = GST_VIDEO_INFO_WIDTH(&info), height = GST_VIDEO_INFO_HEIGHT(&info);
    Layout layout(256, memory);
    for (guint i = 0; i < n; i++)
      grey[i] = grey_copy_in(&layout, info);
    if (priv.kind == Output::confidence || priv.kind == Output::turbo)
      depth = picture_in(&layout, "GRAY16_LE", width, height);
    if (priv.kind == Output::depth_confidence)
      confidence = picture_in(&layout, "GRAY8", width, height);
    operation = layout.at<std::uint8_t>(multiview_scratch_bytes(
        params_of(priv, n), static_cast<int>(n), width, height, self->backend->is_on_gpu()));
    bytes = layout.end();
  }
  Image grey[kMaxMultiviewViews];  // of colours
  Image depth, confidence;         // that do not leave as they are
  void *operation;
  gsize bytes;
};

gsize scratch_bytes(GstCoalesceAggregator *self, const Frame *const *in, guint n) {
  const GstVideoInfo &info = in[0]->info();
  // Cannot fail: what has been used for this format can be used again.
  (void)update(self, info, false);
  priv_of(self).follow_output();
  return Room(self, info, n, nullptr).bytes;
}

Image half_of(const Image &picture, int half) {
  Image made = picture;
  made.interlaced = false;
  made.height /= 2;
  made.plane[0].height /= 2;
  made.plane[0].data = picture.plane[0].row(half * made.height);
  return made;
}

Status run(GstCoalesceAggregator *self, const Frame *const *in, guint n, const Frame &out,
           const Queue &queue) {
  MultiviewPrivate &priv = priv_of(self);
  const Room room(self, in[0]->info(), n, gst_coalesce_aggregator_scratch(self));
  for (guint i = 0; i < n; i++)
    if (Status status =
            look_at_grey(*in[i], priv.to_grey[i], room.grey[i], queue, &priv.views[i].picture);
        !status.ok())
      return status;
  const MultiviewParams params = params_of(priv, n);
  const auto find = [&](const Image &depth, const Image *confidence) {
    return multiview(params, priv.views.data(), static_cast<int>(n), priv.reference, depth,
                     confidence, queue, room.operation);
  };
  const Image picture = out.image();
  switch (priv.kind) {
    case Output::confidence:
      return find(room.depth, &picture);
    case Output::depth_confidence: {
      const Status status = find(half_of(picture, 0), &room.confidence);
      return status.ok() ? convert(ConvertParams(), room.confidence, half_of(picture, 1), queue)
                         : status;
    }
    case Output::turbo: {
      const ColouredDepths coloured(*priv.in_use);
      if (Status status = find(room.depth, nullptr); !status.ok()) return status;
      if (Status status =
              depths(static_cast<std::uint32_t>(coloured.inverse), room.depth, room.depth, queue);
          !status.ok())
        return status;
      const ColourMap map = priv.shown == Output::viridis ? ColourMap::viridis : ColourMap::turbo;
      return colours(map, coloured.range, room.depth, picture, queue);
    }
    default:
      return find(picture, nullptr);
  }
}

}  // namespace

static void gst_multiview_class_init(GstMultiviewClass *klass) {
  GST_DEBUG_CATEGORY_INIT(gst_multiview_debug, "coalesce-multiview", 0,
                          "Depths by several pictures");
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
  aggregator_class->max_skew = max_skew;
  aggregator_class->worth_the_trip = worth_the_trip;
  aggregator_class->scratch_bytes = scratch_bytes;
  aggregator_class->run = run;
  gst_coalesce_aggregator_class_add_input(aggregator_class, "sink_%u", formats_with_grey().c_str());
  const std::string outputs = "{ GRAY16_LE, GRAY8, " + formats_of_colours().substr(1);
  gst_coalesce_aggregator_class_add_output(aggregator_class, outputs.c_str());
  gst_element_class_set_static_metadata(
      GST_ELEMENT_CLASS(klass), "Multi-view depths", "Filter/Analyzer/Video",
      "Finds how far away each point of one picture is, by other pictures of the same scene whose "
      "cameras are known, on the GPU or on the CPU",
      "The gst-coalesce authors");
}

static void gst_multiview_init(GstMultiview *self) {
  initialise(self, [self] { self->priv = add_part<MultiviewPrivate>(self, self); });
}
