// SPDX-License-Identifier: LGPL-2.1-or-later
#include "framesinflight.h"

#include <utility>

namespace coalesce::gst {

void FramesInFlight::open() {
  std::lock_guard guard(lock_);
  open_ = true;
  flushing_ = false;
  flow_ = GST_FLOW_OK;
}

void FramesInFlight::close() {
  std::lock_guard guard(lock_);
  open_ = false;
  changed_.notify_all();
}

bool FramesInFlight::is_open() {
  std::lock_guard guard(lock_);
  return open_;
}

void FramesInFlight::set_flushing(bool flushing) {
  std::lock_guard guard(lock_);
  flushing_ = flushing;
  changed_.notify_all();
}

void FramesInFlight::add(std::unique_ptr<FrameInFlight> frame) {
  std::lock_guard guard(lock_);
  frames_.push_back(std::move(frame));
  changed_.notify_all();
}

GstFlowReturn FramesInFlight::wait_until(std::size_t most) {
  std::unique_lock lock(lock_);
  changed_.wait(
      lock, [&] { return frames_.size() <= most || flow_ != GST_FLOW_OK || flushing_ || !open_; });
  if (flow_ != GST_FLOW_OK) return flow_;
  return frames_.size() <= most ? GST_FLOW_OK : GST_FLOW_FLUSHING;
}

void FramesInFlight::wait_until_idle() {
  std::unique_lock lock(lock_);
  changed_.wait(lock, [&] { return !busy_; });
}

void FramesInFlight::clear() {
  for (;;) {
    std::unique_ptr<FrameInFlight> oldest;  // it may wait where it ends: outside the lock
    std::lock_guard guard(lock_);
    if (frames_.empty()) {
      flow_ = GST_FLOW_OK;  // not before: with it the task would take a frame
      return;
    }
    oldest = std::move(frames_.front());
    frames_.pop_front();
  }
}

FrameInFlight *FramesInFlight::next() {
  std::unique_lock lock(lock_);
  changed_.wait(lock,
                [&] { return !open_ || (!flushing_ && flow_ == GST_FLOW_OK && !frames_.empty()); });
  if (!open_) return nullptr;
  busy_ = true;
  return frames_.front().get();
}

void FramesInFlight::done(GstFlowReturn flow) {
  std::unique_lock lock(lock_);
  if (flow == GST_FLOW_OK) {
    // Its end releases buffers, which may call an application's functions, and these may wait:
    // outside the lock. The task stays busy with it, lest clear() begins.
    std::unique_ptr<FrameInFlight> oldest = std::move(frames_.front());
    lock.unlock();
    oldest.reset();
    lock.lock();
    frames_.pop_front();
  } else {
    flow_ = flow;
  }
  busy_ = false;
  changed_.notify_all();
}

}  // namespace coalesce::gst
