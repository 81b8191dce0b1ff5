// SPDX-License-Identifier: LGPL-2.1-or-later
// Brings a block's tile into shared memory for convolve_mma.cuh: shifted so that its first column
// stands at a multiple of 8 bytes, wherever the picture has it.
#pragma once

#include <cstdint>

#include "convolve_tile.cuh"

namespace coalesce {

// 4 bytes from x on, any of which may lie outside.
__device__ __noinline__ std::uint32_t gather_word(const TileSource &s, const std::uint8_t *row,
                                                  int x) {
  std::uint32_t word = 0;
#pragma unroll
  for (int b = 0; b < 4; ++b)
    word |= load_byte(s, row, x + b) << 8 * b;
  return word;
}

// Bytes x on of `rows` rows from y on, as far as `end`. Returns where in a row of the tile x is.
template <class Shape>
__device__ __forceinline__ int fill_tile(const TileSource &s, int x, int y, int rows, int end,
                                         std::uint8_t *tile) {
  constexpr int kChunks = Shape::kTileChunks;
  constexpr int kShare = (Shape::kMostRowsIn * kChunks - 1) / Shape::kThreads + 1;
  const int start = x & ~15, phase = x & 7;
  const int reach = phase == 0 ? 16 : 24;  // bytes that make 16
  uint4 first[kShare];
  uint2 next[kShare];
  // All loads are under way before the first is waited for.
#pragma unroll
  for (int i = 0; i < kShare; ++i) {
    const int item = static_cast<int>(threadIdx.x) + i * Shape::kThreads;
    const int row = item / kChunks, from = start + 16 * (item - row * kChunks);
    if (row >= rows || from + phase >= end) continue;
    const int position = border_position(s.border, y + row, s.height);
    const std::uint8_t *line =
        position < 0 ? nullptr : s.data + static_cast<std::size_t>(position) * s.pitch;
    if (line != nullptr && from >= 0 && from + reach <= s.width) {
      first[i] = __ldg(reinterpret_cast<const uint4 *>(line + from));
      if (phase != 0) next[i] = __ldg(reinterpret_cast<const uint2 *>(line + from + 16));
    } else {
      // As it would have been loaded, so that the shift below is right for it, too.
      const auto word = [&](int w) { return gather_word(s, line, from + 4 * w); };
      first[i] = make_uint4(word(0), word(1), word(2), word(3));
      if (phase != 0) next[i] = make_uint2(word(4), word(5));
    }
  }
  const int bits = 8 * (phase & 3);
#pragma unroll
  for (int i = 0; i < kShare; ++i) {
    const int item = static_cast<int>(threadIdx.x) + i * Shape::kThreads;
    const int row = item / kChunks, column = 16 * (item - row * kChunks);
    if (row >= rows || start + column + phase >= end) continue;
    std::uint32_t words[6] = {first[i].x, first[i].y, first[i].z, first[i].w, next[i].x, next[i].y};
    if ((phase & 4) != 0) {
#pragma unroll
      for (int w = 0; w < 5; ++w)
        words[w] = words[w + 1];
    }
#pragma unroll
    for (int w = 0; w < 4; ++w)
      words[w] = __funnelshift_r(words[w], words[w + 1], bits);
    *reinterpret_cast<uint4 *>(tile + row * Shape::kTilePitch + column) =
        make_uint4(words[0], words[1], words[2], words[3]);
  }
  return x & 8;
}

}  // namespace coalesce
