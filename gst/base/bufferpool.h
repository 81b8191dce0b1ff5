// SPDX-License-Identifier: LGPL-2.1-or-later
// A pool of video frames in fenced CUDA memory. (libgstcuda 1.22's own pool forces its default
// allocator.) Every buffer carries a GstVideoMeta with the real format, offsets and strides.
#pragma once

#include "fencedmemory.h"

namespace coalesce::gst {

using PoolRef = std::unique_ptr<GstBufferPool, Unref>;

// A configured, inactive pool, or nullptr if the memory cannot be had. size receives the bytes of
// one buffer, which are more than the caps say because of the pitch. max_buffers 0 = no limit.
PoolRef cuda_pool_new(GstCudaContext *context, GstCaps *caps, guint min_buffers, guint max_buffers,
                      guint *size);

// A buffer from an active pool, or nullptr.
GstBuffer *pool_acquire(GstBufferPool *pool);

}  // namespace coalesce::gst
