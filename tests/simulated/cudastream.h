// SPDX-License-Identifier: LGPL-2.1-or-later
// Others' work in flight: on a stream of an application, and on a GstCudaStream that memory names.
#pragma once

#include "support.h"

namespace simulated {

// Enqueues a copy of all the bytes from one buffer of CUDA memory to another, in its context.
void copy_on(CUstream stream, GstBuffer *from, GstBuffer *to);

class CudaStream {
 public:
  explicit CudaStream(GstCudaContext *context);
  ~CudaStream();
  CudaStream(const CudaStream &) = delete;
  CudaStream &operator=(const CudaStream &) = delete;

  CUstream handle() const { return cuda_stream_handle(stream_); }
  // Memory of libgstcuda's own allocator that names the stream, and that a picture is on its way to
  // there. Only formats it knows. The stream keeps it, too, since libgstcuda waits where it is
  // freed.
  GstBuffer *buffer_in_flight(const GstVideoInfo &info, unsigned seed);
  // The same, as the CPU leaves it that has written the picture.
  GstBuffer *buffer_written(const GstVideoInfo &info, unsigned seed);

 private:
  void keep(GstBuffer *buffer);  // its memory
  GstBuffer *alloc(const GstVideoInfo &info);

  GstCudaContext *context_;
  void *stream_;
  std::vector<GstMemory *> kept_;
};

}  // namespace simulated
