// SPDX-License-Identifier: LGPL-2.1-or-later
// Masks of up to 9 rows whose taps lie within 9 bytes of a row, of 8 or 16 bits, on 8-bit planes,
// on tensor cores: faster than convolve_mma.cuh, because what it loads from shared memory serves
// many rows of output, and nothing is moved between registers.
//
// One instruction multiplies 16 windows (rows of A) by the mask at 8 places side by side (columns
// of B): 128 bytes in a row of output. A window has 16 bytes in a row and 16 in the row below, and
// begins 8 bytes behind the one before: rows i and i + 8 of A are windows 2 i and 2 i + 1. Lane 4 g
// + t holds word t of the windows 2 g and 2 g + 1, as shared memory has them.
//
// A warp computes units of 8 rows of output: it walks down pairs of rows of input, each of which is
// part of up to kHeight + 1 rows of output. Two sets of B, for rows of output that begin with a
// pair and for those that begin in its middle, stay in registers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mma_direct.cuh"
#include "mma_int8.cuh"
#include "strip_load.cuh"

namespace coalesce {

constexpr int kUnitRows = 8;

// Masks of kMaskHeight rows, which is odd, or fewer.
template <int kMaskHeight, MmaWeights kWeightKind, class Config>
struct StripShape : Config {
  static constexpr int kHeight = kMaskHeight;
  static constexpr MmaWeights kWeights = kWeightKind;
  static constexpr int kDigits = kWeights == MmaWeights::bytes ? 1 : 2;
  static constexpr int kPairs = (kHeight + 1) / 2;  // of a row of output
  static constexpr int kUnitPairs = (kUnitRows + kHeight - 1) / 2;
  static constexpr int kThreads = 32 * Config::kWarps;
  static constexpr int kTileRows = Config::kMostRows + kHeight - 1;
  static constexpr int kTilePitch = Config::kMostColumns + 32;
  static constexpr int kGroups = (kTileRows + kUnitRows - 1) / kUnitRows;
  // Four bytes of a row of taps for each distance from the first byte of a window's word to the
  // place: -7 to 12.
  static constexpr int kTapWords = 20;
};

template <class Shape>
struct StripArgs {
  TileSource in;
  MmaOutput out;
  int tiles_across, tiles;
  Divider<std::int32_t> by_tiles_across;
  int across, rows;  // of a tile: so many times 128 bytes
  int left, above;   // bytes before the sample where windows begin, a multiple of 4; rows
  int right;         // bytes behind it
  std::uint32_t taps[Shape::kDigits][Shape::kHeight][Shape::kTapWords];
};

template <class Shape>
struct alignas(16) StripShared {
  std::uint8_t tile[Shape::kStages][Shape::kTileRows * Shape::kTilePitch];
  // Four rows of a warp's output, on their way to the lanes that store them.
  std::uint8_t out[Shape::kWarps][4 * 128];
  BulkBarrier arrived[Shape::kStages][Shape::kGroups];
  // Of taps j - 1 and j; there are none before the first and behind the last.
  uint2 taps[Shape::kDigits][Shape::kHeight + 1][Shape::kTapWords];
};

// The mask as B wants it, by pair of rows: of rows of output that begin in the first of the first
// pair, or in the second.
template <class Shape>
struct StripBands {
  uint2 first[Shape::kPairs], second[Shape::kPairs];

