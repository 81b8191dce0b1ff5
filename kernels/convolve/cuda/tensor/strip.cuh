// SPDX-License-Identifier: LGPL-2.1-or-later
// Masks of up to 9 rows whose taps lie within 9 bytes of a row, of 8 or 16 bits, on 8-bit planes,
// on tensor cores: faster than general.cuh, because what it loads from shared memory serves
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

#include "../../../core/grid_order.cuh"
#include "../../../core/ptx.cuh"
#include "../tile_source.cuh"
#include "bulk_copy.cuh"
#include "direct_sums.cuh"
#include "instructions.cuh"

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

constexpr int kUnitRows = 8, kUnitColumns = 128;

// A block and its tile.
template <MmaWeights kWeights>
struct StripConfig {
  static constexpr int kWarpsAcross = 4, kWarpsDown = 1, kMostRows = 32;
  static constexpr int kBlocks = kWeights == MmaWeights::bytes ? 7 : 5;  // decides on registers
  static constexpr int kAlignment = 16;  // of where tiles begin: the copy engine wants it
};

// Masks of kMaskHeight rows, which is odd, or fewer.
template <int kMaskHeight, MmaWeights kWeightKind, class Config>
struct StripShape : Config {
  static constexpr int kHeight = kMaskHeight;
  static constexpr MmaWeights kWeights = kWeightKind;
  static constexpr int kDigits = kWeights == MmaWeights::bytes ? 1 : 2;
  static constexpr int kPairs = (kHeight + 1) / 2;  // of a row of output
  static constexpr int kUnitPairs = (kUnitRows + kHeight - 1) / 2;
  static constexpr int kThreads = 32 * Config::kWarpsAcross * Config::kWarpsDown;
  static constexpr int kColumns = kUnitColumns * Config::kWarpsAcross;  // of a block
  static constexpr int kNeededColumns = kColumns + 8 + Config::kAlignment - 4;
  static constexpr int kTilePitch = kColumns + 32;
  static constexpr int kTileRows = Config::kMostRows + kHeight - 1;
  // Four bytes of a row of taps for each distance from the first byte of a window's word to the
  // place: -7 to 12. No taps stand before the first row and behind the last one.
  static constexpr int kTapRows = kHeight + 2, kTapWords = 20;
};

template <class Shape>
struct StripArgs {
  CUtensorMap map;  // of the picture, for tiles
  TileSource in;
  MmaOutput out;
  int rows;         // of output of a block: a multiple of kUnitRows
  int left, above;  // bytes before the sample where windows begin, a multiple of 4; rows
  int right;        // bytes behind it
  std::uint32_t taps[Shape::kDigits][Shape::kTapRows][Shape::kTapWords];
};

template <class Shape>
struct alignas(128) StripShared {
  std::uint8_t tile[Shape::kTileRows * Shape::kTilePitch];
  // Two times four rows of a warp's output, on their way to the lanes that store them.
  std::uint8_t out[Shape::kThreads / 32][2][4 * kUnitColumns];
  uint2 taps[Shape::kDigits][Shape::kTapRows - 1][Shape::kTapWords];  // and those of the next row
  BulkBarrier arrived;
};

// The mask as B wants it, by pair of rows: of rows of output that begin in the first of the first
// pair, or in the second.
template <class Shape>
struct StripBands {
  uint2 first[Shape::kPairs], second[Shape::kPairs];

  __device__ __forceinline__
  StripBands(const uint2 (&taps)[Shape::kTapRows - 1][Shape::kTapWords]) {
    const int word = 4 * (threadIdx.x % 4) - threadIdx.x % 32 / 4 + 7;
#pragma unroll
    for (int i = 0; i < Shape::kPairs; ++i) {
      second[i] = taps[2 * i][word];
      first[i] = taps[2 * i + 1][word];
    }
  }
};

// from: the lane's word of the first row of a unit.
template <class Shape, bool kSigned>
__device__ __forceinline__ void add_pairs(const std::uint8_t *from, const StripBands<Shape> &bands,
                                          int (&sums)[kUnitRows][4]) {
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
      const uint2 &b = row % 2 == 0 ? bands.first[pair] : bands.second[pair];
      mma_32<false, kSigned>(sums[row], a[0], a[1], b.x, b.y, sums[row]);
    }
  }
}

template <class Shape>
__device__ __forceinline__ void sum_unit(const std::uint8_t *from, const StripShared<Shape> &shared,
                                         const StripBands<Shape> &bands,
                                         int (&sums)[kUnitRows][4]) {
#pragma unroll
  for (auto &row : sums)
#pragma unroll
    for (int &sum : row)
      sum = 0;
  if constexpr (Shape::kDigits == 1) {
    add_pairs<Shape, true>(from, bands, sums);
  } else {
    add_pairs<Shape, Shape::kWeights == MmaWeights::words>(from, StripBands<Shape>(shared.taps[1]),
                                                           sums);
#pragma unroll
    for (auto &row : sums)
#pragma unroll
      for (int &sum : row)
        sum *= 256;
    add_pairs<Shape, false>(from, bands, sums);
  }
}

