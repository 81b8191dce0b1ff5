// SPDX-License-Identifier: LGPL-2.1-or-later
// Masks of up to 17 rows whose taps lie within 16 bytes of a row, of 8 or 16 bits, on 8-bit planes,
// on the sparse tensor cores of compute capability 9.0.
//
// 16 bytes of output side by side and the 32 of input from which a row of taps makes them are a
// band of a matrix. Of bytes j and j + 16 of input a byte of output needs only one, wherever it
// stands: with those two side by side, the band is sparse as the hardware wants it, two of each
// four, and half of the products are saved. What is packed is the row of taps itself, turned round
// by as much as the byte of output is to the right.
//
// One instruction multiplies such bands for several rows of output (A, in registers for good) with
// two rows of input at 64 positions 16 bytes apart (B). Input comes in rows by bulk copies, a
// warp's rows to its own place, and is interleaved from there into a ring of pairs of rows. A block
// walks down its strip by four rows of output, which is a step.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bulk_copy.cuh"
#include "mma_direct.cuh"
#include "sparse_instructions.cuh"

namespace coalesce {

constexpr int kStepRows = 4;  // of output, and of input that comes with a step
constexpr int kBandBytes = 16;

// Masks of kMaskRows rows, which is odd, or fewer.
template <int kDigitCount, bool kSignedDigits, int kMaskRows>
struct SparseShape {
  static constexpr int kDigits = kDigitCount, kHeight = kMaskRows;
  static constexpr bool kSigned = kSignedDigits;
  // A's rows are four rows of output, or with two digits two: then a step has two groups.
  static constexpr int kGroups = kDigits, kGroupRows = kStepRows / kGroups;
  static constexpr int kPairs = (kHeight + kGroupRows) / 2;     // of rows of input, of a group
  static constexpr int kStepPairs = (kHeight + kStepRows) / 2;  // of a step
  static constexpr int kRingPairs = kStepPairs + kStepRows / 2;
  // Steps begin in the ring behind so many pairs: input comes in fours of rows.
  static constexpr int kFirstPair = kStepPairs % 2;
  static constexpr int kAhead = (kStepPairs + 1) / 2;  // fours of rows of the first step
  static constexpr int kThreads = 128;
  static constexpr int kColumns = kGroupPositions * kBandBytes;  // of output
  static constexpr int kRawBytes = kColumns + 2 * kBandBytes;    // of a row of input
  // Of 16 terms of all columns. Halves of a band do not meet in a bank.
  static constexpr int kTermPitch = kColumns + 64;
  static constexpr int kPairPitch = 3 * kTermPitch + kColumns;
  static constexpr int kStages = 2;
  static constexpr int kTapWords = 8;
  static constexpr int kBlocks = kHeight <= 15 ? 4 : 3;  // of a multiprocessor
};

template <class Shape>
struct SparseArgs {
  TileSource in;
  MmaOutput out;
  int left, above;  // bytes and rows of input before the first output
  int right;        // bytes behind the last output
  int lead;         // bytes of a band before the first tap of its first output
  int rows;         // of a block, a multiple of kStepRows
  // By digit, the lower one first; byte by byte, zeros behind the last one.
  std::uint32_t taps[Shape::kDigits][Shape::kHeight][kBandBytes / 4];
};

template <class Shape>
struct alignas(128) SparseShared {
  std::uint8_t ring[Shape::kRingPairs * Shape::kPairPitch];
  // Of a warp: its row of input, and later output on its way to the lanes that store it.
  std::uint8_t raw[Shape::kStages][kStepRows][Shape::kRawBytes];
  BulkBarrier arrived[Shape::kStages][kStepRows];
};

// A, as a lane holds it. Rows g and g + 8 of a warp's are with one digit outputs 2 g and 2 g + 1 of
// the row of output of the warp's number; with two they are the digits of output g + 8 * (warp % 2)
// of row warp / 2.
template <class Shape>
struct SparseBands {
  std::uint32_t a[Shape::kPairs][4];
  std::uint32_t places;

  // taps: a place in shared memory to work in.
  __device__ __forceinline__
  SparseBands(const SparseArgs<Shape> &args,
              std::uint32_t (&taps)[Shape::kDigits][Shape::kHeight][Shape::kTapWords]) {
    constexpr int kWords = Shape::kTapWords;
#pragma unroll 1
    for (int i = threadIdx.x; i < Shape::kDigits * Shape::kHeight * kWords; i += Shape::kThreads)
      (&taps[0][0][0])[i] = (&args.taps[0][0][0])[i / kWords * 4 + i % 4];
    __syncthreads();
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
    const int line = Shape::kDigits == 1 ? warp : warp / 2;
    const auto first_tap = [&](int upper) {  // its byte in the band, as are that and the one + 16
      return args.lead + (Shape::kDigits == 1 ? 2 * g + upper : 8 * (warp % 2) + g);
    };
#pragma unroll
    for (int i = 0; i < 4 * Shape::kPairs; ++i) {
      const int upper = i % 2, row = i / 2 - line;
      const int turned = (4 * t - first_tap(upper)) & 15;
      std::uint32_t word = 0;
      if (row >= 0 && row < Shape::kHeight) {
        const std::uint32_t *from = &taps[Shape::kDigits == 1 ? 0 : upper][row][turned / 4];
        word = __funnelshift_r(from[0], from[1], 8 * (turned % 4));
      }
      a[i / 4][i % 4] = word;
    }
    const int first = first_tap(t % 2);
    places = 0;
#pragma unroll
    for (int j = 0; j < kBandBytes; ++j)
      places |= static_cast<std::uint32_t>(2 * (j % 2) + (j < first ? 1 : 0)) << 2 * j;
    __syncthreads();
  }
};

// A block's strip of input.
template <class Shape>
struct SparseStrip {
  const TileSource &s;
  int x, y;        // of the first byte that is needed; x is a multiple of 8
  int behind;      // columns that are needed end here
  int first, end;  // those that are copied
  SparseShared<Shape> &shared;

