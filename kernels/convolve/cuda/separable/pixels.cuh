// SPDX-License-Identifier: LGPL-2.1-or-later
// Pixels of several bytes become byte planes in the ring, and byte planes pixels before they are
// stored: in their places, rows at a time, each by one warp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../../picture/byte_planes.h"
#include "fill.cuh"
#include "shape.cuh"
#include "store.cuh"

namespace coalesce {

// Pixels of a lane at a time: without bank conflicts, and few enough for the registers.
template <int kBytes>
struct PixelChunks {
  static constexpr int kPixels = kBytes <= 3 ? 8 : 4;
  static constexpr int kWords = kPixels / 4;               // of a byte plane
  static constexpr int kChunkWords = kBytes == 3 ? 2 : 4;  // in one access
  static constexpr int kChunks = kBytes * kWords / kChunkWords;
};

__device__ __forceinline__ void load_shared(const std::uint8_t *from, std::uint32_t (&words)[1]) {
  words[0] = *reinterpret_cast<const std::uint32_t *>(from);
}
__device__ __forceinline__ void load_shared(const std::uint8_t *from, std::uint32_t (&words)[2]) {
  const uint2 v = *reinterpret_cast<const uint2 *>(from);
  words[0] = v.x, words[1] = v.y;
}
__device__ __forceinline__ void load_shared(const std::uint8_t *from, std::uint32_t (&words)[4]) {
  const uint4 v = *reinterpret_cast<const uint4 *>(from);
  words[0] = v.x, words[1] = v.y, words[2] = v.z, words[3] = v.w;
}
__device__ __forceinline__ void store_shared(std::uint8_t *to, const std::uint32_t (&words)[1]) {
  *reinterpret_cast<std::uint32_t *>(to) = words[0];
}
__device__ __forceinline__ void store_shared(std::uint8_t *to, const std::uint32_t (&words)[2]) {
  *reinterpret_cast<uint2 *>(to) = make_uint2(words[0], words[1]);
}
__device__ __forceinline__ void store_shared(std::uint8_t *to, const std::uint32_t (&words)[4]) {
  *reinterpret_cast<uint4 *>(to) = make_uint4(words[0], words[1], words[2], words[3]);
}

// What a sample says, of the words of a plane's pixels; those of copied channels keep every bit.
template <int kBytes>
__device__ __forceinline__ void clear_unused(const SampleBits &bits, std::uint32_t copied,
                                             PixelWords<kBytes> &planes) {
#pragma unroll
  for (int b = 0; b + 1 < kBytes; b += 2)
    if ((copied >> (b / 2) & 1) == 0) {
      planes.words[b] = planes.words[b] >> bits.shift & bits.lower;
      planes.words[b + 1] &= bits.upper;
    }
}

// Rows first to end - 1 of the ring, of pixels in memory's order. Samples of
// 16 bits (kDeep) lose what they do not say. By all warps; a barrier must follow. ring: where it
// begins in the block's memory.
template <int kBytes, bool kDeep>
__device__ __noinline__ void split_rows(int ring, int pitch, int ring_rows, int plane_columns,
                                        int first, int end, SampleBits bits, std::uint32_t copied) {
  COALESCE_DYNAMIC_SHARED(128, std::uint8_t, shared);
  using Chunks = PixelChunks<kBytes>;
  constexpr int kPasses = kBytes == 3 ? 1 : 2;  // the rows' bytes in registers
  const int lane = threadIdx.x % 32;
  const int groups = plane_columns / Chunks::kPixels;  // of a row
  const int at_once = 32 * kPasses / groups;           // rows
  const int step = static_cast<int>(blockDim.x) / 32 * at_once;
#pragma unroll 1
  for (int y = first + static_cast<int>(threadIdx.x) / 32 * at_once; y < end; y += step) {
    int line[kPasses], group[kPasses];
    std::uint32_t words[kPasses][Chunks::kChunks][Chunks::kChunkWords];
#pragma unroll
    for (int i = 0; i < kPasses; ++i) {
      const int row = (lane + 32 * i) / groups;
      group[i] = lane + 32 * i - row * groups;
      line[i] = row < at_once && y + row < end ? ring + (y + row) % ring_rows * pitch : -1;
      if (line[i] >= 0)
#pragma unroll
        for (int c = 0; c < Chunks::kChunks; ++c)
          load_shared(shared + line[i] + 4 * Chunks::kChunkWords * (Chunks::kChunks * group[i] + c),
                      words[i][c]);
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < kPasses; ++i) {
      if (line[i] < 0) continue;
      std::uint32_t planes[kBytes][Chunks::kWords];
#pragma unroll
      for (int w = 0; w < Chunks::kWords; ++w) {
        PixelWords<kBytes> pixels;
#pragma unroll
        for (int b = 0; b < kBytes; ++b)
          pixels.words[b] = words[i][(kBytes * w + b) / Chunks::kChunkWords]
                                 [(kBytes * w + b) % Chunks::kChunkWords];
        pixels = split_pixels(pixels);
        if constexpr (kDeep) clear_unused(bits, copied, pixels);
#pragma unroll
        for (int b = 0; b < kBytes; ++b)
          planes[b][w] = pixels.words[b];
      }
#pragma unroll
      for (int b = 0; b < kBytes; ++b)
        store_shared(shared + line[i] + b * plane_columns + 4 * Chunks::kWords * group[i],
                     planes[b]);
    }
  }
}

// 16 bytes of a row, or as many as there are.
__device__ __forceinline__ void store_chunk(std::uint8_t *to, std::size_t out_pitch,
                                            const std::uint8_t *samples, int bytes) {
  if (bytes >= 16 && ((reinterpret_cast<std::uintptr_t>(to) | out_pitch) & 15) == 0)
    __stcs(reinterpret_cast<uint4 *>(to), *reinterpret_cast<const uint4 *>(samples));
  else
    store_some(to, samples, min(bytes, 16));
}

// Stores `rows` rows of `columns` pixels (128 or 256), of which `bytes` bytes are inside the
// picture, from byte planes side by side in the stage. By all warps, after a barrier.
template <int kBytes>
__device__ __noinline__ void store_joined(std::uint8_t *out, std::size_t out_pitch, int rows,
                                          int columns, int bytes, int stage, int stage_pitch) {
  COALESCE_DYNAMIC_SHARED(128, std::uint8_t, shared);
  using Chunks = PixelChunks<kBytes>;
  constexpr int kRows = 4;  // of a warp
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int warps = static_cast<int>(blockDim.x) / 32;
  const int doubled = columns / 256;
  const int groups = columns / Chunks::kPixels;  // of a row: a part of 32
#pragma unroll 1
  for (int y = kRows * warp; y < rows; y += kRows * warps) {
    std::uint8_t *from = shared + stage + y * stage_pitch;
    const int last = min(rows - y, kRows);
#pragma unroll 1
    for (int i = lane; i < kRows * groups; i += 32) {
      const int row = (i >> doubled) / (128 / Chunks::kPixels), group = i & (groups - 1);
      std::uint8_t *line = from + row * stage_pitch;
      std::uint32_t planes[kBytes][Chunks::kWords];
      if (row < last)
#pragma unroll
        for (int b = 0; b < kBytes; ++b)
          load_shared(line + b * columns + 4 * Chunks::kWords * group, planes[b]);
      __syncwarp();
      if (row >= last) continue;
      std::uint32_t words[Chunks::kChunks][Chunks::kChunkWords];
#pragma unroll
      for (int w = 0; w < Chunks::kWords; ++w) {
        PixelWords<kBytes> pixels;
#pragma unroll
        for (int b = 0; b < kBytes; ++b)
          pixels.words[b] = planes[b][w];
        pixels = join_pixels(pixels);
#pragma unroll
        for (int b = 0; b < kBytes; ++b)
          words[(kBytes * w + b) / Chunks::kChunkWords][(kBytes * w + b) % Chunks::kChunkWords] =
              pixels.words[b];
      }
#pragma unroll
      for (int c = 0; c < Chunks::kChunks; ++c)
        store_shared(line + 4 * Chunks::kChunkWords * (Chunks::kChunks * group + c), words[c]);
    }
    __syncwarp();
#pragma unroll 1
    for (int i = lane; i < last * (8 * kBytes << doubled); i += 32) {
      const int row = (i >> doubled) / (8 * kBytes);
      const int at = 16 * (i - row * (8 * kBytes << doubled));
      if (at < bytes)
        store_chunk(out + static_cast<std::size_t>(y + row) * out_pitch + at, out_pitch,
                    from + row * stage_pitch + at, bytes - at);
    }
  }
}

}  // namespace coalesce
