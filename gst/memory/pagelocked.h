// SPDX-License-Identifier: LGPL-2.1-or-later
// System memory that the GPU reads and writes by itself.
//
// To everyone else it is ordinary memory; but it carries a fence (fence.h) as our CUDA memory does.
// An upload leaves the buffer before the GPU has read it, and a download before it has been filled:
// who maps it then, to write or to read, waits for that and no longer.
#pragma once

#include "fence.h"

namespace coalesce::gst {

using AllocatorRef = std::unique_ptr<GstAllocator, Unref>;

// Where there is no page-locked memory to be had, its memory is ordinary memory.
AllocatorRef page_locked_allocator_new(GstCudaContext *context);

// The fence of a buffer that is one piece of such memory; nullptr for any other buffer.
Fence *page_locked_fence(GstBuffer *buffer);

}  // namespace coalesce::gst
