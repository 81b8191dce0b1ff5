// SPDX-License-Identifier: LGPL-2.1-or-later
// Kernels for every filter, depth, number of channels, alignment and size: a block brings a tile
// and its border into shared memory and works on single samples from there.
//   T    a sample as it is stored: std::uint8_t or std::uint16_t
//   Sum  std::int32_t where the filter is narrow, else std::int64_t
#pragma once

#include <cstddef>
#include <cstdint>

#include "convolve_finish.h"
#include "convolve_tile.cuh"

namespace coalesce {

constexpr int kTileColumns = 64;  // samples
constexpr int kUniversalThreads = 256;
constexpr int kThreadRows = 4;  // a thread's samples stand one below the other
constexpr int kGroups = kUniversalThreads / kTileColumns;

struct UniversalPlane {
  TileSource in;
  std::uint8_t *out;
  std::size_t out_pitch;
  int channels;
  int shift, max;  // of a sample in its word
  ChannelRole role[4];
  int tiles_across;
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

// Words of shared memory that hold a tile's row and kTaps - 1 pixels more, from wherever it starts
// within 16 bytes.
template <class T, int kTaps>
constexpr int kTileWords = (static_cast<int>(sizeof(T)) * (kTileColumns + 4 * (kTaps - 1)) + 15 +
                            15) /
                           16 * 4;

// Brings rows y to y + rows into `tile`, beginning with column x - left pixels (x and y count
// samples and rows). Returns where in it that sample stands.
template <class T, int kWords>
__device__ __forceinline__ const T *load_samples(const UniversalPlane &p, int x, int y, int left,
                                                 int taps, int rows,
                                                 std::uint32_t (*tile)[kWords]) {
  const int first = (x - left * p.channels) * static_cast<int>(sizeof(T));
  const int start = first & ~15;
  const int bytes = static_cast<int>(sizeof(T)) * (kTileColumns + (taps - 1) * p.channels);
  const std::uint32_t mask = p.max * (sizeof(T) == 1 ? 0x01010101u : 0x00010001u);
  load_tile<4>(p.in, start, y, (first - start + bytes + 15) / 16, rows, threadIdx.x,
               kUniversalThreads, [&](int row, int chunk, const std::uint32_t(&words)[4]) {
                 const auto sample = [&](int i) { return words[i] >> p.shift & mask; };
                 *reinterpret_cast<uint4 *>(&tile[row][4 * chunk]) =
                     make_uint4(sample(0), sample(1), sample(2), sample(3));
               });
  return reinterpret_cast<const T *>(tile) + (first - start) / static_cast<int>(sizeof(T));
}

template <class T, class Sum>
__device__ __forceinline__ void store_sample(const UniversalPlane &p, const Finish<Sum> &finish,
                                             int x, int y, Sum sum) {
  if (x * static_cast<int>(sizeof(T)) >= p.in.width || y >= p.in.height) return;
  const ChannelRole role = p.role[x % p.channels];
  T *to = reinterpret_cast<T *>(p.out + static_cast<std::size_t>(y) * p.out_pitch) + x;
  if (role == ChannelRole::copy) {
    const std::uint8_t *row = p.in.data + static_cast<std::size_t>(y) * p.in.pitch;
    *to = reinterpret_cast<const T *>(row)[x];
    return;
  }
  const int value =
      finish_sum(finish, role == ChannelRole::chroma ? finish.chroma : finish.level, sum);
  *to = static_cast<T>(value << p.shift);
}

// sums[k] += weights[j * stride] * column[j + k] for all j, where column[i] is `at` + i * step.
template <class Sum, class T>
__device__ __forceinline__ void add_column(const std::int32_t *weights, int stride, int count,
                                           const T *at, int step, Sum (&sums)[kThreadRows]) {
  Sum w[kThreadRows] = {};
#pragma unroll 4
  for (int i = 0; i < count + kThreadRows - 1; ++i) {
#pragma unroll
    for (int k = kThreadRows - 1; k > 0; --k)
      w[k] = w[k - 1];
    w[0] = i < count ? weights[i * stride] : 0;
    const Sum v = at[i * step];
#pragma unroll
    for (int k = 0; k < kThreadRows; ++k)
      sums[k] += w[k] * v;
  }
}

template <class T, class Sum>
__global__ void __launch_bounds__(kUniversalThreads)
    direct_kernel(const __grid_constant__ DirectArgs<Sum> a) {
  constexpr int kRows = kGroups * kThreadRows;
  constexpr int kWords = kTileWords<T, kMaxMaskSize>;
  __shared__ __align__(16) std::uint32_t tile[kRows + kMaxMaskSize - 1][kWords];
  const UniversalPlane &p = a.plane;
  const int block = static_cast<int>(blockIdx.x);
  const int column = threadIdx.x % kTileColumns, group = threadIdx.x / kTileColumns;
  const int x = block % p.tiles_across * kTileColumns, y = block / p.tiles_across * kRows;
  const T *first = load_samples<T>(p, x, y - a.above, a.left, a.width, kRows + a.height - 1, tile);
  __syncthreads();
  constexpr int kPitch = kWords * 4 / static_cast<int>(sizeof(T));
  const T *at = first + group * kThreadRows * kPitch + column;
  Sum sums[kThreadRows] = {};
  for (int i = 0; i < a.width; ++i)
    add_column(a.weights + i, a.width, a.height, at + i * p.channels, kPitch, sums);
#pragma unroll
  for (int k = 0; k < kThreadRows; ++k)
    store_sample<T>(p, a.finish, x + column, y + group * kThreadRows + k, sums[k]);
}

// Of a separable tile: what fits into 48 KiB.
template <class Across>
constexpr int kTileRows = sizeof(Across) == 4 ? 32 : 16;

// Across, kStripRows at a time, then down. Across is the type of the sums in between.
template <class T, class Across, class Sum>
__global__ void __launch_bounds__(kUniversalThreads)
    separable_kernel(const __grid_constant__ SeparableArgs<Sum> a) {
  constexpr int kRows = kTileRows<Across>, kStripRows = kRows / 2;
  constexpr int kWords = kTileWords<T, kMaxTaps>;
  __shared__ __align__(16) std::uint32_t strip[kStripRows][kWords];
  __shared__ Across sums_across[kRows + kMaxTaps - 1][kTileColumns];
  const UniversalPlane &p = a.plane;
  const int block = static_cast<int>(blockIdx.x);
  const int column = threadIdx.x % kTileColumns, group = threadIdx.x / kTileColumns;
  const int x = block % p.tiles_across * kTileColumns, y = block / p.tiles_across * kRows;
  const int rows = kRows + a.height - 1;
  for (int row = 0; row < rows; row += kStripRows) {
    const int count = min(kStripRows, rows - row);
    const T *first = load_samples<T>(p, x, y - a.above + row, a.left, a.width, count, strip);
    __syncthreads();
    constexpr int kPitch = kWords * 4 / static_cast<int>(sizeof(T));
    constexpr int kShare = kStripRows / kGroups;
    const T *at = first + group * kShare * kPitch + column;
    Across sums[kShare] = {};
#pragma unroll 2
    for (int i = 0; i < a.width; ++i, at += p.channels)
#pragma unroll
      for (int k = 0; k < kShare; ++k)
        sums[k] += static_cast<Across>(a.across[i]) * at[k * kPitch];
#pragma unroll
    for (int k = 0; k < kShare; ++k)
      if (group * kShare + k < count) sums_across[row + group * kShare + k][column] = sums[k];
    __syncthreads();
  }
#pragma unroll 1
  for (int row = group * kThreadRows; row < kRows; row += kGroups * kThreadRows) {
    Sum sums[kThreadRows] = {};
    add_column(a.down, 1, a.height, &sums_across[row][column], kTileColumns, sums);
#pragma unroll
    for (int k = 0; k < kThreadRows; ++k)
      store_sample<T>(p, a.finish, x + column, y + row + k, sums[k]);
  }
}

}  // namespace coalesce
