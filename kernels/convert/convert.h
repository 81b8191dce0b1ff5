// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures of YUV, RGB or grey to any other format: matrix, range, depth, chroma, alpha.
#pragma once

#include <cstdint>

#include "../core/queue.h"
#include "../core/status.h"
#include "../picture/colours.h"
#include "../picture/image.h"

namespace coalesce {

// How chroma gets from one number of samples to another.
enum class ChromaFilter : std::uint8_t {
  linear,   // by sites: interpolated where more is wanted, the mean of an area where less
  nearest,  // the sample that the pixel has, or the first of those that share one
};

enum class Dither : std::uint8_t {
  none,
  ordered,  // where a component gets fewer bits: a threshold of an 8x8 Bayer matrix, not one half
};

// Where chroma sits if there is less of it than luma: on the first of the luma samples that share
// it (cosited), or in their middle. GStreamer's jpeg: neither; mpeg2: h_cosited; cosited: both.
struct ChromaSite {
  bool h_cosited = false;
  bool v_cosited = false;
};

struct ConvertParams {
  YuvMatrix matrix = YuvMatrix::bt601;  // of the one picture that is YUV, if the other is RGB
  SampleRange in_range = SampleRange::full;
  SampleRange out_range = SampleRange::full;
  ChromaSite in_site, out_site;
  ChromaFilter chroma = ChromaFilter::linear;
  Dither dither = Dither::none;
};

// Converts a picture to another one of the same size.
//
// in, out  any formats of picture/formats.h, both interlaced or both not. YUV to YUV and RGB to RGB
//          have no matrix. Grey is luma: colours of grey are grey. Alpha is always of full range;
//          where `in` has none it is the greatest number. picture/rows.h says what else is written.
// If the pictures are interlaced, chroma of 4:2:0 is that of the rows of its field. The row more
// that image.h allows is written if all planes of chroma have it, and read likewise.
// Any width and height from 1, any pitch, any alignment that image.h allows. The planes must not
// overlap (which is not checked).
//
// The arithmetic is in docs/numerics.md, section convert: one integer sum and one rounding for each
// sample. From RGB to YUV of 8 bits it is that of rgb2yuv.h.
//
// Errors: invalid_argument for pictures and parameters that break the above or image.h; unsupported
// for a CUDA queue in a build without CUDA kernels, or on a device they were not built for;
// device_error.
//
// Matrices: ITU-R BT.601, BT.709, BT.2020 (not of constant luminance), SMPTE 240M, FCC 73.682.
// Sites of 4:2:0: ITU-T H.262, 6.1.1.8.
Status convert(const ConvertParams &params, const ConstImage &in, const Image &out,
               const Queue &queue);

}  // namespace coalesce
