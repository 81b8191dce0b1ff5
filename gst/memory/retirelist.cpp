// SPDX-License-Identifier: LGPL-2.1-or-later
#include "retirelist.h"

#include <algorithm>
#include <utility>

namespace coalesce::gst {

RetireList::Passed::~Passed() {
  for (std::size_t i = 0; i < count; i++)
    gst_buffer_unref(buffers[i]);
}

RetireList::RetireList(GstCudaContext *context, std::unique_ptr<SweepTimer> timer)
    : context_(GST_CUDA_CONTEXT(gst_object_ref(context))),
      timer_(std::move(timer)),
      sweeper_([this] { sweep(); }) {}

RetireList::~RetireList() {
  {
    std::lock_guard guard(lock_);
    stopping_ = true;
  }
  timer_->wake();
  sweeper_.join();
  ContextScope scope(context_.get());
  for (Line &line : lines_) {
    for (Entry &entry : line.entries) {
      (void)entry.event->wait();  // a failure is reported where the frame is made
      entry.buffer.reset();
    }
  }
}

RetireList::Line &RetireList::line_of(CUstream stream) {
  for (Line &line : lines_)
    if (line.stream == stream) return line;
  return lines_.emplace_back(Line{stream, {}});
}

std::size_t RetireList::size() const {
  std::size_t size = 0;
  for (const Line &line : lines_)
    size += line.entries.size();
  return size;
}

void RetireList::take(Line *line, std::size_t entries, Passed *passed) {
  for (std::size_t i = 0; i < entries; i++)
    passed->buffers[passed->count++] = line->entries[i].buffer.release();
  line->entries.erase(line->entries.begin(), line->entries.begin() + gssize(entries));
}

void RetireList::take_in_streaming_thread(Line *line, std::size_t entries, Passed *passed) {
  take(line, entries, passed);
  taken_ = true;
}

void RetireList::take_all_passed(Passed *passed) {
  for (Line &line : lines_) {
    std::size_t count = 0;
    while (count < line.entries.size() && line.entries[count].event->has_passed())
      count++;
    take(&line, count, passed);
  }
}

void RetireList::add(GstBuffer *buffer, std::shared_ptr<Event> event) {
  bool wake_sweeper, too_many;
  {
    Passed passed;
    std::lock_guard guard(lock_);
    Line &line = line_of(event->stream());
    line.entries.push_back({BufferRef(gst_buffer_ref(buffer)), std::move(event)});
    const std::size_t last = line.entries.size() - 1;
    if (last + 1 >= kLookFrom && line.entries[last - kLastFew].event->has_passed())
      take_in_streaming_thread(&line, last - kLastFew + 1, &passed);
    last_added_ = timer_->now();
    wake_sweeper = sweeper_waits_for_entries_;
    too_many = size() > kMostInFlight;
  }
  if (wake_sweeper) timer_->wake();
  if (too_many) wait_for_oldest();
}

void RetireList::wait_for_oldest() {
  const auto longest = [this] {
    return std::max_element(lines_.begin(), lines_.end(), [](const Line &a, const Line &b) {
      return a.entries.size() < b.entries.size();
    });
  };
  Passed passed;
  std::unique_lock guard(lock_);
  if (size() <= kMostInFlight) return;  // the sweeper has been here
  const auto line = longest();
  const std::shared_ptr<Event> oldest = line->entries.front().event;
  guard.unlock();
  (void)oldest->wait();  // a failure is reported where the frame is made
  guard.lock();
  if (!line->entries.empty() && line->entries.front().event == oldest)
    take_in_streaming_thread(&*line, 1, &passed);
}

// While the streaming thread releases buffers itself, the period grows. It does so only where there
// are kLookFrom entries at least. So a pool of fewer buffers never waits for more than kPeriod,
// unless each of them is read by several jobs and has as many entries.
void RetireList::sweep() {
  SweepTimer::Time last_look;
  std::chrono::milliseconds period = kPeriod;
  std::unique_lock guard(lock_);
  while (!stopping_) {
    if (size() == 0) {
      sweeper_waits_for_entries_ = true;
      timer_->sleep(guard);
      sweeper_waits_for_entries_ = false;
      continue;
    }
    if (std::exchange(taken_, false)) period = std::min(2 * period, kLongestPeriod);
    const SweepTimer::Time due = std::max(last_added_, last_look) + period, now = timer_->now();
    if (now < due) {
      timer_->sleep_until(guard, due);
      continue;
    }
    last_look = now;
    period = kPeriod;
    {
      ContextScope scope(context_.get());
      Passed passed;
      take_all_passed(&passed);
      guard.unlock();
    }
    guard.lock();
  }
}

}  // namespace coalesce::gst
