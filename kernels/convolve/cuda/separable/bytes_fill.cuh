// SPDX-License-Identifier: LGPL-2.1-or-later
// What fill.cuh does, for bytes.cuh: a thread keeps its part in registers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../../core/border.h"
#include "../tensor/instructions.cuh"
#include "bytes_shape.cuh"
#include "fill.cuh"

namespace coalesce {

// Of the ring's columns that cannot be copied as they are: which byte of a row stands there.
template <class Shape>
struct alignas(16) BytesColumns {
  int position[Shape::kRowBytes];       // -1: none
  std::uint8_t fill[Shape::kRowBytes];  // but this; constant border: of all columns
  int first, end;                       // of those in between, which can be copied
};

// How a block fills the ring, 16 rows at a time: what is whole and aligned is copied, 16 bytes a
// thread, and not waited for; what reaches over the picture's rim or is not aligned is gathered.
template <class Shape>
class BytesFill {
 public:
  // x, y: of the ring's first column and row; behind: the first column of the picture that is not
  // needed. A barrier must follow if it says so.
  __device__ __forceinline__ bool init(const TileSource &s, int x, int y, int behind,
                                       BytesColumns<Shape> *columns) {
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
                                       const BytesColumns<Shape> &columns,
                                       std::uint8_t *ring) const {
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
        copy_some(from_ - std::int64_t{y + row()} * pitch, s.pitch, s.height, s.border, y + band,
                  row(), rows, kAtOnce, columns.fill + column(), to + column(), Shape::kPitch);
      }
    }
  }

  // Brings the rest of them, waiting for it. Not long, if what was copied from beside it has come.
  __device__ __forceinline__ void gather(const TileSource &s, int y, int first, int end,
                                         const BytesColumns<Shape> &columns,
                                         std::uint8_t *ring) const {
    if (words_ == 0 || first >= end) return;
    const int across = min(words_, Shape::kThreads), at_once = Shape::kThreads / across;
    const int thread = threadIdx.x;
    if (thread / across >= at_once) return;
#pragma unroll 1
    for (int word = thread % across; word < words_; word += across) {
      const int at = 4 * word < columns.first ? 4 * word : 4 * word - columns.first + columns.end;
      gather_ring_words<Shape>(s.data, s.pitch, s.height, s.border, y, first + thread / across, end,
                               at_once, columns.position + at, columns.fill + at, ring + at,
                               Shape::kPitch);
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
