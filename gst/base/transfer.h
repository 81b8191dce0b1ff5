// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames over the bus, on streams beside the one that the kernels run on.
#pragma once

#include "frame.h"
#include "gpusession.h"

namespace coalesce::gst {

// Enqueues a copy of every plane between two mapped frames of the same format and size, in any
// combination of host and device memory, as far as both have its rows. Host memory must stay as it
// is until the stream gets there. bytes receives how much was moved.
CUresult copy_frame(const Frame &from, const Frame &to, const Stream &stream, gsize *bytes);

// The same between frames in system memory by the CPU, now.
void copy_on_cpu(const Frame &from, const Frame &to);

// Enqueues copies of the last rows of `from` to rows behind them, where `to`, a copy of it in
// device memory, has one more.
CUresult repeat_last_rows(const Frame &from, const Frame &to, const Stream &stream);

// Where a frame in `buffer` can be mapped for the transfers below.
Memory transfer_memory(GstBuffer *buffer);

// Enqueues the copy of a mapped frame in system memory to one in device memory of the same format
// and size that nobody else uses, and orders the kernels of the session behind it. Page-locked
// memory is left to the GPU: the buffer is kept, and fenced. Any other is free when this returns;
// it goes through the staging ring.
CUresult upload_frame(GpuSession &session, GstBuffer *buffer, const Frame &from, const Frame &to);

// Enqueues the copy of a mapped frame in device memory, finished when `ready` has passed, to one in
// system memory. Page-locked memory is fenced and left to the GPU; for any other this waits.
// `from_buffer` is kept as long as need be.
CUresult download_frame(GpuSession &session, GstBuffer *from_buffer, const Frame &from,
                        std::shared_ptr<Event> ready, GstBuffer *to_buffer, const Frame &to);

}  // namespace coalesce::gst
