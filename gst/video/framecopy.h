// SPDX-License-Identifier: LGPL-2.1-or-later
// Copies between mapped frames.
#pragma once

#include "core/thread_pool.h"
#include "frame.h"

namespace coalesce::gst {

// Enqueues a copy of every plane between two mapped frames of the same format and size, in any
// combination of host and device memory, as far as both have its rows. Host memory must stay as it
// is until the stream gets there. bytes receives how much was moved.
CUresult copy_frame(const Frame &from, const Frame &to, const Stream &stream, gsize *bytes);

// The same between frames in system memory by the CPU, now; pool == nullptr: by this thread alone.
void copy_on_cpu(const Frame &from, const Frame &to, ThreadPool *pool);

// Enqueues copies of the last rows of `from` to rows behind them, where `to`, a copy of it in
// device memory, has one more.
CUresult repeat_last_rows(const Frame &from, const Frame &to, const Stream &stream);

}  // namespace coalesce::gst
