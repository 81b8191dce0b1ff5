// SPDX-License-Identifier: LGPL-2.1-or-later
// Masks of up to 31 x 31 weights of 8 or 16 bits on 8-bit planes, on tensor cores.
//
// One instruction multiplies 16 windows of the picture (rows of A) by the mask at 8 places (columns
// of B): 2 across and 4 down. The 32 terms of a window, a chunk, are 32 / kWindow rows of kWindow
// bytes. Windows begin every 2 bytes, so that 64 of them, four instructions, make 128 bytes of
// 4 rows of output. A mask takes several chunks, one below the other; where its rows are longer
// than a chunk, the same for one segment of 32 bytes after the other.
//
// Lane 4 g + t holds 8 terms of a window in a row, those from 8 t on; what it finds there for the
// windows 16 g + 4 s (and 2 behind) is six words of the tile, as they are and shifted by two bytes.
// In the end it has 16 bytes in a row of output: those from 16 g on of row t.
#pragma once

#include <cstdint>
#include <type_traits>

#include "../../../core/grid_order.cuh"
#include "general_load.cuh"
#include "general_shape.cuh"
#include "instructions.cuh"

namespace coalesce {

template <bool kSigned>
__device__ __forceinline__ void multiply(int (&d)[4], std::uint32_t a0, std::uint32_t a1,
                                         std::uint32_t a2, std::uint32_t a3, const uint2 &b) {
#if __CUDA_ARCH__ >= 800
  mma_32<false, kSigned>(d, {a0, a1}, {a2, a3}, b.x, b.y, d);
#endif
}

// What a lane holds of a chunk of 64 windows.
struct MmaWindows {
  std::uint32_t words[5], shifted[5];

  __device__ __forceinline__ explicit MmaWindows(const std::uint8_t *at) {
    std::uint32_t all[6];
#pragma unroll
    for (int i = 0; i < 3; ++i) {
      const uint2 two = reinterpret_cast<const uint2 *>(at)[i];
      all[2 * i] = two.x, all[2 * i + 1] = two.y;
    }
#pragma unroll
    for (int i = 0; i < 5; ++i) {
      words[i] = all[i];
      shifted[i] = shuffle_bytes(all[i], all[i + 1], 0x5432);
    }
  }
};

// Sums by digit of weight, of one group: [s][i] is byte 4 s + i of the lane's 16.
template <class Shape>
struct MmaSums {
  int digit[Shape::kDigits][4][4] = {};

  // taps: of a chunk, by digit, the lower one first.
  __device__ __forceinline__ void add(const MmaWindows &a, const uint2 (&taps)[Shape::kDigits]) {
    constexpr bool kSigned = Shape::kWeights != MmaWeights::unsigned_words;
#pragma unroll
    for (int s = 0; s < 4; ++s) {
      const auto add_digit = [&](auto is_signed, int d) {
        multiply<decltype(is_signed)::value>(digit[d][s], a.words[s], a.shifted[s], a.words[s + 1],
                                             a.shifted[s + 1], taps[d]);
      };
      if constexpr (Shape::kDigits == 2) add_digit(std::false_type(), 0);
      add_digit(std::bool_constant<kSigned>(), Shape::kDigits - 1);
    }
  }