  __device__ __forceinline__ StripBands(const uint2 (&taps)[Shape::kHeight + 1][Shape::kTapWords]) {
    const int lane = threadIdx.x % 32;
    const uint2 *from = taps[0] + (4 * (lane % 4) - lane / 4 + 7);
#pragma unroll
    for (int i = 0; i < Shape::kPairs; ++i) {
      second[i] = from[2 * i * Shape::kTapWords];
      first[i] = from[(2 * i + 1) * Shape::kTapWords];
    }
  }
};

// from: the lane's word of the first row of a unit.
template <class Shape, bool kSigned>
__device__ __forceinline__ void add_pairs(const std::uint8_t *from, const StripBands<Shape> &bands,
                                          int (&sums)[2][4][4]) {
#pragma unroll
  for (int i = 0; i < Shape::kUnitPairs; ++i) {
    std::uint32_t a[2][2];
#pragma unroll
    for (int row = 0; row < 2; ++row)
#pragma unroll
      for (int odd = 0; odd < 2; ++odd)
        a[row][odd] = *reinterpret_cast<const std::uint32_t *>(
            from + (2 * i + row) * Shape::kTilePitch + 8 * odd);
#pragma unroll
    for (int row = 0; row < kUnitRows; ++row) {
      const int pair = i - row / 2;
      if (pair < 0 || pair >= Shape::kPairs) continue;
      const uint2 b = row % 2 == 0 ? bands.first[pair] : bands.second[pair];
      int(&sum)[4] = sums[row / 4][row % 4];
      mma_32<false, kSigned>(sum, a[0], a[1], b.x, b.y, sum);
    }
  }
}

template <class Shape>
__device__ __forceinline__ void sum_unit(const std::uint8_t *from, const StripShared<Shape> &shared,
                                         const StripBands<Shape> &bands, int (&sums)[2][4][4]) {
#pragma unroll
  for (int row = 0; row < kUnitRows; ++row)
#pragma unroll
    for (int i = 0; i < 4; ++i)
      sums[row / 4][row % 4][i] = 0;
  if constexpr (Shape::kDigits == 1) {
    add_pairs<Shape, true>(from, bands, sums);
  } else {
    add_pairs<Shape, Shape::kWeights == MmaWeights::words>(from, StripBands<Shape>(shared.taps[1]),
                                                           sums);
#pragma unroll
    for (int row = 0; row < kUnitRows; ++row)
#pragma unroll
      for (int i = 0; i < 4; ++i)
        sums[row / 4][row % 4][i] *= 256;
    add_pairs<Shape, false>(from, StripBands<Shape>(shared.taps[0]), sums);
  }
}

// Four rows of 128 bytes: from words with bytes 2 t and the next of the windows 2 g and 2 g + 1 to
// 16 bytes in a row, those of lane % 8 of row lane / 8. staged: the warp's.
__device__ __forceinline__ void exchange_rows(std::uint8_t *staged, std::uint32_t (&words)[4]) {
  std::uint8_t *mine = staged + 16 * (threadIdx.x % 32);
  store_matrices(shared_address(mine), words);
  __syncwarp();
  const uint4 v = *reinterpret_cast<const uint4 *>(mine);
  __syncwarp();
  words[0] = shuffle_bytes(v.x, v.y, 0x5410);
  words[1] = shuffle_bytes(v.z, v.w, 0x5410);
  words[2] = shuffle_bytes(v.x, v.y, 0x7632);
  words[3] = shuffle_bytes(v.z, v.w, 0x7632);
}

// The units of a tile, shared among the warps. x, y: of its output.
template <class Shape>
__device__ __forceinline__ void compute_tile(const StripArgs<Shape> &a, StripShared<Shape> &shared,
                                             const StripBands<Shape> &bands, int stage, int parity,
                                             int x, int y) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int rows = min(a.rows, a.in.height - y);
  const int groups = (rows + Shape::kHeight - 2) / kUnitRows;  // the last one, counted from 0
  const std::uint8_t *from =
      shared.tile[stage] + ((x - a.left) & 15) + 16 * (lane / 4) + 4 * (lane % 4);
  int unit = 0, column = warp;
#pragma unroll 1
  for (;; column += Shape::kWarps) {
    for (; column >= a.across; column -= a.across)
      ++unit;
    if (unit * kUnitRows >= rows) return;
    if constexpr (Shape::kBulk) {
      shared.arrived[stage][unit].wait(parity);
      shared.arrived[stage][min(unit + 1, groups)].wait(parity);
    }
    int sums[2][4][4];
    sum_unit(from + unit * kUnitRows * Shape::kTilePitch + 128 * column, shared, bands, sums);
    const int to_x = x + 128 * column + 16 * (lane % 8);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      std::uint32_t words[4];
      finish_words(
          a.out, [&](int w, int i) { return sums[half][w][i]; }, words);
      exchange_rows(shared.out[warp], words);
      const int to_y = y + unit * kUnitRows + 4 * half + lane / 8;
      if (to_x < a.in.width && to_y < y + rows) store_16(a.out, a.in, to_x, to_y, words);
    }
  }
}

template <class Shape>
__global__ void __launch_bounds__(Shape::kThreads, Shape::kBlocks)
    strip_kernel(const __grid_constant__ StripArgs<Shape> a) {
#if __CUDA_ARCH__ >= COALESCE_BULK_COPY_FROM
  extern __shared__ __align__(128) std::uint8_t memory[];
  StripShared<Shape> &shared = *reinterpret_cast<StripShared<Shape> *>(memory);
  const auto place = [&](int tile, int *x, int *y) {
    const int band = divide(tile, a.by_tiles_across);
    *x = (tile - band * a.tiles_across) * 128 * a.across;
    *y = band * a.rows;
  };
  const auto tile_at = [&](int x, int y, int stage) {
    return StripTile<Shape>(a.in, x, y, a.left, a.above, a.right, a.across, a.rows,
                            shared.tile[stage], shared.arrived[stage]);
  };
  const auto load = [&](int tile, int stage) {
    int x, y;
    place(tile, &x, &y);
    tile_at(x, y, stage).load();
  };
  int tile = blockIdx.x;
  constexpr int kAhead = Shape::kStages - 1;
  if (Shape::kBulk && threadIdx.x == 0) {
    for (auto &stage : shared.arrived)
      for (BulkBarrier &barrier : stage)
        barrier.init();
    fence_for_copies();
  }
  if (Shape::kBulk) __syncthreads();
#pragma unroll
  for (int i = 0; i < kAhead; ++i)
    if (tile + i * static_cast<int>(gridDim.x) < a.tiles) load(tile + i * gridDim.x, i);
  if (kAhead == 0) load(tile, 0);
  for (int i = threadIdx.x; i < Shape::kDigits * (Shape::kHeight + 1) * Shape::kTapWords;
       i += Shape::kThreads) {
    const int word = i % Shape::kTapWords, row = i / Shape::kTapWords % (Shape::kHeight + 1);
    const auto &taps = a.taps[i / (Shape::kTapWords * (Shape::kHeight + 1))];
    (&shared.taps[0][0][0])[i] =
        make_uint2(row == 0 ? 0 : taps[row - 1][word], row == Shape::kHeight ? 0 : taps[row][word]);
  }
  __syncthreads();
  const StripBands<Shape> bands(shared.taps[0]);
  int stage = 0, parity = 0;
#pragma unroll 1
  for (;;) {
    int x, y;
    place(tile, &x, &y);
    if constexpr (kAhead > 0) {
      const int next = tile + kAhead * static_cast<int>(gridDim.x);
      if (next < a.tiles) load(next, (stage + kAhead) % Shape::kStages);
    }
    const StripTile<Shape> here = tile_at(x, y, stage);
    here.finish(kAhead > 0);
    compute_tile(a, shared, bands, stage, parity, x, y);
    tile += gridDim.x;
    if (tile >= a.tiles) return;
    __syncthreads();
    if constexpr (kAhead == 0) load(tile, 0);
    if (++stage == Shape::kStages) stage = 0, parity ^= 1;
  }
#endif
}

}  // namespace coalesce
