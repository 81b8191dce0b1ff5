// SPDX-License-Identifier: LGPL-2.1-or-later
// What a thread of the kernel for small masks loads: some pixels of some rows and what stands
// around them, as words in registers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../core/border.h"
#include "../finish.h"
#include "byte_words.h"

namespace coalesce {

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
      to[i] = __ldg(reinterpret_cast<const unsigned *>(from) + i);
    } else if ((i - first) % 2 == 0) {
      const uint2 v = __ldg(reinterpret_cast<const uint2 *>(from + 4 * i));
      to[i] = v.x;
      to[i + 1] = v.y;
    }
  }
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
template <class Shape>
__device__ __forceinline__ void load_small(const SmallPlane &p, int x, int y,
                                           std::uint32_t (&words)[Shape::kRowsIn][Shape::kWords]) {
  constexpr int kChannels = Shape::kChannels, kRowsIn = Shape::kRowsIn;
  const int start = x * kChannels - Shape::kHalo;
  const bool left = start >= 0;
  const bool right = start + 4 * Shape::kWords <= p.width * kChannels;
  const bool rows_inside = y >= 0 && y + kRowsIn <= p.rows.size;
  const auto load = [&](const std::uint8_t *from, int r) {
    if (left) load_row<Shape::kAlignment>(from, 0, Shape::kLeft, words[r]);
    load_row<Shape::kAlignment>(from, Shape::kLeft, Shape::kRight, words[r]);
    if (right) load_row<Shape::kAlignment>(from, Shape::kRight, Shape::kWords, words[r]);
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

}  // namespace coalesce
