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

#include "../../../core/grid_order.cuh"
#include "../../../core/ptx.cuh"
#include "sparse_shape.cuh"
#include "sparse_strip.cuh"

namespace coalesce {

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

// The sums of a group of rows of output. `b` describes their first pair of rows of input, `ring`
// the first of the ring.
template <class Shape>
__device__ __forceinline__ void start_group(const SparseBands<Shape> &bands, std::uint32_t ring,
                                            std::uint32_t b, int (&sums)[32]) {
  start_products();
#pragma unroll
  for (int i = 0; i < Shape::kPairs; ++i) {
    multiply_sparse<Shape::kSigned>(sums, bands.a[i], sparse_operand(b), bands.places, i > 0);
    b += Shape::kPairPitch / 16;
    if (b == ring + Shape::kRingBytes / 16) b = ring;
  }
  end_products();
}

// From a group's sums to samples, as store_transposed() takes them: with one digit, words[i] is of
// the positions 32 * i on. With two it is of group i: of each 16 bytes 8 belong to a position and
// 8, between them, to that 32 further on.
template <class Shape>
__device__ __forceinline__ void finish_group(const MmaOutput &out, const int (&sums)[32], int group,
                                             std::uint32_t (&words)[2][4]) {
  if constexpr (Shape::kDigits == 1) {
    finish_words(
        out, [&](int half, int w, int i) { return sums[16 * half + 4 * w + i % 2 * 2 + i / 2]; },
        words);
  } else {
    const auto sum = [&](int, int w, int i) {
      const int *lower = sums + 4 * w + i % 2 * 16 + i / 2;
      return lower[0] + 256 * lower[2];
    };
    finish_words(out, sum, reinterpret_cast<std::uint32_t(&)[1][4]>(words[group]));
  }
}

// Where a lane stores: 16 bytes, and 16 half a strip further on, of one row of a step.
template <class Shape>
struct SparseStore {
  static constexpr int kHalf = 32 * kBandBytes;

  const SparseArgs<Shape> &a;
  int warp, lane;
  int x, y;
  std::uint8_t *to;

  __device__ __forceinline__ SparseStore(const SparseArgs<Shape> &a, int x_first, int y_first,
                                         int warp)
      : a(a), warp(warp), lane(threadIdx.x % 32), x(x_first + lane * kBandBytes) {
    y = y_first + (Shape::kDigits == 1 ? warp : warp % 2 * Shape::kGroupRows + warp / 2);
    to = a.out.data + static_cast<std::size_t>(y) * a.out.pitch + x;
  }

  // The samples of a step, and on to the next one.
  __device__ __forceinline__ void store(
      const std::uint8_t (&samples)[kStepRows][Shape::kRawBytes]) {
    std::uint32_t words[2][4];
    if constexpr (Shape::kDigits == 1) {
      __syncwarp();
      load(samples[warp], words[0]);
      load(samples[warp] + kHalf, words[1]);
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
    }
    if (y < a.in.height) {
      if (a.plain)
        store_plain(words);
      else
        store_any(words);
    }
    y += kStepRows;
    to += kStepRows * a.out.pitch;
  }

 private:
  __device__ __forceinline__ void store_plain(const std::uint32_t (&words)[2][4]) const {
#pragma unroll
    for (int i = 0; i < 2; ++i)
      if (x + kHalf * i < a.in.width)
        __stcs(reinterpret_cast<uint4 *>(to + kHalf * i),
               make_uint4(words[i][0], words[i][1], words[i][2], words[i][3]));
  }

  __device__ __forceinline__ void store_any(std::uint32_t (&words)[2][4]) const {
#pragma unroll
    for (int i = 0; i < 2; ++i)
      if (x + kHalf * i < a.in.width) store_16(a.out, a.in, x + kHalf * i, y, words[i]);
  }

