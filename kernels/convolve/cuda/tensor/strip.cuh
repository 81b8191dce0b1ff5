// SPDX-License-Identifier: LGPL-2.1-or-later
// Masks of weights of up to 24 bits, on tensor cores: faster than general.cuh, because what it
// loads from shared memory serves many rows of output, and nothing is moved between registers.
//
// Pixels of several bytes, and samples of two, become byte planes in shared memory, each of which
// is then like a grey picture. Sums over two bytes of a sample, or of a weight, add up.
//
// One instruction multiplies 16 windows (rows of A) by the mask at 8 places side by side (columns
// of B): 128 samples in a row of output. A window has 16 bytes in a row and 16 in the row below,
// and begins 8 bytes behind the one before: rows i and i + 8 of A are windows 2 i and 2 i + 1.
// Lane 4 g + t holds word t of the windows 2 g and 2 g + 1, as shared memory has them.
//
// A warp computes units of 8 rows of output: it walks down pairs of rows of input, each of which is
// part of up to kHeight + 1 rows of output. Two sets of B, for rows of output that begin with a
// pair and for those that begin in its middle, stay in registers. Masks that are larger than 9 rows
// and columns are cut into segments, one after the other, whose B come from shared memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../../../core/grid_order.cuh"
#include "../../../core/ptx.cuh"
#include "instructions.cuh"
#include "strip_pixels.cuh"
#include "strip_shape.cuh"

namespace coalesce {

// What stands outside the picture, by words: rows `row` to `last` of the tile whose corner is byte
// x of row y, and of these columns `column` to `behind`.
template <class Shape>
__device__ __noinline__ void gather_rim(const TileSource &s, int x, int y, int row, int last,
                                        int column, int behind, std::uint8_t *tile, int pitch) {
  const int across = (behind - column + 3) / 4;
  for (int i = threadIdx.x; i < (last - row) * across; i += blockDim.x) {
    const int down = row + i / across, at = column + 4 * (i % across);
    std::uint32_t word[1];
    if constexpr (Shape::kAnywhere)
      word[0] = load_words_anywhere<1>(s, x + at, y + down).at[0];
    else
      load_words(s, x + at, y + down, word);
    *reinterpret_cast<std::uint32_t *>(tile + down * pitch + at) = word[0];
  }
}

// All threads must come, when the copy has: a barrier follows if there is a rim. right: bytes that
// windows reach beyond the last of the picture.
template <class Shape>
__device__ __forceinline__ void fill_rim(const TileSource &s, int x, int y, int rows, int right,
                                         std::uint8_t *tile, int pitch) {
  const int behind = min(pitch, s.width + right - x);
  const int bottom = min(s.height - y, rows), inside = (s.width & ~3) - x;
  if (x >= 0 && y >= 0 && inside >= behind && bottom >= rows) return;
  const auto gather = [&](int row, int last, int column, int to) {
    if (row < last && column < to) gather_rim<Shape>(s, x, y, row, last, column, to, tile, pitch);
  };
  const int top = max(-y, 0);
  gather(0, min(top, rows), 0, behind);
  gather(max(bottom, 0), rows, 0, behind);
  gather(top, bottom, 0, min(-x, behind));
  gather(top, bottom, max(inside, 0), behind);
  __syncthreads();
}

// The mask as B wants it, by pair of rows: of rows of output that begin in the first of the first
// pair, or in the second.
template <class Shape>
struct StripBands {
  uint2 first[Shape::kPairs], second[Shape::kPairs];

