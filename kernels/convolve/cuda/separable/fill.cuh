// SPDX-License-Identifier: LGPL-2.1-or-later
// The rows of input that a block of separable.cuh needs, brought to shared memory with what
// stands around the picture. They stand in a ring of kRing rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../../core/border.h"
#include "../../../core/load.cuh"
#include "../tensor/instructions.cuh"
#include "shape.cuh"

namespace coalesce {

struct Ring {
  std::uint8_t *rows;
  int pitch;
};

// Of the ring's columns that cannot be copied as they are: which byte of a row stands there.
struct MmaColumns {
  int *position;       // -1: none
  std::uint8_t *fill;  // but this; constant border: of all columns
};

// A thread's part of what is gathered: a word of every at_once-th row, counted from the picture's
// row y. positions, fills: of its columns. Several rows at a time, so as not to wait for each.
template <class Shape>
__device__ __noinline__ void gather_ring_words(const std::uint8_t *data, std::size_t pitch,
                                               int height, Border border, int y, int row, int end,
                                               int at_once, const int *positions,
                                               const std::uint8_t *fills, std::uint8_t *to,
                                               int ring_pitch) {
  const int4 p = *reinterpret_cast<const int4 *>(positions);
  const int position[4] = {p.x, p.y, p.z, p.w};
  const auto fill = *reinterpret_cast<const std::uint32_t *>(fills);
  constexpr int kRows = 4;  // loaded before the first is stored: no load moves above a store
  for (; row < end; row += kRows * at_once) {
    std::uint32_t word[kRows];
#pragma unroll
    for (int n = 0; n < kRows; ++n) {
      const int from = border_position(border, y + min(row + n * at_once, end - 1), height);
      const std::uint8_t *line = data + static_cast<std::size_t>(max(from, 0)) * pitch;
      word[n] = 0;
#pragma unroll
      for (int b = 0; b < 4; ++b) {
        const std::uint32_t byte = load_global(line + max(position[b], 0));
        word[n] |= (from < 0 || position[b] < 0 ? fill >> (8 * b) & 0xff : byte) << (8 * b);
      }
    }
#pragma unroll
    for (int n = 0; n < kRows; ++n)
      if (const int to_row = row + n * at_once; to_row < end)
        *reinterpret_cast<std::uint32_t *>(to + static_cast<unsigned>(to_row) % Shape::kRing *
                                                    static_cast<unsigned>(ring_pitch)) = word[n];
  }
}

// A thread's chunk of every at_once-th row where not all 16 rows are there or inside the picture.
inline __device__ __noinline__ void copy_some(const std::uint8_t *data, std::size_t pitch,
                                              int height, Border border, int y, int row, int rows,
                                              int at_once, const std::uint8_t *fill,
                                              std::uint8_t *to, int ring_pitch) {
#pragma unroll 1
  for (; row < rows; row += at_once) {
    const int from = border_position(border, y + row, height);
    if (from >= 0)
      ptx::cp_async(shared_address(to + row * ring_pitch),
                    data + static_cast<std::size_t>(from) * pitch);
    else
      *reinterpret_cast<uint4 *>(to + row * ring_pitch) = *reinterpret_cast<const uint4 *>(fill);
  }
}

// How a block fills the ring, 16 rows at a time: what is whole and aligned is copied, 16 bytes a
// thread, and not waited for; what reaches over the picture's rim or is not aligned is gathered.
// In shared memory, for the products need the registers.
struct alignas(16) FillColumns {
  int first, end;  // of the columns that are copied, in bytes
  int words;       // to be gathered, of a row
  int at_once;     // rows that are copied
};
struct alignas(16) FillThread {
  const std::uint8_t *from;  // its first chunk
  int row, column;           // of it; row 16: it copies nothing
};

template <class Shape>
class MmaFill {
 public:
  FillColumns *all;
  FillThread *threads;
  MmaColumns columns;
  Ring ring;

