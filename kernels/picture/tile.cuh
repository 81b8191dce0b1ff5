// SPDX-License-Identifier: LGPL-2.1-or-later
// For neighbourhood operations in CUDA: reading a plane and the border around it. Nothing outside
// its rows is ever read.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../core/border.h"
#include "../core/load.cuh"
#include "../core/plane.h"
#include "runs.cuh"

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

// May load_shifted() load this? `bytes` bytes from x on of a row that is there: all lie in the row,
// and the blocks of kBlock bytes around them begin with one that holds a byte of the row and end in
// the plane, whose memory may end with it.
template <int kBlock>
__device__ __forceinline__ bool has_blocks(const TileSource &s, int x, int row, int bytes) {
  const int behind = x + bytes + (row + 1 == s.height ? kBlock - 1 : 0);
  return x >= 0 && behind <= s.width;
}

// The same from any x on, and where nothing is aligned from aligned words around. A function of its
// own, so that what is aligned keeps its registers.
template <int kWords>
__device__ __noinline__ Words<kWords> load_words_anywhere(const TileSource &s, int x, int y) {
  Words<kWords> words;
  const int row = border_position(s.border, y, s.height);
  if (row < 0 || !has_blocks<4>(s, x, row, 4 * kWords)) {
    load_words(s, x, y, words.at);
    return words;
  }
  load_shifted(s.data + static_cast<std::size_t>(row) * s.pitch + x, words.at);
  return words;
}

// Brings rows to shared memory, wherever they are: of a block's tile whose corner is byte x of row
// y, x being a multiple of 16, all whole words that are inside the plane. By all threads; a barrier
// follows. columns: bytes, a multiple of 16. A function of its own, for the registers' sake.
inline __device__ __noinline__ void load_rows_anywhere(const TileSource &s, int x, int y,
                                                       int columns, int rows, std::uint8_t *tile,
                                                       int pitch) {
  constexpr int kBatch = 4;  // under way at a time
  const int first = max(-x, 0), end = min((s.width & ~3) - x, columns);
  const int across = (end - first + 15) / 16, last = min(s.height - y, rows);
  int row = max(-y, 0), chunk = threadIdx.x;
  if (across <= 0) return;
  const auto settle = [&] {
    while (chunk >= across && row < last)
      chunk -= across, ++row;
  };
  settle();
  while (row < last) {
    uint4 words[kBatch];
    std::uint8_t *to[kBatch];
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      to[i] = nullptr;
      if (row >= last) continue;
      const int at = first + 16 * chunk;
      std::uint8_t *place = tile + row * pitch + at;
      if (has_blocks<16>(s, x + at, y + row, 16)) {
        to[i] = place;
        words[i] = load_shifted(s.data + static_cast<std::size_t>(y + row) * s.pitch + x + at);
      } else {
#pragma unroll 1
        for (int b = 0; b < min(16, end - at); b += 4)
          *reinterpret_cast<std::uint32_t *>(place + b) =
              load_words_anywhere<1>(s, x + at + b, y + row).at[0];
      }
      chunk += static_cast<int>(blockDim.x);
      settle();
    }
#pragma unroll
    for (int i = 0; i < kBatch; ++i)
      if (to[i] != nullptr) *reinterpret_cast<uint4 *>(to[i]) = words[i];
  }
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
