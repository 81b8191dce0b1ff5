// SPDX-License-Identifier: LGPL-2.1-or-later
#include "retirelist.h"

#include <chrono>

namespace coalesce::gst {

RetireList::RetireList(GstCudaContext *context, std::shared_ptr<Counters> counters)
    : context_(GST_CUDA_CONTEXT(gst_object_ref(context))),
      counters_(std::move(counters)),
      sweeper_([this] { sweep(); }) {}

RetireList::~RetireList() {
  {
    std::lock_guard guard(lock_);
    stopping_ = true;
  }
  wake_.notify_one();
  sweeper_.join();
  for (Entry &entry : entries_)
    gst_buffer_unref(entry.buffer);
}

// Frames end in order, so the first event that has not passed ends the search. An event in error
// counts as passed: the failure is reported where the frame is made, not here.
int RetireList::take_passed(Entry passed[kMostAtOnce]) {
  int count = 0;
  for (Entry &entry : entries_) {
    if (count == kMostAtOnce || entry.event->query() == CUDA_ERROR_NOT_READY) break;
    passed[count++] = std::move(entry);
  }
  entries_.erase(entries_.begin(), entries_.begin() + count);
  return count;
}

// A buffer's last reference may free memory or wake its pool: never under the lock.
void RetireList::release_passed() {
  Entry passed[kMostAtOnce];
  int count;
  do {
    {
      std::lock_guard guard(lock_);
      count = take_passed(passed);
    }
    for (int i = 0; i < count; i++)
      gst_buffer_unref(passed[i].buffer);
  } while (count == kMostAtOnce);
}

void RetireList::add(GstBuffer *buffer, std::shared_ptr<Event> event) {
  bool wake_sweeper;
  std::shared_ptr<Event> oldest;
  {
    std::lock_guard guard(lock_);
    entries_.push_back({gst_buffer_ref(buffer), std::move(event)});
    wake_sweeper = sweeper_asleep_;
    if (entries_.size() > kMostInFlight) oldest = entries_.front().event;
  }
  if (wake_sweeper) wake_.notify_one();
  if (oldest != nullptr && oldest->query() == CUDA_ERROR_NOT_READY) {
    counters_->synchronizations++;
    (void)oldest->synchronize();
  }
  release_passed();
}

// Looks every few milliseconds while there is something to release, and sleeps only after a while
// of finding nothing, so that a running stream does not pay for waking it.
void RetireList::sweep() {
  using namespace std::chrono_literals;
  constexpr int kIdleRounds = 50;
  int idle = 0;
  std::unique_lock guard(lock_);
  while (!stopping_) {
    idle = entries_.empty() ? idle + 1 : 0;
    if (idle < kIdleRounds) {
      wake_.wait_for(guard, 2ms);
    } else {
      sweeper_asleep_ = true;
      wake_.wait(guard, [this] { return stopping_ || !entries_.empty(); });
      sweeper_asleep_ = false;
    }
    if (entries_.empty()) continue;
    guard.unlock();
    {
      ContextScope scope(context_.get());
      release_passed();
    }
    guard.lock();
  }
}

}  // namespace coalesce::gst