  __device__ __forceinline__ explicit StripBands(const uint2 *taps) {
    const int word = 4 * (threadIdx.x % 4) - threadIdx.x % 32 / 4 + 7;
#pragma unroll
    for (int i = 0; i < Shape::kPairs; ++i) {
      second[i] = taps[2 * i * Shape::kTapWords + word];
      first[i] = taps[(2 * i + 1) * Shape::kTapWords + word];
    }
  }
};

// from: the lane's word of the first row of a unit, in a byte plane.
template <class Shape, bool kSigned>
__device__ __forceinline__ void add_pairs(const std::uint8_t *from, int pitch,
                                          const StripBands<Shape> &bands,
                                          int (&sums)[kUnitRows][4]) {
#pragma unroll
  for (int i = 0; i < Shape::kUnitPairs; ++i) {
    std::uint32_t a[2][2];
#pragma unroll
    for (int row = 0; row < 2; ++row)
#pragma unroll
      for (int odd = 0; odd < 2; ++odd)
        a[row][odd] =
            *reinterpret_cast<const std::uint32_t *>(from + (2 * i + row) * pitch + 8 * odd);
#pragma unroll
    for (int row = 0; row < kUnitRows; ++row) {
      const int pair = i - row / 2;
      if (pair < 0 || pair >= Shape::kPairs) continue;
      const uint2 &b = row % 2 == 0 ? bands.first[pair] : bands.second[pair];
      mma_32<false, kSigned>(sums[row], a[0], a[1], b.x, b.y, sums[row]);
    }
  }
}

// Of all segments. taps: of a digit.
template <class Shape, bool kSigned>
__device__ __forceinline__ void add_segments(const StripArgs<Shape> &a, const std::uint8_t *from,
                                             int pitch, const uint2 *taps,
                                             int (&sums)[kUnitRows][4]) {
#pragma unroll 1
  for (int down = 0; down < a.segments_down; ++down, from += Shape::kHeight * pitch)
#pragma unroll 1
    for (int across = 0; across < a.segments_across; ++across, taps += Shape::kTaps)
      add_pairs<Shape, kSigned>(from + kSegmentColumns * across, pitch, StripBands<Shape>(taps),
                                sums);
}

// Sums of 64 bits of a unit: bytes from the lowest on, and what is above them.
template <class Shape>
struct WideSums {
  static constexpr int kBytes = Shape::kSampleBytes + Shape::kDigits - 2;
  std::uint32_t lower[kUnitRows][4] = {};
  int upper[kUnitRows][4];

  __device__ __forceinline__ std::int64_t operator()(int row, int i) const {
    return std::int64_t{upper[row][i]} << 8 * kBytes | lower[row][i];
  }
};

// byte_plane: bytes from the lower bytes of samples to the upper ones. bands: of the lower digit,
// if there are no segments. lower: of wide sums, all but what `sums` then has.
template <class Shape>
__device__ __forceinline__ void sum_unit(const StripArgs<Shape> &a, const std::uint8_t *from,
                                         int pitch, int byte_plane, const uint2 *taps,
                                         const StripBands<Shape> &bands, int (&sums)[kUnitRows][4],
                                         std::uint32_t (*lower)[4] = nullptr) {
#pragma unroll
  for (auto &row : sums)
#pragma unroll
    for (int &sum : row)
      sum = 0;
  const auto add = [&](auto is_signed, int digit, const std::uint8_t *plane) {
    constexpr bool kSigned = decltype(is_signed)::value;
    if constexpr (Shape::kSegments) {
      const int segments = a.segments_down * a.segments_across;
      add_segments<Shape, kSigned>(a, plane, pitch, taps + digit * segments * Shape::kTaps, sums);
    } else if (digit == 0) {
      add_pairs<Shape, kSigned>(plane, pitch, bands, sums);
    } else {
      add_pairs<Shape, kSigned>(plane, pitch, StripBands<Shape>(taps + Shape::kTaps), sums);
    }
  };
  // By the power of 256 that the products of two bytes have: from the uppermost one down; of wide
  // sums from the lowest one up, each of which leaves a byte behind.
  constexpr int kMost = Shape::kSampleBytes + Shape::kDigits - 2;
#pragma unroll
  for (int step = 0; step <= kMost; ++step) {
    const int power = Shape::kWide ? step : kMost - step;
#pragma unroll
    for (int byte = 0; byte < Shape::kSampleBytes; ++byte) {
      const int digit = power - byte;
      if (digit < 0 || digit >= Shape::kDigits) continue;
      const std::uint8_t *plane = from + byte * byte_plane;
      if (Shape::kDigits == 1 || (digit + 1 == Shape::kDigits && a.is_signed))
        add(std::true_type(), digit, plane);
      else
        add(std::false_type(), digit, plane);
    }
    if (step == kMost) break;
#pragma unroll
    for (int row = 0; row < kUnitRows; ++row)
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        int &sum = sums[row][i];
        if constexpr (Shape::kWide) {
          const int place = 4 * power;  // the byte's nibble of the selector
          lower[row][i] = shuffle_bytes(lower[row][i], static_cast<std::uint32_t>(sum),
                                        (0x3210 & ~(0xf << place)) | 4 << place);
          sum >>= 8;
        } else {
          sum = static_cast<int>(static_cast<unsigned>(sum) << 8);
        }
      }
  }
}

