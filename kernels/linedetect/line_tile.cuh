// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA: a tile of the bitmap in shared memory, and the fragments of chains in it. A thread walks a
// fragment from its one end to the other.
#pragma once

#include "../core/load.cuh"
#include "line_cuda.h"
#include "line_links.h"

namespace coalesce {

constexpr int kTileThreads = 256;

struct LineMap {
  const std::uint32_t *bits;
  unsigned words;  // of a row
  int width, height;
  unsigned tiles_across;
};

// A pixel of a tile, row by row.
using TilePixel = int;
__device__ __forceinline__ int tile_row(TilePixel p) {
  return p / kLineTile;
}
__device__ __forceinline__ int tile_column(TilePixel p) {
  return p % kLineTile;
}
// Its neighbour, if it is in the tile.
__device__ __forceinline__ bool is_inside(TilePixel p, int direction) {
  const int row = tile_row(p) + step_y(direction), column = tile_column(p) + step_x(direction);
  return row >= 0 && row < kLineTile && column >= 0 && column < kLineTile;
}
__device__ __forceinline__ TilePixel neighbour(TilePixel p, int direction) {
  return p + step_y(direction) * kLineTile + step_x(direction);
}
// Neighbours of one pixel in the order of rows.
__device__ __forceinline__ int order_of(int direction) {
  return 4 * step_y(direction) + step_x(direction);
}

// What a fragment is when it has been walked.
struct WalkedFragment {
  TilePixel begin, end;
  int count;
  int first_exit,
      last_exit;  // directions out of the tile at begin and end; -1: the chain ends here
};

class LineTile {
 public:
  // All threads of the block; false if the tile has no pixels.
  __device__ bool load(const LineMap &map, const PickTable &table, int tile_x, int tile_y) {
    const int left = tile_x * kLineTile, top = tile_y * kLineTile;
    const auto thread = static_cast<int>(threadIdx.x);
    bool is_empty = true;
    for (int i = thread; i < kRows * kWords; i += kTileThreads) {
      const int row = top - kAround + i / kWords, k = left / 32 - 1 + i % kWords;
      const bool is_there =
          row >= 0 && row < map.height && k >= 0 && k < static_cast<int>(map.words);
      const std::uint32_t word =
          is_there ? load_global(map.bits + static_cast<std::size_t>(row) * map.words + k) : 0;
      bits_[i / kWords][i % kWords] = word;
      is_empty = is_empty && word == 0;
    }
    for (int i = thread; i < 256; i += kTileThreads)
      table_[i] = table.of[i];
    if (thread == 0) x_ = left, y_ = top, ends_ = 0;
    if (__syncthreads_and(is_empty) != 0) return false;
    for (int i = thread; i < kPickRows * kPickRows; i += kTileThreads)
      picks_[i / kPickRows][i % kPickRows] =
          static_cast<std::uint8_t>(pick(i / kPickRows - 1, i % kPickRows - 1));
    __syncthreads();
    for (TilePixel p = thread; p < kLineTile * kLineTile; p += kTileThreads)
      find_links(p);
    __syncthreads();
    return true;
  }

  // Each fragment that has ends, by one thread.
  template <class Visit>
  __device__ void for_fragments(Visit visit) const {
    for (unsigned i = threadIdx.x; i < ends_; i += kTileThreads) {
      const TilePixel begin = end_[i];
      const WalkedFragment f = walk(begin);
      if (f.begin <= f.end) visit(f);
    }
  }

  // Each loop in the tile, from its first pixel towards the upper or left one of both neighbours.
  template <class Visit>
  __device__ void for_loops(Visit visit) const {
    for (TilePixel p = static_cast<int>(threadIdx.x); p < kLineTile * kLineTile;
         p += kTileThreads) {
      const unsigned both = inside_links(p);
      if (__popc(both) != 2) continue;
      const int a = __ffs(static_cast<int>(both)) - 1;
      const int b = __ffs(static_cast<int>(both & (both - 1))) - 1;
      if (neighbour(p, a) < p || neighbour(p, b) < p) continue;
      const int direction = order_of(a) < order_of(b) ? a : b;
      if (const int count = loop_length(p, direction); count > 0) visit(p, direction, count);
    }
  }

  // visit(pixel, direction it was come from or -1, direction to go on or -1), in the tile, until
  // there are so many.
  template <class Visit>
  __device__ void follow(TilePixel p, int direction, int count, Visit visit) const {
    for (int i = 0, back = -1; i < count; ++i) {
      visit(p, back, direction);
      if (i + 1 == count) return;
      p = neighbour(p, direction);
      back = opposite(direction);
      direction = onward(p, back);
    }
  }

  // From either end of a fragment, inwards.
  __device__ int inwards(TilePixel end) const {
    const unsigned links = inside_links(end);
    return links == 0 ? -1 : __ffs(static_cast<int>(links)) - 1;
  }

  __device__ LinePixel in_picture(TilePixel p) const {
    return line_pixel(x_ + tile_column(p), y_ + tile_row(p));
  }

