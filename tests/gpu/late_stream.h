// SPDX-License-Identifier: LGPL-2.1-or-later
// A stream of someone else's, for which a test's frames are written and read.
#pragma once

#include "base/gstcompat.h"
#include "gpu_support.h"

namespace gpu_test {

// Rows of random bytes, the same ones for the same number.
void paint(GstBuffer *buffer, const GstVideoInfo &info, unsigned picture);

// On it everything happens late, behind copies that take some 20 ms on an H200. Of its formats the
// component of a plane's number is in that plane (RGBA, UYVY, NV12).
class LateStream {
 public:
  enum class Kind { ordered, unordered, named };  // with the default stream; a GstCudaStream

  LateStream(GstCudaContext *context, Kind kind);  // the context is current while it lives
  ~LateStream();
  LateStream(const LateStream &) = delete;
  LateStream &operator=(const LateStream &) = delete;

  void wait() const;

  // Shows the picture `before`, and late the picture `after`.
  GstBuffer *frame(const GstVideoInfo &info, unsigned before, unsigned after);
  // What a frame shows when they come to read it. Nobody is told that they do.
  GstBuffer *copy_of(GstBuffer *frame, const GstVideoInfo &info);

 private:
  GstBuffer *alloc(const GstVideoInfo &info) const;
  void copy(GstBuffer *from, GstBuffer *to, const GstVideoInfo &info) const;

  GstCudaContext *context_;
  Kind kind_;
  void *named_ = nullptr;
  CUstream handle_ = nullptr;
  CUdeviceptr scratch_ = 0;
  std::vector<GstBuffer *> kept_;
};

// Says that nothing is in flight on the GstCudaStream that a frame's memory names.
void forget_stream(GstBuffer *frame);

}  // namespace gpu_test
