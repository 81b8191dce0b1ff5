// SPDX-License-Identifier: LGPL-2.1-or-later
// A stream of someone else's, for which a test's frames are written and read.
#pragma once

#include <atomic>

#include "../gpu_support.h"

namespace gpu_test {

// On it everything happens late, by this much or more. Of its formats the component of a plane's
// number is in that plane (RGBA, UYVY, NV12).
class LateStream {
 public:
  enum class Kind { ordered, unordered, named };  // with the default stream; a GstCudaStream

  // The context is current while it lives.
  LateStream(GstCudaContext *context, Kind kind, int milliseconds);
  ~LateStream();
  LateStream(const LateStream &) = delete;
  LateStream &operator=(const LateStream &) = delete;

  void wait() const;
  // Whether the newest may have begun. As long as it has not, all that has ended came before it.
  bool begun() const { return begun_; }

  // Shows the picture `before`, and late the picture `after`.
  GstBuffer *frame(const GstVideoInfo &info, unsigned before, unsigned after);
  // What a frame shows when they come to read it. Nobody is told that they do.
  GstBuffer *copy_of(GstBuffer *frame, const GstVideoInfo &info);

 private:
  static void begin(void *self);  // called by the driver, in the stream's order
  void copy(GstBuffer *from, GstBuffer *to, const GstVideoInfo &info);

  GstCudaContext *context_;
  void *named_ = nullptr;
  CUstream handle_ = nullptr;
  int milliseconds_;
  std::atomic<bool> begun_ = false;
  std::vector<GstBuffer *> kept_;
};

}  // namespace gpu_test
