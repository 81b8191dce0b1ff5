// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA: a tile of the picture: its samples, and what of its maxima hangs together.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../picture/tile.cuh"
#include "canny_runs.cuh"
#include "canny_scratch.h"

namespace coalesce {
namespace {

constexpr int kColumns = 128, kWords = kColumns / 32;  // of a tile, of a row of its map
constexpr int kThreads = 128, kWarps = kThreads / 32;
// Rows of samples begin 16 columns left of the tile. Words of bytes.
constexpr int kLead = 16, kSampleWords = (kColumns + 2 * kLead) / 4;

struct Channel {
  TileSource in;
  int first;  // its byte in a pixel
};
struct CannyArgs {
  Channel channel[3];
  int channels;
  int width, height;
  std::uint32_t low, high;
  int tiles_across;
  unsigned words;  // of a row of the map
  CannyMapWord *map;
  std::uint32_t *parent;
};

// Where the tile is in the picture. Gradients outside are 0.
struct TilePlace {
  int x, y, width, height;
  __device__ __forceinline__ bool contains(int column, int row) const {
    return x + column >= 0 && x + column < width && y + row >= 0 && y + row < height;
  }
};

// ---- Samples ------------------------------------------------------------------------------------

// 16 bytes beside the picture, x bytes from its left end, are a pixel again and again.
template <int kStep>
__device__ __forceinline__ void repeat_pixel(const std::uint8_t *pixel, int x,
                                             std::uint32_t (&words)[4]) {
  std::uint32_t bytes = load_global(pixel);
  if constexpr (kStep > 1) {
#pragma unroll
    for (int k = 1; k < kStep; ++k)
      bytes |= std::uint32_t{load_global(pixel + k)} << 8 * k;
  }
  if constexpr (kStep == 3) {
    const int first = (x % 3 + 3) % 3;  // of the pixel's bytes
    const std::uint32_t from[3] = {bytes | bytes << 24, bytes >> 8 | bytes << 16,
                                   bytes >> 16 | bytes << 8};
    words[0] = words[3] = first == 0 ? from[0] : first == 1 ? from[1] : from[2];
    words[1] = first == 0 ? from[1] : first == 1 ? from[2] : from[0];
    words[2] = first == 0 ? from[2] : first == 1 ? from[0] : from[1];
  } else {
    words[0] = words[1] = words[2] = words[3] = bytes * (kStep == 1   ? 0x01010101u
                                                         : kStep == 2 ? 0x00010001u
                                                                      : 1u);
  }
}

// Bytes of pixels of kStep bytes, in chunks of 16: a row of samples from byte x of the picture on,
// which is where a chunk begins, and kRows rows from y on. Chunks beside the picture need no loop
// over bytes: the tiles there would take longer than all others.
template <int kStep, int kRows>
__device__ __forceinline__ void load_chunks(const TileSource &in, int x, int y, std::uint32_t *to) {
  constexpr int kChunks = kSampleWords / 4 * kStep, kAll = kChunks * kRows;
  constexpr int kEach = (kAll + kThreads - 1) / kThreads;
  constexpr int kBatches = kEach <= 6 ? 1 : 2, kBatch = (kEach + kBatches - 1) / kBatches;
  const int thread = static_cast<int>(threadIdx.x);
  auto *const chunks = reinterpret_cast<uint4 *>(to);
  const bool wide = in.alignment >= 16;
  const auto is_inside = [&](int at) { return wide && at >= 0 && at + 16 <= in.width; };
  const auto is_beside = [&](int at) { return at <= -16 || at >= in.width; };
#pragma unroll
  for (int batch = 0; batch < kBatches; ++batch) {
    std::uint32_t words[kBatch][4];  // all under way at a time
#pragma unroll
    for (int k = 0; k < kBatch; ++k) {
      const int i = thread + (batch * kBatch + k) * kThreads, at = x + 16 * (i % kChunks);
      if (i >= kAll) continue;
      const std::uint8_t *row = in.data + static_cast<std::size_t>(border_position(
                                              in.border, y + i / kChunks, in.height)) *
                                              in.pitch;
      if (is_inside(at))
        load_wide(row + at, words[k]);
      else if (is_beside(at))
        repeat_pixel<kStep>(row + (at < 0 ? 0 : in.width - kStep), at, words[k]);
    }
#pragma unroll
    for (int k = 0; k < kBatch; ++k) {
      const int i = thread + (batch * kBatch + k) * kThreads, at = x + 16 * (i % kChunks);
      if (i < kAll && (is_inside(at) || is_beside(at)))
        chunks[i] = make_uint4(words[k][0], words[k][1], words[k][2], words[k][3]);
    }
  }
  if (wide && in.width % 16 == 0) return;
  for (int i = thread; i < kAll; i += kThreads) {
    const int at = x + 16 * (i % kChunks);
    if (is_inside(at) || is_beside(at)) continue;
    const Words<4> all = load_words_anywhere<4>(in, at, y + i / kChunks);
    chunks[i] = make_uint4(all.at[0], all.at[1], all.at[2], all.at[3]);
  }
}

// ---- What hangs together ------------------------------------------------------------------------

// A row of the tile, the leftmost pixel the lowest bit.
struct RowBits {
  std::uint64_t left, right;
};
static_assert(kWords == 4, "words of 32 pixels in a row");

struct TileBits {
  alignas(16) RowBits found[32];  // maxima above the lower threshold
  // Those above the higher one, too; then what hangs together with them.
  alignas(16) RowBits strong[32];
};

// Of each run of `ones`, what lies from one of `begins` on, towards higher bits: a sum carries to
// the end of the run.
__device__ __forceinline__ RowBits filled_upwards(const RowBits &ones, const RowBits &begins) {
  RowBits sum = {ones.left + begins.left, ones.right + begins.right};
  sum.right += sum.left < ones.left ? 1 : 0;
  return {((sum.left ^ ones.left) & ones.left) | begins.left,
          ((sum.right ^ ones.right) & ones.right) | begins.right};
}

__device__ __forceinline__ RowBits reversed(const RowBits &row) {
  return {__brevll(row.right), __brevll(row.left)};
}

// What hangs together with `ones` among `found`, which has them: a warp has the tile, a thread a
// row.
__device__ __forceinline__ RowBits flooded(const RowBits &found, RowBits ones) {
  const RowBits found_reversed = reversed(found);
  for (;;) {
    RowBits near = ones;  // or above or below one (the first and the last thread: or their own)
    near.left |= __shfl_up_sync(~0u, ones.left, 1) | __shfl_down_sync(~0u, ones.left, 1);
    near.right |= __shfl_up_sync(~0u, ones.right, 1) | __shfl_down_sync(~0u, ones.right, 1);
    const RowBits next = {
        (near.left | near.left << 1 | near.left >> 1 | near.right << 63) & found.left,
        (near.right | near.right << 1 | near.right >> 1 | near.left >> 63) & found.right};
    const RowBits up = filled_upwards(found, next);
    const RowBits down = reversed(filled_upwards(found_reversed, reversed(next)));
    const RowBits all = {up.left | down.left, up.right | down.right};
    const bool more = all.left != ones.left || all.right != ones.right;
    ones = all;
    if (!__any_sync(~0u, more)) return ones;
  }
}

// Pixels that have neighbours in other tiles.
template <int kTileRows>
__device__ __forceinline__ RowBits side_bits(const TilePlace &place, int row) {
  if ((row == 0 && place.y > 0) || (row == kTileRows - 1 && place.y + kTileRows < place.height))
    return {~std::uint64_t{0}, ~std::uint64_t{0}};
  return {place.x > 0 ? std::uint64_t{1} : 0,
          place.x + kColumns < place.width ? std::uint64_t{1} << 63 : 0};
}

// Edges are known where maxima hang together with a strong one. Of the others, those that touch the
// side of the tile stay open for the next kernel, which gets a node for each run. The rest is gone.
template <int kTileRows>
__device__ __forceinline__ void find_components(const CannyArgs &a, const TilePlace &place,
                                                TileBits &bits, RowBits *reached) {
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
  static_assert(kWarps >= 2, "one floods from strong pixels, another one from the sides");
  if (thread < 64) {
    const bool from_sides = thread >= 32;
    RowBits found = {0, 0}, ones = {0, 0};
    if (lane < kTileRows) {
      found = bits.found[lane];
      ones = from_sides ? side_bits<kTileRows>(place, lane) : bits.strong[lane];
      ones.left &= found.left, ones.right &= found.right;
    }
    ones = flooded(found, ones);
    if (lane < kTileRows) (from_sides ? reached : bits.strong)[lane] = ones;
  }
  __syncthreads();
  const int row = thread / kWords, k = thread % kWords;
  const unsigned column = static_cast<unsigned>(place.x) / 32 + static_cast<unsigned>(k);
  if (row >= kTileRows || place.y + row >= place.height || column >= a.words) return;
  const auto word_of = [k](const RowBits &bits_of_row) {
    return static_cast<std::uint32_t>((k < 2 ? bits_of_row.left : bits_of_row.right) >>
                                      32 * (k % 2));
  };
  const std::uint32_t edge = word_of(bits.strong[row]);
  const std::uint32_t open = word_of(reached[row]) & ~edge;
  const std::size_t at = static_cast<std::size_t>(place.y + row) * a.words + column;
  *reinterpret_cast<uint2 *>(a.map + at) = make_uint2(edge, open);
  const std::uint32_t node = static_cast<std::uint32_t>(at) * kCannyNodesOfWord + 1;
  for_runs(open, [&](const BitRun &run) { a.parent[node + run.first / 2] = node + run.first / 2; });
}

}  // namespace
}  // namespace coalesce
