// SPDX-License-Identifier: LGPL-2.1-or-later
// What the tests over the simulated driver share: pictures, CUDA buffers, an element in a harness
// with a bus, and the counts that must be zero in a correct program.
#pragma once

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>

#include <string>
#include <vector>

#include "base/gstcompat.h"
#include "fakecuda.h"

namespace simulated {

// Waits, for at most a few seconds, until the condition holds.
template <class Condition>
bool eventually(Condition condition) {
  for (int i = 0; i < 5000; i++) {
    if (condition()) return true;
    g_usleep(1000);
  }
  return false;
}

// ---- pictures --------------------------------------------------------------------------------

GstVideoInfo video_info(GstVideoFormat format, int width, int height);
GstVideoInfo video_info(const std::string &caps);

// memory: "" or "memory:CUDAMemory".
std::string video_caps(const char *memory, const char *format, int width, int height);
constexpr const char *kCuda = "memory:CUDAMemory";
constexpr const char *kSystem = "";

// The picture numbered `seed`: a byte of every plane at every place.
guint8 sample(unsigned seed, guint plane, int x, int y);

// Bytes in a row of a plane, and its rows, as GStreamer lays the format out without padding:
// interlaced 4:2:0 has an even number of chroma rows.
gsize row_bytes(const GstVideoInfo &info, guint plane);
gint rows(const GstVideoInfo &info, guint plane);

// Writes the picture through the CPU.
void fill(GstBuffer *buffer, const GstVideoInfo &info, unsigned seed);

// Does a frame hold, byte for byte, what uyvy2y makes of the packed picture `seed`? Empty if it
// does, else the first place where it does not. `flags` choose the mapping: GST_MAP_READ, or with
// GST_MAP_CUDA the device memory itself, which the simulated driver lets us read.
std::string wrong_luma(GstBuffer *buffer, const GstVideoInfo &out, GstVideoFormat packed,
                       unsigned seed, int flags = GST_MAP_READ, guint8 xor_with = 0);
#define assert_luma(...)                               \
  do {                                                 \
    const std::string wrong = wrong_luma(__VA_ARGS__); \
    fail_unless(wrong.empty(), "%s", wrong.c_str());   \
  } while (0)

// ---- buffers ---------------------------------------------------------------------------------

GstBuffer *system_buffer(const GstVideoInfo &info, unsigned seed);

// Loads the driver as an application would and makes a context.
GstCudaContext *new_context(guint device = 0);
void give_context(GstElement *element, GstCudaContext *context);

// Memory of libgstcuda's own allocator, with the picture on the device. Only formats it knows.
GstBuffer *plain_cuda_buffer(GstCudaContext *context, const GstVideoInfo &info, unsigned seed);

// The pool that an element proposes upstream for caps, active; nullptr if it proposes none. size
// receives the announced size of a buffer.
GstBufferPool *proposed_pool(GstHarness *harness, const char *caps, guint *size = nullptr,
                             guint max_buffers = 0);
void drop_pool(GstBufferPool *pool);  // stops it; nullptr is nothing
// A buffer of the pool with the picture in it, on the device if the pool is a CUDA one.
GstBuffer *pool_buffer(GstBufferPool *pool, const GstVideoInfo &info, unsigned seed);

bool is_cuda(GstBuffer *buffer);
// Brings what the CPU has written to the device.
void to_device(GstBuffer *buffer);

// ---- an element under test -------------------------------------------------------------------

// An element that cannot start: the text of the one error that it posts on the way to PAUSED.
std::string start_error(GstElement *element);

// A harness around an element, and the errors it posts.
class Bench {
 public:
  // `launch` is an element and its properties, or several with "!" between them.
  explicit Bench(const char *launch);
  explicit Bench(GstElement *element);
  ~Bench();
  Bench(const Bench &) = delete;
  Bench &operator=(const Bench &) = delete;

  GstHarness *harness() const { return harness_; }
  GstElement *element() const { return element_; }
  // Input caps, after what downstream takes has been set.
  void negotiate(const std::string &in, const std::string &out);
  GstFlowReturn push(GstBuffer *buffer) { return gst_harness_push(harness_, buffer); }
  GstBuffer *pull() { return gst_harness_pull(harness_); }
  // The caps on the source pad, as text; empty if there are none.
  std::string out_caps() const;

  // The texts of the errors, and of the warnings, the element has posted since the last call, each
  // with its details.
  std::vector<std::string> errors();
  std::vector<std::string> warnings();

 private:
  void take_messages();

  GstElement *element_;
  GstBus *bus_;
  GstHarness *harness_;
  std::vector<std::string> errors_, warnings_;  // not asked for yet
};

// What passes the source pad of a bench's element, in order: "1 2 segment". Buffers are named by
// their offset.
class Passing {
 public:
  explicit Passing(const Bench &bench);
  ~Passing();
  Passing(const Passing &) = delete;
  Passing &operator=(const Passing &) = delete;

  std::string seen;

 private:
  static GstPadProbeReturn note(GstPad *, GstPadProbeInfo *info, gpointer self);

  GstPad *pad_;
  gulong probe_;
};

// Of time, from the beginning.
GstEvent *segment_event();

guint64 stat(GstElement *element, const char *name);
std::string active_backend(GstElement *element);

// Stops a pipeline and drops it for good: a thread of GstBin's own, which continues a state change,
// may hold it a moment longer than we do.
void drop_pipeline(GstElement *pipeline);

// ---- counts ----------------------------------------------------------------------------------

FakecudaCounts counts();
// No wrong address, no wrong call, nothing written where nothing should be.
void assert_clean();
// Nothing made through the driver exists any more.
void assert_nothing_lives(const FakecudaCounts &now = counts());
// Behind a trial with a fault, and all that it made: fails, naming `what`, if something is left or
// was called wrongly. Tells whether a fault has been met since it was asked last, so it has one
// caller in a program. (One look at the counts for all: it searches the memory of the whole
// device.)
bool fault_was_met(const std::string &what);

}  // namespace simulated
