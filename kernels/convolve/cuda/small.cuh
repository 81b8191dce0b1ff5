// SPDX-License-Identifier: LGPL-2.1-or-later
// Small masks at 8 bits: up to 5 x 5 weights of 8 bits, four to a dot product. A thread loads all
// it needs at once, in wide accesses, and has neither a loop nor shared memory: so many loads are
// under way all the time. Dot products and multiplications share their units, which are the bound
// of five taps; for other instructions there is room.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../core/border.h"
#include "../../core/load.cuh"
#include "../../picture/byte_words.h"
#include "../../picture/runs.cuh"
#include "../finish.h"

namespace coalesce {

// What a thread takes: kPixels of each of kRows rows. It loads them, and what is around them, as
// words in registers.
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

// border_position() for positions outside by less than the size, without branches or a division.
// Constant: some position inside.
struct NearBorder {
  int slope, before, behind, size;

  COALESCE_HOST_DEVICE int operator()(int position) const {
    if (position < 0) return slope * position + before;
    return position < size ? position : slope * position + behind;
  }
};

inline NearBorder near_border(Border border, int size) {
  switch (border) {
    case Border::reflect:
      return {-1, -1, 2 * size - 1, size};
    case Border::reflect_101:
      return {-1, 0, 2 * size - 2, size};
    case Border::wrap:
      return {1, size, -size, size};
    default:
      return {0, 0, size - 1, size};
  }
}

struct SmallPlane {
  const std::uint8_t *in;
  std::uint8_t *out;
  int in_pitch, out_pitch;
  int width;        // pixels, at least 8
  NearBorder rows;  // their number is at least 8
  int channels;
  int first_block;  // of the launch
  // Threads take chunks `first_chunk` to `last_chunk` of a row, which are whole; what remains of
  // it, the rim, goes byte by byte to the blocks from rim_block on (counted from first_block).
  int first_chunk, last_chunk, blocks_across, rim_block;
  Divider<std::int32_t> by_blocks_across;
  Border border;
  std::uint32_t fill;    // constant border, by channels
  std::uint32_t copied;  // 4 channels: bits of a pixel that are not filtered
  unsigned chroma;       // a bit for each channel
};

// Copies a byte from word to word. Positions must be known when compiling.
template <int kWords>
__device__ __forceinline__ void put_byte(std::uint32_t (&to)[kWords], int byte, std::uint32_t from,
                                         int from_byte) {
  const int place = 4 * (byte % 4);
  to[byte / 4] =
      shuffle_bytes(to[byte / 4], from, (0x3210 & ~(0xf << place)) | (4 + from_byte) << place);
}

// Words `first` to `last` of a row whose word 0 is at `from`.
template <int kAlignment, int kWords>
__device__ __forceinline__ void load_row(const std::uint8_t *from, int first, int last,
                                         std::uint32_t (&to)[kWords]) {
#pragma unroll
  for (int i = first; i < last; ++i) {
    if (kAlignment == 4 || (last - first) % 2 != 0) {
      to[i] = load_global(reinterpret_cast<const unsigned *>(from) + i);
    } else if ((i - first) % 2 == 0) {
      const uint2 v = load_global(reinterpret_cast<const uint2 *>(from + 4 * i));
      to[i] = v.x;
      to[i + 1] = v.y;
    }
  }
}

// Words 0 to kWords - 1 of a row whose word 0 is at `from`, any address, from aligned words. Those
// before word kLeft may not be there, and are then something else.
template <int kLeft, int kWords>
__device__ __forceinline__ void load_row_shifted(const std::uint8_t *from, bool left,
                                                 std::uint32_t (&to)[kWords]) {
  const auto place = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from) & 3);
  const auto *aligned = reinterpret_cast<const std::uint32_t *>(from - place);
  std::uint32_t around[kWords + 1];
#pragma unroll
  for (int i = 0; i <= kWords; ++i)
    around[i] = load_global(aligned + (i < kLeft && !left ? kLeft : i));
#pragma unroll
  for (int i = 0; i < kWords; ++i)
    to[i] = __funnelshift_r(around[i], around[i + 1], 8 * place);
}

// The pixels on one side of the first or last ones of a row, from those that are there.
template <class Shape, bool kRight>
__device__ __forceinline__ void mirror_pixels(
    const SmallPlane &p, std::uint32_t (&words)[Shape::kRowsIn][Shape::kWords]) {
  constexpr int kEdge = kRight ? Shape::kPixels - 1 : 0;
  const auto put = [&](int i,
                       int offset) {  // the i-th outside is the edge or `offset` inside of it
    const int to = Shape::kHalo + (kRight ? kEdge + i : -i) * Shape::kChannels;
    const int from = Shape::kHalo + (kRight ? kEdge - offset : offset) * Shape::kChannels;
#pragma unroll
    for (int r = 0; r < Shape::kRowsIn; ++r)
#pragma unroll
      for (int c = 0; c < Shape::kChannels; ++c)
        if (offset < 0)
          put_byte(words[r], to + c, p.fill, c);
        else
          put_byte(words[r], to + c, words[r][(from + c) / 4], (from + c) % 4);
  };
#pragma unroll
  for (int i = 1; i <= Shape::kReach; ++i) {
    if (p.border == Border::replicate)
      put(i, 0);
    else if (p.border == Border::reflect)
      put(i, i - 1);
    else if (p.border == Border::reflect_101)
      put(i, i);
    else
      put(i, -1);
  }
}

