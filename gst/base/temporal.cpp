// SPDX-License-Identifier: LGPL-2.1-or-later
#include "temporal.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "object/category.h"
#include "object/guarded.h"
#include "object/owned.h"

using namespace coalesce;
using namespace coalesce::gst;

G_DEFINE_ABSTRACT_TYPE(GstCoalesceTemporal, gst_coalesce_temporal, GST_TYPE_COALESCE_FILTER)
#define parent_class gst_coalesce_temporal_parent_class

namespace {

struct Held {
  DeviceFrame frame;
  BufferRef metadata;
  BufferRef passing;             // upstream's buffer, if it goes on as it is
  std::vector<EventRef> events;  // that came after it

  void reset() {
    frame.reset();
    metadata.reset();
    passing.reset();
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
  guint marks = 0;  // of frames without pictures, for the next picture
  std::vector<FrameWindow::Picture> window;

  Held &in_hand() { return *frames[count - pending]; }
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
  const GstVideoInfo &info = input_of(self).info;
  if (GST_VIDEO_INFO_FPS_N(&info) <= 0) return GST_CLOCK_TIME_NONE;
  return gst_util_uint64_scale(GST_SECOND, GST_VIDEO_INFO_FPS_D(&info),
                               GST_VIDEO_INFO_FPS_N(&info));
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
  GST_BUFFER_FLAG_SET(buffer, std::exchange(self->priv->marks, 0));
  if (pictures == 1) return;
  const GstClockTime whole = duration_of(self);
  GST_BUFFER_OFFSET(buffer) = GST_BUFFER_OFFSET_END(buffer) = GST_BUFFER_OFFSET_NONE;
  if (!GST_CLOCK_TIME_IS_VALID(whole)) {
    if (number > 0) GST_BUFFER_PTS(buffer) = GST_BUFFER_DTS(buffer) = GST_CLOCK_TIME_NONE;
    return;
  }
  const GstClockTime from =
      gst_util_uint64_scale_int(whole, static_cast<gint>(number), static_cast<gint>(pictures));
  const GstClockTime to =
      gst_util_uint64_scale_int(whole, static_cast<gint>(number) + 1, static_cast<gint>(pictures));
  if (GST_BUFFER_PTS_IS_VALID(buffer)) GST_BUFFER_PTS(buffer) += from;
  if (GST_BUFFER_DTS_IS_VALID(buffer)) GST_BUFFER_DTS(buffer) += from;
  GST_BUFFER_DURATION(buffer) = to - from;
}

// ---- frames ----------------------------------------------------------------------------------

struct Pictures {
  guint count = 0;
  std::array<BufferRef, kMostPictures> buffers;
};

// For the frame in hand, mapped in the job.
GstFlowReturn take_outputs(GstCoalesceTemporal *self, Job &job, OutputFrame *frames,
                           Pictures *pictures) {
  auto *trans = GST_BASE_TRANSFORM(self);
  auto *klass = GST_COALESCE_TEMPORAL_GET_CLASS(self);
  const Held &in_hand = self->priv->in_hand();
  FilterSide &side = output_of(self);
  const guint wanted = klass->pictures ? klass->pictures(self, in_hand.metadata.get()) : 1;
  if (wanted == 0) self->priv->marks |= GST_BUFFER_FLAGS(in_hand.metadata.get()) & kMarks;
  for (pictures->count = 0; pictures->count < std::min(wanted, kMostPictures);) {
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

// The frames around the one in hand. Each is read by the job, which has loaded `loaded`.
GstFlowReturn take_window(GstCoalesceTemporal *self, Job &job, const Held *loaded, int *first,
                          int *last) {
  GstCoalesceTemporalPrivate &priv = *self->priv;
  const std::size_t in_hand = priv.count - priv.pending;
  const std::size_t begin = in_hand - std::min<std::size_t>(in_hand, priv.before.load());
  const std::size_t end = std::min(priv.count, in_hand + priv.after + 1);
  priv.window.clear();
  for (std::size_t i = begin; i < end; i++) {
    Held &held = *priv.frames[i];
    if (&held != loaded)
      if (GstFlowReturn flow = job.read(held.frame); flow != GST_FLOW_OK) return flow;
    priv.window.push_back({&held.frame.frame(), held.metadata.get()});
  }
  *first = -static_cast<int>(in_hand - begin);
  *last = static_cast<int>(end - in_hand) - 1;
  return GST_FLOW_OK;
}

// The frame in hand's own buffer.
void pass_on(GstCoalesceTemporal *self, Held &in_hand, Pictures *pictures) {
  if (const guint marks = std::exchange(self->priv->marks, 0); marks != 0) {
    in_hand.passing.reset(gst_buffer_make_writable(in_hand.passing.release()));
    GST_BUFFER_FLAG_SET(in_hand.passing.get(), marks);
  }
  pictures->count = 1;
  pictures->buffers[0] = std::move(in_hand.passing);
}

// All pictures of the frame in hand.
GstFlowReturn make_pictures(GstCoalesceTemporal *self, Job &job, const Held *loaded,
                            OutputFrame *frames, Pictures *pictures) {
  if (Held &in_hand = self->priv->in_hand(); in_hand.passing != nullptr) {
    pass_on(self, in_hand, pictures);
    return GST_FLOW_OK;
  }
  int first = 0, last = 0;
  GstFlowReturn flow = take_window(self, job, loaded, &first, &last);
  if (flow == GST_FLOW_OK) flow = take_outputs(self, job, frames, pictures);
  if (flow != GST_FLOW_OK || pictures->count == 0) return flow;
  const Frame *out[kMostPictures] = {};
  for (guint i = 0; i < pictures->count; i++)
    out[i] = &frames[i].frame();
  const FrameWindow window(&self->priv->window[static_cast<std::size_t>(-first)], first, last);
  const Status status = GST_COALESCE_TEMPORAL_GET_CLASS(self)->run(
      self, window, out, pictures->count, backend_of(self).queue());
  return status.ok() ? GST_FLOW_OK
                     : gst_coalesce_filter_fail(GST_COALESCE_FILTER(self), status.message());
}

// It has been loaded.
void hold(GstCoalesceTemporal *self, Held *loaded, GstBuffer *in) {
  auto *klass = GST_COALESCE_TEMPORAL_GET_CLASS(self);
  loaded->metadata = gst_coalesce_transform_metadata_of(GST_COALESCE_TRANSFORM(self), in);
  if (input_of(self).cuda == output_of(self).cuda && klass->passes != nullptr &&
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
  OutputFrame frames[kMostPictures];
  Job job(backend_of(self));
  Held *loaded = nullptr;
  GstFlowReturn flow = job.begin(in);
  if (flow == GST_FLOW_OK && in != nullptr) {
    loaded = &priv.next_slot();
    flow = job.load(in, side.info, side.pool, &loaded->frame);
    if (flow == GST_FLOW_OK)
      hold(self, loaded, in);
    else
      loaded->reset();
  }
  if (flow == GST_FLOW_OK && (in == nullptr || priv.pending > priv.after))
    flow = make_pictures(self, job, loaded, frames, pictures);
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
void forget_frames(GstCoalesceTemporal *self) {
  GstCoalesceTemporalPrivate &priv = *self->priv;
  for (const auto &held : priv.frames) {
    for (const EventRef &event : held->events)
      if ((gst_event_type_get_flags(GST_EVENT_TYPE(event.get())) & GST_EVENT_TYPE_STICKY) != 0)
        gst_pad_store_sticky_event(GST_BASE_TRANSFORM_SRC_PAD(self), event.get());
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
  guint before = 0, after = 0;
  auto *klass = GST_COALESCE_TEMPORAL_GET_CLASS(self);
  if (klass->reach) klass->reach(self, &before, &after);
  self->priv->before = before;
  if (self->priv->after.exchange(after) == after) return;
  GST_DEBUG_OBJECT(self, "looks at %u frames before and %u after each", before, after);
  gst_coalesce_transform_update_latency(GST_COALESCE_TRANSFORM(self));
}

GstFlowReturn take(GstCoalesceTransform *transform, GstBuffer *in) {
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

// One run on scratch frames, before the first.
Status run_alone(GstCoalesceFilter *filter, const Frame &in, const Frame &out, const Queue &queue) {
  auto *self = GST_COALESCE_TEMPORAL(filter);
  auto *klass = GST_COALESCE_TEMPORAL_GET_CLASS(self);
  const BufferRef metadata(gst_buffer_new());
  const guint wanted = klass->pictures ? klass->pictures(self, metadata.get()) : 1;
  const Frame *all_out[kMostPictures] = {&out, &out, &out, &out};
  const FrameWindow::Picture picture = {&in, metadata.get()};
  return klass->run(self, FrameWindow(&picture, 0, 0), all_out,
                    std::clamp(wanted, 1u, kMostPictures), queue);
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
  if (serialized && priv.pending > 0 && !ends_sequence(type)) {
    GST_LOG_OBJECT(trans, "%s waits for the frames before it", GST_EVENT_TYPE_NAME(event));
    priv.frames[priv.count - 1]->events.push_back(std::move(owned));
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
  if (move_frames(self)) return true;
  forget_frames(self);
  return false;
}

gboolean set_format(GstCoalesceTransform *transform, GstCaps *in_caps, GstCaps *out_caps) {
  auto *self = GST_COALESCE_TEMPORAL(transform);
  if (!GST_COALESCE_TRANSFORM_CLASS(parent_class)->set_format(transform, in_caps, out_caps))
    return FALSE;
  update_reach(self);
  return move_or_forget_frames(self);
}

gboolean context_changed(GstCoalesceTransform *transform) {
  return GST_COALESCE_TRANSFORM_CLASS(parent_class)->context_changed(transform) &&
         move_or_forget_frames(GST_COALESCE_TEMPORAL(transform));
}

}  // namespace

static void gst_coalesce_temporal_class_init(GstCoalesceTemporalClass *klass) {
  auto *trans_class = GST_BASE_TRANSFORM_CLASS(klass);
  trans_class->sink_event = guarded<sink_event>;
  auto *transform_class = GST_COALESCE_TRANSFORM_CLASS(klass);
  transform_class->set_format = set_format;
  transform_class->context_changed = context_changed;
  gst_coalesce_transform_class_set_take(transform_class, take);
  transform_class->drain = [](GstCoalesceTransform *self) {
    return end_sequence(GST_COALESCE_TEMPORAL(self));
  };
  transform_class->discard = [](GstCoalesceTransform *self) {
    forget_frames(GST_COALESCE_TEMPORAL(self));
    priv_of(self).marks = 0;
  };
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
