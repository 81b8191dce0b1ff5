// SPDX-License-Identifier: LGPL-2.1-or-later
// What only the tests over the simulated driver need: control of the driver, and the counts that
// must be zero in a correct program.
#pragma once

#include "../support/elements/cudamemory.h"
#include "../support/elements/pipeline.h"
#include "fakecuda.h"

namespace simulated {

using namespace test;

// The program of the tests of name_suite().
#define SIMULATED_MAIN(name)                            \
  int main(int argc, char **argv) {                     \
    gst_check_init(&argc, &argv);                       \
    return simulated::run_suite(name##_suite(), #name); \
  }

// Does a frame hold, byte for byte, the luma of the packed picture `seed`? Empty if it does, else
// the first place where it does not. `flags` choose the mapping: GST_MAP_READ, or with GST_MAP_CUDA
// the device memory itself, which the simulated driver lets us read.
std::string wrong_luma(GstBuffer *buffer, const GstVideoInfo &out, GstVideoFormat packed,
                       unsigned seed, int flags = GST_MAP_READ, guint8 xor_with = 0);
#define assert_luma(...)                               \
  do {                                                 \
    const std::string wrong = wrong_luma(__VA_ARGS__); \
    fail_unless(wrong.empty(), "%s", wrong.c_str());   \
  } while (0)

// Loads the driver as an application would and makes a context.
GstCudaContext *new_context(guint device = 0);
// Memory of libgstcuda's own allocator, with the picture on the device. Only formats it knows.
GstBuffer *plain_cuda_buffer(GstCudaContext *context, const GstVideoInfo &info, unsigned seed);
// A buffer of the pool with the picture in it, on the device if the pool is a CUDA one.
GstBuffer *pool_buffer(GstBufferPool *pool, const GstVideoInfo &info, unsigned seed);
// Brings what the CPU has written to the device.
void to_device(GstBuffer *buffer);

// An element under test, whose buffers belong to the caller.
class Bench : public Harness {
 public:
  using Harness::Harness;
  GstHarness *harness() const { return get(); }
  // Input caps, after what downstream accepts has been set.
  void negotiate(const std::string &in, const std::string &out);
  GstBuffer *pull() { return gst_harness_pull(get()); }
  // The caps on the source pad, as text; empty if there are none.
  std::string out_caps() const;
};

// appsrc, elements and appsink, in threads of their own.
class Line : public Pipeline {
 public:
  // The source and the sink around `elements` have these caps.
  Line(const std::string &elements, const std::string &in_caps, const std::string &out_caps);
};

// What passes the source pad of a bench's element, in order: "1 2 segment". Buffers are named by
// their offset.
class Passing {
 public:
  explicit Passing(const Bench &bench);
  ~Passing();
  Passing(const Passing &) = delete;
  Passing &operator=(const Passing &) = delete;

  std::string seen() const;
  void forget();

 private:
  static GstPadProbeReturn note(GstPad *, GstPadProbeInfo *info, gpointer self);

  GstPad *pad_;
  gulong probe_;
  mutable std::mutex lock_;
  std::string seen_;
};

// Downstream of a bench's element accepts no buffer, and whoever pushes one waits, until this goes.
class Dam {
 public:
  explicit Dam(const Bench &bench);
  ~Dam();
  Dam(const Dam &) = delete;
  Dam &operator=(const Dam &) = delete;
  bool reached() const { return reached_; }  // by a buffer

 private:
  GstPad *pad_;
  gulong probe_;
  std::atomic<bool> reached_{false};
};

// ---- counts ----------------------------------------------------------------------------------

FakecudaCounts counts();
// No wrong address, no wrong call, nothing written where nothing should be.
void assert_clean();
// Nothing made through the driver exists any more.
void assert_nothing_lives(const FakecudaCounts &now = counts());
// Calls `run`, which sends many frames, until it makes nothing in the driver. How many frames are
// in flight, and so how many buffers and events go round, depends on the pace of two threads: the
// streaming thread releases frames that have passed when it looks, the other one when frames stop
// coming for some milliseconds. But it is bounded, by 16 in the retire list and those that a test
// holds, and so is all that is ever made for them. The counts are then those of the last run.
void run_until_steady(const std::function<void()> &run);
// After a trial with a fault, and all that it made: fails, naming `what`, if something is left or
// was called wrongly. Tells whether a fault has been met since the last call, so it has one caller
// in a program. (One look at the counts for all: it searches the memory of the whole device.)
bool fault_was_met(const std::string &what);

}  // namespace simulated
