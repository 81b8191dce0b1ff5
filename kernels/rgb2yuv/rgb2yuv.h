// SPDX-License-Identifier: LGPL-2.1-or-later
// 8-bit RGB, packed in 24 or 32 bits or planar, to YUV.
#pragma once

#include "../core/queue.h"
#include "../core/status.h"
#include "../picture/colours.h"
#include "../picture/image.h"

namespace coalesce {

struct Rgb2yuvParams {
  YuvMatrix matrix = YuvMatrix::bt601;
  SampleRange in_range = SampleRange::full;
  SampleRange out_range = SampleRange::limited;
  // Where chroma sits if there is less of it than luma: on the first of the luma samples that share
  // it (cosited), or in their middle. GStreamer's jpeg: neither; mpeg2: h_cosited; cosited: both.
  bool h_cosited = false;
  bool v_cosited = false;
};

// Does rgb2yuv() convert the one format to the other?
bool rgb2yuv_accepts(const PixelFormat &in, const PixelFormat &out);

// Converts a picture.
//
// in   8 bits: RGB, BGR, RGBx, BGRx, xRGB, xBGR, the same with alpha, RBGA, or three planes in any
//      order
// out  of the same size, 8 bits: GRAY8; Y444, Y42B, I420, YV12; NV12, NV21; AYUV, VUYA; YUY2, UYVY.
//      AYUV and VUYA take the alpha of `in`, or get 255. Where the width is odd, the second luma of
//      YUY2's and UYVY's last pair repeats the first.
// If `in` is interlaced, chroma of 4:2:0 is made of the rows of its own field. The row more that
// image.h allows is written if all planes of chroma have it.
// Any width and height from 1, any pitch, any alignment. The planes must not overlap (which is not
// checked).
//
// The arithmetic is in docs/numerics.md: weights of 16 bits, chroma filtered before rounding,
// floor(x + 0.5), saturation.
//
// Errors: invalid_argument for pictures and parameters that break the above or image.h; unsupported
// for a CUDA queue in a build without CUDA kernels, or on a device they were not built for;
// device_error.
//
// The accesses go back to "24-bit RGB in CUDA" (see docs/rgb2yuv.md): three bytes fit no access
// width, so whole words are loaded and pixels cut out of them.
Status rgb2yuv(const Rgb2yuvParams &params, const ConstImage &in, const Image &out,
               const Queue &queue);

}  // namespace coalesce