  __device__ __forceinline__ SparseStrip(const SparseArgs<Shape> &a, int x_out, int y_out,
                                         SparseShared<Shape> &shared)
      : s(a.in), x(x_out - a.left), y(y_out - a.above - 2 * Shape::kFirstPair), shared(shared) {
    behind = min(start() + Shape::kRawBytes, a.in.width + a.right);
    first = max(start(), 0);
    end = max(min(start() + Shape::kRawBytes, a.in.width & ~15), first);
  }

  __device__ __forceinline__ int start() const { return x & ~15; }

  // Starts the copies of four rows: each warp that of its own. All reads of what stood there are
  // over, and fenced.
  __device__ __forceinline__ void load(int four) const {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, stage = four % Shape::kStages;
    const int position = border_position(s.border, y + four * kStepRows + warp, s.height);
    std::uint8_t *raw = shared.raw[stage][warp];
    const std::uint8_t *row =
        position < 0 ? nullptr : s.data + static_cast<std::size_t>(position) * s.pitch;
    const int bytes = position < 0 ? 0 : end - first;
    if (lane == 0) {
      BulkBarrier &arrived = shared.arrived[stage][warp];
      arrived.expect(bytes);
      if (bytes > 0) arrived.copy(raw + (first - start()), row + first, bytes);
    }
    if (position >= 0 && first <= x && end >= behind) return;
    const auto fill = [&](int from, int to) {
#pragma unroll 1
      for (int i = from + lane; i < to; i += 32)
        raw[i - start()] = static_cast<std::uint8_t>(load_byte(s, row, i));
    };
    fill(x, position < 0 ? behind : min(first, behind));
    if (position >= 0) fill(end, behind);
  }

  // Brings a warp's row of four to the ring, interleaved: to `pair` and the next.
  __device__ __forceinline__ void place(int four, int pair) const {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, stage = four % Shape::kStages;
    shared.arrived[stage][warp].wait(four / Shape::kStages % 2);
    __syncwarp();
    const std::uint8_t *from = shared.raw[stage][warp] + (x - start()) + 8 * lane;
    pair += warp / 2;
    if (pair >= Shape::kRingPairs) pair -= Shape::kRingPairs;
    std::uint8_t *to = shared.ring + pair * Shape::kPairPitch +
                       (warp % 2 * 2 + lane % 2) * Shape::kTermPitch + lane / 2 * kBandBytes;
    uint2 low[4], high[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      low[i] = *reinterpret_cast<const uint2 *>(from + 256 * i);
      high[i] = *reinterpret_cast<const uint2 *>(from + 256 * i + kBandBytes);
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
      *reinterpret_cast<uint4 *>(to + 256 * i) = make_uint4(
          shuffle_bytes(low[i].x, high[i].x, 0x5140), shuffle_bytes(low[i].x, high[i].x, 0x7362),
          shuffle_bytes(low[i].y, high[i].y, 0x5140), shuffle_bytes(low[i].y, high[i].y, 0x7362));
  }
};

// The sums of a group of rows of output, whose input begins with `pair` of the ring.
template <class Shape>
__device__ __forceinline__ void start_group(const SparseBands<Shape> &bands, std::uint32_t ring,
                                            int pair, int (&sums)[32]) {
  start_products();
#pragma unroll
  for (int i = 0; i < Shape::kPairs; ++i) {
    const std::uint64_t b = sparse_operand(ring + pair * Shape::kPairPitch, Shape::kTermPitch);
    multiply_sparse<Shape::kSigned>(sums, bands.a[i], b, bands.places, i > 0);
    if (++pair == Shape::kRingPairs) pair = 0;
  }
  end_products();
}

// From sums to samples in shared memory: with one digit, a row as it is. With two, of each 16 bytes
// 8 belong to a position and 8, between them, to that 32 further on.
template <class Shape>
__device__ __forceinline__ void finish_group(const MmaOutput &out, const int (&sums)[32],
                                             std::uint8_t *to) {
  const std::uint32_t address = shared_address(to + threadIdx.x % 32 * kBandBytes);
  int fours[4][4];
  std::uint32_t words[4];
  if constexpr (Shape::kDigits == 1) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
      for (int i = 0; i < 16; ++i)
        fours[i / 4][i % 4] = sums[16 * half + i / 4 * 4 + i % 2 * 2 + i / 2 % 2];
      finish_words(out, fours, words);
      store_transposed(address + 32 * kBandBytes * half, words);
    }
  } else {
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      const int *lower = sums + i / 4 * 4 + i % 2 * 16 + i / 2 % 2;
      fours[i / 4][i % 4] = lower[0] + 256 * lower[2];
    }
    finish_words(out, fours, words);
    store_transposed(address, words);
  }
}

