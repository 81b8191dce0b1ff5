// SPDX-License-Identifier: LGPL-2.1-or-later
// Luma of packed 4:2:2 video.
#pragma once

#include <cstdint>

#include "../core/plane.h"
#include "../core/queue.h"
#include "../core/status.h"
#include "../picture/pixel_format.h"

namespace coalesce {

// Byte order of two pixels (one macropixel) in memory.
enum class Packed422 : std::uint8_t {
  uyvy,  // U Y0 V Y1
  vyuy,  // V Y0 U Y1
  yuy2,  // Y0 U Y1 V
  yvyu,  // Y0 V Y1 U
};

// Of a format of that kind.
Packed422 packed_422(const PixelFormat &format);

struct Uyvy2yParams {
  Packed422 layout = Packed422::uyvy;
};

// The destination: luma, and for formats that have chroma up to two planes of it, which are filled
// with the neutral value 128. A chroma plane with data == nullptr is left out. chroma[i].width
// counts bytes, so the interleaved plane of NV12 is as wide as its pairs are many, times two.
struct LumaImage {
  Plane<std::uint8_t> luma;
  Plane<std::uint8_t> chroma[2];
};

// luma(x, y) = packed(2x + 1, y) for uyvy and vyuy, packed(2x, y) for yuy2 and yvyu.
//
// packed  in bytes: packed.width == 2 * out.luma.width, packed.height == out.luma.height. Where the
//         number of pixels is odd, the second half of the last macropixel is neither needed nor
//         read.
// Any width and height from 1, any pitch, any alignment. The planes must not overlap (which is not
// checked).
//
// Errors: invalid_argument for planes that break the above; unsupported for a CUDA queue in a build
// without CUDA kernels, or on a device they were not built for; device_error.
//
// The access widths follow "8-bit Data Processing" (see docs/uyvy2y.md): reading single bytes costs
// most of the memory bandwidth, so both back ends move whole words and sort bytes in registers.
Status uyvy2y(const Uyvy2yParams &params, Plane<const std::uint8_t> packed, const LumaImage &out,
              const Queue &queue);

// The back ends. Their arguments have been checked by uyvy2y().
Status uyvy2y_cpu(const Uyvy2yParams &params, Plane<const std::uint8_t> packed,
                  const LumaImage &out, ThreadPool *pool);
Status uyvy2y_cuda(const Uyvy2yParams &params, Plane<const std::uint8_t> packed,
                   const LumaImage &out, void *stream);

}  // namespace coalesce
