// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-linedetect
 * @title: linedetect
 *
 * Straight lines in pictures. See docs/linedetect.md.
 */
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/flight/sourcetask.h"
#include "base/settingsfilter.h"
#include "canny/edgesettings.h"
#include "linedetector.h"
#include "linesmeta.h"
#include "memory/resultpool.h"
#include "object/onexit.h"
#include "object/owned.h"

GST_DEBUG_CATEGORY_STATIC(gst_linedetect_debug);
#define GST_CAT_DEFAULT gst_linedetect_debug

using namespace coalesce;
using namespace coalesce::gst;

namespace {

// On the GPU: one whose lines are being found, and one that is being pushed.
constexpr guint kFramesInFlight = 2;

struct LinedetectSettings : EdgeSettings, LineParams {
  // Those that find the most of what is there (docs/lab/lines.md).
  LinedetectSettings() {
    low = 70;
    high = 140;
    sigma = 0.8;
  }
  bool draw = false;
  int thickness = 2;
  guint line_color = 0xff00ff00;
  bool post_messages = false;

  LineSettings of_lines() const {
    LineSettings settings = {EdgeSettings::params(), usable_sigma(), *this};
    // (GObject takes -1e-100 for 0.)
    settings.lines.tolerance = std::clamp(tolerance, 0., kMaxLineTolerance);
    return settings;
  }
};

const PropertyTable<LinedetectSettings> &properties() {
  using S = LinedetectSettings;
  static const PropertyTable<S> table = [] {
    PropertyTable<S> t;
    constexpr int kFlags = G_PARAM_READWRITE | GST_PARAM_MUTABLE_PLAYING | GST_PARAM_CONTROLLABLE;
    t.set_flags(kFlags);
    add_edge_properties(&t);
    t.add(&S::tolerance,
          {"tolerance", "Tolerance",
           "Distance in pixels of an edge from the line between its ends, above which it is split"},
          0., kMaxLineTolerance);
    t.add(&S::min_length,
          {"min-length", "Least length",
           "Length of the shortest line in pixels; shorter ones are dropped"},
          kMinLineLength, kMaxLineLength);
    t.add(&S::max_lines,
          {"max-lines", "Most lines",
           "Maximum number of lines of a frame; the longest ones are kept"},
          1, kMaxLines);
    t.add(&S::draw, {"draw", "Draw", "Draw the lines on the picture"});
    t.add(&S::thickness,
          {"thickness", "Thickness", "Width of drawn lines in pixels, for draw=true"}, 1,
          kMaxLineThickness);
    t.add_colour(&S::line_color,
                 {"line-color", "Line color", "Color of lines for draw=true, big-endian ARGB"});
    t.add(&S::post_messages,
          {"post-messages", "Post messages",
           "Post an element message 'linedetect' with the lines of each frame on the bus"});
    return t;
  }();
  return table;
}

struct LinedetectPrivate {
  explicit LinedetectPrivate(GstCoalesceTransform *self);

  Settings<LinedetectSettings> settings;
  SourceTask task;
  // The streaming thread's.
  SettingsInUse<LinedetectSettings> in_use;
  LineDetector detector;
  EdgeColour colour;
  ResultPool results;
  gsize result_bytes = 0;           // of the pool's
  bool any_layout_will_do = false;  // to downstream, of frames with a GstVideoMeta
};

struct GstLinedetect {
  GstCoalesceFilter parent;
  LinedetectPrivate *priv;
};
using GstLinedetectClass = GstCoalesceFilterClass;

}  // namespace

G_DEFINE_TYPE(GstLinedetect, gst_linedetect, GST_TYPE_COALESCE_FILTER)
GST_ELEMENT_REGISTER_DEFINE(linedetect, "linedetect", GST_RANK_NONE, gst_linedetect_get_type())

