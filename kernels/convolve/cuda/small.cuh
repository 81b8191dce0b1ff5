// SPDX-License-Identifier: LGPL-2.1-or-later
// Small masks at 8 bits: up to 5 x 5 weights of 8 bits, four to a dot product. A thread loads all
// it needs at once, in wide accesses, and has neither a loop nor shared memory: so many loads are
// under way all the time. Dot products and multiplications share their units, which are the bound
// of five taps; for other instructions there is room.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../finish.h"
#include "byte_words.h"
#include "small_load.cuh"

namespace coalesce {

constexpr int kSmallThreads = 128;  // of a block, along the row

// How samples are made of sums.
enum class SmallFinish : std::uint8_t {
  byte,        // a byte of the sum: the mask has been multiplied so that it divides by 1 or 256
  multiplied,  // by ByteFinish
  absolute,    // the absolute value by ByteFinish
};

// The mask as dot products want it, in a square of 3 or 5 taps, zeros where it has none.
//   3  words[row][i]: the row's three weights from byte i on
//   5  words[row][0]: its first four weights. The fifth ones of all rows stand one below the other
//      in two words: words[i][1] from byte i on, words[i][2] what did not fit.
struct SmallMask {
  std::uint32_t words[5][3];
};

struct SmallArgs {
  SmallPlane plane[4];
  SmallMask mask;
  std::int8_t weights[5][5];  // the same, one by one
  int above;
  std::uint32_t byte;  // SmallFinish::byte: which, as a selector of same_bytes()
  ByteFinish finish;
  int level_before, level_after, chroma_before, chroma_after;  // only `absolute` has two
  Finish<std::int32_t> rim;
};

// The sum of pixel i, channel c of output row y, from the words of all rows.
template <class Shape, int kTaps>
__device__ __forceinline__ int small_sum(
    const std::uint32_t (&words)[Shape::kRowsIn][Shape::kWords], const SmallMask &mask, int y,
    int i, int c) {
  int sum = 0;
  constexpr int kChannels = Shape::kChannels;
  const auto from = [&](int row, int pixel) {
    return gather_bytes(words[row], Shape::kHalo + pixel * kChannels + c, kChannels);
  };
  if constexpr (kTaps == 3) {
    // Four pixels serve two sums. One or two channels come cheapest from an even pixel on.
    const bool second = (i % 2 == 0) == (kChannels <= 2);
#pragma unroll
    for (int j = 0; j < 3; ++j)
      sum = dot4(from(y + j, i - 1 - second), mask.words[j][second], sum);
    return sum;
  } else {
#pragma unroll
    for (int j = 0; j < 5; ++j)
      sum = dot4(from(y + j, i - 2), mask.words[j][0], sum);
    // Four columns at a time are turned into words, those right of the centre ones.
    constexpr int kLast = Shape::kPixels - 2;
    const int column = i / 4 * 4 + 2 < kLast ? i / 4 * 4 + 2 : kLast;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = y / 4 * 4 + 4 * half;
      sum = dot4(column_bytes(from(row, column), from(row + 1, column), from(row + 2, column),
                              from(row + 3, column), i + 2 - column),
                 mask.words[y % 4][1 + half], sum);
    }
    return sum;
  }
}

// The sample is the byte of the result that the finish says.
template <SmallFinish kFinish>
__device__ __forceinline__ std::uint32_t small_sample(const ByteFinish &f, int before, int after,
                                                      int sum) {
  if (kFinish == SmallFinish::absolute) return finish_byte(f, abs(sum + before), after);
  if (kFinish == SmallFinish::multiplied) return finish_byte(f, sum, after);
  return static_cast<std::uint32_t>(clamp_sum(f, sum, after));
}

__device__ __forceinline__ void store_row(std::uint8_t *to, const std::uint32_t (&words)[2]) {
  __stcs(reinterpret_cast<uint2 *>(to), make_uint2(words[0], words[1]));
}

__device__ __forceinline__ void store_row(std::uint8_t *to, const std::uint32_t (&words)[3]) {
#pragma unroll
  for (int i = 0; i < 3; ++i)
    __stcs(reinterpret_cast<unsigned *>(to) + i, words[i]);
}

