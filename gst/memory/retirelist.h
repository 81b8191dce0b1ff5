// SPDX-License-Identifier: LGPL-2.1-or-later
// Inputs that the GPU may still be reading.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "bufferpool.h"

namespace coalesce::gst {

// The clock of a RetireList and the sleep of its sweeper. A test has one of its own.
class SweepTimer {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Guard = std::unique_lock<std::mutex>;

  virtual ~SweepTimer() = default;
  virtual Time now() { return std::chrono::steady_clock::now(); }
  // Ends with wake(), or sooner.
  virtual void sleep(Guard &guard) { wake_.wait(guard); }
  virtual void sleep_until(Guard &guard, Time time) { wake_.wait_until(guard, time); }
  virtual void wake() { wake_.notify_one(); }

 private:
  std::condition_variable wake_;
};

// Keeps a reference to each input until the event of its last reader has passed, so that it does
// not return to its pool too early. The streaming thread looks at the list when some have come
// together, and waits only when kMostInFlight inputs are out, which bounds the memory where the GPU
// is the slower side. A second thread, the sweeper, empties the list when no frame has come for a
// period, so that an upstream pool of few buffers cannot run dry for ever.
class RetireList {
 public:
  // The sweeper sleeps without a timer while the list is empty. It releases what the GPU has read
  // kPeriod after the last frame; kLongestPeriod after it, if the streaming thread was releasing
  // buffers itself. So it wakes twice a frame at most, and where frames come faster than kPeriod
  // from a pool of buffers enough, about once in kLongestPeriod.
  static constexpr std::chrono::milliseconds kPeriod{4}, kLongestPeriod{32};

  explicit RetireList(GstCudaContext *context,
                      std::unique_ptr<SweepTimer> timer = std::make_unique<SweepTimer>());
  ~RetireList();  // waits until all have been read

  // `event` has been recorded. Takes a reference to the buffer of its own. The context is current.
  void add(GstBuffer *buffer, std::shared_ptr<Event> event);

 private:
  static constexpr std::size_t kMostInFlight = 16;
  // To ask the driver for an event takes a third of the time of a launch, so one answer is made to
  // do for several entries: with so many of a stream, is the one before the last few done? (Pools
  // of fewer buffers get theirs from the sweeper.)
  static constexpr std::size_t kLookFrom = 6, kLastFew = 1;

  struct Entry {
    BufferRef buffer;
    std::shared_ptr<Event> event;
  };
  struct Line {  // of one stream: events pass in this order
    CUstream stream;
    std::vector<Entry> entries;
  };
  // Lets go of buffers when it goes itself. The last reference may free memory or wake a pool:
  // never under the lock. (Nothing that is done to let go of one allocates, or throws: the sweeper
  // has nobody to tell.)
  struct Passed {
    ~Passed();
    GstBuffer *buffers[kMostInFlight + 1];
    std::size_t count = 0;
  };

  Line &line_of(CUstream stream);
  std::size_t size() const;
  static void take(Line *line, std::size_t entries, Passed *passed);
  void take_in_streaming_thread(Line *line, std::size_t entries, Passed *passed);
  void take_all_passed(Passed *passed);
  void wait_for_oldest();
  void sweep();

  ContextRef context_;
  std::unique_ptr<SweepTimer> timer_;
  std::mutex lock_;
  std::vector<Line> lines_;
  SweepTimer::Time last_added_;
  bool taken_ = false;  // by the streaming thread, since the sweeper last woke
  bool stopping_ = false;
  bool sweeper_waits_for_entries_ = false;
  std::thread sweeper_;
};

}  // namespace coalesce::gst
