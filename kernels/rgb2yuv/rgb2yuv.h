// SPDX-License-Identifier: LGPL-2.1-or-later
// 8-bit RGB, packed in 24 or 32 bits or planar, to YUV.
#pragma once

#include <cstdint>

#include "../core/plane.h"
#include "../core/queue.h"
#include "../core/status.h"
#include "../picture/pixel_format.h"

namespace coalesce {

// The bytes of a pixel in memory; x is alpha or nothing.
enum class RgbLayout : std::uint8_t {
  rgb,     // R G B
  bgr,     // B G R
  rgbx,    // R G B x
  bgrx,    // B G R x
  xrgb,    // x R G B
  xbgr,    // x B G R
  planar,  // three planes
};

enum class YuvLayout : std::uint8_t {
  gray,       // Y
  planar444,  // Y, U, V
  planar422,  // chroma of half the width
  planar420,  // and of half the height
  nv12,       // Y, and U V U V ...: 4:2:0
  nv21,       // Y, and V U V U ...: 4:2:0
  ayuv,       // A Y U V: 4:4:4
  vuya,       // V U Y A: 4:4:4
  yuy2,       // Y0 U Y1 V: 4:2:2
  uyvy,       // U Y0 V Y1: 4:2:2
};

// Of a format that has one of them.
RgbLayout rgb_layout(const PixelFormat &format);
YuvLayout yuv_layout(const PixelFormat &format);

enum class YuvMatrix : std::uint8_t { bt601, bt709, bt2020, smpte240m, fcc };

enum class SampleRange : std::uint8_t {
  full,     // 0 to 255
  limited,  // R, G, B and Y 16 to 235, U and V 16 to 240
};

struct Rgb2yuvParams {
  RgbLayout in = RgbLayout::rgb;
  bool alpha = false;  // the x of `in` is alpha: ayuv and vuya take it (without it they get 255)
  YuvLayout out = YuvLayout::planar444;
  YuvMatrix matrix = YuvMatrix::bt601;
  SampleRange in_range = SampleRange::full;
  SampleRange out_range = SampleRange::limited;
  // Where chroma sits if there is less of it than luma: on the first of the luma samples that share
  // it (cosited), or in their middle. GStreamer's jpeg: neither; mpeg2: h_cosited; cosited: both.
  bool h_cosited = false;
  bool v_cosited = false;
  bool interlaced = false;  // 4:2:0: chroma of even rows from even rows, of odd from odd ones
};

struct RgbImage {
  Plane<const std::uint8_t> plane[3];  // a packed layout has one; planar: R, G, B
};

struct YuvImage {
  Plane<std::uint8_t> plane[3];  // as the layout lists them; planes that it lacks are ignored
};

// Converts a picture. Widths of planes count bytes; for a picture of w x h pixels they are
//   in   3w x h, 4w x h, or w x h three times
//   out  Y w x h; planar chroma w x h, (w+1)/2 x h or (w+1)/2 x (h+1)/2; nv12, nv21 chroma
//        2((w+1)/2) x (h+1)/2; ayuv, vuya 4w x h; yuy2, uyvy 4((w+1)/2) x h. Where w is odd, the
//        second luma of the last pair repeats the first.
// Interlaced 4:2:0 chroma may have an even number of rows where (h+1)/2 is odd, in both planes
// alike: the last row then belongs to the odd field. Any width and height from 1, any pitch, any
// alignment. The planes must not overlap (which is not checked).
//
// The arithmetic is in docs/numerics.md: weights of 16 bits, chroma filtered before rounding,
// floor(x + 0.5), saturation.
//
// Errors: invalid_argument for planes that break the above; unsupported for a CUDA queue in a build
// without CUDA kernels, or on a device they were not built for; device_error.
//
// The accesses go back to "24-bit RGB in CUDA" (see docs/rgb2yuv.md): three bytes fit no access
// width, so whole words are loaded and pixels cut out of them.
Status rgb2yuv(const Rgb2yuvParams &params, const RgbImage &in, const YuvImage &out,
               const Queue &queue);

// The back ends. Their arguments have been checked by rgb2yuv().
Status rgb2yuv_cpu(const Rgb2yuvParams &params, const RgbImage &in, const YuvImage &out,
                   ThreadPool *pool);
Status rgb2yuv_cuda(const Rgb2yuvParams &params, const RgbImage &in, const YuvImage &out,
                    void *stream);

}  // namespace coalesce
