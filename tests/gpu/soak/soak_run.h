// SPDX-License-Identifier: LGPL-2.1-or-later
// What soak programs share: pipelines at once in one process, and its memory watched meanwhile.
#pragma once

#include <atomic>
#include <functional>
#include <latch>

#include "../gpu_support.h"

#define GST_USE_UNSTABLE_API
#include <gst/cuda/gstcudacontext.h>

namespace soak {

[[noreturn]] void give_up(const std::string &what);

// A context of the test's own on GPU 0, to ask the driver in.
class Device {
 public:
  Device();
  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;
  GstCudaContext *context() const { return context_; }
  double mib_in_use() const;  // of the whole GPU

 private:
  GstCudaContext *context_;
};

// What the pipelines of a run have done together.
class Progress {
 public:
  Progress(int pipelines, long frames) : all_have_one_(pipelines), frames_(frames) {}
  // After each frame. A pipeline's first one waits for those of the others: from then on all have
  // what they need, however slow the start of one is, and memory can be compared.
  void count(bool first) {
    ++done_;
    if (first) all_have_one_.arrive_and_wait();
  }
  long frames() const { return done_; }
  bool complete() const { return done_ >= frames_; }

 private:
  std::latch all_have_one_;
  std::atomic<long> done_{0};
  const long frames_;
};

struct Soak {
  int pipelines;           // each of them in a thread
  long usually;            // frames of all of them, unless the command line has another number
  long least;              // so many at least, and as many before memory is looked at
  double device_may_grow;  // MiB while running, where shares make memory go up and down
  // Comes before all else: takes once what a run may ever take of a context that stays.
  std::function<void()> first;
  // One pipeline from its making to its end, which comes when all together are complete. It counts
  // its own frames.
  std::function<void(int pipeline, const Device &device, Progress *progress)> share;
};

// The program of a soak: what libraries and driver take once is taken first, then memory must not
// grow, neither the host's nor the device's, neither while pipelines run nor after their end.
int run(int argc, char **argv, const Soak &soak);

}  // namespace soak
