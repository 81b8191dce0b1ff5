// SPDX-License-Identifier: LGPL-2.1-or-later
#include "temporal.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "memory/resultpool.h"
#include "object/category.h"
#include "object/guarded.h"
#include "object/owned.h"
#include "video/fieldpairs.h"

using namespace coalesce;
using namespace coalesce::gst;

G_DEFINE_ABSTRACT_TYPE(GstCoalesceTemporal, gst_coalesce_temporal, GST_TYPE_COALESCE_FILTER)
#define parent_class gst_coalesce_temporal_parent_class

namespace {

struct Held {
  DeviceFrame frame;
  BufferRef metadata;
  BufferRef passing;  // upstream's buffer, if it goes on as it is
  Result measured;
  std::vector<EventRef> events;  // that came after it

  void reset() {
    frame.reset();
    metadata.reset();
    passing.reset();
    measured.reset();
    events.clear();
  }
};

}  // namespace

struct GstCoalesceTemporalPrivate {
  std::atomic<guint> before{0}, after{0};

  // The streaming thread's. The first `count` are held, the oldest first; others are there to be
  // used again. Of the last `pending` no picture has been made.
  std::vector<std::unique_ptr<Held>> frames;
  std::size_t count = 0, pending = 0;
  // For the next picture, of frames without pictures.
  guint marks = 0;
  std::vector<BufferRef> captions;
  FieldPairs pairs;
  std::vector<EventRef> field_events;        // that came after a field that waits for its other one
  std::vector<FrameWindow::Picture> window;  // those from first_of_window() on
  guint measured = 0;                        // bytes
  ResultPool results;

  Held &in_hand() { return *frames[count - pending]; }
  std::size_t first_of_window() const {
    return count - pending - std::min<std::size_t>(count - pending, before.load());
  }
  void drop_oldest() {
    frames[0]->reset();
    std::rotate(frames.begin(), frames.begin() + 1, frames.end());
    count--;
  }
  Held &next_slot() {
    if (frames.size() == count) frames.push_back(std::make_unique<Held>());
    return *frames[count];
  }
};