// Two times four rows of 128 bytes: from words with bytes 2 t and the next of the windows 2 g and
// 2 g + 1 to 16 bytes in a row, those of lane % 8 of row lane / 8. staged: the warp's.
__device__ __forceinline__ void exchange_rows(std::uint8_t (&staged)[2][4 * kUnitColumns],
                                              std::uint32_t (&words)[2][4]) {
  const int mine = 16 * (threadIdx.x % 32);
#pragma unroll
  for (int half = 0; half < 2; ++half)
    store_matrices(shared_address(staged[half] + mine), words[half]);
  __syncwarp();
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const uint4 v = *reinterpret_cast<const uint4 *>(staged[half] + mine);
    words[half][0] = shuffle_bytes(v.x, v.y, 0x5410);
    words[half][1] = shuffle_bytes(v.z, v.w, 0x5410);
    words[half][2] = shuffle_bytes(v.x, v.y, 0x7632);
    words[half][3] = shuffle_bytes(v.z, v.w, 0x7632);
  }
  __syncwarp();
}

// The units of a tile, shared among the warps. x, y: of its output.
template <class Shape>
__device__ __forceinline__ void compute_tile(const StripArgs<Shape> &a, StripShared<Shape> &shared,
                                             const StripBands<Shape> &bands, int x, int y) {
  constexpr int kStep = kUnitRows * Shape::kWarpsDown;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int column = kUnitColumns * (warp % Shape::kWarpsAcross);
  const int first = kUnitRows * (warp / Shape::kWarpsAcross);
  const int last = min(a.rows, a.in.height - y);
  const std::uint8_t *from = shared.tile + first * Shape::kTilePitch + column +
                             ((x - a.left) & (Shape::kAlignment - 1)) + 16 * (lane / 4) +
                             4 * (lane % 4);
  std::uint8_t(&staged)[2][4 * kUnitColumns] = shared.out[warp];
  const auto compute_unit = [&](int row, auto finish, std::uint32_t(&words)[2][4]) {
    int sums[kUnitRows][4];
    sum_unit(from + (row - first) * Shape::kTilePitch, shared, bands, sums);
    finish([&](int half, int w, int i) { return sums[4 * half + w][i]; }, words);
    exchange_rows(staged, words);
  };
  x += column + 16 * (lane % 8);
  y += lane / 8;
  if (a.out.way == MmaFinish::saturated && a.out.wide_stores && a.out.copied == 0 &&
      x - lane % 8 * 16 + kUnitColumns <= a.in.width) {
    // Nothing else is to be decided.
    std::uint8_t *to = a.out.data + static_cast<std::size_t>(y + first) * a.out.pitch + x;
    const std::size_t half_pitch = 4 * a.out.pitch, step_pitch = kStep * a.out.pitch;
    const int reciprocal = a.out.reciprocal;
    const std::int64_t addend = a.out.addend;
#pragma unroll 1
    for (int row = first; row < last; row += kStep) {
      std::uint32_t words[2][4];
      compute_unit(
          row, [&](auto sum, auto &w) { finish_saturated(reciprocal, addend, sum, w); }, words);
#pragma unroll
      for (int half = 0; half < 2; ++half)
        if (row + 4 * half + lane / 8 < last) store_words(to + half * half_pitch, words[half]);
      to += step_pitch;
    }
    return;
  }
#pragma unroll 1
  for (int row = first; row < last; row += kStep) {
    std::uint32_t words[2][4];
    compute_unit(
        row, [&](auto sum, auto &w) { finish_words(a.out, sum, w); }, words);
#pragma unroll
    for (int half = 0; half < 2; ++half)
      if (row + 4 * half + lane / 8 < last && x < a.in.width)
        store_16(a.out, a.in, x, y + row + 4 * half, words[half]);
  }
}

template <class Shape>
__global__ void __launch_bounds__(Shape::kThreads, Shape::kBlocks)
    strip_kernel(const __grid_constant__ StripArgs<Shape> a) {
#if __CUDA_ARCH__ >= 10 * COALESCE_BULK_COPY_FROM
  wait_for_grid_before();
  COALESCE_DYNAMIC_SHARED(128, std::uint8_t, memory);
  StripShared<Shape> &shared = *reinterpret_cast<StripShared<Shape> *>(memory);
  const int x = static_cast<int>(blockIdx.x) * Shape::kColumns;
  const int y = static_cast<int>(blockIdx.y) * a.rows;
  const int tile_x = (x - a.left) & -Shape::kAlignment, tile_y = y - a.above;
  const int rows = a.rows + Shape::kHeight - 1;
  if (threadIdx.x == 0) {
    shared.arrived.init();
    fence_for_copies();
    shared.arrived.expect(rows * Shape::kTilePitch);
    shared.arrived.copy(shared.tile, a.map, tile_x >> 2, tile_y);
  }
#pragma unroll
  for (int d = 0; d < Shape::kDigits; ++d) {
    const std::uint32_t *row = a.taps[d][0], *next = a.taps[d][1];
    uint2 *both = shared.taps[d][0];
    for (int i = threadIdx.x; i < (Shape::kTapRows - 1) * Shape::kTapWords; i += Shape::kThreads)
      both[i] = make_uint2(row[i], next[i]);
  }
  __syncthreads();
  const StripBands<Shape> bands(shared.taps[0]);
  shared.arrived.wait(0);
  fill_rim<Shape>(a.in, tile_x, tile_y, rows, a.right, shared.tile);
  compute_tile(a, shared, bands, x, y);
#endif
}

}  // namespace coalesce
