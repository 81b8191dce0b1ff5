// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames between two threads: the streaming thread starts them, and the task of the source pad
// finishes and pushes them, in the same order.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

#include "memory/bufferpool.h"

namespace coalesce::gst {

constexpr int kMostFramesInFlight = 16;

// A class of elements derives from it where more belongs to a frame.
struct FrameInFlight {
  virtual ~FrameInFlight() = default;
  BufferRef metadata;  // a buffer without memory
};

class FramesInFlight {
 public:
  // The source pad is activated; it is deactivated, and every wait ends.
  void open();
  void close();
  bool is_open();

  // A flush begins, and every wait ends; the frames stay until clear(). Or it ends.
  void set_flushing(bool flushing);

  // ---- The streaming thread.

  void add(std::unique_ptr<FrameInFlight> frame);
  // Waits until at most so many frames are left; one that is being pushed counts. Otherwise the
  // flow of the task, which has stopped until clear(), or GST_FLOW_FLUSHING if a flush or close()
  // ended the wait.
  GstFlowReturn wait_until(std::size_t most);
  // Waits until the task does nothing. During a flush it does not begin anything either.
  void wait_until_idle();
  // The task must be idle.
  void clear();

  // ---- The task.

  // Waits for the oldest frame; nullptr: the pad is not active any more.
  FrameInFlight *next();
  // It has gone, or why not.
  void done(GstFlowReturn flow);

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<FrameInFlight>> frames_;
  GstFlowReturn flow_ = GST_FLOW_OK;  // of the task
  bool open_ = false, flushing_ = false;
  bool busy_ = false;  // the task has the oldest frame
};

}  // namespace coalesce::gst