// Stores a warp's row of output, of the four from y on; x is that of the first.
template <class Shape>
__device__ __forceinline__ void store_row(
    const SparseArgs<Shape> &a, int x, int y,
    const std::uint8_t (&samples)[kStepRows][Shape::kRawBytes]) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  constexpr int kHalf = 32 * kBandBytes;
  std::uint32_t words[2][4];
  const auto load = [&](const std::uint8_t *from, std::uint32_t(&to)[4]) {
    const uint4 v = *reinterpret_cast<const uint4 *>(from + lane * kBandBytes);
    to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
  };
  if constexpr (Shape::kDigits == 1) {
    __syncwarp();
    load(samples[warp], words[0]);
    load(samples[warp] + kHalf, words[1]);
    y += warp;
  } else {
    // Two warps have half of each band, of two rows.
    const int other = warp / 2;
    sync_two_warps(other);
    std::uint32_t mixed[2][4];
    load(samples[2 * other] + warp % 2 * kHalf, mixed[0]);
    load(samples[2 * other + 1] + warp % 2 * kHalf, mixed[1]);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const std::uint32_t *two = mixed[i / 2] + i % 2 * 2;
      words[0][i] = shuffle_bytes(two[0], two[1], 0x6420);
      words[1][i] = shuffle_bytes(two[0], two[1], 0x7531);
    }
    y += warp % 2 * Shape::kGroupRows + other;
  }
  if (y >= a.in.height) return;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int at = x + kHalf * i + lane * kBandBytes;
    if (at < a.in.width) store_16(a.out, a.in, at, y, words[i]);
  }
}

template <class Shape>
__global__ void __launch_bounds__(Shape::kThreads, Shape::kBlocks)
    sparse_kernel(const __grid_constant__ SparseArgs<Shape> a) {
  extern __shared__ uint4 memory[];
  auto &shared = *reinterpret_cast<SparseShared<Shape> *>(memory);
  const int x = blockIdx.x * Shape::kColumns;
  int y = blockIdx.y * a.rows;
  const int steps = (min(a.rows, a.in.height - y) + kStepRows - 1) / kStepRows;
  const int fours = steps - 1 + Shape::kAhead;
  if (threadIdx.x < Shape::kStages * kStepRows) (&shared.arrived[0][0])[threadIdx.x].init();
  fence_for_copies();
  __syncthreads();
  const SparseStrip<Shape> strip(a, x, y, shared);
#pragma unroll
  for (int four = 0; four < Shape::kStages; ++four)
    strip.load(four);
  const SparseBands<Shape> bands(
      a, reinterpret_cast<std::uint32_t(&)[Shape::kDigits][Shape::kHeight][Shape::kTapWords]>(
             shared.ring));
#pragma unroll 1
  for (int four = 0; four < Shape::kAhead; ++four) {
    strip.place(four, 2 * four);
    fence_for_copies();
    __syncwarp();
    if (four + Shape::kStages < fours) strip.load(four + Shape::kStages);
  }
  __syncthreads();

  const std::uint32_t ring = shared_address(shared.ring);
  int pair = Shape::kFirstPair, next = 2 * Shape::kAhead % Shape::kRingPairs;
  int four = Shape::kAhead;
#pragma unroll 1
  for (int step = 0;; ++step) {
    int sums[Shape::kGroups][32];
#pragma unroll
    for (int group = 0; group < Shape::kGroups; ++group) {
      const int first = pair + group * Shape::kGroupRows / 2;
      start_group(bands, ring, first < Shape::kRingPairs ? first : first - Shape::kRingPairs,
                  sums[group]);
    }
    if (four < fours) strip.place(four, next);
    auto &samples = shared.raw[four % Shape::kStages];
#pragma unroll
    for (int group = 0; group < Shape::kGroups; ++group) {
      if (group + 1 < Shape::kGroups)
        wait_for_products<1>(sums[group]);
      else
        wait_for_products<0>(sums[group]);
      finish_group<Shape>(a.out, sums[group], samples[threadIdx.x / 32] + group * 32 * kBandBytes);
    }
    store_row(a, x, y + step * kStepRows, samples);
    if (step + 1 == steps) return;
    // The next four rows are in the ring, and those that this step began with may go.
    fence_for_copies();
    __syncthreads();
    if (four + Shape::kStages < fours) strip.load(four + Shape::kStages);
    ++four;
    if ((pair += kStepRows / 2) >= Shape::kRingPairs) pair -= Shape::kRingPairs;
    if ((next += kStepRows / 2) >= Shape::kRingPairs) next -= Shape::kRingPairs;
  }
}

}  // namespace coalesce
