// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA: the search for motion. A block of threads finds the vectors of a tile, of one component
// after the other; each thread those of a block of samples, and of one number of rows.
#pragma once

#include "../core/ptx.cuh"
#include "../picture/sample.cuh"
#include "deinterlace_args.h"
#include "deinterlace_motion.h"

namespace coalesce {

constexpr int kTileRows = 32;
constexpr int kBlocksAcross = kTileColumns / kMotionBlock;
constexpr int kTileBlocks = kBlocksAcross * (kTileRows / kMotionBlock);
constexpr int kMotionThreads = 256;
static_assert(kTileBlocks * (kMotionRows + 1) <= kMotionThreads);

// The upper eight bits of the samples, rows of fields, as in MotionRows.
struct MotionTile {
  static constexpr int kRows = kTileRows / 2, kAbove = 3;
  static constexpr int kNear = kTileColumns + 2 * kMotionColumns;
  static constexpr int kFar = kTileColumns + 4 * kMotionColumns;
  template <int kMoreRows, int kColumns>
  struct __align__(8) Rows {
    static constexpr int kAll = kRows + kMoreRows, kAcross = kColumns;
    std::uint8_t row[kAll][kColumns];
  };
  Rows<2 * kAbove, kTileColumns> current;
  Rows<kMotionRows, kNear> before, after;
  Rows<2 * kMotionRows, kFar> earlier, later;
  std::uint32_t score[kTileBlocks], within[kTileBlocks];
};

// A component of a tile: its columns and rows there.
struct TilePlace {
  int component, left, top;
};

// As far as the lanes tell how it is read.
template <Lanes kLanes>
__device__ __forceinline__ PixelComponent known_component(const PixelFormat &format, int number) {
  PixelComponent c = format.component[number];
  if (kLanes == Lanes::bytes) c.container = Container::u8, c.shift = 0, c.bits = 8;
  if (kLanes == Lanes::halves) c.container = Container::u16;
  if (kLanes == Lanes::fields10) c.container = Container::u32;
  if (kLanes == Lanes::v210) c.container = Container::v210, c.shift = 0, c.bits = 10;
  return c;
}

// Rows of a field, from `row` and `column` on.
template <Lanes kLanes, class Rows>
__device__ __forceinline__ void load_field(const ConstImage &frame, int component, int row,
                                           int column, Rows &out) {
  const PixelComponent c = known_component<kLanes>(frame.format, component);
  const int columns = -(-frame.width >> c.log2_width), rows = -(-frame.height >> c.log2_height);
  constexpr int kWords = Rows::kAcross / 4;
  for (auto i = static_cast<int>(threadIdx.x); i < Rows::kAll * kWords; i += kMotionThreads) {
    const int y = i / kWords, x = i % kWords * 4;
    const std::uint8_t *from = frame.plane[c.plane].row(inside_field(row + 2 * y, 0, rows));
    std::uint32_t word = 0;
#pragma unroll kLanes == Lanes::none ? 1 : 4
    for (int k = 0; k < 4; ++k) {
      const int at = min(max(column + x + k, 0), columns - 1);
      const auto sample = static_cast<std::uint32_t>(read_sample(from, c, at));
      word |= std::uint32_t{upper_bits(sample, c.bits)} << 8 * k;
    }
    reinterpret_cast<std::uint32_t *>(out.row[y])[x / 4] = word;
  }
}

template <int kWords>
__device__ __forceinline__ void load_words(const std::uint8_t *from,
                                           std::uint32_t (&words)[kWords]) {
#pragma unroll
  for (int i = 0; i < kWords / 2; ++i) {
    const uint2 two = reinterpret_cast<const uint2 *>(from)[i];
    words[2 * i] = two.x, words[2 * i + 1] = two.y;
  }
}

// Four bytes from `offset` on.
template <int kWords>
__device__ __forceinline__ std::uint32_t bytes_at(const std::uint32_t (&words)[kWords],
                                                  int offset) {
  if (offset % 4 == 0) return words[offset / 4];
  return __funnelshift_r(words[offset / 4], words[offset / 4 + 1], 8 * (offset % 4));
}

// The best score of a block of the tile whose vectors have so many rows.
__device__ __noinline__ std::uint32_t best_score(const MotionTile &tile, int block, int dy) {
  constexpr int kCount = 2 * kMotionColumns + 1;
  const int x = block % kBlocksAcross * kMotionBlock;
  const int y = block / kBlocksAcross * (kMotionBlock / 2);
  std::uint32_t sums[kCount] = {};
#pragma unroll 1
  for (int k = y; k < y + kMotionBlock / 2; ++k) {
    constexpr int kNear = (kMotionBlock + 2 * kMotionColumns) / 4;
    constexpr int kFar = (kMotionBlock + 4 * kMotionColumns) / 4;
    std::uint32_t before[kNear], after[kNear], earlier[kFar], later[kFar], here[2];
    load_words(tile.before.row[k + (kMotionRows - dy) / 2] + x, before);
    load_words(tile.after.row[k + (kMotionRows + dy) / 2] + x, after);
    load_words(tile.earlier.row[k + kMotionRows - dy] + x, earlier);
    load_words(tile.later.row[k + kMotionRows + dy] + x, later);
    load_words(tile.current.row[k + MotionTile::kAbove] + x, here);
#pragma unroll
    for (int i = 0; i < kCount; ++i)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int back = kCount - 1 - i;  // columns from the window's beginning
        std::uint32_t &sum = sums[i];
        sum = ptx::add_distances(bytes_at(before, back + 4 * half), bytes_at(after, i + 4 * half),
                                 sum);
        sum = ptx::add_distances(bytes_at(earlier, 2 * back + 4 * half), here[half], sum);
        sum = ptx::add_distances(bytes_at(later, 2 * i + 4 * half), here[half], sum);
      }
  }
  std::uint32_t best = ~0u;
#pragma unroll
  for (int i = 0; i < kCount; ++i)
    best = min(best, motion_score(sums[i], (dy + kMotionRows) / 2 * kCount + i));
  return best;
}

