// SPDX-License-Identifier: LGPL-2.1-or-later
// Large windows of samples in words. A block sorts the samples of its tile, with what windows reach
// beyond it. Each sample then has a rank in the tile, and no two have the same one.
//
// A thread goes down a column of windows. It knows a place in the sorted list, and how many samples
// of its window come before: that changes by the ranks of a row that enters and of one that leaves.
// From there it walks along the list, and looks which samples lie in its window, as far as the
// window's own rank. The next window's is not far from it. It looks at eight at a time.
#pragma once

#include "../core/host_device.h"
#include "median.h"
#include "median_plane.cuh"

namespace coalesce {

constexpr int kRankAcross = 64, kRankDown = 32;  // outputs of a tile
constexpr int kRankThreads = 256, kRankWarps = kRankThreads / 32;
constexpr int kRankGroups = kRankThreads / kRankAcross;  // of threads, one below the other
constexpr int kRankRows = kRankDown / kRankGroups;       // of a thread
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr int kRankBlocks = 4;  // of a multiprocessor: it has no threads for more
#else
constexpr int kRankBlocks = 5;
#endif
constexpr int kDigits = 256;
constexpr int kRankBatch = 8;  // places that are looked at together
static_assert(kDigits == kRankThreads, "a thread has a digit");

constexpr int kMaxRanked = 63;  // columns or rows of a window

// A place in a tile is two bytes: the row and the column, each with a bit more, so that differences
// borrow nothing from each other.
constexpr unsigned kPlaceBits = 0x8080;
constexpr unsigned kNoPlace = 0xffff;  // in no window
COALESCE_HOST_DEVICE constexpr int rank_columns(int width) {
  return kRankAcross + width - 1;
}
COALESCE_HOST_DEVICE constexpr int rank_rows(int height) {
  return kRankDown + height - 1;
}
static_assert(rank_columns(kMaxRanked) < 128 && rank_rows(kMaxRanked) <= 128, "seven bits");

// Shared memory: three lists of the tile's samples; of each warp and digit a count and the
// lanes.
COALESCE_HOST_DEVICE constexpr int rank_list(int width, int height) {
  return (rank_columns(width) * rank_rows(height) + kRankBatch - 1) / kRankBatch * kRankBatch;
}
constexpr int rank_bytes(int width, int height) {
  return 3 * 2 * rank_list(width, height) + 2 * 4 * kDigits * kRankWarps;
}

class RankTile {
 public:
  __device__ __forceinline__ RankTile(std::uint32_t *memory, int width, int height)
      : columns_(rank_columns(width)), rows_(rank_rows(height)), samples_(columns_ * rows_) {
    const int list = rank_list(width, height);
    counts_ = memory;
    value_ = reinterpret_cast<std::uint16_t *>(memory + 2 * kDigits * kRankWarps);
    order_ = value_ + list;
    rank_ = order_ + list;
  }

  // load(row, column): a sample of the tile.
  template <class Load>
  __device__ __forceinline__ void sort(const Load &load) {
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    for (int row = warp; row < rows_; row += kRankWarps)
#pragma unroll 4
      for (int column = lane; column < columns_; column += 32) {
        const int i = row * columns_ + column;
        value_[i] = load(row, column);
        // Equal ones are ordered by columns: then a window's median is near the next one's.
        order_[column * rows_ + row] =
            static_cast<std::uint16_t>(kPlaceBits | static_cast<unsigned>(row << 8 | column));
      }
    const int list = (samples_ + kRankBatch - 1) / kRankBatch * kRankBatch;
    if (samples_ + static_cast<int>(threadIdx.x) < list)
      order_[samples_ + static_cast<int>(threadIdx.x)] = kNoPlace;
    __syncthreads();
    sort_by<false>(0, order_, rank_);
    sort_by<true>(8, rank_, order_);
    for (int i = static_cast<int>(threadIdx.x); i < samples_; i += kRankThreads)
      rank_[index_of(order_[i])] = static_cast<std::uint16_t>(i);
    __syncthreads();
  }

  __device__ __forceinline__ int columns() const {
    return columns_;
  }
  __device__ __forceinline__ int samples() const {
    return samples_;
  }
  // Ranks from a sample on, to the right.
  __device__ __forceinline__ const std::uint16_t *ranks(int row, int column) const {
    return rank_ + row * columns_ + column;
  }
  // kRankBatch places, two in a word, from a rank on that is a multiple of kRankBatch.
  __device__ __forceinline__ uint4 places(int rank) const {
    return *reinterpret_cast<const uint4 *>(order_ + rank);
  }
  __device__ __forceinline__ unsigned value(int rank) const {
    return value_[index_of(order_[rank])];
  }
  // The sort's memory: of use to others after it.
  __device__ __forceinline__ std::uint32_t *counts() const {
    return counts_;
  }