// Two times four rows of 128 bytes, `pitch` bytes apart: from words with bytes 2 t and the next of
// the windows 2 g and 2 g + 1 to 16 bytes in a row, those of lane % 8 of row lane / 8.
__device__ __forceinline__ void exchange_rows(std::uint8_t *staged, int pitch,
                                              std::uint32_t (&words)[2][4]) {
  std::uint8_t *mine = staged + threadIdx.x % 32 / 8 * pitch + 16 * (threadIdx.x % 8);
#pragma unroll
  for (int half = 0; half < 2; ++half)
    store_matrices(shared_address(mine + 4 * half * pitch), words[half]);
  __syncwarp();
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const uint4 v = *reinterpret_cast<const uint4 *>(mine + 4 * half * pitch);
    words[half][0] = shuffle_bytes(v.x, v.y, 0x5410);
    words[half][1] = shuffle_bytes(v.z, v.w, 0x5410);
    words[half][2] = shuffle_bytes(v.x, v.y, 0x7632);
    words[half][3] = shuffle_bytes(v.z, v.w, 0x7632);
  }
}

// Planes of one byte a pixel, where nothing else is to be decided.
template <class Shape>
__device__ __forceinline__ void compute_plain(const StripArgs<Shape> &a, const StripPlane &p,
                                              StripShared<Shape> &shared, const uint2 *taps,
                                              const StripBands<Shape> &bands,
                                              const MmaSamples &samples, int x, int y) {
  const int pitch = Shape::kSegments ? p.tile_pitch : strip_pitch(1, 1);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int last = min(a.rows, p.in.height - y);
  const std::uint8_t *from =
      shared.tile() + kUnitColumns * warp + ((x - a.left) & 15) + 16 * (lane / 4) + 4 * (lane % 4);
  constexpr int kStagedPitch = strip_across(1) * kUnitColumns;
  std::uint8_t *staged = shared.out + kUnitColumns * warp;
  std::uint8_t *to = p.out + static_cast<std::size_t>(y + lane / 8) * p.out_pitch + x +
                     kUnitColumns * warp + 16 * (lane % 8);
  const std::size_t half_pitch = 4 * p.out_pitch;
  const int reciprocal = samples.reciprocal;
  const std::int64_t addend = samples.addend;
#pragma unroll 1
  for (int row = 0; row < last; row += kUnitRows) {
    std::uint32_t words[2][4];
    int sums[kUnitRows][4];
    sum_unit(a, from + row * pitch, pitch, 0, taps, bands, sums);
    finish_saturated(
        reciprocal, addend, [&](int half, int w, int i) { return sums[4 * half + w][i]; }, words);
    exchange_rows(staged, kStagedPitch, words);
    __syncwarp();
#pragma unroll
    for (int half = 0; half < 2; ++half)
      if (row + 4 * half + lane / 8 < last) store_words(to + half * half_pitch, words[half]);
    to += 2 * half_pitch;
  }
}

