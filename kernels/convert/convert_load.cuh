// SPDX-License-Identifier: LGPL-2.1-or-later
// Samples of a run of pixels out of memory, into slots.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../picture/runs.cuh"
#include "../picture/sample.cuh"
#include "convert_args.h"

namespace coalesce {

template <int kRun>
using Slots = int[4][kRun];

// Byte, field of sixteen bits, or field of ten bits number i of a run of words.
template <int kWords>
__device__ __forceinline__ int byte_at(const std::uint32_t (&words)[kWords], int i) {
  return static_cast<int>(__byte_perm(words[i / 4], 0, 0x4440 + i % 4));
}
template <int kWords>
__device__ __forceinline__ int half_at(const std::uint32_t (&words)[kWords], int i) {
  return static_cast<int>(words[i / 2] >> 16 * (i % 2) & 0xffff);
}
template <int kWords>
__device__ __forceinline__ int field_at(const std::uint32_t (&words)[kWords], int i) {
  return static_cast<int>(words[i / 3] >> 10 * (i % 3) & 0x3ff);
}

// Field of ten bits number i, of words behind swap_bytes().
template <int kWords>
__device__ __forceinline__ int be10_at(const std::uint32_t (&words)[kWords], int i) {
  const int word = 10 * i / 32, bit = 10 * i % 32;
  return static_cast<int>(
      (bit <= 22 ? words[word] >> (22 - bit)
                 : words[word] << (bit - 22) | words[(word + 1) % kWords] >> (54 - bit)) &
      0x3ff);
}
// Words whose first byte is their highest, or back.
template <int kWords>
__device__ __forceinline__ void swap_bytes(std::uint32_t (&words)[kWords]) {
#pragma unroll
  for (int i = 0; i < kWords; ++i)
    words[i] = __byte_perm(words[i], 0, 0x0123);
}

template <class Shape>
__device__ __forceinline__ int sample_of(const Shape &p, int container) {
  return container >> p.at.shift & p.at.mask;
}

// Bytes from the first of a plane. (Products of 32 bits are one instruction.)
template <class Shape>
__device__ __forceinline__ std::size_t distance(const Shape &p, int slot, int row, int bytes) {
  const auto down = static_cast<std::uint32_t>(row), across = static_cast<std::uint32_t>(bytes);
  if (Shape::kKnown)
    return std::uint64_t{down} * static_cast<std::uint32_t>(p.at.pitch[slot]) + across;
  return down * p.at.pitch[slot] + across;
}
template <class Shape>
__device__ __forceinline__ const std::uint8_t *address(const Shape &p, int slot, int row,
                                                       int bytes) {
  return p.at.plane[slot] + distance(p, slot, row, bytes);
}

// Samples of a plane that has nothing else.
template <int kRun, class Shape>
__device__ __forceinline__ void load_plane(const Shape &p, int slot, int row, int x,
                                           int (&v)[kRun]) {
  if (p.is(Packing::planes8)) {
    std::uint32_t words[(kRun + 3) / 4];
    load_run<kRun>(address(p, slot, row, x), p.alignment(slot), words);
#pragma unroll
    for (int i = 0; i < kRun; ++i)
      v[i] = byte_at(words, i);
  } else {
    std::uint32_t words[kRun / 2];
    load_run<2 * kRun>(address(p, slot, row, 2 * x), p.alignment(slot), words);
#pragma unroll
    for (int i = 0; i < kRun; ++i)
      v[i] = sample_of(p, half_at(words, i));
  }
}

// Samples of a plane that has two by turns.
template <int kRun, class Shape>
__device__ __forceinline__ void load_interleaved(const Shape &p, int row, int x, int (&a)[kRun],
                                                 int (&b)[kRun]) {
  if (p.is(Packing::planes8)) {
    std::uint32_t words[kRun / 2];
    load_run<2 * kRun>(address(p, 1, row, 2 * x), p.alignment(1), words);
#pragma unroll
    for (int i = 0; i < kRun; ++i)
      a[i] = byte_at(words, 2 * i), b[i] = byte_at(words, 2 * i + 1);
  } else {
    std::uint32_t words[kRun];
    load_run<4 * kRun>(address(p, 1, row, 4 * x), p.alignment(1), words);
#pragma unroll
    for (int i = 0; i < kRun; ++i)
      a[i] = sample_of(p, half_at(words, 2 * i)), b[i] = sample_of(p, half_at(words, 2 * i + 1));
  }
}

// Words of pairs of pixels with luma in front: y0 y1 a b.
template <int kRun, class Shape>
__device__ __forceinline__ void load_pairs8(const Shape &p, int row, int x,
                                            std::uint32_t (&words)[kRun / 2]) {
  load_run<2 * kRun>(address(p, 0, row, 2 * x), p.alignment(0), words);
#pragma unroll
  for (int i = 0; i < kRun / 2; ++i)
    words[i] = __byte_perm(words[i], 0, p.at.selector);
}

// Two pixels in five bytes.
template <int kRun, class Shape>
__device__ __forceinline__ void load_be10(const Shape &p, int row, int x,
                                          std::uint32_t (&words)[(5 * kRun / 2 + 3) / 4]) {
  load_run<5 * kRun / 2>(address(p, 0, row, 5 * x / 2), p.alignment(0), words);
  swap_bytes(words);
}

// What there is of each pixel: luma, or all colours, and alpha.
template <int kRun, class Shape>
__device__ __forceinline__ void load_pixels(const Shape &p, int row, int x, Slots<kRun> &v) {
  if (p.is(Packing::planes8) || p.is(Packing::planes16)) {
    load_plane<kRun>(p, 0, row, x, v[0]);
    if (p.chroma() == ChromaPacking::interleaved && !p.half()) {
      load_interleaved<kRun>(p, row, x, v[1], v[2]);
    } else if (p.chroma() == ChromaPacking::none && p.colours() == 3) {
      load_plane<kRun>(p, 1, row, x, v[1]);
      load_plane<kRun>(p, 2, row, x, v[2]);
    }
    if (p.alpha()) load_plane<kRun>(p, 3, row, x, v[3]);
  } else if (p.is(Packing::packed24)) {
    std::uint32_t words[3 * kRun / 4];
    load_run<3 * kRun>(address(p, 0, row, 3 * x), p.alignment(0), words);
#pragma unroll
    for (int i = 0; i < 3 * kRun; ++i)
      v[i % 3][i / 3] = byte_at(words, i);
  } else if (p.is(Packing::packed32)) {
    std::uint32_t words[kRun];
    load_run<4 * kRun>(address(p, 0, row, 4 * x), p.alignment(0), words);
#pragma unroll
    for (int i = 0; i < kRun; ++i) {
      words[i] = __byte_perm(words[i], 0, p.at.selector);
#pragma unroll
      for (int s = 0; s < 4; ++s)
        v[s][i] = byte_at(words, 4 * i + s);
    }
  } else if (p.is(Packing::packed64)) {
    std::uint32_t words[2 * kRun];
    load_run<8 * kRun>(address(p, 0, row, 8 * x), p.alignment(0), words);
#pragma unroll
    for (int i = 0; i < kRun; ++i) {
#pragma unroll
      for (int s = 0; s < 4; ++s)
        v[s][i] = sample_of(p, half_at(words, 4 * i + s));
      if (p.at.alpha_first) {
        const int alpha = v[0][i];
        v[0][i] = v[1][i], v[1][i] = v[2][i], v[2][i] = v[3][i], v[3][i] = alpha;
      }
    }
  } else if (p.is(Packing::fields10)) {
    std::uint32_t words[kRun];
    load_run<4 * kRun>(address(p, 0, row, 4 * x), p.alignment(0), words);
#pragma unroll
    for (int i = 0; i < kRun; ++i)
#pragma unroll
      for (int s = 0; s < 4; ++s)
        v[s][i] = static_cast<int>(words[i] >> 10 * s & 0x3ff);
  } else if (p.is(Packing::pairs8)) {
    std::uint32_t words[kRun / 2];
    load_pairs8<kRun>(p, row, x, words);
#pragma unroll
    for (int i = 0; i < kRun; ++i)
      v[0][i] = byte_at(words, 4 * (i / 2) + i % 2);
  } else if (p.is(Packing::pairs16)) {
    std::uint32_t words[kRun];
    load_run<4 * kRun>(address(p, 0, row, 4 * x), p.alignment(0), words);
#pragma unroll
    for (int i = 0; i < kRun; ++i)
      v[0][i] = sample_of(p, half_at(words, 2 * i));
  } else if (p.is(Packing::v210)) {
    if constexpr (kRun % 6 == 0) {
      std::uint32_t words[2 * kRun / 3];
      load_run<8 * kRun / 3>(address(p, 0, row, 8 * x / 3), p.alignment(0), words);
#pragma unroll
      for (int i = 0; i < kRun; ++i)
        v[0][i] = field_at(words, 2 * i + 1);
    }
  } else if (p.is(Packing::be10)) {
    std::uint32_t words[(5 * kRun / 2 + 3) / 4];
    load_be10<kRun>(p, row, x, words);
#pragma unroll
    for (int i = 0; i < kRun; ++i)
      v[0][i] = be10_at(words, 2 * i + 1);
  }
}

// Chroma of half as many columns: kRun / 2 of them from pixel x on.
template <int kRun, class Shape>
__device__ __forceinline__ void load_chroma(const Shape &p, int row, int x, int (&a)[kRun / 2],
                                            int (&b)[kRun / 2]) {
  constexpr int kColumns = kRun / 2;
  if (p.chroma() == ChromaPacking::planes) {
    load_plane<kColumns>(p, 1, row, x / 2, a);
    load_plane<kColumns>(p, 2, row, x / 2, b);
  } else if (p.chroma() == ChromaPacking::interleaved) {
    load_interleaved<kColumns>(p, row, x / 2, a, b);
  } else if (p.is(Packing::pairs8)) {
    std::uint32_t words[kColumns];
    load_pairs8<kRun>(p, row, x, words);
#pragma unroll
    for (int i = 0; i < kColumns; ++i)
      a[i] = byte_at(words, 4 * i + 2), b[i] = byte_at(words, 4 * i + 3);
  } else if (p.is(Packing::pairs16)) {
    std::uint32_t words[kRun];
    load_run<4 * kRun>(address(p, 0, row, 4 * x), p.alignment(0), words);
#pragma unroll
    for (int i = 0; i < kColumns; ++i)
      a[i] = sample_of(p, half_at(words, 4 * i + 1)),
      b[i] = sample_of(p, half_at(words, 4 * i + 3));
  } else if (p.is(Packing::be10)) {
    std::uint32_t words[(5 * kRun / 2 + 3) / 4];
    load_be10<kRun>(p, row, x, words);
#pragma unroll
    for (int i = 0; i < kColumns; ++i)
      a[i] = be10_at(words, 4 * i), b[i] = be10_at(words, 4 * i + 2);
  } else if constexpr (kRun % 6 == 0) {
    std::uint32_t words[2 * kRun / 3];
    load_run<8 * kRun / 3>(address(p, 0, row, 8 * x / 3), p.alignment(0), words);
#pragma unroll
    for (int i = 0; i < kColumns; ++i)
      a[i] = field_at(words, 4 * i), b[i] = field_at(words, 4 * i + 2);
  }
}

// One column of chroma, the nearest one that there is.
template <class Shape>
__device__ __forceinline__ void load_column(const Shape &p, int row, int column, int *a, int *b) {
  column = min(max(column, 0), p.at.chroma_columns - 1);
  const auto read = [&](int slot, int at) -> int {
    const std::uint8_t *from = address(p, slot, row, 0);
    if (p.is(Packing::planes8) || p.is(Packing::pairs8)) return load_global(from + at);
    return sample_of(p, load_global(reinterpret_cast<const std::uint16_t *>(from) + at));
  };
  if (p.chroma() == ChromaPacking::planes) {
    *a = read(1, column), *b = read(2, column);
  } else if (p.chroma() == ChromaPacking::interleaved) {
    *a = read(1, 2 * column), *b = read(1, 2 * column + 1);
  } else if (p.is(Packing::pairs8)) {
    // (The selector has the place of slot s in its nibble s.)
    *a = read(0, 4 * column + (p.at.selector >> 8 & 3)),
    *b = read(0, 4 * column + (p.at.selector >> 12));
  } else if (p.is(Packing::pairs16)) {
    *a = read(0, 4 * column + 1), *b = read(0, 4 * column + 3);
  } else if (p.is(Packing::be10)) {
    const std::uint8_t *from = address(p, 0, row, 0);
    *a = be10_field(from, 4 * column), *b = be10_field(from, 4 * column + 2);
  } else {
    const auto *words = reinterpret_cast<const std::uint32_t *>(address(p, 0, row, 0));
    const int at = 4 * column;
    *a = static_cast<int>(load_global(words + at / 3) >> 10 * (at % 3) & 0x3ff);
    *b = static_cast<int>(load_global(words + (at + 2) / 3) >> 10 * ((at + 2) % 3) & 0x3ff);
  }
}

// The pixel at x alone, the nearest one that there is: its colours.
template <class Shape>
__device__ __forceinline__ void load_pixel(const Shape &p, int row, int x, int (&v)[3]) {
  const auto byte = [&](int slot, int at) -> int { return load_global(address(p, slot, row, at)); };
  const auto half = [&](int slot, int at) -> int {
    return sample_of(
        p, load_global(reinterpret_cast<const std::uint16_t *>(address(p, slot, row, 0)) + at));
  };
#pragma unroll
  for (int s = 0; s < 3; ++s) {
    if (p.is(Packing::packed24))
      v[s] = byte(0, 3 * x + s);
    else if (p.is(Packing::packed32))
      v[s] = byte(0, 4 * x + (p.at.selector >> 4 * s & 3));
    else if (p.is(Packing::packed64))
      v[s] = half(0, 4 * x + s + p.at.alpha_first);
    else if (p.is(Packing::fields10))
      v[s] = static_cast<int>(
          load_global(reinterpret_cast<const std::uint32_t *>(address(p, 0, row, 4 * x))) >>
              10 * s &
          0x3ff);
    else if (p.chroma() == ChromaPacking::interleaved && s > 0)
      v[s] = p.is(Packing::planes8) ? byte(1, 2 * x + s - 1) : half(1, 2 * x + s - 1);
    else
      v[s] = p.is(Packing::planes8) ? byte(s, x) : half(s, x);
  }
}

}  // namespace coalesce