namespace {

GstCoalesceTemporalPrivate &priv_of(gpointer object) {
  return *GST_COALESCE_TEMPORAL(object)->priv;
}

FilterSide &input_of(GstCoalesceTemporal *self) {
  return GST_COALESCE_FILTER(self)->priv->in;
}
FilterSide &output_of(GstCoalesceTemporal *self) {
  return GST_COALESCE_FILTER(self)->priv->out;
}

// ---- times -----------------------------------------------------------------------------------

// Of a frame; none without a frame rate.
GstClockTime nominal_duration(GstCoalesceTemporal *self) {
  const GstVideoInfo &info = input_of(self).info;
  if (GST_VIDEO_INFO_FPS_N(&info) <= 0) return GST_CLOCK_TIME_NONE;
  return gst_util_uint64_scale(GST_SECOND, GST_VIDEO_INFO_FPS_D(&info),
                               GST_VIDEO_INFO_FPS_N(&info));
}

// Of the frame in hand: its own, or up to the frame after it, or that of the caps.
GstClockTime duration_of(GstCoalesceTemporal *self) {
  GstCoalesceTemporalPrivate &priv = *self->priv;
  const GstBuffer *metadata = priv.in_hand().metadata.get();
  if (GST_BUFFER_DURATION_IS_VALID(metadata)) return GST_BUFFER_DURATION(metadata);
  if (priv.pending > 1) {
    const GstBuffer *next = priv.frames[priv.count - priv.pending + 1]->metadata.get();
    if (GST_BUFFER_PTS_IS_VALID(metadata) && GST_BUFFER_PTS_IS_VALID(next) &&
        GST_BUFFER_PTS(next) > GST_BUFFER_PTS(metadata))
      return GST_BUFFER_PTS(next) - GST_BUFFER_PTS(metadata);
  }
  return nominal_duration(self);
}

// They are of one picture of a frame.
constexpr guint kMarks = GST_BUFFER_FLAG_DISCONT | GST_BUFFER_FLAG_RESYNC;

// What is said once for a frame: it goes with its first picture.
gboolean keep_for_all(GstBuffer *, GstMeta **meta, gpointer) {
  const GType api = (*meta)->info->api;
  if (api == GST_VIDEO_TIME_CODE_META_API_TYPE || api == GST_VIDEO_CAPTION_META_API_TYPE)
    *meta = nullptr;
  return TRUE;
}

gboolean copy_caption(GstBuffer *from, GstMeta **meta, gpointer to) {
  if ((*meta)->info->api != GST_VIDEO_CAPTION_META_API_TYPE) return TRUE;
  GstMetaTransformCopy whole = {FALSE, 0, static_cast<gsize>(-1)};
  (*meta)->info->transform_func(GST_BUFFER(to), *meta, from, _gst_meta_transform_copy, &whole);
  return TRUE;
}

// What frames without pictures leave to this one.
void take_over(GstCoalesceTemporalPrivate &priv, GstBuffer *buffer) {
  GST_BUFFER_FLAG_SET(buffer, std::exchange(priv.marks, 0));
  for (const BufferRef &metadata : priv.captions)
    gst_buffer_foreach_meta(metadata.get(), copy_caption, buffer);
  priv.captions.clear();
}

bool leaves_something(const GstCoalesceTemporalPrivate &priv) {
  return priv.marks != 0 || !priv.captions.empty();
}

// `buffer` has the times of the whole frame, and is to have those of picture `number`.
void set_times(GstCoalesceTemporal *self, GstBuffer *buffer, guint number, guint pictures) {
  auto *klass = GST_COALESCE_TEMPORAL_GET_CLASS(self);
  TemporalSpan span;
  if (klass->span) span = klass->span(self, number);
  GstClockTime whole = span.parts > 0 ? nominal_duration(self) : GST_CLOCK_TIME_NONE;
  if (!GST_CLOCK_TIME_IS_VALID(whole)) whole = duration_of(self);
  if (span.parts == 0) {
    if (pictures == 1) return;
    span = {static_cast<int>(number), static_cast<int>(number) + 1, static_cast<int>(pictures)};
  }
  GST_BUFFER_OFFSET(buffer) = GST_BUFFER_OFFSET_END(buffer) = GST_BUFFER_OFFSET_NONE;
  if (!GST_CLOCK_TIME_IS_VALID(whole)) {
    if (number > 0) GST_BUFFER_PTS(buffer) = GST_BUFFER_DTS(buffer) = GST_CLOCK_TIME_NONE;
    return;
  }
  const GstClockTime from = gst_util_uint64_scale_int(whole, span.begin, span.parts);
  const GstClockTime to = gst_util_uint64_scale_int(whole, span.end, span.parts);
  if (GST_BUFFER_PTS_IS_VALID(buffer)) GST_BUFFER_PTS(buffer) += from;
  if (GST_BUFFER_DTS_IS_VALID(buffer)) GST_BUFFER_DTS(buffer) += from;
  GST_BUFFER_DURATION(buffer) = to - from;
}

// `buffer` has the metadata of the whole frame.
void set_metadata(GstCoalesceTemporal *self, GstBuffer *buffer, guint number, guint pictures) {
  if (GST_VIDEO_INFO_IS_INTERLACED(&input_of(self).info) &&
      !GST_VIDEO_INFO_IS_INTERLACED(&output_of(self).info))
    GST_BUFFER_FLAG_UNSET(buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_TFF |
                                      GST_VIDEO_BUFFER_FLAG_RFF | GST_VIDEO_BUFFER_FLAG_ONEFIELD);
  if (number > 0) {
    GST_BUFFER_FLAG_UNSET(buffer, kMarks);
    gst_buffer_foreach_meta(buffer, keep_for_all, nullptr);
  }
  take_over(*self->priv, buffer);
  set_times(self, buffer, number, pictures);
}

// ---- frames ----------------------------------------------------------------------------------

// Of what pictures() has said.
guint number_of(guint wanted) {
  return wanted == kPasses ? 1 : std::min(wanted, kMostPictures);
}

struct Pictures {
  guint count = 0;
  std::array<BufferRef, kMostPictures> buffers;
};

// For the frame in hand, mapped in the job.
GstFlowReturn take_outputs(GstCoalesceTemporal *self, Job &job, guint wanted, OutputFrame *frames,
                           Pictures *pictures) {
  auto *trans = GST_BASE_TRANSFORM(self);
  const Held &in_hand = self->priv->in_hand();
  FilterSide &side = output_of(self);
  for (pictures->count = 0; pictures->count < wanted;) {
    const guint number = pictures->count++;
    GstBuffer *buffer = nullptr;
    GstFlowReturn flow = GST_BASE_TRANSFORM_GET_CLASS(trans)->prepare_output_buffer(
        trans, in_hand.metadata.get(), &buffer);
    pictures->buffers[number].reset(buffer);
    if (flow != GST_FLOW_OK) return flow;
    set_metadata(self, buffer, number, wanted);
    if (flow = job.write(buffer, side.info, side.pool, &frames[number]); flow != GST_FLOW_OK)
      return flow;
    frames[number].set_interlaced(GST_VIDEO_INFO_IS_INTERLACED(&side.info) &&
                                  in_hand.frame.frame().interlaced());
  }
  return GST_FLOW_OK;
}

// The frames around the one in hand. The newest is not measured yet.
FrameWindow window_of(GstCoalesceTemporal *self) {
  GstCoalesceTemporalPrivate &priv = *self->priv;
  const std::size_t in_hand = priv.count - priv.pending, begin = priv.first_of_window();
  const std::size_t end = std::min(priv.count, in_hand + priv.after + 1);
  priv.window.clear();
  for (std::size_t i = begin; i < end; i++) {
    Held &held = *priv.frames[i];
    priv.window.push_back({&held.frame.frame(), held.metadata.get(),
                           i < in_hand + priv.after ? held.measured.bytes() : nullptr});
  }
  return {&priv.window[in_hand - begin], -static_cast<int>(in_hand - begin),
          static_cast<int>(end - in_hand) - 1};
}

// Frames that the job has read.
using FramesRead = std::array<const Held *, 2>;

GstFlowReturn read_window(GstCoalesceTemporal *self, Job &job, const FramesRead &read) {
  GstCoalesceTemporalPrivate &priv = *self->priv;
  GstFlowReturn flow = GST_FLOW_OK;
  for (std::size_t i = 0; i < priv.window.size() && flow == GST_FLOW_OK; i++) {
    Held &held = *priv.frames[priv.first_of_window() + i];
    if (std::find(read.begin(), read.end(), &held) == read.end()) flow = job.read(held.frame);
  }
  return flow;
}

// The frame in hand's own buffer.
void pass_on(GstCoalesceTemporal *self, Pictures *pictures) {
  auto *klass = GST_COALESCE_TEMPORAL_GET_CLASS(self);
  BufferRef &buffer = self->priv->in_hand().passing;
  if (leaves_something(*self->priv) || (klass->span && klass->span(self, 0).parts > 0)) {
    buffer.reset(gst_buffer_make_writable(buffer.release()));
    take_over(*self->priv, buffer.get());
    set_times(self, buffer.get(), 0, 1);
  }
  pictures->count = 1;
  pictures->buffers[0] = std::move(buffer);
}

// What the frame in hand, which becomes no picture, has for the next one.
void leave(GstCoalesceTemporalPrivate &priv) {
  GstBuffer *metadata = priv.in_hand().metadata.get();
  priv.marks |= GST_BUFFER_FLAGS(metadata) & kMarks;
  if (gst_buffer_get_meta(metadata, GST_VIDEO_CAPTION_META_API_TYPE) != nullptr)
    priv.captions.emplace_back(gst_buffer_ref(metadata));
}

// All pictures of the frame in hand.
GstFlowReturn make_pictures(GstCoalesceTemporal *self, Job &job, const FramesRead &read,
                            OutputFrame *frames, Pictures *pictures) {
  auto *klass = GST_COALESCE_TEMPORAL_GET_CLASS(self);
  const FrameWindow window = window_of(self);
  const guint wanted = klass->pictures ? klass->pictures(self, window) : 1;
  if (wanted == 0) leave(*self->priv);
  if (wanted == kPasses && self->priv->in_hand().passing != nullptr) pass_on(self, pictures);
  if (wanted == 0 || pictures->count > 0) return GST_FLOW_OK;
  GstFlowReturn flow = read_window(self, job, read);
  if (flow == GST_FLOW_OK) flow = take_outputs(self, job, number_of(wanted), frames, pictures);
  if (flow != GST_FLOW_OK) return flow;
  const Frame *out[kMostPictures] = {};
  for (guint i = 0; i < pictures->count; i++)
    out[i] = &frames[i].frame();
  const Status status = GST_COALESCE_TEMPORAL_GET_CLASS(self)->run(
      self, window, out, pictures->count, backend_of(self).queue());
  return status.ok() ? GST_FLOW_OK
                     : gst_coalesce_filter_fail(GST_COALESCE_FILTER(self), status.message());
}

// The newest frame, of those that are held.
GstFlowReturn measure(GstCoalesceTemporal *self, Job &job, OutputFrame *result) {
  GstCoalesceTemporalPrivate &priv = *self->priv;
  ResultPool &results = priv.results;
  Backend &backend = backend_of(self);
  Held &before = *priv.frames[priv.count - 2], &newest = *priv.frames[priv.count - 1];
  GpuSession *session = backend.is_on_gpu() ? &backend.session() : nullptr;
  if (!results.is_made() && !results.make(session, priv.measured)) return kNoMemory;
  BufferRef buffer = results.acquire();
  if (buffer == nullptr) return kNoMemory;
  GstFlowReturn flow = job.read(before.frame);
  if (flow == GST_FLOW_OK) flow = job.write(buffer.get(), results.info(), results.frames(), result);
  if (flow != GST_FLOW_OK) return flow;
  newest.measured.reset(std::move(buffer));
  const Status status = GST_COALESCE_TEMPORAL_GET_CLASS(self)->measure(
      self, before.frame.frame(), newest.frame.frame(), result->frame(), backend.queue());
  return status.ok() ? GST_FLOW_OK
                     : gst_coalesce_filter_fail(GST_COALESCE_FILTER(self), status.message());
}

// Is a frame of the input's caps one of the output's? (Interlaced 4:2:0 may have a row more of
// chroma.)
bool is_output(GstCoalesceTemporal *self, GstBuffer *in) {
  const GstVideoInfo &from = input_of(self).info, &to = output_of(self).info;
  if (input_of(self).cuda != output_of(self).cuda) return false;
  return gst_buffer_get_video_meta(in) != nullptr ||
         (from.size == to.size && std::equal(from.offset, std::end(from.offset), to.offset) &&
          std::equal(from.stride, std::end(from.stride), to.stride));
}

// It has been loaded.
void hold(GstCoalesceTemporal *self, Held *loaded, GstBuffer *in) {
  auto *klass = GST_COALESCE_TEMPORAL_GET_CLASS(self);
  loaded->metadata = gst_coalesce_transform_metadata_of(GST_COALESCE_TRANSFORM(self), in);
  if (klass->passes != nullptr && is_output(self, in) &&
      klass->passes(self, loaded->metadata.get()))
    loaded->passing.reset(gst_buffer_ref(in));
  self->priv->count++;
  self->priv->pending++;
}

// Loads a new frame, if there is one, and makes the pictures of the frame in hand, if enough frames
// have come after it or none will.
GstFlowReturn process(GstCoalesceTemporal *self, GstBuffer *in, Pictures *pictures) {
  GstCoalesceTemporalPrivate &priv = *self->priv;
  FilterSide &side = input_of(self);
  OutputFrame frames[kMostPictures], result;
  FramesRead read = {};
  Job job(backend_of(self));
  GstFlowReturn flow = job.begin(in);
  if (flow == GST_FLOW_OK && in != nullptr) {
    Held *loaded = &priv.next_slot();
    flow = job.load(in, side.info, side.pool, &loaded->frame);
    if (flow == GST_FLOW_OK)
      hold(self, loaded, in);
    else
      loaded->reset();
    read[0] = loaded;
  }
  if (flow == GST_FLOW_OK && in != nullptr && priv.measured > 0 && priv.count > 1) {
    read[1] = priv.frames[priv.count - 2].get();
    flow = measure(self, job, &result);
  }
  if (flow == GST_FLOW_OK && (in == nullptr || priv.pending > priv.after))
    flow = make_pictures(self, job, read, frames, pictures);
  if (flow == kNoMemory)
    return gst_coalesce_filter_fail(GST_COALESCE_FILTER(self), "no memory for a copy of the frame");
  return flow == GST_FLOW_OK ? job.end() : flow;
}

// What has been made of the frame in hand, and what came after it.
GstFlowReturn push(GstCoalesceTemporal *self, Pictures *pictures) {
  GstCoalesceTemporalPrivate &priv = *self->priv;
  GstPad *pad = GST_BASE_TRANSFORM_SRC_PAD(self);
  GstFlowReturn flow = GST_FLOW_OK;
  for (guint i = 0; i < pictures->count && flow == GST_FLOW_OK; i++) {
    backend_of(self).counters().frames++;
    flow = gst_pad_push(pad, pictures->buffers[i].release());
  }
  for (EventRef &event : std::exchange(priv.in_hand().events, {}))
    gst_pad_push_event(pad, event.release());
  priv.pending--;
  while (priv.count > priv.pending + priv.before)
    priv.drop_oldest();
  return flow;
}

// What is sticky of the events that have been held goes with the next picture.
void store_sticky_events(GstCoalesceTemporal *self, const std::vector<EventRef> &events) {
  for (const EventRef &event : events)
    if ((gst_event_type_get_flags(GST_EVENT_TYPE(event.get())) & GST_EVENT_TYPE_STICKY) != 0)
      gst_pad_store_sticky_event(GST_BASE_TRANSFORM_SRC_PAD(self), event.get());
}

void forget_frames(GstCoalesceTemporal *self) {
  GstCoalesceTemporalPrivate &priv = *self->priv;
  for (const auto &held : priv.frames) {
    store_sticky_events(self, held->events);
    held->reset();
  }
  priv.count = priv.pending = 0;
}

GstFlowReturn process_and_push(GstCoalesceTemporal *self, GstBuffer *in) {
  GstCoalesceTemporalPrivate &priv = *self->priv;
  Pictures pictures;
  if (GstFlowReturn flow = process(self, in, &pictures); flow != GST_FLOW_OK) {
    forget_frames(self);
    return flow;
  }
  return in != nullptr && priv.pending <= priv.after ? GST_FLOW_OK : push(self, &pictures);
}

// No frame will follow those that are held.
GstFlowReturn end_sequence(GstCoalesceTemporal *self) {
  const bool possible = !backend_of(self).failed() && input_of(self).caps != nullptr;
  GstFlowReturn flow = possible || self->priv->pending == 0 ? GST_FLOW_OK : GST_FLOW_ERROR;
  while (self->priv->pending > 0 && flow == GST_FLOW_OK)
    flow = process_and_push(self, nullptr);
  forget_frames(self);
  return flow;
}

void update_reach(GstCoalesceTemporal *self) {
  TemporalReach reach;
  auto *klass = GST_COALESCE_TEMPORAL_GET_CLASS(self);
  if (klass->reach) reach = klass->reach(self);
  GstCoalesceTemporalPrivate &priv = *self->priv;
  priv.before = reach.before;
  if (std::exchange(priv.measured, reach.measured) != reach.measured) priv.results.drop();
  if (priv.after.exchange(reach.after) == reach.after) return;
  GST_DEBUG_OBJECT(self, "looks at %u frames before and %u after each", reach.before, reach.after);
  gst_coalesce_transform_update_latency(GST_COALESCE_TRANSFORM(self));
}

GstFlowReturn take_frame(GstCoalesceTransform *transform, GstBuffer *in) {
  auto *self = GST_COALESCE_TEMPORAL(transform);
  GstCoalesceTemporalPrivate &priv = *self->priv;
  if (input_of(self).caps == nullptr) return GST_FLOW_NOT_NEGOTIATED;
  GstFlowReturn flow = GST_FLOW_OK;
  if (transform->after_skipped || GST_BUFFER_FLAG_IS_SET(in, GST_BUFFER_FLAG_DISCONT))
    if (flow = end_sequence(self); flow != GST_FLOW_OK) return flow;
  update_reach(self);
  while (priv.pending > priv.after && flow == GST_FLOW_OK)  // it has become less
    flow = process_and_push(self, nullptr);
  return flow == GST_FLOW_OK ? process_and_push(self, in) : flow;
}

// ---- fields ----------------------------------------------------------------------------------

gboolean sink_event(GstBaseTransform *trans, GstEvent *event);

// The frame of the last fields, be there one or two, and what came after them.
GstFlowReturn take_joined(GstCoalesceTemporal *self) {
  GstCoalesceTemporalPrivate &priv = *self->priv;
  const BufferRef frame = priv.pairs.take();
  if (frame == nullptr) return GST_FLOW_OK;
  std::vector<EventRef> events = std::exchange(priv.field_events, {});
  const GstFlowReturn flow = backend_of(self).failed()
                                 ? GST_FLOW_ERROR
                                 : take_frame(GST_COALESCE_TRANSFORM(self), frame.get());
  for (EventRef &event : events)
    sink_event(GST_BASE_TRANSFORM(self), event.release());
  return flow;
}

// What is between two fields keeps its place behind their frame.
GstFlowReturn take_field(GstCoalesceTransform *transform, GstBuffer *field) {
  auto *self = GST_COALESCE_TEMPORAL(transform);
  FieldPairs &pairs = self->priv->pairs;
  const bool after_break = std::exchange(transform->after_skipped, false) ||
                           GST_BUFFER_FLAG_IS_SET(field, GST_BUFFER_FLAG_DISCONT);
  GstFlowReturn flow = GST_FLOW_OK;
  if (after_break || !pairs.wants(field)) flow = take_joined(self);
  if (flow == GST_FLOW_OK) flow = pairs.add(GST_ELEMENT(self), field, after_break);
  return flow == GST_FLOW_OK && pairs.is_complete() ? take_joined(self) : flow;
}

GstFlowReturn take(GstCoalesceTransform *transform, BufferRef in) {
  auto *self = GST_COALESCE_TEMPORAL(transform);
  return (input_of(self).fields ? take_field : take_frame)(transform, in.get());
}

// A field that waits has no other one.
GstFlowReturn drain(GstCoalesceTransform *transform) {
  auto *self = GST_COALESCE_TEMPORAL(transform);
  const GstFlowReturn flow = take_joined(self);
  const GstFlowReturn rest = end_sequence(self);
  return flow == GST_FLOW_OK ? rest : flow;
}

void discard(GstCoalesceTransform *transform) {
  auto *self = GST_COALESCE_TEMPORAL(transform);
  forget_frames(self);
  store_sticky_events(self, std::exchange(self->priv->field_events, {}));
  self->priv->pairs.restart();
  self->priv->marks = 0;
  self->priv->captions.clear();
}

// One run on scratch frames, before the first.
Status run_alone(GstCoalesceFilter *filter, const Frame &in, const Frame &out, const Queue &queue) {
  auto *self = GST_COALESCE_TEMPORAL(filter);
  auto *klass = GST_COALESCE_TEMPORAL_GET_CLASS(self);
  const BufferRef metadata(gst_buffer_new());
  const FrameWindow::Picture picture = {&in, metadata.get(), nullptr};
  const FrameWindow window(&picture, 0, 0);
  const guint wanted = klass->pictures ? klass->pictures(self, window) : 1;
  const Frame *all_out[kMostPictures] = {&out, &out, &out, &out};
  return klass->run(self, window, all_out, std::max(number_of(wanted), 1u), queue);
}

// ---- events, caps and states -----------------------------------------------------------------

bool ends_sequence(GstEventType type) {
  switch (type) {
    case GST_EVENT_STREAM_START:
    case GST_EVENT_CAPS:
    case GST_EVENT_SEGMENT:
    case GST_EVENT_SEGMENT_DONE:
    case GST_EVENT_STREAM_GROUP_DONE:
    case GST_EVENT_GAP:
    case GST_EVENT_EOS:
    case GST_EVENT_FLUSH_STOP:
      return true;
    default:
      return false;
  }
}

gboolean sink_event(GstBaseTransform *trans, GstEvent *event) {
  GstCoalesceTemporalPrivate &priv = priv_of(trans);
  EventRef owned(event);
  const GstEventType type = GST_EVENT_TYPE(event);
  const bool serialized = (gst_event_type_get_flags(type) & GST_EVENT_TYPE_SERIALIZED) != 0;
  if (serialized && type != GST_EVENT_FLUSH_STOP && ends_sequence(type))
    gst_coalesce_transform_drain(GST_COALESCE_TRANSFORM(trans), GST_EVENT_TYPE_NAME(event), true);
  const bool after_field = priv.pairs.waits();
  if (serialized && (priv.pending > 0 || after_field) && !ends_sequence(type)) {
    GST_LOG_OBJECT(trans, "%s waits for the frames before it", GST_EVENT_TYPE_NAME(event));
    (after_field ? priv.field_events : priv.frames[priv.count - 1]->events)
        .push_back(std::move(owned));
    return TRUE;
  }
  return GST_BASE_TRANSFORM_CLASS(parent_class)->sink_event(trans, owned.release());
}

// Frames that are held go to where the work is done now. False: an error has been posted, and
// some of them have no memory.
bool move_frames(GstCoalesceTemporal *self) {
  GstCoalesceTemporalPrivate &priv = *self->priv;
  FilterSide &side = input_of(self);
  for (std::size_t i = 0; i < priv.count; i++) {
    Held &held = *priv.frames[i];
    const BufferRef before(gst_buffer_ref(held.frame.buffer()));
    const Frame::Fields fields = held.frame.frame().fields();
    Job job(backend_of(self));
    GstFlowReturn flow = job.begin(before.get());
    if (flow == GST_FLOW_OK) flow = job.load(before.get(), side.info, side.pool, &held.frame);
    if (flow == kNoMemory)
      gst_coalesce_filter_fail(GST_COALESCE_FILTER(self), "no memory for a copy of the frame");
    if (flow != GST_FLOW_OK || job.end() != GST_FLOW_OK) return false;
    held.frame.be_copy_of(fields);
  }
  return true;
}

bool move_or_forget_frames(GstCoalesceTemporal *self) {
  self->priv->results.drop();
  if (move_frames(self)) return true;
  forget_frames(self);
  return false;
}

// Page-locked frames are fetched by the GPU without another copy.
bool start_pairs(GstCoalesceTemporal *self, GstCaps *in_caps) {
  FieldPairs &pairs = self->priv->pairs;
  if (!input_of(self).fields) {
    pairs.stop();
    return true;
  }
  Backend &backend = backend_of(self);
  GstAllocator *allocator = backend.is_on_gpu() ? backend.session().page_locked.get() : nullptr;
  return pairs.start(in_caps, allocator) ||
         gst_coalesce_filter_fail(GST_COALESCE_FILTER(self), "no pool of frames") == GST_FLOW_OK;
}

gboolean set_format(GstCoalesceTransform *transform, GstCaps *in_caps, GstCaps *out_caps) {
  auto *self = GST_COALESCE_TEMPORAL(transform);
  if (!GST_COALESCE_TRANSFORM_CLASS(parent_class)->set_format(transform, in_caps, out_caps))
    return FALSE;
  update_reach(self);
  return start_pairs(self, in_caps) && move_or_forget_frames(self);
}

gboolean stop(GstBaseTransform *trans) {
  const gboolean stopped = GST_BASE_TRANSFORM_CLASS(parent_class)->stop(trans);
  priv_of(trans).pairs.stop();
  priv_of(trans).results.drop();
  return stopped;
}

gboolean context_changed(GstCoalesceTransform *transform) {
  return GST_COALESCE_TRANSFORM_CLASS(parent_class)->context_changed(transform) &&
         move_or_forget_frames(GST_COALESCE_TEMPORAL(transform));
}

}  // namespace