  __device__ __forceinline__ void load(const std::uint8_t *from, std::uint32_t (&words)[4]) const {
    const uint4 v = *reinterpret_cast<const uint4 *>(from + lane * kBandBytes);
    words[0] = v.x, words[1] = v.y, words[2] = v.z, words[3] = v.w;
  }
};

template <class Shape>
__global__ void __launch_bounds__(Shape::kThreads, Shape::kBlocks)
    sparse_kernel(const __grid_constant__ SparseArgs<Shape> a) {
  wait_for_grid_before();
  COALESCE_DYNAMIC_SHARED(16, uint4, memory);
  auto &shared = *static_cast<SparseShared<Shape> *>(same_in_all_lanes(memory));
  const int warp = __shfl_sync(0xffffffff, threadIdx.x / 32, 0);
  const int x = blockIdx.x * Shape::kColumns, y = blockIdx.y * a.rows;
  const int steps = (min(a.rows, a.in.height - y) + kStepRows - 1) / kStepRows;
  const int fours = steps - 1 + Shape::kAhead;
  if (threadIdx.x < Shape::kStages * kStepRows) (&shared.arrived[0][0])[threadIdx.x].init();
  fence_for_copies();
  __syncthreads();
  SparseStrip<Shape> strip(a, x - a.left, y - a.above - 2 * Shape::kFirstPair, warp, shared);
#pragma unroll 1
  for (int four = 0; four < Shape::kStages; ++four) {
    strip.load(four);
    strip.add_rim(four);
  }
  const SparseBands<Shape> bands(
      a, reinterpret_cast<std::uint32_t(&)[Shape::kDigits][Shape::kHeight][Shape::kTapWords]>(
             shared.ring));
  int four = 0;
#pragma unroll 1
  for (; four < Shape::kAhead; ++four) {
    strip.place(four % 2, four / 2 % 2, 2 * four * Shape::kPairPitch);
    fence_for_copies();
    __syncthreads();  // also: warps may be at the same place of the ring, one after the other
    if (four + Shape::kStages >= fours) continue;
    strip.load(four % 2);
    strip.add_rim(four % 2);
  }

  constexpr int kStepPitch = kStepRows / 2 * Shape::kPairPitch;
  const std::uint32_t ring = sparse_address(shared_address(shared.ring), Shape::kTermPitch);
  std::uint32_t b = ring + Shape::kFirstPair * Shape::kPairPitch / 16;
  int next = Shape::kAhead * kStepPitch % Shape::kRingBytes;
  SparseStore<Shape> output(a, x, y, warp);
#pragma unroll 1
  for (int last = four + steps - 1;; ++four) {
    const auto start = [&](int group, int(&sums)[32]) {
      const std::uint32_t first = b + group * (Shape::kGroupRows / 2) * (Shape::kPairPitch / 16);
      start_group(bands, ring,
                  first < ring + Shape::kRingBytes / 16 ? first : first - Shape::kRingBytes / 16,
                  sums);
    };
    const auto place = [&] {
      if (four < fours) strip.place(four % 2, four / 2 % 2, next);
    };
    std::uint32_t words[2][4];
    if constexpr (Shape::kEarly) {
      int sums[Shape::kGroups][32];
#pragma unroll
      for (int group = 0; group < Shape::kGroups; ++group)
        start(group, sums[group]);
      strip.add_rim((four + 1) % 2);
      place();
#pragma unroll
      for (int group = 0; group < Shape::kGroups; ++group) {
        if (group + 1 < Shape::kGroups)
          wait_for_products<1>(sums[group]);
        else
          wait_for_products<0>(sums[group]);
        finish_group<Shape>(a.out, sums[group], group, words);
      }
    } else {
#pragma unroll
      for (int group = 0; group < Shape::kGroups; ++group) {
        int sums[32];
        start(group, sums);
        if (group == 0) strip.add_rim((four + 1) % 2);
        wait_for_products<0>(sums);
        if (group + 1 == Shape::kGroups) {
          __syncthreads();
          place();
        }
        finish_group<Shape>(a.out, sums, group, words);
      }
    }
    auto &samples = shared.raw[four % 2];
    const std::uint32_t to = shared_address(samples[warp] + threadIdx.x % 32 * kBandBytes);
    store_transposed(to, words[0]);
    store_transposed(to + 32 * kBandBytes, words[1]);
    // The next four rows are in the ring, and those that this step began with may go.
    fence_for_copies();
    output.store(samples);
    if (four == last) return;
    __syncthreads();
    if (four + Shape::kStages < fours) strip.load(four % 2);
    if ((b += kStepPitch / 16) >= ring + Shape::kRingBytes / 16) b -= Shape::kRingBytes / 16;
    if ((next += kStepPitch) >= Shape::kRingBytes) next -= Shape::kRingBytes;
  }
}

}  // namespace coalesce
