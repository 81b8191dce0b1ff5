// SPDX-License-Identifier: LGPL-2.1-or-later
// From rows of pixels in a tile to byte planes, in place, and from channels to rows of pixels.
#pragma once

#include <cstdint>

#include "../../../core/load.cuh"
#include "../../../picture/byte_planes.h"
#include "../../../picture/runs.cuh"
#include "strip_shape.cuh"

namespace coalesce {

// Four pixels. from: a multiple of 4, of 2 bytes 8, of 4 and 8 bytes 16.
template <int kBytes>
__device__ __forceinline__ PixelWords<kBytes> read_pixels(const std::uint8_t *from) {
  PixelWords<kBytes> pixels;
  constexpr int kAtOnce = kBytes % 4 == 0 ? 4 : kBytes == 2 ? 2 : 1;
#pragma unroll
  for (int i = 0; i < kBytes; i += kAtOnce) {
    if constexpr (kAtOnce == 4) {
      const uint4 v = *reinterpret_cast<const uint4 *>(from + 4 * i);
      pixels.words[i] = v.x, pixels.words[i + 1] = v.y;
      pixels.words[i + 2] = v.z, pixels.words[i + 3] = v.w;
    } else if constexpr (kAtOnce == 2) {
      const uint2 v = *reinterpret_cast<const uint2 *>(from + 4 * i);
      pixels.words[i] = v.x, pixels.words[i + 1] = v.y;
    } else {
      pixels.words[i] = *reinterpret_cast<const std::uint32_t *>(from + 4 * i);
    }
  }
  return pixels;
}

// All rows of a tile, each by one warp; of samples of two bytes without the bits that do not count.
// first: where the first pixel is. Barriers go before and behind.
template <class Shape, int kBytes>
__device__ __forceinline__ void split_rows(const StripArgs<Shape> &a, std::uint8_t *tile, int first,
                                           int rows) {
  constexpr int kAcross = strip_across(kBytes);
  constexpr int kBatch =
      Shape::kSegments || kBytes * kAcross >= 8 ? 1 : 8 / (kBytes * kAcross);  // rows at a time
  const int segments = Shape::kSegments ? a.segments_across : 1;
  const int pitch = strip_pitch(kBytes, segments), plane = strip_byte_plane(kBytes, segments);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const auto read = [&](int row, int group) {
    PixelWords<kBytes> pixels =
        read_pixels<kBytes>(tile + row * pitch + first + 4 * kBytes * group);
    if constexpr (Shape::kSampleBytes == 2)
#pragma unroll
      for (std::uint32_t &word : pixels.words)
        word = word >> a.shift & a.max;
    return split_pixels(pixels);
  };
  const auto write = [&](int row, int group, const PixelWords<kBytes> &planes) {
#pragma unroll
    for (int i = 0; i < kBytes; ++i)
      *reinterpret_cast<std::uint32_t *>(tile + row * pitch + i * plane + 4 * group) =
          planes.words[i];
  };
  // The last groups of four pixels, two for each segment: of the row; or of all of the warp's rows,
  // which are at most 16, if a lane takes one.
  const int last_group = 32 * kAcross + (Shape::kSegments ? lane : lane % 2);
  const auto has_last = [&](int row) {
    return Shape::kSegments ? lane < 2 * segments : row < rows;
  };
  const int last_row = warp + lane / 2 * warps;
  PixelWords<kBytes> last = {};
  if (!Shape::kSegments && has_last(last_row)) last = read(last_row, last_group);
#pragma unroll 1
  for (int row = warp; row < rows; row += kBatch * warps) {
    PixelWords<kBytes> planes[kBatch][kAcross];
#pragma unroll
    for (int i = 0; i < kBatch; ++i)
#pragma unroll
      for (int k = 0; k < kAcross; ++k)
        if (row + i * warps < rows) planes[i][k] = read(row + i * warps, 32 * k + lane);
    if (Shape::kSegments && has_last(row)) last = read(row, last_group);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < kBatch; ++i)
#pragma unroll
      for (int k = 0; k < kAcross; ++k)
        if (row + i * warps < rows) write(row + i * warps, 32 * k + lane, planes[i][k]);
    if (Shape::kSegments && has_last(row)) write(row, last_group, last);
  }
  if (!Shape::kSegments && has_last(last_row)) write(last_row, last_group, last);
}

