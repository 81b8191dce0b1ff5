// SPDX-License-Identifier: LGPL-2.1-or-later
// Kernels for every filter, depth, number of channels, alignment and size: a block brings a tile
// and its border into shared memory and works on single samples from there.
//   T    a sample as it is stored: std::uint8_t or std::uint16_t
//   Sum  std::int32_t where the filter is narrow, else std::int64_t
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../core/grid_order.cuh"
#include "../finish.h"
#include "tile_source.cuh"

namespace coalesce {

constexpr int kUniversalThreads = 256;
constexpr int kTileRows = 32;

struct UniversalPlane {
  TileSource in;
  std::uint8_t *out;
  std::size_t out_pitch;
  int channels;
  int shift, max;  // of a sample in its word
  ChannelRole role[4];
  int tiles_across;
  Divider<std::int32_t> by_tiles_across;
};

template <class Sum>
struct DirectArgs {
  UniversalPlane plane;
  Finish<Sum> finish;
  int width, height, left, above;
  std::int32_t weights[kMaxMaskSize * kMaxMaskSize];
};

template <class Sum>
struct SeparableArgs {
  UniversalPlane plane;
  Finish<Sum> finish;
  int width, height, left, above;
  std::int32_t across[kMaxTaps], down[kMaxTaps];
};

// Words of shared memory that hold a row of kColumns samples and kTaps - 1 pixels more, from
// wherever it starts within 16 bytes.
template <class T, int kColumns, int kTaps>
constexpr int kTileWords = (static_cast<int>(sizeof(T)) * (kColumns + 4 * (kTaps - 1)) + 15 + 15) /
                           16 * 4;

// Of a separable tile: what fits into 48 KiB.
template <class Across>
constexpr int kSeparableColumns = sizeof(Across) == 4 ? 64 : 32;

// Brings rows y to y + rows into `tile`: `columns` samples and taps - 1 pixels more, beginning
// `left` pixels before sample x. Returns where in it they begin.
template <class T, int kWords>
__device__ __forceinline__ const T *load_samples(const UniversalPlane &p, int x, int y, int left,
                                                 int columns, int taps, int rows,
                                                 std::uint32_t (*tile)[kWords]) {
  constexpr int kBytes = sizeof(T);
  const int first = (x - left * p.channels) * kBytes;
  const int start = first & ~15;
  const int bytes = (columns + (taps - 1) * p.channels) * kBytes;
  const std::uint32_t mask = p.max * (kBytes == 1 ? 0x01010101u : 0x00010001u);
  load_tile<4>(p.in, start, y, (first - start + bytes + 15) / 16, rows, threadIdx.x,
               kUniversalThreads, [&](int row, int chunk, const std::uint32_t(&words)[4]) {
                 const auto samples = [&](int i) { return words[i] >> p.shift & mask; };
                 *reinterpret_cast<uint4 *>(&tile[row][4 * chunk]) =
                     make_uint4(samples(0), samples(1), samples(2), samples(3));
               });
  return reinterpret_cast<const T *>(tile) + (first - start) / kBytes;
}

// sums[k] += weights[j * stride] * at[(j + k) * step] for all j, four weights at a time: so every
// sample that is loaded serves four sums. Up to three samples behind the last one are read, too,
// and do not count.
template <class Sum, class T, int kShare>
__device__ __forceinline__ void add_column(const std::int32_t *weights, int stride, int count,
                                           const T *at, int step, Sum (&sums)[kShare]) {
  for (int j = 0; j < count; j += 4) {
    Sum w[4];
#pragma unroll
    for (int k = 0; k < 4; ++k)
      w[k] = j + k < count ? weights[(j + k) * stride] : 0;
#pragma unroll
    for (int i = 0; i < kShare + 3; ++i) {
      const Sum v = at[(j + i) * step];
#pragma unroll
      for (int k = 0; k < 4; ++k)
        if (i >= k && i - k < kShare) sums[i - k] += w[k] * v;
    }
  }
}

// Where the samples of a thread go, which stand one below the other.
template <class T, class Sum>
struct Column {
  const UniversalPlane &p;
  const Finish<Sum> &finish;
  int x;
  bool inside, copied;
  typename Finish<Sum>::Offsets offsets;

  __device__ __forceinline__ Column(const UniversalPlane &plane, const Finish<Sum> &by, int column)
      : p(plane), finish(by), x(column) {
    const ChannelRole role = p.role[x % p.channels];
    inside = x * static_cast<int>(sizeof(T)) < p.in.width;
    copied = role == ChannelRole::copy;
    offsets = role == ChannelRole::chroma ? finish.chroma : finish.level;
  }

