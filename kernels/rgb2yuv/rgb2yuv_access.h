// SPDX-License-Identifier: LGPL-2.1-or-later
// How the CUDA back end of rgb2yuv cuts a picture up and reaches memory. Plain arithmetic, so that
// a test on any machine can tell which path a picture takes.
#pragma once

#include <cstdint>

#include "rgb2yuv.h"
#include "rgb2yuv_pixel.h"

namespace coalesce {

enum class RgbSource : std::uint8_t { packed24, packed32, planar };

constexpr RgbSource rgb_source(RgbLayout layout) {
  if (layout == RgbLayout::planar) return RgbSource::planar;
  return rgb_order(layout).step == 3 ? RgbSource::packed24 : RgbSource::packed32;
}

// What one kernel writes.
enum class YuvSink : std::uint8_t {
  gray,
  planar444,
  planar422,
  planar420,  // chroma apart or in pairs
  packed444,
  packed422,
};

constexpr YuvSink yuv_sink(YuvLayout layout) {
  switch (layout) {
    case YuvLayout::gray:
      return YuvSink::gray;
    case YuvLayout::planar444:
      return YuvSink::planar444;
    case YuvLayout::ayuv:
    case YuvLayout::vuya:
      return YuvSink::packed444;
    case YuvLayout::yuy2:
    case YuvLayout::uyvy:
      return YuvSink::packed422;
    case YuvLayout::planar422:
      return YuvSink::planar422;
    default:
      return YuvSink::planar420;
  }
}

// A thread takes one chunk of each of a band's rows. A chunk's longest store has 16 bytes, so the
// stores of a warp fill whole sectors.
constexpr int chunk_pixels(YuvSink sink) {
  return sink == YuvSink::packed444 ? 4 : sink == YuvSink::packed422 ? 8 : 16;
}

// Rows of a band where each stands for itself: 16 pixels a thread, enough to have under way. In
// 4:2:0 a band is the two rows that share a row of chroma.
constexpr int band_rows(YuvSink sink) {
  return 16 / chunk_pixels(sink);
}

// Bands of a picture. Interlaced 4:2:0: those of both fields in every four rows, of which the last
// may lack their chroma.
constexpr int band_count(const Rgb2yuvParams &params, int height) {
  if (chroma_shift(params.out).down == 0) return (height - 1) / band_rows(yuv_sink(params.out)) + 1;
  return params.interlaced ? 2 * ((height - 1) / 4 + 1) : (height - 1) / 2 + 1;
}

enum class RgbAccess : std::uint8_t {
  aligned,  // all rows start on 16 bytes: vectors as long as the chunk's place allows
  shifted,  // anything else: aligned words, shifted into place. The last chunk of an aligned row
            // goes this way too where the row does not fill it.
};

inline RgbAccess choose_access(const Rgb2yuvParams &params, const RgbImage &in,
                               const YuvImage &out) {
  std::uintptr_t all = 0;
  for (int i = 0; i < (params.in == RgbLayout::planar ? 3 : 1); ++i)
    all |= reinterpret_cast<std::uintptr_t>(in.plane[i].data) | in.plane[i].pitch;
  for (int i = 0; i < yuv_planes(params.out); ++i)
    all |= reinterpret_cast<std::uintptr_t>(out.plane[i].data) | out.plane[i].pitch;
  return all % 16 == 0 ? RgbAccess::aligned : RgbAccess::shifted;
}

}  // namespace coalesce