namespace {

LinedetectPrivate &priv_of(gpointer object) {
  return *static_cast<GstLinedetect *>(object)->priv;
}

GstBaseTransformClass *parent_transform() {
  return GST_BASE_TRANSFORM_CLASS(gst_linedetect_parent_class);
}

void set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
  const bool rounds = is_controlled(object, pspec);
  priv_of(object).settings.change([&](LinedetectSettings &settings) {
    return set_edge_property(properties(), id, rounds, &settings, value);
  });
}

// ---- settings --------------------------------------------------------------------------------

std::vector<std::string> ignored(const LinedetectSettings &settings) {
  const LinedetectSettings initial;
  if (settings.draw) return {};
  std::string names;
  if (settings.line_color != initial.line_color) names = "line-color";
  if (settings.thickness != initial.thickness)
    names += names.empty() ? "thickness" : " and thickness";
  if (names.empty()) return {};
  const char *verb = names.find(' ') == std::string::npos ? " has" : " have";
  return {names + verb + " no effect without draw=true"};
}

bool update(gpointer self, const GstVideoInfo &info, bool new_format) {
  LinedetectPrivate &priv = priv_of(self);
  return priv.in_use.follow(priv.settings, info, new_format, [&](const LinedetectSettings &s) {
    // Cannot fail: the limits are those of the properties.
    priv.detector.use(s.of_lines(), new_format);
    priv.colour = edge_colour(info, s.line_color);
    GST_DEBUG_OBJECT(self,
                     "sigma %g, thresholds %g and %g, aperture %d, %s, tolerance %g, the longest "
                     "%d lines of at least %d pixels, %s",
                     s.sigma, s.low, s.high, s.aperture,
                     s.l2 ? "roots of squares" : "absolute values", s.tolerance, s.max_lines,
                     s.min_length, s.draw ? "drawn" : "not drawn");
  });
}

using LinedetectFilter = SettingsFilter<priv_of, properties, ignored, update>;

gboolean set_info(GstCoalesceFilter *self, const GstVideoInfo *in, const GstVideoInfo *) {
  if (in->width <= kMaxLinePixels && in->height <= kMaxLinePixels) return update(self, *in, true);
  GST_ELEMENT_ERROR(self, STREAM, FORMAT,
                    ("Unsupported caps: frames of %dx%d; at most %d pixels across and down",
                     in->width, in->height, kMaxLinePixels),
                    (nullptr));
  return FALSE;
}

// A core of the CPU takes some 5 ns for a pixel of a drawing, and 9 of a photograph.
gboolean worth_the_trip(GstCoalesceFilter *self, const GstVideoInfo *in) {
  return backend_of(self).is_heavy_enough(*in, 64);
}

// ---- the work --------------------------------------------------------------------------------

// Finds lines, and makes `out`, if there is one: the picture, with the lines if they are to be
// drawn.
Status work(LinedetectPrivate &priv, const Frame &in, const Frame *out, const Queue &queue,
            void *scratch, void *memory) {
  const ConstImage picture = in.image();
  const LineResult result(memory);
  if (Status s = priv.detector.find(picture, queue, scratch, result); !s.ok()) return s;
  if (out == nullptr) return {};
  EdgeColour colour = priv.colour;
  if (!priv.in_use->draw) colour.opacity = 0;
  return priv.detector.draw(colour, priv.in_use->thickness, picture, out->image(), queue, scratch,
                            result);
}

// On scratch frames, before the first: with the lines behind the scratch memory.
gsize scratch_bytes(GstCoalesceFilter *self, const Frame &in) {
  const LineDetector &detector = priv_of(self).detector;
  return detector.scratch_bytes(in.image()) + detector.result_bytes();
}

Status run(GstCoalesceFilter *self, const Frame &in, const Frame &out, const Queue &queue) {
  LinedetectPrivate &priv = priv_of(self);
  auto *scratch = static_cast<std::uint8_t *>(gst_coalesce_filter_scratch(self));
  return work(priv, in, &out, queue, scratch, scratch + priv.detector.scratch_bytes(in.image()));
}

// ---- frames ----------------------------------------------------------------------------------

