// SPDX-License-Identifier: LGPL-2.1-or-later
// Brings a block's tile into shared memory for strip_mma.cuh.
#pragma once

#include <cstdint>

#include "bulk_copy.cuh"
#include "convolve_mma_load.cuh"

namespace coalesce {

// Rows are copied as far as they lie inside the picture, 16 bytes at a time; what is left is the
// rim, gathered byte by byte.
template <class Shape>
class StripTile {
 public:
  static constexpr int kGroupRows = 8;  // that a barrier counts

  __device__ __forceinline__ StripTile(const TileSource &s, int x, int y, int left, int above,
                                       int right, int across, int rows, std::uint8_t *tile,
                                       BulkBarrier *arrived)
      : s_(s),
        x_((x - left) & ~15),
        y_(y - above),
        rows_(min(rows, s.height - y) + Shape::kHeight - 1),
        behind_(min((((x - left) & 15) + 128 * across + 8 + 15) & ~15, s.width + right - x_)),
        first_(max(-x_, 0)),
        end_(max(min((behind_ + 15) & ~15, (s.width & ~15) - x_), first_)),
        tile_(tile),
        arrived_(arrived) {}

  // Starts the copies.
  __device__ __forceinline__ void load() const {
    if constexpr (Shape::kBulk)
      load_bulk();
    else
      load_async();
  }

  // Gathers the rim. All threads must come, for a barrier follows if there is one.
  __device__ __forceinline__ void finish([[maybe_unused]] bool again) const {
    if constexpr (!Shape::kBulk) wait_for_copies();
    const bool whole = first_ == 0 && end_ >= behind_ &&
                       (s_.border != Border::constant || (y_ >= 0 && y_ + rows_ <= s_.height));
    if (!whole) {
      gather(0, rows_, 0, min(first_, behind_));
      gather(0, rows_, max(end_, 0), behind_);
      if (s_.border == Border::constant) {
        gather(0, min(-y_, rows_), first_, end_);
        gather(max(s_.height - y_, 0), rows_, first_, end_);
      }
      if (Shape::kBulk && again) fence_for_copies();
    }
    if (!Shape::kBulk || !whole) __syncthreads();
  }

 private:
  // Each warp starts the copies of a group of rows, then of another one; a lane for each row.
  __device__ __forceinline__ void load_bulk() const {
    const int lane = threadIdx.x % 32, bytes = end_ - first_;
#pragma unroll 1
    for (int group = threadIdx.x / 32; group * kGroupRows < rows_; group += Shape::kWarps) {
      const int row = group * kGroupRows + lane;
      const int position = border_position(s_.border, y_ + row, s_.height);
      const bool copied = lane < kGroupRows && row < rows_ && position >= 0 && bytes > 0;
      const int rows = __popc(__ballot_sync(~0u, copied));
      if (lane == 0) arrived_[group].expect(bytes * rows);
      if (copied)
        arrived_[group].copy(tile_ + row * Shape::kTilePitch + first_,
                             s_.data + static_cast<std::size_t>(position) * s_.pitch + x_ + first_,
                             bytes);
    }
  }

  __device__ __forceinline__ void load_async() const {
    const int thread = threadIdx.x, lane = thread % 32;
    const auto copy_row = [&](int row, int column) {
      const int position = border_position(s_.border, y_ + row, s_.height);
      if (position < 0 || column < first_ || column >= end_) return;
      copy_async(shared_address(tile_ + row * Shape::kTilePitch + column),
                 s_.data + static_cast<std::size_t>(position) * s_.pitch + x_ + column);
    };
    for (int row = thread / 32; row < rows_; row += Shape::kThreads / 32)
#pragma unroll
      for (int column = 16 * lane; column < Shape::kMostColumns; column += 512)
        copy_row(row, column);
    for (int i = thread; i < 2 * rows_; i += Shape::kThreads)
      copy_row(i / 2, Shape::kMostColumns + 16 * (i % 2));
  }

  __device__ __forceinline__ void gather(int row, int last, int column, int behind) const {
    if (row < last && column < behind)
      gather_words<Shape>(s_, x_, y_, row, last, column, behind, tile_);
  }

  const TileSource &s_;
  int x_, y_;        // of the tile's first byte; x_ is a multiple of 16
  int rows_;         // that are needed
  int behind_;       // columns that are needed
  int first_, end_;  // those that are copied
  std::uint8_t *tile_;
  BulkBarrier *arrived_;
};

}  // namespace coalesce
