// SPDX-License-Identifier: LGPL-2.1-or-later
// Reading a plane and what stands around it. Nothing outside its rows is ever read.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../core/border.h"
#include "convolve.h"

namespace coalesce {

// A plane as kernels read it: bytes. Positions count bytes across and rows down, and may lie
// outside.
struct Source {
  const std::uint8_t *data;
  std::size_t pitch;
  int width, height;  // bytes, rows
  int pixel;          // bytes of a pixel, 1 to 8
  Border border;
  int alignment;       // of data and pitch, at most 16
  std::uint64_t fill;  // constant border: a pixel of it
};

inline Source make_source(const ConvolveParams &params, const ConvolvePlane &plane) {
  const SampleDepth depth = params.filter->depth;
  const std::uintptr_t bits = reinterpret_cast<std::uintptr_t>(plane.in.data) | plane.in.pitch | 16;
  Source s = {plane.in.data,
              plane.in.pitch,
              plane.in.width,
              plane.in.height,
              plane.channels * depth.bytes(),
              params.border,
              static_cast<int>(bits & -bits),
              0};
  for (int c = 0; c < plane.channels; ++c) {
    const int value = plane.role[c] == ChannelRole::chroma ? depth.middle() : params.border_value;
    s.fill |= static_cast<std::uint64_t>(value << depth.shift) << (8 * depth.bytes() * c);
  }
  return s;
}

// The byte at x of a row, which is null where all of it is border.
__device__ __forceinline__ std::uint32_t load_byte(const Source &s, const std::uint8_t *row,
                                                   int x) {
  int pixel = x / s.pixel;
  int byte = x - pixel * s.pixel;
  if (byte < 0) {
    --pixel;
    byte += s.pixel;
  }
  pixel = border_position(s.border, pixel, s.width / s.pixel);
  if (row == nullptr || pixel < 0) return static_cast<std::uint8_t>(s.fill >> (8 * byte));
  return __ldg(row + pixel * s.pixel + byte);
}

// kWords words (1, 2 or 4) from x on, which is a multiple of their size; in one access where they
// lie inside an aligned plane.
template <int kWords>
__device__ __forceinline__ void load_words(const Source &s, int x, int y,
                                           std::uint32_t (&words)[kWords]) {
  static_assert(kWords == 1 || kWords == 2 || kWords == 4, "what one access can take");
  y = border_position(s.border, y, s.height);
  const std::uint8_t *row = y < 0 ? nullptr : s.data + static_cast<std::size_t>(y) * s.pitch;
  if (s.alignment >= 4 * kWords && row != nullptr && x >= 0 && x <= s.width - 4 * kWords) {
    if constexpr (kWords == 1) {
      words[0] = __ldg(reinterpret_cast<const unsigned *>(row + x));
    } else if constexpr (kWords == 2) {
      const uint2 v = __ldg(reinterpret_cast<const uint2 *>(row + x));
      words[0] = v.x, words[1] = v.y;
    } else {
      const uint4 v = __ldg(reinterpret_cast<const uint4 *>(row + x));
      words[0] = v.x, words[1] = v.y, words[2] = v.z, words[3] = v.w;
    }
    return;
  }
#pragma unroll
  for (int i = 0; i < kWords; ++i) {
    words[i] = 0;
#pragma unroll 1
    for (int b = 0; b < 4; ++b)
      words[i] = words[i] >> 8 | load_byte(s, row, x + 4 * i + b) << 24;
  }
}

// A block's tile: `chunks` times kWords words across from x on (a multiple of their size), `rows`
// rows down from y on. Thread `thread` of `threads` hands its share to put(row, chunk, words).
template <int kWords, class Put>
__device__ __forceinline__ void load_tile(const Source &s, int x, int y, int chunks, int rows,
                                          int thread, int threads, Put put) {
  const int rows_on = threads / chunks, chunks_on = threads % chunks;
  int row = thread / chunks, chunk = thread % chunks;
#pragma unroll 4
  for (; row < rows;) {
    std::uint32_t words[kWords];
    load_words(s, x + 4 * kWords * chunk, y + row, words);
    put(row, chunk, words);
    row += rows_on;
    chunk += chunks_on;
    if (chunk >= chunks) {
      chunk -= chunks;
      ++row;
    }
  }
}

}  // namespace coalesce
