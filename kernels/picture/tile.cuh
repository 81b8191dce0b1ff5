// SPDX-License-Identifier: LGPL-2.1-or-later
// For neighbourhood operations in CUDA: reading a plane and the border around it. Nothing outside
// its rows is ever read.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../core/border.h"
#include "../core/load.cuh"
#include "../core/plane.h"

namespace coalesce {

// A plane as kernels read it: bytes. Positions count bytes across and rows down, and may lie
// outside.
struct TileSource {
  const std::uint8_t *data;
  std::size_t pitch;
  int width, height;  // bytes, rows
  int pixel;          // bytes of a pixel, 1 to 8
  Border border;
  int alignment;       // of data and pitch, at most 16
  std::uint64_t fill;  // constant border: a pixel of it
};

// Of all rows' addresses, at most 16.
inline int alignment_of(const Plane<const std::uint8_t> &plane) {
  const std::uintptr_t bits = reinterpret_cast<std::uintptr_t>(plane.data) | plane.pitch | 16;
  return static_cast<int>(bits & -bits);
}

// pixel: bytes; fill: of a pixel, for a constant border.
inline TileSource make_tile_source(const Plane<const std::uint8_t> &plane, int pixel, Border border,
                                   std::uint64_t fill) {
  return {plane.data, plane.pitch, plane.width,         plane.height,
          pixel,      border,      alignment_of(plane), fill};
}

// The byte at x of a row, which is null where all of it is border.
__device__ __forceinline__ std::uint32_t load_byte(const TileSource &s, const std::uint8_t *row,
                                                   int x) {
  int pixel = x / s.pixel;
  int byte = x - pixel * s.pixel;
  if (byte < 0) {
    --pixel;
    byte += s.pixel;
  }
  pixel = border_position(s.border, pixel, s.width / s.pixel);
  if (row == nullptr || pixel < 0) return static_cast<std::uint8_t>(s.fill >> (8 * byte));
  return load_global(row + pixel * s.pixel + byte);
}

// kWords words (1, 2 or 4) in one access.
template <int kWords>
__device__ __forceinline__ void load_wide(const std::uint8_t *from,
                                          std::uint32_t (&words)[kWords]) {
  static_assert(kWords == 1 || kWords == 2 || kWords == 4, "what one access can take");
  if constexpr (kWords == 1) {
    words[0] = load_global(reinterpret_cast<const unsigned *>(from));
  } else if constexpr (kWords == 2) {
    const uint2 v = load_global(reinterpret_cast<const uint2 *>(from));
    words[0] = v.x, words[1] = v.y;
  } else {
    const uint4 v = load_global(reinterpret_cast<const uint4 *>(from));
    words[0] = v.x, words[1] = v.y, words[2] = v.z, words[3] = v.w;
  }
}

// kWords words from x on, which is a multiple of their size, by the border rule.
template <int kWords>
__device__ __forceinline__ void load_words(const TileSource &s, int x, int y,
                                           std::uint32_t (&words)[kWords]) {
  y = border_position(s.border, y, s.height);
  const std::uint8_t *row = y < 0 ? nullptr : s.data + static_cast<std::size_t>(y) * s.pitch;
  if (s.alignment >= 4 * kWords && row != nullptr && x >= 0 && x <= s.width - 4 * kWords) {
    load_wide(row + x, words);
    return;
  }
#pragma unroll
  for (int i = 0; i < kWords; ++i) {
    std::uint32_t bytes[4];
#pragma unroll
    for (int b = 0; b < 4; ++b)
      bytes[b] = load_byte(s, row, x + 4 * i + b);
    words[i] = bytes[0] | bytes[1] << 8 | bytes[2] << 16 | bytes[3] << 24;
  }
}

template <int kWords>
struct Words {
  std::uint32_t at[kWords];
};

// The same from any x on, and where nothing is aligned from aligned words around, which lie in the
// row. A function of its own, so that what is aligned keeps its registers.
template <int kWords>
__device__ __noinline__ Words<kWords> load_words_anywhere(const TileSource &s, int x, int y) {
  Words<kWords> words;
  const int row = border_position(s.border, y, s.height);
  if (row < 0 || x < 4 || x > s.width - 4 * kWords - 4) {
    load_words(s, x, y, words.at);
    return words;
  }
  const std::uint8_t *from = s.data + static_cast<std::size_t>(row) * s.pitch + x;
  const auto place = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from) & 3);
  const auto *aligned = reinterpret_cast<const std::uint32_t *>(from - place);
  std::uint32_t around[kWords + 1];
#pragma unroll
  for (int i = 0; i <= kWords; ++i)
    around[i] = load_global(aligned + i);
#pragma unroll
  for (int i = 0; i < kWords; ++i)
    words.at[i] = __funnelshift_r(around[i], around[i + 1], 8 * place);
  return words;
}

// A block's tile: `chunks` times kWords words across from x on (a multiple of their size), `rows`
// rows down from y on. Thread `thread` of `threads` (a multiple of 32) hands its share to
// put(row, chunk, words).
template <int kWords, class Put>
__device__ __forceinline__ void load_tile(const TileSource &s, int x, int y, int chunks, int rows,
                                          int thread, int threads, Put put) {
  const int shift = chunks <= 8 ? 3 : chunks <= 16 ? 4 : 5;  // of the threads side by side
  const int first = thread & ((1 << shift) - 1), step = threads >> shift;
  const bool inside = s.alignment >= 4 * kWords && x >= 0 && y >= 0 &&
                      x + 4 * kWords * chunks <= s.width && y + rows <= s.height;
  for (int chunk = first; chunk < chunks; chunk += 1 << shift) {
    const int at = x + 4 * kWords * chunk;
    if (!inside) {
      for (int row = thread >> shift; row < rows; row += step) {
        std::uint32_t words[kWords];
        load_words(s, at, y + row, words);
        put(row, chunk, words);
      }
      continue;
    }
    constexpr int kBatch = 4;  // under way at a time
    for (int row = thread >> shift; row < rows; row += kBatch * step) {
      std::uint32_t words[kBatch][kWords];
#pragma unroll
      for (int i = 0; i < kBatch; ++i)
        if (row + i * step < rows)
          load_wide(s.data + static_cast<std::size_t>(y + row + i * step) * s.pitch + at, words[i]);
#pragma unroll
      for (int i = 0; i < kBatch; ++i)
        if (row + i * step < rows) put(row + i * step, chunk, words[i]);
    }
  }
}

}  // namespace coalesce