// Samples of two bytes of a unit, one(row, i) each, to rows `pitch` bytes apart.
template <class Shape, class One>
__device__ __forceinline__ void stage_words(const StripArgs<Shape> &a, One one,
                                            std::uint8_t *staged, int pitch) {
  const int lane = threadIdx.x % 32;
  // A matrix has the samples of every second window of a row.
  std::uint8_t *mine = staged + lane / 16 * pitch + 32 * (lane % 8) + 16 * (lane / 8 % 2);
#pragma unroll
  for (int row = 0; row < kUnitRows; row += 2) {
    std::uint32_t words[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int at = row + i / 2, pair = i % 2 * 2;
      words[i] = shuffle_bytes(one(at, pair), one(at, pair + 1), 0x5410) << a.shift;
    }
    store_matrices(shared_address(mine + row * pitch), words);
  }
}

// From the sums of a unit to its samples, in rows `pitch` bytes apart.
template <class Shape>
__device__ __forceinline__ void stage_unit(const StripArgs<Shape> &a, const MmaSamples &samples,
                                           const int (&sums)[kUnitRows][4], std::uint8_t *staged,
                                           int pitch) {
  const int lane = threadIdx.x % 32;
  if constexpr (Shape::kSampleBytes == 1) {
    std::uint32_t words[2][4];
    finish_words(
        samples, [&](int half, int w, int i) { return sums[4 * half + w][i]; }, words);
    exchange_rows(staged, pitch, words);
    // Where they came from.
#pragma unroll
    for (int half = 0; half < 2; ++half)
      *reinterpret_cast<uint4 *>(staged + (4 * half + lane / 8) * pitch + 16 * (lane % 8)) =
          make_uint4(words[half][0], words[half][1], words[half][2], words[half][3]);
  } else {
    const auto stage = [&](auto finish) {
      stage_words(
          a, [&](int row, int i) { return finish(sums[row][i]); }, staged, pitch);
    };
    if (samples.way == MmaFinish::saturated)
      stage([&](int n) { return finish_cut(samples, n); });
    else
      stage([&](int n) {
        return static_cast<std::uint32_t>(finish_sum(samples.finish, samples.offsets, n));
      });
  }
}

template <class Shape>
__device__ __forceinline__ void stage_unit(const StripArgs<Shape> &a, const WideSamples &samples,
                                           const WideSums<Shape> &sums, std::uint8_t *staged,
                                           int pitch) {
  if (samples.shifts)
    stage_words(
        a,
        [&](int row, int i) {
          const auto t = static_cast<std::uint64_t>(sums(row, i) + samples.offset);
          const std::uint32_t quotient = __funnelshift_r(
              static_cast<std::uint32_t>(t), static_cast<std::uint32_t>(t >> 32), samples.shift);
          return static_cast<std::uint32_t>(clamp_sum(static_cast<int>(quotient), 0, samples.max));
        },
        staged, pitch);
  else
    stage_words(
        a,
        [&](int row, int i) {
          return static_cast<std::uint32_t>(
              finish_sum(samples.finish, samples.offsets, sums(row, i)));
        },
        staged, pitch);
}

