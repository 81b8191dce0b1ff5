// SPDX-License-Identifier: LGPL-2.1-or-later
// Brings a block's tile into shared memory for general.cuh: shifted so that its first column
// stands at a multiple of 8 bytes, wherever the picture has it.
#pragma once

#include <cstdint>

#include "../../../core/ptx.cuh"
#include "../tile_source.cuh"

namespace coalesce {

// 16 bytes to shared memory, not waited for. Below 8.0 the kernel is empty: it is not chosen there.
__device__ __forceinline__ void copy_chunk_async([[maybe_unused]] std::uint8_t *to,
                                                 [[maybe_unused]] const std::uint8_t *from) {
#if __CUDA_ARCH__ >= 800
  ptx::cp_async(static_cast<std::uint32_t>(__cvta_generic_to_shared(to)), from);
#endif
}

// Byte by byte: rows `row` to `last` of the tile whose corner is byte x of row y, and of these
// columns `column` to `behind` (the first is that of x & ~8).
template <class Shape>
__device__ __noinline__ void gather_words(const TileSource &s, int x, int y, int row, int last,
                                          int column, int behind, std::uint8_t *tile) {
  const int across = (behind - column + 3) / 4;
#pragma unroll 2
  for (int i = threadIdx.x; i < (last - row) * across; i += Shape::kThreads) {
    const int down = i / across, at = column + 4 * (i - down * across);
    const int position = border_position(s.border, y + row + down, s.height);
    const std::uint8_t *line =
        position < 0 ? nullptr : s.data + static_cast<std::size_t>(position) * s.pitch;
    std::uint32_t word = 0;
#pragma unroll
    for (int b = 0; b < 4; ++b)
      word |= load_byte(s, line, x - (x & 8) + at + b) << 8 * b;
    *reinterpret_cast<std::uint32_t *>(tile + (row + down) * Shape::kTilePitch + at) = word;
  }
}

// A block's tile: columns x on, as far as `end`, of rows y on.
template <class Shape>
struct MmaTile {
  static constexpr int kChunks = Shape::kTileChunks;        // of 16 bytes in a row
  static constexpr int kLoads = kChunks + 1;                // that make them
  static constexpr int kAtOnce = Shape::kThreads / kLoads;  // rows
  static constexpr int kBatch = (Shape::kPassRows - 1) / kAtOnce + 1;

  const TileSource &s;
  int x, y, end;
  std::uint8_t *tile, *stage;

  // Where in a row of the tile x is.
  __device__ __forceinline__ int first() const { return x & 8; }
  __device__ __forceinline__ int start() const { return x & ~15; }
  __device__ __forceinline__ int phase() const { return x & 7; }
  // Bytes that 16 are made of: whole chunks, as they are loaded.
  __device__ __forceinline__ int reach() const { return phase() == 0 ? 16 : 32; }

  // Of kPassRows rows at most, `row` to `last` of the tile, those chunks that lie inside: to
  // `stage` as they are, not waited for.
  __device__ __forceinline__ void load(int row, int last) const {
    const int thread = threadIdx.x;
    const int from = start() + thread % kLoads * 16;
    if (thread >= kAtOnce * kLoads || from < 0 || from + 16 > s.width) return;
    const std::uint8_t *data = s.data + from;
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      const int down = thread / kLoads + i * kAtOnce;
      const int position = border_position(s.border, y + row + down, s.height);
      if (down >= Shape::kPassRows || row + down >= last || position < 0) continue;
      copy_chunk_async(stage + (down * kLoads + thread % kLoads) * 16,
                       data + static_cast<std::size_t>(position) * s.pitch);
    }
  }

  // Waits for them, and shifts them into the tile. A barrier must follow.
  __device__ __forceinline__ void place(int row, int last) const {
#if __CUDA_ARCH__ >= 800
    ptx::cp_async_wait_all();
#endif
    __syncthreads();
    const int thread = threadIdx.x, column = thread % kLoads * 16, bits = 8 * (phase() & 3);
    const int from = start() + column;
    if (thread >= kAtOnce * kLoads || column >= kChunks * 16) return;
    if (from < 0 || from + reach() > s.width) return;
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      const int down = thread / kLoads + i * kAtOnce;
      if (down >= Shape::kPassRows || row + down >= last) continue;
      if (s.border == Border::constant && (y + row + down < 0 || y + row + down >= s.height))
        continue;  // the rim's
      const std::uint8_t *at = stage + down * kLoads * 16 + column;
      const uint4 here = *reinterpret_cast<const uint4 *>(at);
      const uint2 next = *reinterpret_cast<const uint2 *>(at + 16);
      std::uint32_t words[6] = {here.x, here.y, here.z, here.w, next.x, next.y};
      if ((phase() & 4) != 0) {
#pragma unroll
        for (int w = 0; w < 5; ++w)
          words[w] = words[w + 1];
      }
#pragma unroll
      for (int w = 0; w < 4; ++w)
        words[w] = __funnelshift_r(words[w], words[w + 1], bits);
      *reinterpret_cast<uint4 *>(tile + (row + down) * Shape::kTilePitch + column) =
          make_uint4(words[0], words[1], words[2], words[3]);
    }
  }

  // What load() leaves out.
  __device__ __forceinline__ void fill_rim(int rows) const {
    const int behind = min(end - start() - phase(), kChunks * 16);
    const int before = min(max(-start(), 0), behind);
    const int inside = max(s.width - reach() - start() + 16, 0) / 16 * 16;
    const auto fill_words = [&](int row, int last, int column, int to) {
      if (row < last && column < to) gather_words<Shape>(s, x, y, row, last, column, to, tile);
    };
    fill_words(0, rows, 0, before);
    fill_words(0, rows, max(inside, before), behind);
    if (s.border != Border::constant) return;
    fill_words(0, min(-y, rows), before, behind);
    fill_words(max(s.height - y, 0), rows, before, behind);
  }
};

}  // namespace coalesce
