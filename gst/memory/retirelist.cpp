// SPDX-License-Identifier: LGPL-2.1-or-later
#include "retirelist.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace coalesce::gst {

RetireList::Passed::~Passed() {
  for (std::size_t i = 0; i < count; i++)
    gst_buffer_unref(buffers[i]);
}

RetireList::RetireList(GstCudaContext *context)
    : context_(GST_CUDA_CONTEXT(gst_object_ref(context))), sweeper_([this] { sweep(); }) {}

RetireList::~RetireList() {
  {
    std::lock_guard guard(lock_);
    stopping_ = true;
  }
  wake_.notify_one();
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
      take(&line, last - kLastFew + 1, &passed);
    frames_come_ = true;
    wake_sweeper = sweeper_asleep_;
    too_many = size() > kMostInFlight;
  }
  if (wake_sweeper) wake_.notify_one();
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
  if (!line->entries.empty() && line->entries.front().event == oldest) take(&*line, 1, &passed);
}

// Looks every few milliseconds whether frames have stopped coming, and sleeps only after a while of
// finding nothing to release, so that a running stream does not pay for waking it.
void RetireList::sweep() {
  using namespace std::chrono_literals;
  constexpr int kIdleRounds = 50;
  int idle = 0;
  std::unique_lock guard(lock_);
  while (!stopping_) {
    idle = size() == 0 ? idle + 1 : 0;
    if (idle < kIdleRounds) {
      wake_.wait_for(guard, 2ms);
    } else {
      sweeper_asleep_ = true;
      wake_.wait(guard, [this] { return stopping_ || size() > 0; });
      sweeper_asleep_ = false;
    }
    if (size() == 0 || std::exchange(frames_come_, false)) continue;
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
