// SPDX-License-Identifier: LGPL-2.1-or-later
// Windows of samples in words. A block sorts the samples of its tile, with what windows reach
// beyond it. Each sample then has a rank in the tile, and no two have the same one.
//
// A thread goes down a column of windows. It knows a place in the sorted list, and how many samples
// of its window come before: that changes by the ranks of a row that enters and of one that leaves.
// From there it walks along the list, and looks which samples lie in its window, as far as the
// window's own rank. The next window's is not far from it. It looks at eight at a time.
//
// Two cases are not for walks. Small windows have few samples in a long list: theirs are found by
// bisection. And where many samples are equal, a result is far from the one before when it changes:
// so windows whose result is such a sample are found first, by sums over the tile.
#pragma once

#include "../core/host_device.h"
#include "../core/warp_sum.cuh"
#include "median.h"
#include "median_plane.cuh"

namespace coalesce {

constexpr int kRankThreads = 256, kRankWarps = kRankThreads / 32;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr int kRankBlocks = 4;  // of a multiprocessor: it has no threads for more
#else
constexpr int kRankBlocks = 5;
#endif
constexpr int kDigits = 256;
constexpr int kRankBatch = 8;  // places that are looked at together
static_assert(kDigits == kRankThreads, "a thread has a digit");

constexpr int kLeastWalked = 32;  // samples of a window
constexpr int kLongRuns = 16;     // equal samples that fill such a part of the list are a long run

// A place in a tile is two bytes: the row and the column, each with a bit more, so that differences
// borrow nothing from each other.
constexpr unsigned kPlaceBits = 0x8080;
constexpr unsigned kNoPlace = 0xffff;  // in no window
constexpr int kRankSides = 128;        // columns and rows of a tile are fewer

// What a list of so many samples takes.
COALESCE_HOST_DEVICE constexpr int list_of(int samples) {
  return (samples + kRankBatch - 1) / kRankBatch * kRankBatch;
}

// The outputs of a tile; what it has with what windows reach beyond.
struct RankShape {
  int across, down;

  COALESCE_HOST_DEVICE constexpr int columns(int width) const { return across + width - 1; }
  COALESCE_HOST_DEVICE constexpr int rows(int height) const { return down + height - 1; }
  // Shared memory: three lists of the tile's samples; of each warp and digit a count and the lanes;
  // begin_digits()'s own.
  constexpr int bytes(int width, int height) const {
    return 3 * 2 * list_of(columns(width) * rows(height)) + 2 * 4 * kDigits * kRankWarps +
           4 * kRankWarps;
  }
};
// The first one that a window fits is taken.
constexpr RankShape kRankShapes[] = {{64, 32}, {32, 32}, {16, 16}};
static_assert(kRankShapes[1].columns(kMaxMedianSize) < kRankSides &&
                  kRankShapes[0].rows(kMaxMedianSize) < kRankSides,
              "seven bits");
static_assert(kRankShapes[2].bytes(kMaxMedianSize, kMaxMedianSize) <= 65536,
              "what a block of 7.5 may have");

class RankTile {
 public:
  __device__ __forceinline__ RankTile(std::uint32_t *memory, int columns, int rows)
      : columns_(columns), rows_(rows), samples_(columns * rows) {
    const int list = list_of(samples_);
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
    if (samples_ + static_cast<int>(threadIdx.x) < list_of(samples_))
      order_[samples_ + static_cast<int>(threadIdx.x)] = kNoPlace;
    __syncthreads();
    sort_by<false>(0, order_, rank_);
    sort_by<true>(8, rank_, order_);
  }

  // What ranks() has. (Before, it has sum_below()'s.)
  __device__ __forceinline__ void number() {
    for (int i = static_cast<int>(threadIdx.x); i < samples_; i += kRankThreads)
      rank_[index_of(order_[i])] = static_cast<std::uint16_t>(i);
    __syncthreads();
  }

