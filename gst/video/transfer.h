// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames over the bus, on streams beside the one that the kernels run on.
#pragma once

#include "framecopy.h"
#include "memory/gpusession.h"

namespace coalesce::gst {

// Where a frame in `buffer` can be mapped for the transfers below.
Memory transfer_memory(GstBuffer *buffer);

// Enqueues the copy of a mapped frame in system memory to one in device memory of the same format
// and size that nobody else uses. It is there when *done has passed. Page-locked memory is left to
// the GPU: it is fenced, and the caller keeps the buffer until then. Any other is free when this
// returns; it goes through the staging ring.
CUresult upload_frame(GpuSession &session, GstBuffer *buffer, const Frame &from, const Frame &to,
                      std::shared_ptr<Event> *done);

// Enqueues the copy of a mapped frame in device memory, finished when `ready` has passed, to one in
// system memory. Page-locked memory is fenced and left to the GPU; for any other this waits.
// `from_buffer` is kept as long as need be.
CUresult download_frame(GpuSession &session, GstBuffer *from_buffer, const Frame &from,
                        std::shared_ptr<Event> ready, GstBuffer *to_buffer, const Frame &to);

}  // namespace coalesce::gst