// Pixels x on of some rows. The last thread of a column moves up to lie inside the picture.
template <int kChannels, int kTaps, SmallFinish kFinish>
__device__ __forceinline__ void small_chunk(const SmallArgs &a, const SmallPlane &p, int x,
                                            int band) {
  using Shape = SmallShape<kChannels, kTaps>;
  const int y = min(band * Shape::kRows, p.rows.size - Shape::kRows);
  std::uint32_t words[Shape::kRowsIn][Shape::kWords];
  load_small<Shape>(p, x, y - a.above, words);
  int before[kChannels], after[kChannels];
#pragma unroll
  for (int c = 0; c < kChannels; ++c) {
    const bool chroma = p.chroma >> c & 1;
    before[c] = chroma ? a.chroma_before : a.level_before;
    after[c] = chroma ? a.chroma_after : a.level_after;
  }
  std::uint8_t *to = p.out + std::int64_t{y} * p.out_pitch + x * kChannels;
#pragma unroll
  for (int r = 0; r < Shape::kRows; ++r, to += p.out_pitch) {
    std::uint32_t out[Shape::kBytes / 4];
#pragma unroll
    for (int w = 0; w < Shape::kBytes / 4; ++w) {
      std::uint32_t samples[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int pixel = (4 * w + i) / kChannels, c = (4 * w + i) % kChannels;
        samples[i] = small_sample<kFinish>(a.finish, before[c], after[c],
                                           small_sum<Shape, kTaps>(words, a.mask, r, pixel, c));
      }
      out[w] = same_bytes(samples, kFinish == SmallFinish::byte ? a.byte : kTopByte);
      if (kChannels == 4) {
        const std::uint32_t in = words[r + kTaps / 2][Shape::kLeft + w];
        out[w] = (out[w] & ~p.copied) | (in & p.copied);
      }
    }
    store_row(to, out);
  }
}

// Byte `byte` of the rim, counted through all rows.
template <int kChannels, int kTaps>
__device__ __forceinline__ void small_rim(const SmallArgs &a, const SmallPlane &p, int byte) {
  constexpr int kBytes = SmallShape<kChannels, kTaps>::kBytes;
  const int before = p.first_chunk * kBytes, behind = p.width * kChannels - p.last_chunk * kBytes;
  const int y = byte / (before + behind);
  int at = byte - y * (before + behind);
  if (y >= p.rows.size) return;
  if (at >= before) at += (p.last_chunk - p.first_chunk) * kBytes;
  const int c = at % kChannels, x = at / kChannels;
  std::uint8_t *to = p.out + std::int64_t{y} * p.out_pitch + at;
  if (p.copied >> 8 * c & 1) {
    *to = __ldg(p.in + std::int64_t{y} * p.in_pitch + at);
    return;
  }
  int sum = 0;
#pragma unroll 1
  for (int j = 0; j < kTaps; ++j) {
    const int row = border_position(p.border, y + j - a.above, p.rows.size);
    const std::uint8_t *from = p.in + std::int64_t{max(row, 0)} * p.in_pitch + c;
#pragma unroll 1
    for (int i = 0; i < kTaps; ++i) {
      const int pixel = border_position(p.border, x + i - kTaps / 2, p.width);
      const std::uint32_t v =
          min(row, pixel) < 0 ? p.fill >> 8 * c & 0xff : __ldg(from + pixel * kChannels);
      sum += a.weights[j][i] * static_cast<int>(v);
    }
  }
  const bool chroma = p.chroma >> c & 1;
  *to = static_cast<std::uint8_t>(finish_sum(a.rim, chroma ? a.rim.chroma : a.rim.level, sum));
}

template <int kChannels, int kTaps, SmallFinish kFinish>
__device__ __forceinline__ void small_block(const SmallArgs &a, const SmallPlane &p, int block) {
  if (block >= p.rim_block) {
    small_rim<kChannels, kTaps>(a, p, (block - p.rim_block) * kSmallThreads + threadIdx.x);
    return;
  }
  const int band = divide(block, p.by_blocks_across);
  const int chunk = (block - band * p.blocks_across) * kSmallThreads + threadIdx.x + p.first_chunk;
  if (chunk < p.last_chunk)
    small_chunk<kChannels, kTaps, kFinish>(a, p, chunk * SmallShape<kChannels, kTaps>::kPixels,
                                           band);
}

}  // namespace coalesce
