// SPDX-License-Identifier: LGPL-2.1-or-later
// The task of a source pad, for elements with several frames in flight on the GPU. It finishes and
// pushes them: each leaves as soon as it is there.
//
// The task pushes buffers and nothing else. Whatever is serialized with them comes from the
// streaming thread, after drain(): then no frame is in flight, and no push runs. A flush and the
// deactivation of the source pad end the waits of both threads.
#pragma once

#include <atomic>

#include "base/transform.h"
#include "framesinflight.h"

namespace coalesce::gst {

// Of a frame's metadata that has been kept, to the buffer that leaves.
inline constexpr auto kMetadata = static_cast<GstBufferCopyFlags>(
    GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS | GST_BUFFER_COPY_META);

class SourceTask {
 public:
  // drain(), discard() and max_frames_in_flight() of a class whose elements have one.
  static void install(GstCoalesceTransformClass *klass);

  // In the task: waits for the oldest frame, and pushes it. Posts an error where it does not return
  // GST_FLOW_OK, nor what the push has returned.
  using Finish = GstFlowReturn (*)(GstCoalesceTransform *self, FrameInFlight *frame);
  // Drops what has been started; the task is idle.
  using Discard = void (*)(GstCoalesceTransform *self);

  // Once, in the init function of the element's class; it is a part of the element.
  SourceTask(GstCoalesceTransform *self, Finish finish, Discard discard);

  // The rest is of the streaming thread.

  // How many frames may be in flight at once; the element's latency follows.
  void set_room(guint frames);
  guint room() const { return room_; }  // from any thread
  GstFlowReturn wait_for_room() { return wait_until(room_ - 1); }
  void add(std::unique_ptr<FrameInFlight> frame) { frames_.add(std::move(frame)); }
  GstFlowReturn drain() { return wait_until(0); }
  void discard();

  // Around the base class's stop(): the task may still be there, if the sink pad alone is
  // deactivated.
  class Halt {
   public:
    explicit Halt(SourceTask &task) : task_(task) { task_.frames_.set_flushing(true); }
    ~Halt() {
      task_.frames_.set_flushing(false);
      task_.room_ = 1;
    }
    Halt(const Halt &) = delete;
    Halt &operator=(const Halt &) = delete;

   private:
    SourceTask &task_;
  };

 private:
  static void finish_and_push(gpointer object);
  static gboolean activate(GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active);
  static GstFlowReturn receive_event(GstPad *pad, GstObject *parent, GstEvent *event);
  GstFlowReturn wait_until(std::size_t most);

  GstCoalesceTransform *self_;
  Finish finish_;
  Discard discard_;
  GstPadEventFunction base_event_;  // GstBaseTransform's, of the sink pad
  FramesInFlight frames_;
  std::atomic<guint> room_{1};
};

}  // namespace coalesce::gst