  // The number of an exit, and that of the exit on the other side of the link.
  __device__ std::uint32_t exit_of(const LineMap &map, TilePixel p, int direction) const {
    return exit_at(map, tile_row(p), tile_column(p), direction);
  }
  __device__ std::uint32_t opposite_exit_of(const LineMap &map, TilePixel p, int direction) const {
    return exit_at(map, tile_row(p) + step_y(direction), tile_column(p) + step_x(direction),
                   opposite(direction));
  }

 private:
  static constexpr int kAround = 2, kRows = kLineTile + 2 * kAround;
  static constexpr int kWords = kLineTile / 32 + 2;  // one on either side
  static constexpr int kPickRows = kLineTile + 2;

  // Pixels column - 1 to column + 1, of rows and columns that count from the tile's first.
  __device__ unsigned three_bits(int row, int column) const {
    const int at = column + 31;
    const std::uint32_t *words = bits_[row + kAround] + at / 32;
    return __funnelshift_r(words[0], words[1], static_cast<unsigned>(at % 32)) & 7;
  }
  __device__ unsigned pick(int row, int column) const {
    const unsigned here = three_bits(row, column);
    if ((here & 2) == 0) return 0;
    return table_[neighbour_byte(three_bits(row - 1, column), here, three_bits(row + 1, column))];
  }

  __device__ void find_links(TilePixel p) {
    const int row = tile_row(p), column = tile_column(p);
    unsigned links = 0;
    for (unsigned rest = picks_[row + 1][column + 1]; rest != 0; rest &= rest - 1) {
      const int d = __ffs(static_cast<int>(rest)) - 1;
      const unsigned other = picks_[row + 1 + step_y(d)][column + 1 + step_x(d)];
      if ((other >> opposite(d) & 1) != 0) links |= 1u << d;
    }
    links_[p] = static_cast<std::uint8_t>(links);
    if (links != 0 && __popc(inside_of(p, links)) < 2)
      end_[atomicAdd(&ends_, 1u)] = static_cast<std::uint16_t>(p);
  }

  __device__ static unsigned inside_of(TilePixel p, unsigned links) {
    unsigned inside = 0;
    for (unsigned rest = links; rest != 0; rest &= rest - 1) {
      const int d = __ffs(static_cast<int>(rest)) - 1;
      if (is_inside(p, d)) inside |= 1u << d;
    }
    return inside;
  }
  __device__ unsigned inside_links(TilePixel p) const { return inside_of(p, links_[p]); }

  // Whether the pixel is of the tile's border or not: the link that is left, if it is in the tile.
  __device__ int onward(TilePixel p, int back) const {
    const unsigned links = links_[p] & ~(1u << back);
    if (links == 0) return -1;
    const int d = __ffs(static_cast<int>(links)) - 1;
    return is_inside(p, d) ? d : -1;
  }

  __device__ WalkedFragment walk(TilePixel begin) const {
    const int inside = inwards(begin);
    const unsigned out = links_[begin] & (inside < 0 ? ~0u : ~(1u << inside));
    WalkedFragment f = {begin, begin, 1, __ffs(static_cast<int>(out)) - 1, -1};
    if (inside < 0) {
      f.last_exit = __ffs(static_cast<int>(out & (out - 1))) - 1;
      return f;
    }
    for (int direction = inside; direction >= 0; ++f.count) {
      f.end = neighbour(f.end, direction);
      const int back = opposite(direction);
      f.last_exit = __ffs(static_cast<int>(links_[f.end] & ~(1u << back))) - 1;
      direction = onward(f.end, back);
    }
    return f;
  }

  // 0 if this is not the first pixel of a loop.
  __device__ int loop_length(TilePixel begin, int direction) const {
    TilePixel p = begin;
    for (int count = 1;; ++count) {
      p = neighbour(p, direction);
      if (p == begin) return count;
      if (p < begin) return 0;
      direction = onward(p, opposite(direction));
      if (direction < 0) return 0;
    }
  }

  // Rows and columns may be beside the tile.
  __device__ std::uint32_t exit_at(const LineMap &map, int row, int column, int direction) const {
    const unsigned slot =
        static_cast<unsigned>(__popc(picks_[row + 1][column + 1] & ((1u << direction) - 1)));
    const int across = (x_ + column) / kLineTile, down = (y_ + row) / kLineTile;
    const std::uint32_t tile =
        static_cast<std::uint32_t>(down) * map.tiles_across + static_cast<std::uint32_t>(across);
    const int r = row & (kLineTile - 1), c = column & (kLineTile - 1), last = kLineTile - 1;
    const int place = r == 0      ? c
                      : r == last ? kLineTile + c
                      : c == 0    ? 2 * kLineTile + r - 1
                                  : 2 * kLineTile + last - 1 + r - 1;
    return tile * kTileExits + 2 * static_cast<unsigned>(place) + slot;
  }

  int x_, y_;
  unsigned ends_;
  std::uint32_t bits_[kRows][kWords];
  std::uint16_t end_[kLineTile * kLineTile];
  std::uint8_t picks_[kPickRows][kPickRows];
  std::uint8_t links_[kLineTile * kLineTile];
  std::uint8_t table_[256];
};

}  // namespace coalesce