 private:
  __device__ __forceinline__ int index_of(int place) const {
    return (place >> 8 & 127) * columns_ + (place & 127);
  }
  __device__ __forceinline__ unsigned digit_of(int place, int shift) const {
    return static_cast<unsigned>(value_[index_of(place)]) >> shift & 255;
  }

  // By a digit. Each warp has a part of the list.
  // kStable: what has the same digit stays in order.
  template <bool kStable>
  __device__ __forceinline__ void sort_by(int shift, const std::uint16_t *from, std::uint16_t *to) {
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
    const int part = (samples_ + kRankThreads - 1) / kRankThreads * 32;
    const int first = thread / 32 * part, end = min(first + part, samples_);
    std::uint32_t *own = counts_ + thread / 32 * kDigits;
    std::uint32_t *lanes = own + kRankWarps * kDigits;  // that have a digit
    for (int digit = lane; digit < kDigits; digit += 32)
      own[digit] = lanes[digit] = 0;
    __syncwarp();
    for (int i = first + lane; i < end; i += 32)
      atomicAdd(&own[digit_of(from[i], shift)], 1u);
    __syncthreads();
    begin_digits();
    for (int begin = first; begin < end; begin += 32) {
      const int i = begin + lane;
      const bool inside = i < end;
      const unsigned place = inside ? from[i] : 0, digit = digit_of(place, shift);
      if (!kStable) {
        if (inside) to[atomicAdd(&own[digit], 1u)] = static_cast<std::uint16_t>(place);
        continue;
      }
      if (inside) atomicOr(&lanes[digit], 1u << lane);
      __syncwarp();
      const std::uint32_t same = lanes[digit], at = own[digit];
      const int before = __popc(same & ((1u << lane) - 1));
      if (inside) to[at + before] = static_cast<std::uint16_t>(place);
      __syncwarp();
      if (inside && before == 0) {
        own[digit] = at + __popc(same);
        lanes[digit] = 0;
      }
      __syncwarp();
    }
    __syncthreads();
  }

  // How many there are becomes where they begin: by digits, and of a digit by warps.
  __device__ __forceinline__ void begin_digits() {
    __shared__ std::uint32_t of_warps[kRankWarps];
    const int digit = static_cast<int>(threadIdx.x), lane = digit % 32, warp = digit / 32;
    std::uint32_t counted[kRankWarps], sum = 0;
#pragma unroll
    for (int i = 0; i < kRankWarps; ++i) {
      counted[i] = counts_[i * kDigits + digit];
      sum += counted[i];
    }
    std::uint32_t begin = sum;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      const std::uint32_t before = __shfl_up_sync(~0u, begin, distance);
      if (lane >= distance) begin += before;
    }
    if (lane == 31) of_warps[warp] = begin;
    begin -= sum;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kRankWarps; ++i)
      if (i < warp) begin += of_warps[i];
#pragma unroll
    for (int i = 0; i < kRankWarps; ++i) {
      counts_[i * kDigits + digit] = begin;
      begin += counted[i];
    }
    __syncthreads();
  }

  int columns_, rows_, samples_;
  std::uint32_t *counts_;  // kRankWarps times kDigits
  std::uint16_t *value_;   // row by row
  std::uint16_t *order_;   // places, by values
  std::uint16_t *rank_;    // where in `order_`, row by row
};

// The window whose first sample is at (row, column) of the tile, and a place in the sorted list.
struct RankWindow {
  int width, height;
  int at,
      below;  // of the list, a multiple of kRankBatch; of the window's samples so many are before

  // To the window one row below that of `row`.
  __device__ __forceinline__ void move(const RankTile &tile, int row, int column) {
    const std::uint16_t *leaving = tile.ranks(row, column);
    const std::uint16_t *entering = tile.ranks(row + height, column);
#pragma unroll 5
    for (int i = 0; i < width; ++i) {
      // (A shifted sign takes an instruction less than to compare and to count.)
      below -= (entering[i] - at) >> 31;
      below += (leaving[i] - at) >> 31;
    }
  }

