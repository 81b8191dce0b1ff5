// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA memory that is not ours, for the simulated driver and for a GPU.
#pragma once

#include "cuda/gstcompat.h"
#include "pools.h"
#include "run.h"

namespace test {

bool is_cuda(GstBuffer *buffer);
void give_context(GstElement *element, GstCudaContext *context);

// libgstcuda has GstCudaStream from 1.24 on.
bool skip_without_cuda_streams();
void *cuda_stream_new(GstCudaContext *context);  // of GstMiniObject
CUstream cuda_stream_handle(void *stream);

// Memory of libgstcuda's own allocator, which names `stream` unless that is nullptr. Only formats
// it knows.
GstBuffer *cuda_buffer(GstCudaContext *context, const GstVideoInfo &info, void *stream = nullptr);
GstBuffer *buffer_of(GstMemory *memory, const GstVideoInfo &info, gsize *offsets, gint *strides);

// Says that the writes that its memory's GstCudaStream has in flight have ended.
void forget_stream(GstBuffer *buffer);

}  // namespace test