// Units of all channels, which then become pixels. x, y: of the tile's output; x counts bytes.
template <class Shape>
__device__ __forceinline__ void compute_channels(const StripArgs<Shape> &a, const StripPlane &p,
                                                 StripShared<Shape> &shared, const uint2 *taps,
                                                 const StripBands<Shape> &bands, int first, int x,
                                                 int y) {
  constexpr int kBytes = Shape::kSampleBytes;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int unit = warp % p.units, group = warp / p.units;
  const int channel = static_cast<int>(p.filtered >> 4 * (unit / p.across) & 15);
  const int column = kUnitColumns * (unit % p.across);
  const int channel_pitch = kBytes * kUnitColumns * p.across, pitch = p.channels * channel_pitch;
  const int last = min(a.rows, p.in.height - y), step = kUnitRows * p.down;
  const std::uint8_t *from = shared.tile() + kUnitRows * group * p.tile_pitch +
                             kBytes * channel * p.byte_plane + first + column + 16 * (lane / 4) +
                             4 * (lane % 4);
  std::uint8_t *staged =
      shared.out + kUnitRows * group * pitch + channel * channel_pitch + kBytes * column;
  const auto &samples = a.samples[p.chroma >> channel & 1];
#pragma unroll 1
  for (int row = 0; row < last; row += step, from += step * p.tile_pitch) {
    if (group < p.down && row + kUnitRows * group < last) {
      if constexpr (Shape::kWide) {
        WideSums<Shape> sums;
        sum_unit(a, from, p.tile_pitch, p.byte_plane, taps, bands, sums.upper, sums.lower);
        stage_unit(a, samples, sums, staged, pitch);
      } else {
        int sums[kUnitRows][4];
        sum_unit(a, from, p.tile_pitch, p.byte_plane, taps, bands, sums);
        stage_unit(a, samples, sums, staged, pitch);
      }
    }
    if (p.in.pixel == 1) {  // a warp's rows are its own
      __syncwarp();
      if constexpr (Shape::kAnywhere) {
        const int rows = x + column < p.in.width ? min(kUnitRows, last - row) : 0;
        for (int i = 0; i < rows; ++i)
          store_row_anywhere(
              p.out + static_cast<std::size_t>(y + row + i) * p.out_pitch + x + column,
              staged + i * pitch, min(kUnitColumns, p.in.width - x - column));
      }
#pragma unroll
      for (int half = 0; half < (Shape::kAnywhere ? 0 : 2); ++half) {
        const int down = 4 * half + lane / 8, at = x + column + 16 * (lane % 8);
        if (row + down >= last || at >= p.in.width) continue;
        std::uint32_t words[4];
        join_chunk<1, 1>(staged + down * pitch, 0, lane % 8, words);
        store_chunk(p, at, y + row + down, 0, words);
      }
      __syncwarp();
      continue;
    }
    __syncthreads();
    const int rows = min(step, last - row);
    if (p.channels == 2)
      store_rows<2, kBytes, Shape::kAnywhere>(p, shared.out, rows, x, y + row);
    else if (p.channels == 4)
      store_rows<4, kBytes, Shape::kAnywhere>(p, shared.out, rows, x, y + row);
    else
      store_rows<kBytes == 1 ? 3 : 1, kBytes, Shape::kAnywhere>(p, shared.out, rows, x, y + row);
    __syncthreads();
  }
}

// The taps of all segments. scratch: shared memory. A barrier follows.
template <class Shape>
__device__ __forceinline__ void place_taps(const StripArgs<Shape> &a,
                                           [[maybe_unused]] std::uint8_t *scratch, uint2 *taps) {
  constexpr int kWords = Shape::kTapWords;
  if constexpr (!Shape::kSegments) {
#pragma unroll
    for (int d = 0; d < Shape::kDigits; ++d) {
      const std::uint32_t *row = a.taps + d * Shape::kTapRows * kWords, *next = row + kWords;
      for (int i = threadIdx.x; i < Shape::kTaps; i += blockDim.x)
        taps[d * Shape::kTaps + i] = make_uint2(row[i], next[i]);
    }
  } else {
    static_assert(4 * Shape::kGivenWords <= sizeof(StripShared<Shape>::out));
    const int row_bytes = 4 * a.row_words;
    for (int i = threadIdx.x; i < Shape::kDigits * a.height * a.row_words; i += blockDim.x)
      reinterpret_cast<std::uint32_t *>(scratch)[i] = a.taps[i];
    __syncthreads();
    const int segments = a.segments_down * a.segments_across;
    for (int i = threadIdx.x; i < Shape::kDigits * segments * Shape::kTapRows * kWords;
         i += blockDim.x) {
      const int word = i % kWords, row = i / kWords % Shape::kTapRows;
      const int all = i / (kWords * Shape::kTapRows), digit = all / segments;
      const int down = (all - digit * segments) / a.segments_across;
      const int across = all - digit * segments - down * a.segments_across;
      const int line = down * Shape::kHeight + row - 1;
      // The last segment has a column more, if that is the mask's.
      const int behind = across + 1 == a.segments_across ? kSegmentColumns + 1 : kSegmentColumns;
      std::uint32_t four = 0;
      if (row > 0 && row <= Shape::kHeight && line < a.height)
#pragma unroll
        for (int b = 0; b < 4; ++b) {
          const int at = word - 7 + b, column = kSegmentColumns * across + at;
          if (at >= 0 && at < behind && column < a.width)
            four |= std::uint32_t{scratch[(digit * a.height + line) * row_bytes + column]} << 8 * b;
        }
      uint2 *to = taps + all * Shape::kTaps + row * kWords + word;
      if (row + 1 < Shape::kTapRows) to->x = four;
      if (row > 0) to[-kWords].y = four;
    }
  }
}