// Up to 16 bytes of output from byte x of row y on. chunk: their number in the row of a tile.
inline __device__ __noinline__ void store_bytes(const StripPlane &p, int x, int y, int chunk,
                                                std::uint32_t word0, std::uint32_t word1,
                                                std::uint32_t word2, std::uint32_t word3) {
  const std::uint8_t *from = p.in.data + static_cast<std::size_t>(y) * p.in.pitch + x;
  std::uint8_t *to = p.out + static_cast<std::size_t>(y) * p.out_pitch + x;
  const int bytes = min(16, p.in.width - x);
#pragma unroll 1
  for (int i = 0; i < bytes; ++i) {
    const std::uint32_t word = i < 8 ? (i < 4 ? word0 : word1) : (i < 12 ? word2 : word3);
    const bool copied = (p.copied[4 * chunk % 6 + i / 4] >> 8 * (i % 4) & 1) != 0;
    to[i] = copied ? load_global(from + i) : static_cast<std::uint8_t>(word >> 8 * (i % 4));
  }
}

// The same at once, if that can be.
__device__ __forceinline__ void store_chunk(const StripPlane &p, int x, int y, int chunk,
                                            std::uint32_t (&words)[4]) {
  std::uint8_t *to = p.out + static_cast<std::size_t>(y) * p.out_pitch + x;
  if (x + 16 <= p.in.width) {
    if (p.has_copied) {
      const std::uint32_t *copied = p.copied + 4 * chunk % 6;
      const std::uint8_t *from = p.in.data + static_cast<std::size_t>(y) * p.in.pitch + x;
      const uint4 v = load_global(reinterpret_cast<const uint4 *>(from));
      const std::uint32_t there[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
      for (int i = 0; i < 4; ++i)
        words[i] = (words[i] & ~copied[i]) | (there[i] & copied[i]);
    }
    store_words(to, words);
    return;
  }
  store_bytes(p, x, y, chunk, words[0], words[1], words[2], words[3]);
}

// 16 bytes of pixels from a row that has its channels one behind the other, `pitch` bytes each.
template <int kChannels, int kSampleBytes>
__device__ __forceinline__ void join_chunk(const std::uint8_t *row, int pitch, int chunk,
                                           std::uint32_t (&words)[4]) {
  if constexpr (kChannels == 1 || kChannels == 3) {  // of three: pixels already
    const uint4 v = *reinterpret_cast<const uint4 *>(row + 16 * chunk);
    words[0] = v.x, words[1] = v.y, words[2] = v.z, words[3] = v.w;
  } else if constexpr (kChannels == 2) {
    constexpr std::uint32_t kLower = kSampleBytes == 1 ? 0x5140 : 0x5410;
    constexpr std::uint32_t kUpper = kSampleBytes == 1 ? 0x7362 : 0x7632;
    const uint2 v0 = *reinterpret_cast<const uint2 *>(row + 8 * chunk);
    const uint2 v1 = *reinterpret_cast<const uint2 *>(row + pitch + 8 * chunk);
    words[0] = shuffle_bytes(v0.x, v1.x, kLower), words[1] = shuffle_bytes(v0.x, v1.x, kUpper);
    words[2] = shuffle_bytes(v0.y, v1.y, kLower), words[3] = shuffle_bytes(v0.y, v1.y, kUpper);
  } else {
    PixelWords<4> planes;
#pragma unroll
    for (int c = 0; c < 4; ++c)
      planes.words[c] = *reinterpret_cast<const std::uint32_t *>(row + c * pitch + 4 * chunk);
    const auto &w = planes.words;
    if constexpr (kSampleBytes == 1) {
      const PixelWords<4> pixels = join_pixels(planes);
#pragma unroll
      for (int i = 0; i < 4; ++i)
        words[i] = pixels.words[i];
    } else {
      words[0] = shuffle_bytes(w[0], w[1], 0x5410), words[1] = shuffle_bytes(w[2], w[3], 0x5410);
      words[2] = shuffle_bytes(w[0], w[1], 0x7632), words[3] = shuffle_bytes(w[2], w[3], 0x7632);
    }
  }
}

// A row that has its channels one behind the other becomes one of pixels, with what is copied.
// x: the first byte in row y of the picture. By a warp.
template <int kChannels, int kSampleBytes>
__device__ __noinline__ void join_row(const StripPlane &p, std::uint8_t *row, int x, int y) {
  constexpr int kBytes = kChannels * kSampleBytes;
  constexpr int kChannelPitch = strip_across(kBytes) * kUnitColumns * kSampleBytes;
  constexpr int kChunks = kChannels * kChannelPitch / 16, kEach = (kChunks + 31) / 32;
  const int lane = threadIdx.x % 32;
  std::uint32_t words[kEach][4];
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const int chunk = lane + 32 * i;
    if (chunk >= kChunks) continue;
    join_chunk<kChannels, kSampleBytes>(row, kChannelPitch, chunk, words[i]);
    if (!p.has_copied || x + 16 * chunk >= p.in.width) continue;
    const Words<4> there = load_words_anywhere<4>(p.in, x + 16 * chunk, y);
    const std::uint32_t *copied = p.copied + 4 * chunk % 6;
#pragma unroll
    for (int w = 0; w < 4; ++w)
      words[i][w] = (words[i][w] & ~copied[w]) | (there.at[w] & copied[w]);
  }
  __syncwarp();
#pragma unroll
  for (int i = 0; i < kEach; ++i)
    if (lane + 32 * i < kChunks)
      *reinterpret_cast<uint4 *>(row + 16 * (lane + 32 * i)) =
          make_uint4(words[i][0], words[i][1], words[i][2], words[i][3]);
  __syncwarp();
}