struct LinesInFlight : FrameInFlight {
  // The GPU may still read the input's buffer, and nobody else keeps that.
  ~LinesInFlight() override { (void)result.bytes(); }
  BufferRef buffer;       // what goes on
  bool is_input = false;  // upstream's own
  bool discont = false;
  Result result;
  guint max_lines = 0;
  StructureRef message;  // if it is to be posted
};

// What is said of the frame on the bus, but for its lines; as other analysers have it.
StructureRef message_of(GstBaseTransform *trans, GstBuffer *in) {
  const GstSegment &segment = trans->segment;
  const GstClockTime time = GST_BUFFER_PTS(in);
  GstClockTime running = GST_CLOCK_TIME_NONE, stream = GST_CLOCK_TIME_NONE;
  if (segment.format == GST_FORMAT_TIME && GST_CLOCK_TIME_IS_VALID(time)) {
    running = gst_segment_to_running_time(&segment, GST_FORMAT_TIME, time);
    stream = gst_segment_to_stream_time(&segment, GST_FORMAT_TIME, time);
  }
  return StructureRef(gst_structure_new("linedetect", "timestamp", G_TYPE_UINT64, time,
                                        "stream-time", G_TYPE_UINT64, stream, "running-time",
                                        G_TYPE_UINT64, running, "duration", G_TYPE_UINT64,
                                        GST_BUFFER_DURATION(in), nullptr));
}

// Can upstream's buffer go on? It is not drawn on, and downstream can read it where it is.
bool passes(const LinedetectPrivate &priv, const GstCoalesceFilterPrivate &sides, GstBuffer *in) {
  if (priv.in_use->draw || sides.in.cuda != sides.out.cuda) return false;
  const GstVideoMeta *meta = gst_buffer_get_video_meta(in);
  if (meta == nullptr || sides.in.cuda || priv.any_layout_will_do) return true;
  const GstVideoInfo &info = sides.out.info;
  return meta->n_planes == GST_VIDEO_INFO_N_PLANES(&info) &&
         std::equal(meta->offset, meta->offset + meta->n_planes, info.offset) &&
         std::equal(meta->stride, meta->stride + meta->n_planes, info.stride);
}

GstFlowReturn fail(GstLinedetect *self, const char *what) {
  return gst_coalesce_filter_fail(&self->parent, what);
}

// A buffer for the result of a frame; with room for the most lines so far.
BufferRef acquire_result(LinedetectPrivate &priv, Backend &backend) {
  const gsize bytes = priv.detector.result_bytes();
  if (!priv.results.is_made() || bytes > priv.result_bytes) {
    priv.result_bytes = bytes;
    if (!priv.results.make(backend.is_on_gpu() ? &backend.session() : nullptr,
                           static_cast<guint>(bytes)))
      return nullptr;
  }
  return priv.results.acquire();
}

// out: nullptr, or what the picture is written to.
// The input's buffer is kept until the result is there.
GstFlowReturn process(GstLinedetect *self, GstBuffer *in_buffer, GstBuffer *out_buffer,
                      GstBuffer *result_buffer) {
  LinedetectPrivate &priv = *self->priv;
  GstCoalesceFilterPrivate &base = *self->parent.priv;
  FilterSide &from = base.in, &to = base.out;
  DeviceFrame &in = base.in_frame;
  OutputFrame &out = base.out_frame;
  Backend &backend = backend_of(self);
  OutputFrame result;
  const OnExit let_go([&] { in.reset(), out.reset(); });
  Job job(backend);
  GstFlowReturn flow = job.begin(in_buffer);
  in.set_kept_by_caller(out_buffer == nullptr);
  if (flow == GST_FLOW_OK) flow = job.load(in_buffer, from.info, from.pool, &in);
  if (flow == GST_FLOW_OK && out_buffer != nullptr)
    flow = job.write(out_buffer, to.info, to.pool, &out);
  if (flow == GST_FLOW_OK)
    flow = job.write(result_buffer, priv.results.info(), priv.results.frames(), &result);
  if (flow == kNoMemory) return fail(self, "no memory for a copy of the frame, or for its lines");
  gsize beside = 0;
  if (flow == GST_FLOW_OK) {
    beside = priv.detector.scratch_bytes(in.frame().image());
    flow = base.scratch.prepare(backend, job, beside);
  }
  if (flow == kNoMemory) return fail(self, no_memory_beside_frames(backend, beside).c_str());
  if (flow != GST_FLOW_OK) return flow;
  if (out_buffer != nullptr) out.set_interlaced(in.frame().interlaced());
  const Status status = work(priv, in.frame(), out_buffer != nullptr ? &out.frame() : nullptr,
                             backend.queue(), base.scratch.data(), result.frame().plane(0).data);
  return status.ok() ? job.end() : fail(self, status.message());
}

