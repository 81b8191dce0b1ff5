// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sourcetask.h"

#include "object/category.h"
#include "object/guarded.h"

namespace coalesce::gst {
namespace {

SourceTask &task_of(GstPad *pad) {
  return *static_cast<SourceTask *>(gst_pad_get_element_private(pad));
}

}  // namespace

void SourceTask::install(GstCoalesceTransformClass *klass) {
  klass->drain = [](GstCoalesceTransform *self) {
    return task_of(GST_BASE_TRANSFORM_SRC_PAD(self)).drain();
  };
  klass->discard = [](GstCoalesceTransform *self) {
    task_of(GST_BASE_TRANSFORM_SRC_PAD(self)).discard();
  };
  klass->max_frames_in_flight = [](GstCoalesceTransform *self) -> guint {
    return task_of(GST_BASE_TRANSFORM_SRC_PAD(self)).room() - 1;
  };
}

SourceTask::SourceTask(GstCoalesceTransform *self, Finish finish, Discard discard)
    : self_(self), finish_(finish), discard_(discard) {
  GstPad *source = GST_BASE_TRANSFORM_SRC_PAD(self), *sink = GST_BASE_TRANSFORM_SINK_PAD(self);
  base_event_ = GST_PAD_EVENTFUNC(sink);
  gst_pad_set_element_private(source, this);
  gst_pad_set_element_private(sink, this);
  gst_pad_set_activatemode_function(source, guarded<activate>);
  gst_pad_set_event_full_function(sink, guarded<receive_event>);
}

void SourceTask::set_room(guint frames) {
  if (room_.exchange(frames) != frames) GST_DEBUG_OBJECT(self_, "frames in flight: %u", frames);
  gst_coalesce_transform_update_latency(self_);
}

void SourceTask::discard() {
  frames_.wait_until_idle();
  discard_(self_);
  frames_.clear();
}

// At most so many frames are left. After a failure, or in a flush, there is none; where the source
// pad is deactivated, they are stop()'s, which may already run.
GstFlowReturn SourceTask::wait_until(std::size_t most) {
  const GstFlowReturn flow = frames_.wait_until(most);
  if (flow != GST_FLOW_OK && frames_.is_open()) discard();
  return flow;
}

void SourceTask::finish_and_push(gpointer object) {
  GstPad *pad = GST_BASE_TRANSFORM_SRC_PAD(object);
  SourceTask &task = task_of(pad);
  FrameInFlight *frame = task.frames_.next();
  if (frame == nullptr) {
    gst_pad_pause_task(pad);
    return;
  }
  // Whatever happens, the streaming thread hears of it in done().
  const GstFlowReturn flow = guard(object, [&] { return task.finish_(task.self_, frame); });
  if (flow != GST_FLOW_OK)
    GST_DEBUG_OBJECT(task.self_, "a frame's end: %s; those after it are dropped",
                     gst_flow_get_name(flow));
  task.frames_.done(flow);
}

// (In pull mode, which is refused, frames would leave with later ones only.)
gboolean SourceTask::activate(GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active) {
  FramesInFlight &frames = task_of(pad).frames_;
  if (mode != GST_PAD_MODE_PUSH) return FALSE;
  if (active) {
    frames.open();
    return backend_of(parent).is_cpu_required() ||
           gst_pad_start_task(pad, guarded<finish_and_push>, parent, nullptr);
  }
  frames.close();
  return gst_pad_stop_task(pad);
}

// The source pad is deactivated first: it is flushing, then its frames are closed, and it waits for
// the task. Events that come meanwhile are not refused: that would be an error upstream.
GstFlowReturn SourceTask::receive_event(GstPad *pad, GstObject *parent, GstEvent *event) {
  SourceTask &task = task_of(pad);
  const GstEventType type = GST_EVENT_TYPE(event);
  if (type == GST_EVENT_FLUSH_START || type == GST_EVENT_FLUSH_STOP)
    task.frames_.set_flushing(true);
  const gboolean done = task.base_event_(pad, parent, event);
  if (type == GST_EVENT_FLUSH_STOP) task.frames_.set_flushing(false);
  if (done) return GST_FLOW_OK;
  if (GST_PAD_IS_FLUSHING(GST_BASE_TRANSFORM_SRC_PAD(parent)) || !task.frames_.is_open())
    return GST_FLOW_FLUSHING;
  return type == GST_EVENT_CAPS ? GST_FLOW_NOT_NEGOTIATED : GST_FLOW_ERROR;  // as GstPad has it
}

}  // namespace coalesce::gst