// Stores `rows` rows from `out`. x: the first byte; y: the first row.
template <int kChannels, int kSampleBytes, bool kAnywhere>
__device__ __forceinline__ void store_rows(const StripPlane &p, std::uint8_t *out, int rows, int x,
                                           int y) {
  constexpr int kBytes = kChannels * kSampleBytes;
  constexpr int kChannelPitch = strip_across(kBytes) * kUnitColumns * kSampleBytes;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
#pragma unroll 2
  for (int i = warp; i < rows; i += warps) {
    std::uint8_t *row = out + i * kChannels * kChannelPitch;
    if constexpr (kChannels == 3) {
      PixelWords<3> planes;
#pragma unroll
      for (int c = 0; c < 3; ++c)
        planes.words[c] =
            *reinterpret_cast<const std::uint32_t *>(row + c * kChannelPitch + 4 * lane);
      __syncwarp();
      const PixelWords<3> pixels = join_pixels(planes);
#pragma unroll
      for (int c = 0; c < 3; ++c)
        *reinterpret_cast<std::uint32_t *>(row + 12 * lane + 4 * c) = pixels.words[c];
      __syncwarp();
    }
    if constexpr (kAnywhere) {
      if (p.has_copied || kChannels % 2 == 0) join_row<kChannels, kSampleBytes>(p, row, x, y + i);
      store_row_anywhere(p.out + static_cast<std::size_t>(y + i) * p.out_pitch + x, row,
                         min(kChannels * kChannelPitch, p.in.width - x));
    } else {
#pragma unroll
      for (int chunk = lane; chunk < kChannels * kChannelPitch / 16; chunk += 32) {
        if (x + 16 * chunk >= p.in.width) break;
        std::uint32_t words[4];
        join_chunk<kChannels, kSampleBytes>(row, kChannelPitch, chunk, words);
        store_chunk(p, x + 16 * chunk, y + i, chunk, words);
      }
    }
  }
}

}  // namespace coalesce