  template <int kShare>
  __device__ __forceinline__ void store(int y, const Sum (&sums)[kShare]) const {
    const int rows = inside ? min(p.in.height - y, kShare) : 0;
    const std::uint8_t *from = p.in.data + static_cast<std::size_t>(y) * p.in.pitch;
    std::uint8_t *to = p.out + static_cast<std::size_t>(y) * p.out_pitch;
    if (copied) {
      for (int k = 0; k < rows; ++k, from += p.in.pitch, to += p.out_pitch)
        reinterpret_cast<T *>(to)[x] = reinterpret_cast<const T *>(from)[x];
      return;
    }
#pragma unroll
    for (int k = 0; k < kShare; ++k, to += p.out_pitch) {
      const int sample = finish_sum(finish, offsets, sums[k]) << p.shift;
      if (k < rows) reinterpret_cast<T *>(to)[x] = static_cast<T>(sample);
    }
  }
};

constexpr int kDirectColumns = 128;

template <class T, class Sum>
__global__ void __launch_bounds__(kUniversalThreads, 4)
    direct_kernel(const __grid_constant__ DirectArgs<Sum> a) {
  wait_for_grid_before();
  constexpr int kWords = kTileWords<T, kDirectColumns, kMaxMaskSize>;
  constexpr int kPitch = kWords * 4 / static_cast<int>(sizeof(T));
  constexpr int kShare = kTileRows * kDirectColumns / kUniversalThreads;  // a column, of a thread
  // With a row more, for add_column().
  __shared__ __align__(16) std::uint32_t tile[kTileRows + kMaxMaskSize][kWords];
  const UniversalPlane &p = a.plane;
  const int band = divide(static_cast<int>(blockIdx.x), p.by_tiles_across);
  const int x = (static_cast<int>(blockIdx.x) - band * p.tiles_across) * kDirectColumns;
  const T *first = load_samples<T>(p, x, band * kTileRows - a.above, a.left, kDirectColumns,
                                   a.width, kTileRows + a.height - 1, tile);
  __syncthreads();
  const int column = threadIdx.x % kDirectColumns;
  const int row = threadIdx.x / kDirectColumns * kShare;
  const T *at = first + row * kPitch + column;
  Sum sums[kShare] = {};
  for (int i = 0; i < a.width; ++i, at += p.channels)
    add_column(a.weights + i, a.width, a.height, at, kPitch, sums);
  Column<T, Sum>(p, a.finish, x + column).store(band * kTileRows + row, sums);
}

// Across, kStripRows at a time, then down. Across is the type of the sums in between.
template <class T, class Across, class Sum>
__global__ void __launch_bounds__(kUniversalThreads, 4)
    separable_kernel(const __grid_constant__ SeparableArgs<Sum> a) {
  wait_for_grid_before();
  constexpr int kColumns = kSeparableColumns<Across>, kGroups = kUniversalThreads / kColumns;
  constexpr int kWords = kTileWords<T, kColumns, kMaxTaps>;
  constexpr int kPitch = kWords * 4 / static_cast<int>(sizeof(T));
  constexpr int kStripRows = 32, kRows = kStripRows / kGroups;
  __shared__ __align__(16) std::uint32_t strip[kStripRows][kWords];
  __shared__ Across sums_across[kTileRows + kMaxTaps][kColumns];  // a row more, for add_column()
  const UniversalPlane &p = a.plane;
  const int band = divide(static_cast<int>(blockIdx.x), p.by_tiles_across);
  const int x = (static_cast<int>(blockIdx.x) - band * p.tiles_across) * kColumns;
  const int column = threadIdx.x % kColumns, group = threadIdx.x / kColumns;
  for (int left = kTileRows + a.height - 1, row = 0; left > 0;
       left -= kStripRows, row += kStripRows) {
    const T *first = load_samples<T>(p, x, band * kTileRows - a.above + row, a.left, kColumns,
                                     a.width, min(kStripRows, left), strip);
    __syncthreads();
    if (group * kRows < left) {
      const T *at = first + group * kRows * kPitch + column;
      Across sums[kRows] = {};
#pragma unroll 2
      for (int i = 0; i < a.width; ++i, at += p.channels)
#pragma unroll
        for (int k = 0; k < kRows; ++k)
          sums[k] += static_cast<Across>(a.across[i]) * at[k * kPitch];
#pragma unroll
      for (int k = 0; k < kRows; ++k)
        if (group * kRows + k < left) sums_across[row + group * kRows + k][column] = sums[k];
    }
    __syncthreads();
  }
  constexpr int kShare = kTileRows / kGroups;
  Sum sums[kShare] = {};
  add_column(a.down, 1, a.height, &sums_across[group * kShare][column], kColumns, sums);
  Column<T, Sum>(p, a.finish, x + column).store(band * kTileRows + group * kShare, sums);
}

}  // namespace coalesce