// Waits for the lines. In the streaming thread or in the task.
GstFlowReturn finish(GstCoalesceTransform *transform, FrameInFlight *in_flight) {
  auto &frame = *static_cast<LinesInFlight *>(in_flight);
  Backend &backend = backend_of(transform);
  const void *memory = frame.result.bytes();
  if (memory == nullptr) {
    backend.post_gpu_error("the work on a frame has failed");
    return GST_FLOW_ERROR;
  }
  // (Read only, though its parts are not.)
  const LineResult result(const_cast<void *>(memory));
  LineCount count = *result.count;
  count.lines = std::min(count.lines, frame.max_lines);
  frame.buffer.reset(gst_buffer_make_writable(frame.buffer.release()));
  if (frame.discont) GST_BUFFER_FLAG_SET(frame.buffer.get(), GST_BUFFER_FLAG_DISCONT);
  add_lines_meta(frame.buffer.get(), frame.message.get(), result.lines, count);
  if (frame.message != nullptr)
    gst_element_post_message(
        GST_ELEMENT(transform),
        gst_message_new_element(GST_OBJECT(transform), frame.message.release()));
  GST_LOG_OBJECT(transform, "%u lines of %u, %s", count.lines, count.found,
                 frame.is_input ? "on the input's buffer" : "on another buffer");
  frame.result.reset();
  backend.counters().frames++;
  return gst_pad_push(GST_BASE_TRANSFORM_SRC_PAD(transform), frame.buffer.release());
}

GstFlowReturn start_frame(GstLinedetect *self, BufferRef in, LinesInFlight *frame) {
  LinedetectPrivate &priv = *self->priv;
  auto *trans = GST_BASE_TRANSFORM(self);
  BufferRef result = acquire_result(priv, backend_of(self));
  if (result == nullptr) return fail(self, "no memory for the lines");
  frame->is_input = passes(priv, *self->parent.priv, in.get());
  frame->discont = std::exchange(self->parent.parent.after_skipped, false);
  frame->max_lines = static_cast<guint>(priv.in_use->max_lines);
  if (priv.in_use->post_messages) frame->message = message_of(trans, in.get());
  GstBuffer *out = nullptr;
  if (!frame->is_input) {
    const GstFlowReturn flow =
        GST_BASE_TRANSFORM_GET_CLASS(trans)->prepare_output_buffer(trans, in.get(), &out);
    frame->buffer.reset(out);
    if (flow != GST_FLOW_OK) return flow;
  }
  const GstFlowReturn flow = process(self, in.get(), out, result.get());
  if (frame->is_input) frame->buffer = std::move(in);
  frame->result.reset(std::move(result));
  return flow;
}

