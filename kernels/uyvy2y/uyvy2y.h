// SPDX-License-Identifier: LGPL-2.1-or-later
// Luma of packed 4:2:2 video.
#pragma once

#include <cstdint>

#include "../core/queue.h"
#include "../core/status.h"
#include "../picture/image.h"

namespace coalesce {

// Copies the luma of `in` to `out`, and fills the chroma of `out`, if it has any, with the neutral
// value 128.
//
// in   8 bits, Y, U and V in one plane by turns: UYVY, VYUY, YUY2, YVYU
// out  of the same size, 8 bits, grey or luma in the first plane by itself: GRAY8, NV12, I420, Y42B
// Any width and height from 1, any pitch, any alignment. The planes must not overlap (which is not
// checked).
//
// Errors: invalid_argument for pictures that break the above or image.h; unsupported for a CUDA
// queue in a build without CUDA kernels, or on a device they were not built for; device_error.
//
// The access widths follow "8-bit Data Processing" (see docs/uyvy2y.md): reading single bytes costs
// most of the memory bandwidth, so both back ends move whole words and sort bytes in registers.
Status uyvy2y(const ConstImage &in, const Image &out, const Queue &queue);

// The back ends. Their arguments have been checked by uyvy2y().
Status uyvy2y_cpu(const ConstImage &in, const Image &out, ThreadPool *pool);
Status uyvy2y_cuda(const ConstImage &in, const Image &out, void *stream);

}  // namespace coalesce
