// SPDX-License-Identifier: LGPL-2.1-or-later
// Others' work in flight: on a stream of an application, and on a GstCudaStream that memory names.
#pragma once

#include <vector>

#include "support.h"

namespace simulated {

GstBuffer *buffer_of(GstMemory *memory, const GstVideoInfo &info, gsize *offsets, gint *strides);

// Enqueues a copy of all the bytes from one buffer of CUDA memory to another, in its context.
void copy_on(CUstream stream, GstBuffer *from, GstBuffer *to);

// libgstcuda has it from 1.24 on.
class CudaStream {
 public:
  static bool there_is() { return coalesce::gst::running_on(1, 23); }

  explicit CudaStream(GstCudaContext *context);
  ~CudaStream();
  CudaStream(const CudaStream &) = delete;
  CudaStream &operator=(const CudaStream &) = delete;

  CUstream handle() const;
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

// Says that the writes that its memory's stream has in flight have ended.
void forget_stream(GstBuffer *buffer);

}  // namespace simulated
