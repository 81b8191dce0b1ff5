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

// Of the ring's columns that cannot be copied as they are: which byte of a row stands there.
template <class Shape>
struct alignas(16) MmaColumns {
  int position[Shape::kRowBytes];       // -1: none
  std::uint8_t fill[Shape::kRowBytes];  // but this; constant border: of all columns
  int first, end;                       // of those in between, which can be copied
};

// A thread's part of what is gathered: a word of every at_once-th row, counted from the picture's
// row y. positions, fills: of its columns. Several rows at a time, so as not to wait for each.
template <class Shape>
__device__ __noinline__ void gather_ring_words(const std::uint8_t *data, std::size_t pitch,
                                               int height, Border border, int y, int row, int end,
                                               int at_once, const int *positions,
                                               const std::uint8_t *fills, std::uint8_t *to) {
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
                                                    Shape::kPitch) = word[n];
  }
}

// A thread's chunk of every kAtOnce-th row where not all 16 rows are there or inside the picture.
template <class Shape, int kAtOnce>
__device__ __noinline__ void copy_some(const std::uint8_t *data, std::size_t pitch, int height,
                                       Border border, int y, int row, int rows,
                                       const std::uint8_t *fill, std::uint8_t *to) {
#pragma unroll 1
  for (; row < rows; row += kAtOnce) {
    const int from = border_position(border, y + row, height);
    if (from >= 0)
      ptx::cp_async(shared_address(to + row * Shape::kPitch),
                    data + static_cast<std::size_t>(from) * pitch);
    else
      *reinterpret_cast<uint4 *>(to + row * Shape::kPitch) = *reinterpret_cast<const uint4 *>(fill);
  }
}

// How a block fills the ring, 16 rows at a time: what is whole and aligned is copied, 16 bytes a
// thread, and not waited for; what reaches over the picture's rim or is not aligned is gathered.
template <class Shape>
class MmaFill {
 public:
  // x, y: of the ring's first column and row; behind: the first column of the picture that is not
  // needed. A barrier must follow if it says so.
  __device__ __forceinline__ bool init(const TileSource &s, int x, int y, int behind,
                                       MmaColumns<Shape> *columns) {
    const int needed = min(Shape::kRowBytes, (behind - x + 15) & ~15);
    const int first = s.alignment == 16 ? min((max(-x, 0) + 15) & ~15, needed) : needed;
    const int end = s.alignment == 16 ? max(min((s.width - x) & ~15, needed), first) : needed;
    words_ = (needed - end + first) / 4;
    copies_ = row() < kAtOnce && column() >= first && column() < end;
    from_ = s.data +
            (static_cast<std::ptrdiff_t>(y + row()) * static_cast<int>(s.pitch) + x + column());
    if (words_ == 0 && s.border != Border::constant) return false;
    columns->first = first;
    columns->end = end;
#pragma unroll 1
    for (int i = threadIdx.x; i < Shape::kRowBytes; i += Shape::kThreads) {
      if (i >= first && i < end && s.border != Border::constant) continue;
      int pixel = (x + i) / s.pixel, byte = (x + i) % s.pixel;
      if (byte < 0) --pixel, byte += s.pixel;
      pixel = border_position(s.border, pixel, s.width / s.pixel);
      columns->position[i] = pixel < 0 ? -1 : pixel * s.pixel + byte;
      columns->fill[i] = static_cast<std::uint8_t>(s.fill >> (8 * byte));
    }
    return true;
  }

  // Starts to copy rows first (a multiple of 16) to end - 1, counted from the picture's row y.
  __device__ __forceinline__ void copy(const TileSource &s, int y, int first, int end,
                                       const MmaColumns<Shape> &columns, std::uint8_t *ring) const {
    const auto pitch = static_cast<std::uint32_t>(s.pitch);
    const auto down = [&](int by) {
      return from_ + std::uint64_t{pitch} * static_cast<unsigned>(by);
    };
#pragma unroll 1
    for (int band = copies_ ? first : end; band < end; band += 16) {
      const int rows = min(end - band, 16);
      std::uint8_t *to = ring + static_cast<unsigned>(band) % Shape::kRing * Shape::kPitch;
      if (y + band >= 0 && rows == 16 && y + band <= s.height - 16) {
        const std::uint32_t address = shared_address(to) + row() * Shape::kPitch + column();
#pragma unroll
        for (int i = 0; i < 16; i += kAtOnce)
          if (i + kAtOnce <= 16 || row() + i < 16)
            ptx::cp_async(address + i * Shape::kPitch, down(band + i));
      } else {
        copy_some<Shape, kAtOnce>(from_ - std::int64_t{y + row()} * pitch, s.pitch, s.height,
                                  s.border, y + band, row(), rows, columns.fill + column(),
                                  to + column());
      }
    }
  }

  // Brings the rest of them, waiting for it. Not long, if what was copied from beside it has come.
  __device__ __forceinline__ void gather(const TileSource &s, int y, int first, int end,
                                         const MmaColumns<Shape> &columns,
                                         std::uint8_t *ring) const {
    if (words_ == 0 || first >= end) return;
    const int across = min(words_, Shape::kThreads), at_once = Shape::kThreads / across;
    const int thread = threadIdx.x;
    if (thread / across >= at_once) return;
#pragma unroll 1
    for (int word = thread % across; word < words_; word += across) {
      const int at = 4 * word < columns.first ? 4 * word : 4 * word - columns.first + columns.end;
      gather_ring_words<Shape>(s.data, s.pitch, s.height, s.border, y, first + thread / across, end,
                               at_once, columns.position + at, columns.fill + at, ring + at);
    }
  }

 private:
  static constexpr int kChunks = Shape::kRowBytes / 16;
  static constexpr int kAtOnce = Shape::kThreads / kChunks < 16 ? Shape::kThreads / kChunks : 16;

  // This thread's chunk, and the first row it is of.
  __device__ __forceinline__ static int row() {
    return static_cast<int>(threadIdx.x) / kChunks;
  }
  __device__ __forceinline__ static int column() {
    return static_cast<int>(threadIdx.x) % kChunks * 16;
  }

  int words_;                 // to be gathered, of a row
  bool copies_;               // is this thread's chunk to be copied?
  const std::uint8_t *from_;  // this thread's first one
};

}  // namespace coalesce