// All rows of a thread, as words from kHalo bytes left of pixel x on; y may be above the picture.
// Bytes that no tap reaches are undefined.
template <class Shape, bool kAligned>
__device__ __forceinline__ void load_small(const SmallPlane &p, int x, int y,
                                           std::uint32_t (&words)[Shape::kRowsIn][Shape::kWords]) {
  constexpr int kChannels = Shape::kChannels, kRowsIn = Shape::kRowsIn;
  const int start = x * kChannels - Shape::kHalo;
  const bool left = start >= 0;
  const bool right = !kAligned || start + 4 * Shape::kWords <= p.width * kChannels;
  const bool rows_inside = y >= 0 && y + kRowsIn <= p.rows.size;
  const auto load = [&](const std::uint8_t *from, int r) {
    if constexpr (kAligned) {
      if (left) load_row<Shape::kAlignment>(from, 0, Shape::kLeft, words[r]);
      load_row<Shape::kAlignment>(from, Shape::kLeft, Shape::kRight, words[r]);
      if (right) load_row<Shape::kAlignment>(from, Shape::kRight, Shape::kWords, words[r]);
    } else {
      load_row_shifted<Shape::kLeft>(from, left, words[r]);
    }
  };
  if (rows_inside) {
    const std::uint8_t *from = p.in + std::int64_t{y} * p.in_pitch + start;
#pragma unroll
    for (int r = 0; r < kRowsIn; ++r, from += p.in_pitch)
      load(from, r);
  } else {
#pragma unroll
    for (int r = 0; r < kRowsIn; ++r) {
      // Only the first rows may be above the picture, only the last ones below.
      const bool near = r < kRowsIn - Shape::kRows || r >= Shape::kRows;
      const int row = near ? p.rows(y + r) : y + r;
      load(p.in + std::int64_t{row} * p.in_pitch + start, r);
    }
  }
  if (!left) mirror_pixels<Shape, false>(p, words);
  if (!right) mirror_pixels<Shape, true>(p, words);
  if (!rows_inside && p.border == Border::constant) {
#pragma unroll
    for (int r = 0; r < kRowsIn; ++r) {
      if (y + r >= 0 && y + r < p.rows.size) continue;
#pragma unroll
      for (int i = 0; i < 4 * Shape::kWords; ++i)
        put_byte(words[r], i, p.fill, (i - Shape::kHalo + 4 * kChannels) % kChannels);
    }
  }
}

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
// lanes: those that have such a chunk, of planes that are not aligned; last: of them, this one.
template <int kChannels, int kTaps, SmallFinish kFinish, bool kAligned>
__device__ __forceinline__ void small_chunk(const SmallArgs &a, const SmallPlane &p, int x,
                                            int band, unsigned lanes, bool last) {
  using Shape = SmallShape<kChannels, kTaps>;
  const int y = min(band * Shape::kRows, p.rows.size - Shape::kRows);
  std::uint32_t words[Shape::kRowsIn][Shape::kWords];
  load_small<Shape, kAligned>(p, x, y - a.above, words);
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
    if constexpr (kAligned)
      store_row(to, out);
    else
      store_shifted(to, out, lanes, threadIdx.x % 32 == 0, last);
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
    *to = load_global(p.in + std::int64_t{y} * p.in_pitch + at);
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
          min(row, pixel) < 0 ? p.fill >> 8 * c & 0xff : load_global(from + pixel * kChannels);
      sum += a.weights[j][i] * static_cast<int>(v);
    }
  }
  const bool chroma = p.chroma >> c & 1;
  *to = static_cast<std::uint8_t>(finish_sum(a.rim, chroma ? a.rim.chroma : a.rim.level, sum));
}

template <int kChannels, int kTaps, SmallFinish kFinish, bool kAligned>
__device__ __forceinline__ void small_block(const SmallArgs &a, const SmallPlane &p, int block) {
  if (block >= p.rim_block) {
    small_rim<kChannels, kTaps>(a, p, (block - p.rim_block) * kSmallThreads + threadIdx.x);
    return;
  }
  const int band = divide(block, p.by_blocks_across);
  const int chunk = (block - band * p.blocks_across) * kSmallThreads + threadIdx.x + p.first_chunk;
  const unsigned lanes = kAligned ? 0 : __ballot_sync(~0u, chunk < p.last_chunk);
  if (chunk < p.last_chunk)
    small_chunk<kChannels, kTaps, kFinish, kAligned>(
        a, p, chunk * SmallShape<kChannels, kTaps>::kPixels, band, lanes,
        threadIdx.x % 32 == 31 || chunk + 1 == p.last_chunk);
}

}  // namespace coalesce