GstFlowReturn take(GstCoalesceTransform *transform, BufferRef in) {
  auto *self = reinterpret_cast<GstLinedetect *>(transform);
  LinedetectPrivate &priv = *self->priv;
  const bool on_gpu = backend_of(self).is_on_gpu();
  if (self->parent.priv->in.caps == nullptr) return GST_FLOW_NOT_NEGOTIATED;
  if (on_gpu)
    if (GstFlowReturn flow = priv.task.wait_for_room(); flow != GST_FLOW_OK) return flow;
  // Cannot fail: what has been used can be used again.
  (void)update(self, self->parent.priv->in.info, false);
  auto frame = std::make_unique<LinesInFlight>();
  GstFlowReturn flow = start_frame(self, std::move(in), frame.get());
  if (flow != GST_FLOW_OK) return flow;
  if (!on_gpu) return finish(transform, frame.get());
  priv.task.add(std::move(frame));
  return GST_FLOW_OK;
}

// ---- caps and states -------------------------------------------------------------------------

gboolean decide_allocation(GstBaseTransform *trans, GstQuery *query) {
  priv_of(trans).any_layout_will_do =
      gst_query_find_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr);
  return parent_transform()->decide_allocation(trans, query);
}

gboolean set_format(GstCoalesceTransform *transform, GstCaps *in_caps, GstCaps *out_caps) {
  LinedetectPrivate &priv = priv_of(transform);
  priv.results.drop();  // of the other back end, or context
  if (!GST_COALESCE_TRANSFORM_CLASS(gst_linedetect_parent_class)
           ->set_format(transform, in_caps, out_caps))
    return FALSE;
  priv.task.set_room(backend_of(transform).is_on_gpu() ? kFramesInFlight : 1);
  return TRUE;
}

gboolean context_changed(GstCoalesceTransform *transform) {
  priv_of(transform).results.drop();
  return GST_COALESCE_TRANSFORM_CLASS(gst_linedetect_parent_class)->context_changed(transform);
}

gboolean stop(GstBaseTransform *trans) {
  LinedetectPrivate &priv = priv_of(trans);
  const SourceTask::Halt halt(priv.task);
  const gboolean stopped = LinedetectFilter::stop(trans);
  priv.results.drop();
  return stopped;
}

// Frames themselves own what they have in flight.
void discard(GstCoalesceTransform *) {}

LinedetectPrivate::LinedetectPrivate(GstCoalesceTransform *self)
    : settings(self),
      task(self, finish, discard),
      in_use(self, aperture_part<LinedetectSettings>(), sigma_part<LinedetectSettings>()) {}

}  // namespace

static void gst_linedetect_class_init(GstLinedetectClass *klass) {
  GST_DEBUG_CATEGORY_INIT(gst_linedetect_debug, "coalesce-linedetect", 0, "Straight lines");
  register_lines_meta();
  auto *filter_class = GST_COALESCE_FILTER_CLASS(klass);
  LinedetectFilter::install(filter_class);
  G_OBJECT_CLASS(klass)->set_property = guarded<set_property>;
  auto *trans_class = GST_BASE_TRANSFORM_CLASS(klass);
  trans_class->stop = guarded<stop>;
  trans_class->decide_allocation = guarded<decide_allocation>;
  auto *transform_class = GST_COALESCE_TRANSFORM_CLASS(klass);
  transform_class->set_format = set_format;
  transform_class->context_changed = context_changed;
  transform_class->least_buffers = [](GstCoalesceTransform *self) -> guint {
    return priv_of(self).task.room();
  };
  gst_coalesce_transform_class_set_take(transform_class, take);
  SourceTask::install(transform_class);
  filter_class->set_info = set_info;
  filter_class->scratch_bytes = scratch_bytes;
  filter_class->run = run;
  filter_class->worth_the_trip = worth_the_trip;
  const std::string formats = format_list(edge_formats());
  gst_coalesce_filter_class_add_templates(filter_class, formats.c_str(), formats.c_str());
  gst_element_class_set_static_metadata(
      GST_ELEMENT_CLASS(klass), "Line detector", "Filter/Analyzer/Video",
      "Finds straight lines, on the GPU or on the CPU", "The gst-coalesce authors");
}

static void gst_linedetect_init(GstLinedetect *self) {
  initialise(self, [self] {
    self->priv = add_part<LinedetectPrivate>(self, GST_COALESCE_TRANSFORM(self));
  });
}
