// SPDX-License-Identifier: LGPL-2.1-or-later
// Inputs that the GPU may still be reading.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "counters.h"
#include "cudadriver.h"

namespace coalesce::gst {

// Keeps a reference to each input until the event behind its last reader has passed, so that it
// does not go back to its pool too early. The streaming thread looks at the list when it adds to
// it, and waits only when kMostInFlight inputs are out, which bounds the memory where the GPU is
// the slower side. A second thread empties the list when frames stop coming, so that an upstream
// pool of few buffers cannot run dry for ever.
class RetireList {
 public:
  RetireList(GstCudaContext *context, std::shared_ptr<Counters> counters);
  ~RetireList();  // the stream must have been synchronised
  RetireList(const RetireList &) = delete;
  RetireList &operator=(const RetireList &) = delete;

  // Takes a reference of its own. The context is current.
  void add(GstBuffer *buffer, std::shared_ptr<Event> event);

 private:
  struct Entry {
    GstBuffer *buffer = nullptr;
    std::shared_ptr<Event> event;
  };
  static constexpr std::size_t kMostInFlight = 16;
  static constexpr int kMostAtOnce = 8;

  int take_passed(Entry passed[kMostAtOnce]);
  void release_passed();
  void sweep();

  ContextRef context_;
  std::shared_ptr<Counters> counters_;
  std::mutex lock_;
  std::condition_variable wake_;
  std::vector<Entry> entries_;  // oldest first
  bool stopping_ = false;
  bool sweeper_asleep_ = false;
  std::thread sweeper_;
};

}  // namespace coalesce::gst
