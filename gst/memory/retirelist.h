// SPDX-License-Identifier: LGPL-2.1-or-later
// Inputs that the GPU may still be reading.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "bufferpool.h"

namespace coalesce::gst {

// Keeps a reference to each input until the event behind its last reader has passed, so that it
// does not go back to its pool too early. The streaming thread looks at the list when some have
// come together, and waits only when kMostInFlight inputs are out, which bounds the memory where
// the GPU is the slower side. A second thread empties the list when frames stop coming, so that an
// upstream pool of few buffers cannot run dry for ever.
class RetireList {
 public:
  explicit RetireList(GstCudaContext *context);
  ~RetireList();  // waits until all have been read
  RetireList(const RetireList &) = delete;
  RetireList &operator=(const RetireList &) = delete;

  // `event` has been recorded. Takes a reference to the buffer of its own. The context is current.
  void add(GstBuffer *buffer, std::shared_ptr<Event> event);

 private:
  static constexpr std::size_t kMostInFlight = 16;
  // To ask the driver for an event takes a third of the time of a launch, so one answer is made to
  // do for several entries: with so many of a stream, is the one before the last few done? (Pools
  // of fewer buffers get theirs from the sweeper, a few milliseconds later.)
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
  void take_all_passed(Passed *passed);
  void wait_for_oldest();
  void sweep();

  ContextRef context_;
  std::mutex lock_;
  std::condition_variable wake_;
  std::vector<Line> lines_;
  bool frames_come_ = false;  // since the sweeper last looked
  bool stopping_ = false;
  bool sweeper_asleep_ = false;
  std::thread sweeper_;
};

}  // namespace coalesce::gst