static void gst_coalesce_temporal_class_init(GstCoalesceTemporalClass *klass) {
  auto *trans_class = GST_BASE_TRANSFORM_CLASS(klass);
  trans_class->sink_event = guarded<sink_event>;
  trans_class->stop = guarded<stop>;
  auto *transform_class = GST_COALESCE_TRANSFORM_CLASS(klass);
  transform_class->set_format = set_format;
  transform_class->context_changed = context_changed;
  gst_coalesce_transform_class_set_take(transform_class, take);
  transform_class->drain = drain;
  transform_class->discard = discard;
  transform_class->keeps_frames = TRUE;  // events that end a sequence have drained them
  transform_class->max_frames_in_flight = [](GstCoalesceTransform *self) -> guint {
    return priv_of(self).after;
  };
  transform_class->least_buffers = [](GstCoalesceTransform *self) -> guint {
    return priv_of(self).before + 1 + priv_of(self).after;
  };
  GST_COALESCE_FILTER_CLASS(klass)->run = run_alone;
  gst_type_mark_as_plugin_api(GST_TYPE_COALESCE_TEMPORAL, GstPluginAPIFlags(0));
}

static void gst_coalesce_temporal_init(GstCoalesceTemporal *self) {
  initialise(self, [self] { self->priv = add_part<GstCoalesceTemporalPrivate>(self); });
}