  // x, y: of the ring's first byte and row; behind: the first byte of a row that is not needed.
  // A barrier must follow.
  __device__ __forceinline__ void init(const TileSource &s, int x, int y, int behind,
                                       int row_bytes) const {
    const int needed = min(row_bytes, (behind - x + 15) & ~15);
    FillColumns f;
    f.first = s.alignment == 16 ? min((max(-x, 0) + 15) & ~15, needed) : needed;
    f.end = s.alignment == 16 ? max(min((s.width - x) & ~15, needed), f.first) : needed;
    f.words = (needed - f.end + f.first) / 4;
    const int chunks = row_bytes / 16, thread = static_cast<int>(threadIdx.x);
    f.at_once = min(static_cast<int>(blockDim.x) / chunks, 16);
    FillThread t;
    t.row = thread / chunks;
    t.column = (thread - t.row * chunks) * 16;
    t.from = s.data +
             (static_cast<std::ptrdiff_t>(y + t.row) * static_cast<int>(s.pitch) + x + t.column);
    if (t.row >= f.at_once || t.column < f.first || t.column >= f.end) t.row = 16;
    threads[thread] = t;
    if (thread == 0) *all = f;
    if (f.words == 0 && s.border != Border::constant) return;
#pragma unroll 1
    for (int i = thread; i < row_bytes; i += static_cast<int>(blockDim.x)) {
      if (i >= f.first && i < f.end && s.border != Border::constant) continue;
      int pixel = (x + i) / s.pixel, byte = (x + i) % s.pixel;
      if (byte < 0) --pixel, byte += s.pixel;
      pixel = border_position(s.border, pixel, s.width / s.pixel);
      columns.position[i] = pixel < 0 ? -1 : pixel * s.pixel + byte;
      columns.fill[i] = static_cast<std::uint8_t>(s.fill >> (8 * byte));
    }
  }

  // Starts to copy rows first (a multiple of 16) to end - 1, counted from the picture's row y.
  __device__ __forceinline__ void copy(const TileSource &s, int y, int first, int end) const {
    const auto pitch = static_cast<std::uint32_t>(s.pitch);
    const FillThread t = threads[threadIdx.x];
    const int at_once = all->at_once;
#pragma unroll 1
    for (int band = t.row < 16 ? first : end; band < end; band += 16) {
      const int rows = min(end - band, 16);
      std::uint8_t *to = ring.rows + static_cast<unsigned>(band) % Shape::kRing *
                                         static_cast<unsigned>(ring.pitch);
      if (y + band >= 0 && rows == 16 && y + band <= s.height - 16) {
        const std::uint32_t address = shared_address(to) + t.row * ring.pitch + t.column;
        constexpr int kTogether = 4;
#pragma unroll 1
        for (int i = 0; t.row + i < 16; i += kTogether * at_once)
#pragma unroll
          for (int n = 0; n < kTogether; ++n)
            if (const int row = i + n * at_once; t.row + row < 16)
              ptx::cp_async(address + row * ring.pitch,
                            t.from + std::uint64_t{pitch} * static_cast<unsigned>(band + row));
      } else {
        copy_some(t.from - std::int64_t{y + t.row} * pitch, s.pitch, s.height, s.border, y + band,
                  t.row, rows, at_once, columns.fill + t.column, to + t.column, ring.pitch);
      }
    }
  }

  // Brings the rest of them, waiting for it. Not long, if what was copied from beside it has come.
  __device__ __forceinline__ void gather(const TileSource &s, int y, int first, int end) const {
    const FillColumns f = *all;
    if (f.words == 0 || first >= end) return;
    const int threads_all = static_cast<int>(blockDim.x), thread = static_cast<int>(threadIdx.x);
    const int across = min(f.words, threads_all), at_once = threads_all / across;
    if (thread / across >= at_once) return;
#pragma unroll 1
    for (int word = thread % across; word < f.words; word += across) {
      const int at = 4 * word < f.first ? 4 * word : 4 * word - f.first + f.end;
      gather_ring_words<Shape>(s.data, s.pitch, s.height, s.border, y, first + thread / across, end,
                               at_once, columns.position + at, columns.fill + at, ring.rows + at,
                               ring.pitch);
    }
  }
};

}  // namespace coalesce
