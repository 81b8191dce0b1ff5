// SPDX-License-Identifier: LGPL-2.1-or-later
// What disparities mean: depths, and pictures in colours; and which of them mean nothing.
#pragma once

#include <cstdint>

#include "../remap/remap.h"
#include "stereo.h"

namespace coalesce {

// Above this, every depth of a disparity of stereo() would be the largest one.
constexpr std::uint32_t kMaxDepthScale = 0x7FFFFFFF;

// The depth of a disparity v is scale / v, rounded to nearest, from 1 to 65535; that of 0 is 0.
//
// in     GRAY16_LE, of at most kMaxStereoSize pixels across and down
// out    GRAY16_LE, of the same size: another picture, or the same one
// scale  from 1 to kMaxDepthScale: a depth times its disparity
//
// Errors: invalid_argument for pictures and numbers that break the above or image.h; unsupported
// for a CUDA queue in a build without CUDA kernels, or on a device they were not built for;
// device_error.
Status depths(std::uint32_t scale, const ConstImage &in, const Image &out, const Queue &queue);

// Of pictures that maps have made of others: a disparity becomes 0 where its pixel, or the one of
// the right picture that it leads to, is from outside of the other picture.
//
// disparities  16ths of a pixel, GRAY16_LE, of at most kMaxStereoSize pixels across and down; the
//              maps have their size, and so have the pictures that the maps were applied to
//
// Errors: as of depths().
Status hide_outside(const RemapMap &left, const RemapMap &right, const Image &disparities,
                    const Queue &queue);

enum class ColourMap : std::uint8_t { turbo, viridis };

// Numbers of a picture that are to have the first colour and the last one.
struct ColourRange {
  int first = 0, last = 0xFFFF;  // 0 <= first < last <= 65535
};

// A number v has the colour floor(255 * (v - first) / (last - first) + 1/2) of the map, v being
// limited to the range; 0 is black.
//
// in   GRAY16_LE, as of depths()
// out  of the same size: R, G and B in bytes of one plane. Alpha, and a byte without a meaning, are
//      255. None of the memory of `in` (which is not checked)
//
// Errors: as of depths().
Status colours(ColourMap map, ColourRange range, const ConstImage &in, const Image &out,
               const Queue &queue);

// Can `out` of colours() have this format?
bool colours_make(const PixelFormat &format);

}  // namespace coalesce
