// SPDX-License-Identifier: LGPL-2.1-or-later
// Brings a block's tile into shared memory for strip.cuh.
#pragma once

#include <cstdint>

#include "../tile.cuh"
#include "bulk_copy.cuh"

namespace coalesce {

// What stands outside the picture, by words: rows `row` to `last` of the tile whose corner is byte
// x of row y, and of these columns `column` to `behind`.
template <class Shape>
__device__ __noinline__ void gather_rim(const TileSource &s, int x, int y, int row, int last,
                                        int column, int behind, std::uint8_t *tile) {
  const int across = (behind - column + 3) / 4;
  for (int i = threadIdx.x; i < (last - row) * across; i += Shape::kThreads) {
    const int down = row + i / across, at = column + 4 * (i % across);
    std::uint32_t word[1];
    load_words(s, x + at, y + down, word);
    *reinterpret_cast<std::uint32_t *>(tile + down * Shape::kTilePitch + at) = word[0];
  }
}

// All threads must come, when the copy has: a barrier follows if there is a rim. right: bytes that
// windows reach beyond the last of the picture.
template <class Shape>
__device__ __forceinline__ void fill_rim(const TileSource &s, int x, int y, int rows, int right,
                                         std::uint8_t *tile) {
  const int behind = min(Shape::kNeededColumns, s.width + right - x);
  const int bottom = min(s.height - y, rows), inside = (s.width & ~3) - x;
  if (x >= 0 && y >= 0 && inside >= behind && bottom >= rows) return;
  const auto gather = [&](int row, int last, int column, int to) {
    if (row < last && column < to) gather_rim<Shape>(s, x, y, row, last, column, to, tile);
  };
  const int top = max(-y, 0);
  gather(0, min(top, rows), 0, behind);
  gather(max(bottom, 0), rows, 0, behind);
  gather(top, bottom, 0, min(-x, behind));
  gather(top, bottom, max(inside, 0), behind);
  __syncthreads();
}

}  // namespace coalesce