  __device__ __forceinline__ int operator()(int s, int i) const {
    return Shape::kDigits == 1 ? digit[0][s][i]
                               : digit[0][s][i] + 256 * digit[Shape::kDigits - 1][s][i];
  }
};

// Four taps of a row, from byte `first` on, which may be the one before the row. weights: of which
// there are a row of words, zeros behind the last one; they stand a pixel apart, 2 to 4 bytes, and
// the narrowest window that holds the mask is no longer than all of them.
__device__ __forceinline__ std::uint32_t spread_taps(const std::uint32_t *weights, int first,
                                                     int pixel) {
  std::uint32_t taps = 0;
  int i = (first + pixel - 1) / pixel;
  for (int to = i * pixel - first; to < 4; to += pixel, ++i)
    taps |= std::uint32_t{reinterpret_cast<const std::uint8_t *>(weights)[i]} << 8 * to;
  return taps;
}

template <class Shape>
__device__ __forceinline__ void place_taps(const MmaArgs<Shape> &a, MmaShared<Shape> *shared) {
  constexpr int kWords = Shape::kTapWords;
  constexpr int kAll = Shape::kSegments * Shape::kSegmentTaps;
#pragma unroll 1
  for (int i = threadIdx.x; i < kAll; i += Shape::kThreads) {
    const int word = i % kWords, row = i / kWords % Shape::kTapRows - (kMmaPlaces - 1);
    const int copy = i / (kWords * Shape::kTapRows);
    std::uint32_t taps = 0;
    if (row >= 0 && row < a.height) {
      if constexpr (Shape::kSegments == 1) {
        taps = a.taps[copy / 2][row][word];
        if (copy % 2 == 1)
          taps = taps << 8 | (word == 0 ? 0 : a.taps[copy / 2][row][word - 1] >> 24);
      } else {
        const int segment = copy / (2 * Shape::kDigits), digit = copy / 2 % Shape::kDigits;
        taps =
            spread_taps(a.taps[digit][row], 4 * (segment * kWords + word) - copy % 2, a.in.pixel);
      }
    }
    (&shared->taps[0][0][0][0][0])[i] = taps;
  }
}

// All chunks of a warp's tile. from: the lane's bytes of the first one; taps: likewise.
template <class Shape>
__device__ __forceinline__ void add_chunks(int chunks, const std::uint8_t *from,
                                           const std::uint32_t *taps,
                                           MmaSums<Shape> (&sums)[kMmaGroups]) {
  constexpr int kStep = Shape::kChunkRows * Shape::kTilePitch, kGroup = Shape::kGroupChunks;
  const auto taps_at = [&](int chunk, uint2(&b)[Shape::kDigits]) {
#pragma unroll
    for (int d = 0; d < Shape::kDigits; ++d)
      b[d] = *reinterpret_cast<const uint2 *>(
          taps + (2 * d * Shape::kTapRows + chunk * Shape::kChunkRows) * Shape::kTapWords);
  };
  if constexpr (Shape::kChunks != 0) {
    uint2 b[Shape::kChunks][Shape::kDigits];
#pragma unroll
    for (int i = 0; i < Shape::kChunks; ++i)
      taps_at(i, b[i]);
#pragma unroll
    for (int i = 0; i < Shape::kChunks + kGroup * (kMmaGroups - 1); ++i) {
      const MmaWindows a(from + i * kStep);
#pragma unroll
      for (int group = 0; group < kMmaGroups; ++group)
        if (i - kGroup * group >= 0 && i - kGroup * group < Shape::kChunks)
          sums[group].add(a, b[i - kGroup * group]);
    }
  } else {
    static_assert(kMmaGroups == 2, "the first has a lead, the second what is left");
    const auto add = [&](int i, bool first, bool second) {
      const MmaWindows a(from + i * kStep);
      uint2 b[Shape::kDigits];
      if (first) {
        taps_at(i, b);
        sums[0].add(a, b);
      }
      if (second) {
        taps_at(i - kGroup, b);
        sums[1].add(a, b);
      }
    };
#pragma unroll 1
    for (int i = 0; i < kGroup; ++i)
      add(i, true, false);
#pragma unroll 2
    for (int i = kGroup; i < chunks; ++i)
      add(i, true, true);
#pragma unroll 1
    for (int i = chunks; i < chunks + kGroup; ++i)
      add(i, false, true);
  }
}

template <class Shape>
__global__ void __launch_bounds__(Shape::kThreads, Shape::kBlocks)
    mma_kernel(const __grid_constant__ MmaArgs<Shape> a) {
  wait_for_grid_before();
  constexpr int kLanesAcross = Shape::kSegment / 8;
  __shared__ MmaShared<Shape> shared;
  const int band = divide(static_cast<int>(blockIdx.x), a.by_tiles_across);
  int x = (static_cast<int>(blockIdx.x) - band * a.tiles_across) * Shape::kColumns;
  int y = band * a.rows;
  const int rows_in = min(a.rows, a.in.height - y) + a.height - 1;
  const MmaTile<Shape> tile = {a.in,        x - a.left,  y - a.above, a.in.width + a.right,
                               shared.tile, shared.stage};
  // Rows of input: those of the first pass, and then as many as a pass adds.
  const int needed = min(Shape::kPassRows + a.height - 1, rows_in);
  int filled = 0;
  tile.load(0, needed);
  tile.fill_rim(rows_in);
  place_taps(a, &shared);
#pragma unroll 1
  for (;;) {
    tile.place(filled, needed);
    filled += Shape::kPassRows;
    if (filled >= needed) break;
    __syncthreads();
    tile.load(filled, needed);
  }
  filled = needed;
  __syncthreads();

  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int g = lane / 4, t = lane % 4;
  const int column = warp % Shape::kWarpsAcross * 128 + 16 * g;
  const int row = warp / Shape::kWarpsAcross * Shape::kWarpRows;
  const std::uint8_t *from = shared.tile + (row + t / kLanesAcross) * Shape::kTilePitch +
                             tile.first() + column + 8 * (t % kLanesAcross);
  // As a column of B, g is the place g / 2 down and g % 2 across.
  const std::uint32_t *taps =
      &shared.taps[0][0][g % 2][t / kLanesAcross + kMmaPlaces - 1 - g / 2][2 * (t % kLanesAcross)];
  // One, if only offsets by role ask for a window this wide.
  const int segments = Shape::kSegments == 1 ? 1 : (a.left + a.right + 1) / Shape::kSegment + 1;
  x += column;
  y += row;
#pragma unroll 1
  for (;;) {
    // The rows of the next pass are under way during this one.
    if (filled < rows_in) tile.load(filled, rows_in);
    MmaSums<Shape> sums[kMmaGroups];
#pragma unroll 1
    for (int i = 0; i < segments; ++i)
      add_chunks<Shape>(a.height + kMmaPlaces - 1, from + i * Shape::kSegment,
                        taps + i * Shape::kSegmentTaps, sums);
    const int by_role[4] = {a.out.offset_by_role(0), a.out.offset_by_role(1),
                            a.out.offset_by_role(2), a.out.offset_by_role(3)};
#pragma unroll
    for (int group = 0; group < kMmaGroups; ++group) {
      const int line = y + group * kMmaPlaces + t;
      const auto sum = [&](int, int s, int i) {
        return sums[group](s, i) + (Shape::kSegments == 1 ? 0 : by_role[i]);
      };
      std::uint32_t words[1][4];
      finish_words(a.out, sum, words);
      if (x < a.in.width && line < a.in.height) store_16(a.out, a.in, x, line, words[0]);
    }
    if (filled >= rows_in) return;
    tile.place(filled, rows_in);
    filled += Shape::kPassRows;
    from += Shape::kPassRows * Shape::kTilePitch;
    y += Shape::kPassRows;
    __syncthreads();
  }
}

}  // namespace coalesce
