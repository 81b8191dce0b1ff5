// SPDX-License-Identifier: LGPL-2.1-or-later
// From samples to bit-planes: each bit of a word is a sample (context_model.h has the order).
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../canvas/block_plan.h"
#include "lane_team.cuh"
#include "transpose_bytes.cuh"

namespace coalesce::j2k {

constexpr int kPlaneWindow = 8;  // planes that are in shared memory at a time

// A block's samples, and how they are cut into words: word after word of a stripe.
struct BlockSamples {
  const std::int32_t *first;
  std::size_t pitch;
  int width, height;
  int columns, words;
  unsigned inverse;  // 65536 / columns, rounded up: exact for up to 64 columns and 288 words

  __device__ BlockSamples(const std::int32_t *samples, const BlockPlan &plan)
      : first(samples + plan.coefficient),
        pitch(plan.pitch),
        width(plan.width),
        height(plan.height),
        columns((width + 15) / 16),
        words(columns * ((height + 3) / 4)),
        inverse((65535u + columns) / columns) {}

  __device__ int stripe_of(int word) const { return static_cast<int>(word * inverse >> 16); }

  // Half a word: 8 columns of 4 rows, as bits are. 0 outside the block.
  __device__ __forceinline__ void load(int half_word, std::int32_t (&samples)[32]) const {
    const int stripe = stripe_of(half_word / 2);
    const int x = 8 * (half_word - stripe * 2 * columns);
#pragma unroll
    for (int y = 0; y < 4; ++y) {
      const std::int32_t *row = first + (4 * stripe + y) * pitch + x;
      const int count = 4 * stripe + y < height ? width - x : 0;
      if (count >= 8 && reinterpret_cast<std::uintptr_t>(row) % sizeof(int4) == 0) {
        const int4 a = reinterpret_cast<const int4 *>(row)[0];
        const int4 b = reinterpret_cast<const int4 *>(row)[1];
        const std::int32_t eight[] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
#pragma unroll
        for (int i = 0; i < 8; ++i)
          samples[4 * i + y] = eight[i];
      } else {
#pragma unroll
        for (int i = 0; i < 8; ++i)
          samples[4 * i + y] = i < count ? row[i] : 0;
      }
    }
  }
};

__device__ __forceinline__ std::uint32_t magnitude_of(std::int32_t sample) {
  const std::uint32_t bits = static_cast<std::uint32_t>(sample);
  return sample < 0 ? 0u - bits : bits;
}

// Planes low to low + 7 of the magnitudes, one after the other, and the signs, which come with a
// frame. Returns all magnitudes of the lane's samples, or'ed.
template <int kLanes>
__device__ std::uint32_t slice(const BlockSamples &block, Team<kLanes> team, int low,
                               std::uint64_t *planes, std::uint64_t *negative) {
  auto *plane_halves = reinterpret_cast<std::uint32_t *>(planes);
  auto *negative_halves = reinterpret_cast<std::uint32_t *>(negative);
  std::uint32_t all = 0;
  for (int i = team.lane; i < 2 * block.words; i += kLanes) {
    std::int32_t samples[32];
    block.load(i, samples);
    std::uint32_t minus = 0;
#pragma unroll
    for (int k = 31; k >= 0; --k) {
      all |= magnitude_of(samples[k]);
      minus = __funnelshift_l(static_cast<std::uint32_t>(samples[k]), minus, 1);
    }
    std::uint32_t rows[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const std::uint32_t two =
          __byte_perm(magnitude_of(samples[k]) >> low, magnitude_of(samples[k + 8]) >> low, 0x0040);
      const std::uint32_t more = __byte_perm(magnitude_of(samples[k + 16]) >> low,
                                             magnitude_of(samples[k + 24]) >> low, 0x0040);
      rows[k] = __byte_perm(two, more, 0x5410);
    }
    transpose_bytes(rows);
#pragma unroll
    for (int k = 0; k < kPlaneWindow; ++k)
      plane_halves[k * 2 * block.words + i] = rows[k];
    const int stripe = block.stripe_of(i / 2);
    const int framed = (stripe + 1) * (block.columns + 2) + i / 2 - stripe * block.columns + 1;
    negative_halves[2 * framed + i % 2] = minus;
  }
  return all;
}

}  // namespace coalesce::j2k