  // Of each sample, how many of those that are neither below it nor to its right are less.
  __device__ __forceinline__ void sum_below(unsigned limit) {
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    for (int row = warp; row < rows_; row += kRankWarps) {
      int before = 0;
      for (int first = 0; first < columns_; first += 32) {
        const int i = row * columns_ + first + lane;
        const bool inside = first + lane < columns_;
        const unsigned less = __ballot_sync(~0u, inside && value_[i] < limit ? 1 : 0);
        if (inside) rank_[i] = static_cast<std::uint16_t>(before + __popc(less << (31 - lane)));
        before += __popc(less);
      }
    }
    __syncthreads();
    unsigned sum = 0;
    for (int i = static_cast<int>(threadIdx.x);
         i < samples_ && static_cast<int>(threadIdx.x) < columns_; i += columns_) {
      sum += rank_[i];
      rank_[i] = static_cast<std::uint16_t>(sum);
    }
    __syncthreads();
  }
  // Of a window, by those sums.
  __device__ __forceinline__ int less_in(int row, int column, int width, int height) const {
    const auto sum = [&](int y, int x) { return y < 0 || x < 0 ? 0 : rank_[y * columns_ + x]; };
    const int above = row - 1, left = column - 1;
    return sum(above + height, left + width) - sum(above, left + width) -
           sum(above + height, left) + sum(above, left);
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
    std::uint32_t begin = warp_sum_up_to_here(sum, lane);
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
  int at;     // of the list, a multiple of kRankBatch
  int below;  // so many of the window's samples are before

  // To the window one row below that of `row`.
  __device__ __forceinline__ void move(const RankTile &tile, int row, int column) {
    const std::uint16_t *leaving = tile.ranks(row, column);
    const std::uint16_t *entering = tile.ranks(row + height, column);
#pragma unroll 5
    for (int i = 0; i < width; ++i) {
      if (entering[i] < at) ++below;
      if (leaving[i] < at) --below;
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
    int missing = back ? below - rank : rank + 1 - below, count;
    unsigned found;
    for (;; at += step) {
      found = inside(tile.places(at), first, end);
      count = __popc(found);
      missing -= count;
      if (missing <= 0) break;
    }
    int before = back ? -missing : missing + count - 1;  // the sample, of those that are found
    below = rank - before;
    int place = 0;
#pragma unroll
    for (int i = 0; i < kRankBatch; ++i)
      if ((found >> (i % 2 * 16 + 7 + i / 2) & 1) != 0 && before-- == 0) place = i;
    return at + place;
  }
};

// The rank in the tile of the sample that has this one in its window.
__device__ __forceinline__ int search_ranks(const RankTile &tile, int row, int column, int width,
                                            int height, int rank) {
  int found = 0;
  for (int bit = 1 << (31 - __clz(tile.samples())); bit > 0; bit /= 2) {
    const std::uint16_t *ranks = tile.ranks(row, column);
    int below = 0;
    for (int y = 0; y < height; ++y, ranks += tile.columns())
#pragma unroll 5
      for (int x = 0; x < width; ++x)
        if (ranks[x] < found + bit) ++below;
    if (below <= rank) found += bit;
  }
  return found;
}

// A long run has the same value at both ends of a part of the list. put(i, value): the result of
// window i of the thread's `rows`, one below the other. The bits of those that have one.
template <class Put>
__device__ __forceinline__ unsigned settle_runs(const MedianArgs &a, RankTile *tile, int row,
                                                int column, int rows, const Put &put) {
  const auto first_of = [&](int run) { return tile->value(run * tile->samples() / kLongRuns); };
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const bool is_long = lane < kLongRuns &&
                       tile->value((lane + 1) * tile->samples() / kLongRuns - 1) == first_of(lane);
  unsigned runs = __ballot_sync(~0u, is_long ? 1 : 0), settled = 0, before = ~0u;
  for (; runs != 0; runs &= runs - 1) {
    const unsigned value = first_of(__ffs(static_cast<int>(runs)) - 1);
    if (value == before) continue;
    before = value;
    unsigned found = (1u << rows) - 1;
#pragma unroll 1
    for (unsigned more = 0; more < 2; ++more) {  // less than it, then less or equal
      tile->sum_below(value + more);
      for (int i = 0; i < rows; ++i)
        if ((tile->less_in(row + i, column, a.width, a.height) > a.rank) != (more > 0))
          found &= ~(1u << i);
      __syncthreads();
    }
    for (int i = 0; i < rows; ++i)
      if ((found >> i & 1) != 0) put(i, value);
    settled |= found;
  }
  return settled;
}

template <int kShape>
__global__ void __launch_bounds__(kRankThreads, kRankBlocks)
    rank_kernel(const __grid_constant__ MedianArgs a) {
  wait_for_grid_before();
  constexpr RankShape kTile = kRankShapes[kShape];
  constexpr int kGroups = kRankThreads / kTile.across;  // of threads, one below the other
  constexpr int kRows = kTile.down / kGroups;           // of a thread
  constexpr int kGroupCounts = 2 * kDigits * kRankWarps / kGroups;
  static_assert(kGroupCounts >= kRankSides && kRows < 32, "a count for each column");
  COALESCE_DYNAMIC_SHARED(16, std::uint32_t, memory);
  int block;
  const MedianPlane &p = plane_of_block(a, &block);
  const int band = block / p.tiles_across, tile_across = block - band * p.tiles_across;
  const int channel = tile_across % p.channels, pixels = p.samples / p.channels;
  const int x = tile_across / p.channels * kTile.across, y = band * kTile.down;
  const int column = static_cast<int>(threadIdx.x) % kTile.across;
  const int group = static_cast<int>(threadIdx.x) / kTile.across, first = group * kRows;
  const int place = (x + column) * p.channels + channel;
  const int rows = x + column < pixels ? max(min(kRows, p.in.height - y - first), 0) : 0;
  if (p.role[channel] == ChannelRole::copy) {
    for (int i = 0; i < rows; ++i)
      store<std::uint16_t>(
          p, place, y + first + i,
          load_global(reinterpret_cast<const std::uint16_t *>(
                          p.in.data + static_cast<std::size_t>(y + first + i) * p.in.pitch) +
                      place));
    return;
  }
  RankTile tile(memory, kTile.columns(a.width), kTile.rows(a.height));
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
  const auto put = [&](int i, unsigned value) {
    store<std::uint16_t>(p, place, y + first + i, value << a.shift);
  };
  if (a.width * a.height < kLeastWalked) {
    tile.number();
    for (int i = 0; i < rows; ++i)
      put(i, tile.value(search_ranks(tile, first + i, column, a.width, a.height, a.rank)));
    return;
  }
  const unsigned settled = settle_runs(a, &tile, first, column, rows, put);
  if (__syncthreads_and(settled == (1u << rows) - 1 ? 1 : 0) != 0) return;
  tile.number();

  // Where the windows' ranks are if the tile is the same everywhere. Of a group's first windows,
  // columns count what is before.
  const int start = a.rank * tile.samples() / (a.width * a.height) / kRankBatch * kRankBatch;
  std::uint32_t *columns = tile.counts() + group * kGroupCounts;
  for (int i = column; i < tile.columns(); i += kTile.across) {
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
    if ((settled >> i & 1) == 0) put(i, tile.value(window.walk(tile, first + i, column, a.rank)));
  }
}

}  // namespace coalesce