  // Which of some places are inside: those of lower halves of words have bits 7 to 10, the others
  // bits 23 to 26.
  static __device__ __forceinline__ unsigned inside(uint4 places, unsigned first, unsigned end) {
    const auto of_word = [&](unsigned word) {
      const unsigned both = (word - first) & ~(word - end);  // bits 7 of row and column
      return both & both >> 8 & 0x800080;
    };
    return ((of_word(places.w) * 2 + of_word(places.z)) * 2 + of_word(places.y)) * 2 +
           of_word(places.x);
  }

  // To the window's sample of this rank, which is the result: its rank in the tile.
  __device__ __forceinline__ int walk(const RankTile &tile, int row, int column, int rank) {
    const unsigned first = static_cast<unsigned>(row << 8 | column) * 0x10001;
    const unsigned end = first + static_cast<unsigned>(height << 8 | width) * 0x10001;
    const bool back = below > rank;
    const int step = back ? -kRankBatch : kRankBatch;
    if (back) at -= kRankBatch;
    int missing = back ? below - rank : rank + 1 - below;
    unsigned found;
    do {
      found = inside(tile.places(at), first, end);
      missing -= __popc(found);
      at += step;
    } while (missing > 0);
    at -= step;
    int before =
        back ? -missing : missing + __popc(found) - 1;  // the sample, of those that are found
    below = rank - before;
    int place = 0;
#pragma unroll
    for (int i = 0; i < kRankBatch; ++i)
      if ((found >> (i % 2 * 16 + 7 + i / 2) & 1) != 0 && before-- == 0) place = i;
    return at + place;
  }
};

__global__ void __launch_bounds__(kRankThreads, kRankBlocks)
    rank_kernel(const __grid_constant__ MedianArgs a) {
  wait_for_grid_before();
  COALESCE_DYNAMIC_SHARED(16, std::uint32_t, memory);
  int block;
  const MedianPlane &p = plane_of_block(a, &block);
  const int band = block / p.tiles_across, tile_across = block - band * p.tiles_across;
  const int channel = tile_across % p.channels, pixels = p.samples / p.channels;
  const int x = tile_across / p.channels * kRankAcross, y = band * kRankDown;
  const int column = static_cast<int>(threadIdx.x) % kRankAcross;
  const int group = static_cast<int>(threadIdx.x) / kRankAcross, first = group * kRankRows;
  const int place = (x + column) * p.channels + channel;
  const int rows = x + column < pixels ? min(kRankRows, p.in.height - y - first) : 0;
  if (p.role[channel] == ChannelRole::copy) {
    for (int i = 0; i < rows; ++i)
      store<std::uint16_t>(
          p, place, y + first + i,
          load_global(reinterpret_cast<const std::uint16_t *>(
                          p.in.data + static_cast<std::size_t>(y + first + i) * p.in.pitch) +
                      place));
    return;
  }
  RankTile tile(memory, a.width, a.height);
  tile.sort([&](int row, int column) {
    const int from_y = border_position(p.in.border, y - a.height / 2 + row, p.in.height);
    const int from_x = border_position(p.in.border, x - a.width / 2 + column, pixels);
    std::uint32_t word = static_cast<std::uint32_t>(p.in.fill >> 16 * channel);
    if (from_x >= 0 && from_y >= 0)
      word = load_global(reinterpret_cast<const std::uint16_t *>(
                             p.in.data + static_cast<std::size_t>(from_y) * p.in.pitch) +
                         from_x * p.channels + channel);
    return static_cast<std::uint16_t>((word & a.mask) >> a.shift);
  });

  // Where the windows' ranks are if the tile is the same everywhere. Of a group's first windows,
  // columns count what is before.
  const int start = a.rank * tile.samples() / (a.width * a.height) / kRankBatch * kRankBatch;
  std::uint32_t *columns = tile.counts() + group * 256;
  for (int i = column; i < tile.columns(); i += kRankAcross) {
    const std::uint16_t *rank = tile.ranks(first, i);
    std::uint32_t count = 0;
#pragma unroll 4
    for (int row = 0; row < a.height; ++row, rank += tile.columns())
      count += *rank < start;
    columns[i] = count;
  }
  __syncthreads();
  RankWindow window = {a.width, a.height, start, 0};
  for (int i = 0; i < a.width; ++i)
    window.below += static_cast<int>(columns[column + i]);
  for (int i = 0; i < rows; ++i) {
    if (i > 0) window.move(tile, first + i - 1, column);
    const int rank = window.walk(tile, first + i, column, a.rank);
    store<std::uint16_t>(p, place, y + first + i, tile.value(rank) << a.shift);
  }
}

}  // namespace coalesce