template <class Shape>
__global__ void __launch_bounds__(Shape::kMostThreads, Shape::kBlocks)
    strip_kernel(const __grid_constant__ StripArgs<Shape> a) {
#if __CUDA_ARCH__ >= 10 * COALESCE_BULK_COPY_FROM
  wait_for_grid_before();
  COALESCE_DYNAMIC_SHARED(128, std::uint8_t, memory);
  StripShared<Shape> &shared = *reinterpret_cast<StripShared<Shape> *>(memory);
  int block = static_cast<int>(blockIdx.x), plane = 0;
#pragma unroll
  for (int i = 1; i < Shape::kPlanes; ++i)
    plane += block >= a.plane[i].first_block ? 1 : 0;
  const StripPlane &p = a.plane[plane];
  block -= p.first_block;
  const int band = divide(block, p.by_tiles_across), pixel = p.in.pixel;
  const int x = (block - band * p.tiles_across) * kUnitColumns * p.across, y = band * a.rows;
  const int start = (x - a.left) * pixel;  // the first byte that is needed
  const int tile_x = start & ~15, tile_y = y - a.above;
  const int rows = a.tile_rows();
  if (!Shape::kAnywhere && threadIdx.x == 0) {
    shared.arrived.init();
    fence_for_copies();
    shared.arrived.expect(rows * p.tile_pitch);
    shared.arrived.copy(shared.tile(), p.map, tile_x / p.element, tile_y);
  }
  if constexpr (Shape::kAnywhere)
    load_rows_anywhere(p.in, tile_x, tile_y, p.tile_pitch, rows, shared.tile(), p.tile_pitch);
  uint2 *taps = shared.taps(a.tile_bytes);
  place_taps(a, shared.out, taps);
  __syncthreads();
  const StripBands<Shape> bands(taps);
  if constexpr (!Shape::kAnywhere) shared.arrived.wait(0);
  fill_rim<Shape>(p.in, tile_x, tile_y, rows, a.behind * pixel, shared.tile(), p.tile_pitch);
  if constexpr (Shape::kSampleBytes == 1) {
    const MmaSamples &samples = a.samples[p.chroma & 1];
    if (pixel == 1 && x + kUnitColumns * static_cast<int>(threadIdx.x / 32) >= p.in.width) return;
    if (!Shape::kAnywhere && pixel == 1 && samples.way == MmaFinish::saturated &&
        x + kUnitColumns * static_cast<int>(threadIdx.x / 32 + 1) <= p.in.width) {
      compute_plain(a, p, shared, taps, bands, samples, x, y);
      return;
    }
  }
  const int first = start - tile_x;
  if constexpr (Shape::kSampleBytes == 1) {
    if (pixel == 2) split_rows<Shape, 2>(a, shared.tile(), first, rows);
    if (pixel == 3) split_rows<Shape, 3>(a, shared.tile(), first, rows);
  } else {
    if (pixel == 2) split_rows<Shape, 2>(a, shared.tile(), first, rows);
    if (pixel == 8) split_rows<Shape, 8>(a, shared.tile(), first, rows);
  }
  if (pixel == 4) split_rows<Shape, 4>(a, shared.tile(), first, rows);
  if (pixel > 1) __syncthreads();
  compute_channels(a, p, shared, taps, bands, pixel == 1 ? first : 0, pixel * x, y);
#endif
}

}  // namespace coalesce
