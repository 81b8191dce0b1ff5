// SPDX-License-Identifier: LGPL-2.1-or-later
// A stream of someone else's, for which a test's frames are written and read.
#pragma once

#include "../gpu_support.h"

namespace gpu_test {

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
  void copy(GstBuffer *from, GstBuffer *to, const GstVideoInfo &info) const;

  GstCudaContext *context_;
  void *named_ = nullptr;
  CUstream handle_ = nullptr;
  CUdeviceptr scratch_ = 0;
  std::vector<GstBuffer *> kept_;
};

}  // namespace gpu_test
