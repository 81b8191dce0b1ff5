// SPDX-License-Identifier: LGPL-2.1-or-later
// Small masks at 8 bits: up to 5 x 5 weights of 8 bits, four to a dot product. A thread loads all
// it needs at once, in wide accesses, and has neither a loop nor shared memory: what the memory
// takes longest for is under way from the first instructions on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../core/border.h"
#include "convolve_finish.h"
#include "convolve_simd.h"

namespace coalesce {

constexpr int kSmallThreads = 128;  // of a block, along the row

// What a thread takes: kPixels of each of kRows rows.
template <int kChannelCount, int kTaps>
struct SmallShape {
  static constexpr int kChannels = kChannelCount;
  static constexpr int kPixels = kChannels == 1 ? 8 : kChannels == 4 ? 2 : 4;
  static constexpr int kRows = kTaps == 5 && kChannels > 2 ? 4 : 8;
  static constexpr int kBytes = kPixels * kChannels;
  static constexpr int kReach = kTaps / 2;                          // pixels to either side
  static constexpr int kHalo = (kReach * kChannels + 3) / 4 * 4;    // bytes to either side
  static constexpr int kWords = (kBytes + 2 * kHalo) / 4;           // of a row, as loaded
  static constexpr int kLeft = kHalo / 4, kRight = kWords - kLeft;  // the middle ones of them
  static constexpr int kRowsIn = kRows + kTaps - 1;
  static constexpr int kAlignment = kChannels == 3 ? 4 : 8;  // of its accesses
};

// border_position() for positions at most 8 outside, without a branch or division.
struct NearBorder {
  int slope, before, behind;
};

inline NearBorder near_border(Border border, int size) {
  switch (border) {
    case Border::reflect:
      return {-1, -1, 2 * size - 1};
    case Border::reflect_101:
      return {-1, 0, 2 * size - 2};
    case Border::wrap:
      return {1, size, -size};
    default:  // constant: any position, its sample is replaced
      return {0, 0, size - 1};
  }
}

struct SmallPlane {
  const std::uint8_t *in;
  std::uint8_t *out;
  int in_pitch, out_pitch;
  int width, height;  // pixels, rows
  int channels;
  int first_block;  // of the launch
  int blocks_across;
  Divider<std::int32_t> by_blocks_across;
  NearBorder columns, rows;
  std::uint32_t fill;    // constant border, by channels
  std::uint32_t copied;  // 4 channels: bits of a pixel that are not filtered; above = kTaps / 2
  Finish<std::int32_t>::Offsets offsets[4];
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
  int planes;
  int above;
  bool constant;  // border
  ByteFinish finish;
  Finish<std::int32_t> general;
};

// Words `first` to `last` of a row that starts at `from`, 4 * kWords bytes apart from `to`.
template <int kAlignment, int kWords>
__device__ __forceinline__ void load_row(const std::uint8_t *from, int first, int last,
                                         std::uint32_t (&to)[kWords]) {
#pragma unroll
  for (int i = first; i < last; ++i) {
    if (kAlignment == 4 || (last - first) % 2 != 0) {
      to[i] = __ldg(reinterpret_cast<const unsigned *>(from) + i);
    } else if ((i - first) % 2 == 0) {
      const uint2 v = __ldg(reinterpret_cast<const uint2 *>(from + 4 * i));
      to[i] = v.x;
      to[i + 1] = v.y;
    }
  }
}

// Byte `byte` of a row of words.
template <int kWords>
__device__ __forceinline__ void put_byte(std::uint32_t (&words)[kWords], int byte,
                                         std::uint32_t value) {
  const std::uint32_t selectors[4] = {0x3214, 0x3240, 0x3410, 0x4210};
  words[byte / 4] = shuffle_bytes(words[byte / 4], value, selectors[byte % 4]);
}

// One row where something of it lies outside, or is not aligned.
template <class Shape>
__device__ __forceinline__ void load_rim_row(const SmallPlane &p, bool constant, int x, int y,
                                             int r, std::uint32_t (&words)[Shape::kWords]) {
  constexpr int kPixels = Shape::kPixels, kReach = Shape::kReach, kChannels = Shape::kChannels;
  // Only the first rows may be above the picture, only the last ones below.
  const bool above = r < Shape::kRowsIn - Shape::kRows && y + r < 0;
  const bool below = r >= Shape::kRows && y + r >= p.height;
  int at = y + r;
  if (above) at = p.rows.slope * at + p.rows.before;
  if (below) at = p.rows.slope * at + p.rows.behind;
  const std::uint8_t *row = p.in + std::int64_t{at} * p.in_pitch;
  if (x * kChannels % Shape::kAlignment == 0) {
    load_row<Shape::kAlignment>(row + x * kChannels - Shape::kHalo, Shape::kLeft, Shape::kRight,
                                words);
  } else {
#pragma unroll
    for (int i = 0; i < Shape::kBytes; ++i)
      put_byte(words, Shape::kHalo + i, __ldg(row + x * kChannels + i));
  }
#pragma unroll
  for (int i = -kReach; i < kPixels + kReach; ++i) {
    if (i >= 0 && i < kPixels) continue;
    int pixel = x + i;
    if (i < 0 && pixel < 0) pixel = p.columns.slope * pixel + p.columns.before;
    if (i > 0 && pixel >= p.width) pixel = p.columns.slope * pixel + p.columns.behind;
    const bool fill = constant && pixel != x + i;
#pragma unroll
    for (int c = 0; c < kChannels; ++c)
      put_byte(words, Shape::kHalo + i * kChannels + c,
               fill ? p.fill >> 8 * c : __ldg(row + pixel * kChannels + c));
  }
  if (constant && (above || below)) {
#pragma unroll
    for (int i = 0; i < 4 * Shape::kWords; ++i)
      put_byte(words, i, p.fill >> 8 * ((i - Shape::kHalo + 4 * kChannels) % kChannels));
  }
}

// The rows a thread needs, as words from kHalo bytes left of pixel x on. Bytes that no tap reaches
// are undefined.
template <class Shape>
__device__ __forceinline__ void load_small(const SmallPlane &p, bool constant, int x, int y,
                                           std::uint32_t (&words)[Shape::kRowsIn][Shape::kWords]) {
  const int first = x * Shape::kChannels - Shape::kHalo;
  const bool inside = first >= 0 && first + 4 * Shape::kWords <= p.width * Shape::kChannels &&
                      y >= 0 && y + Shape::kRowsIn <= p.height &&
                      first % Shape::kAlignment == Shape::kHalo % Shape::kAlignment;
  const std::uint8_t *from = p.in + std::int64_t{y} * p.in_pitch + first;
  if (inside) {
#pragma unroll
    for (int r = 0; r < Shape::kRowsIn; ++r, from += p.in_pitch) {
      load_row<Shape::kAlignment>(from, 0, Shape::kLeft, words[r]);
      load_row<Shape::kAlignment>(from, Shape::kLeft, Shape::kRight, words[r]);
      load_row<Shape::kAlignment>(from, Shape::kRight, Shape::kWords, words[r]);
    }
  } else {
#pragma unroll
    for (int r = 0; r < Shape::kRowsIn; ++r)
      load_rim_row<Shape>(p, constant, x, y, r, words[r]);
  }
}

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

// The sample, uppermost in a word.
template <bool kGeneral>
__device__ __forceinline__ std::uint32_t small_sample(const SmallArgs &a,
                                                      const Finish<std::int32_t>::Offsets &offsets,
                                                      int sum) {
  if (kGeneral) return static_cast<std::uint32_t>(finish_sum(a.general, offsets, sum)) << 24;
  return finish_byte(a.finish, sum, offsets.before + offsets.after);
}

__device__ __forceinline__ void store_row(std::uint8_t *to, const std::uint32_t (&words)[2]) {
  __stcs(reinterpret_cast<uint2 *>(to), make_uint2(words[0], words[1]));
}

__device__ __forceinline__ void store_row(std::uint8_t *to, const std::uint32_t (&words)[3]) {
#pragma unroll
  for (int i = 0; i < 3; ++i)
    __stcs(reinterpret_cast<unsigned *>(to) + i, words[i]);
}

// A thread's part. The last ones of a row and of a column move back to lie inside the picture.
template <int kChannels, int kTaps, bool kGeneral>
__device__ __forceinline__ void small_rows(const SmallArgs &a, const SmallPlane &p, int block) {
  using Shape = SmallShape<kChannels, kTaps>;
  constexpr int kBytes = Shape::kBytes;
  const int band = divide(block, p.by_blocks_across);
  const int chunk = (block - band * p.blocks_across) * kSmallThreads + threadIdx.x;
  if (chunk * Shape::kPixels >= p.width) return;
  const int x = min(chunk * Shape::kPixels, p.width - Shape::kPixels);
  const int y = min(band * Shape::kRows, p.height - Shape::kRows);
  std::uint32_t words[Shape::kRowsIn][Shape::kWords];
  load_small<Shape>(p, a.constant, x, y - a.above, words);
  std::uint32_t out[Shape::kRows][kBytes / 4];
#pragma unroll
  for (int r = 0; r < Shape::kRows; ++r) {
#pragma unroll
    for (int w = 0; w < kBytes / 4; ++w) {
      std::uint32_t sample[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int pixel = (4 * w + i) / kChannels, c = (4 * w + i) % kChannels;
        sample[i] = small_sample<kGeneral>(a, p.offsets[c],
                                           small_sum<Shape, kTaps>(words, a.mask, r, pixel, c));
      }
      out[r][w] = top_bytes(sample[0], sample[1], sample[2], sample[3]);
      if (kChannels == 4) {
        const std::uint32_t in = words[r + kTaps / 2][Shape::kLeft + w];
        out[r][w] = (out[r][w] & ~p.copied) | (in & p.copied);
      }
    }
  }
  std::uint8_t *to = p.out + std::int64_t{y} * p.out_pitch + x * kChannels;
  if (x * kChannels % Shape::kAlignment == 0) {
#pragma unroll
    for (int r = 0; r < Shape::kRows; ++r, to += p.out_pitch)
      store_row(to, out[r]);
  } else {
#pragma unroll
    for (int r = 0; r < Shape::kRows; ++r, to += p.out_pitch)
      for (int i = 0; i < kBytes; ++i)
        to[i] = static_cast<std::uint8_t>(out[r][i / 4] >> 8 * (i % 4));
  }
}

}  // namespace coalesce