// Of one row of a block.
__device__ __forceinline__ std::uint32_t within_field(const MotionTile &tile, int block, int k) {
  const int x = block % kBlocksAcross * kMotionBlock;
  const int y = block / kBlocksAcross * (kMotionBlock / 2) + MotionTile::kAbove + k;
  std::uint32_t sum = 0;
  for (int i = x; i < x + kMotionBlock; ++i) {
    const auto row = [&](int distance) { return tile.current.row[y + distance][i]; };
    sum += within_field_difference(row(-1), row(-3), row(0), row(1), row(3));
  }
  return sum;
}

// Called by all threads of a block.
template <Lanes kLanes>
__device__ __forceinline__ void find_motion(const DeinterlaceJob &job, const FieldPicture &picture,
                                            const TilePlace &at, MotionTile &tile,
                                            Motion (&motion)[kTileBlocks]) {
  const int kept = at.top + picture.field, missing = at.top + 1 - picture.field;
  const int near = at.left - kMotionColumns, far = near - kMotionColumns;
  load_field<kLanes>(job.frame[1], at.component, kept - 2 * MotionTile::kAbove, at.left,
                     tile.current);
  load_field<kLanes>(job.field_before(picture), at.component, missing - kMotionRows, near,
                     tile.before);
  load_field<kLanes>(job.field_after(picture), at.component, missing - kMotionRows, near,
                     tile.after);
  load_field<kLanes>(job.frame[0], at.component, kept - 2 * kMotionRows, far, tile.earlier);
  load_field<kLanes>(job.frame[2], at.component, kept - 2 * kMotionRows, far, tile.later);
  const auto thread = static_cast<int>(threadIdx.x);
  const int block = thread % kTileBlocks, number = thread / kTileBlocks;
  if (number == 0) tile.score[block] = ~0u, tile.within[block] = 0;
  __syncthreads();
  if (number <= kMotionRows)
    atomicMin(&tile.score[block], best_score(tile, block, 2 * number - kMotionRows));
  if (number < kMotionBlock / 2) atomicAdd(&tile.within[block], within_field(tile, block, number));
  __syncthreads();
  if (number == 0) motion[block] = motion_of(tile.score[block], tile.within[block]);
  __syncthreads();
}

}  // namespace coalesce
