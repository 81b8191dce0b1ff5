// SPDX-License-Identifier: LGPL-2.1-or-later
// What the direct kernels on tensor cores have in common: which masks and planes they take, how
// sums become samples, and how those are stored.
#pragma once

#include <cstddef>
#include <cstdint>

#include "convolve_finish.h"
#include "convolve_simd.h"
#include "convolve_tile.cuh"

namespace coalesce {

enum class MmaWeights : std::uint8_t {
  bytes,           // -128 to 127
  words,           // -32768 to 32767: two bytes, the lower one unsigned
  unsigned_words,  // 0 to 65535
};

// How samples are made of sums.
enum class MmaFinish : std::uint8_t {
  byte,        // by ByteFinish
  reciprocal,  // the upper half of the product with it
  any,         // by Finish
};

struct MmaOutput {
  std::uint8_t *data;
  std::size_t pitch;
  bool wide_stores;
  std::uint32_t copied;  // bits of each four bytes that are not filtered
  MmaFinish way;
  ByteFinish byte;
  std::uint32_t reciprocal;  // of the divisor, times 2^32
  int offset;
  Finish<std::int32_t> finish;
  Finish<std::int32_t>::Offsets offsets;
};

// False if tensor cores cannot compute this at all; else says which weights there are.
bool mma_direct_takes(const Filter &filter, const ConvolvePlane &plane, MmaWeights *weights);

MmaOutput make_mma_output(const Filter &filter, const ConvolvePlane &plane);

// From the first tap to the last of a row, in bytes.
inline int mma_span(const Filter &f, const ConvolvePlane &plane) {
  return (f.width - 1) * plane.channels + 1;
}

// Words of four samples each, the first lowest, from 16 sums.
__device__ __forceinline__ void finish_words(const MmaOutput &o, const int (&sums)[4][4],
                                             std::uint32_t (&words)[4]) {
  const auto finish = [&](std::uint32_t selector, auto one) {
#pragma unroll
    for (int w = 0; w < 4; ++w) {
      std::uint32_t samples[4];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        samples[i] = one(sums[w][i]);
      words[w] = same_bytes(samples, selector);
    }
  };
  if (o.way == MmaFinish::byte)
    finish(kTopByte, [&](int sum) { return finish_byte(o.byte, sum, o.offset); });
  else if (o.way == MmaFinish::reciprocal)
    finish(0x40, [&](int sum) {
      return upper_half(static_cast<std::uint32_t>(clamp_sum(o.byte, sum, o.offset)), o.reciprocal);
    });
  else
    finish(0x40, [&](int sum) {
      return static_cast<std::uint32_t>(finish_sum(o.finish, o.offsets, sum));
    });
}

// 16 bytes from x on, or what there is of them, of row y; some may be copied.
__device__ __forceinline__ void store_16(const MmaOutput &o, const TileSource &in, int x, int y,
                                         std::uint32_t (&words)[4]) {
  const int bytes = min(16, in.width - x);
  const std::uint8_t *from = in.data + static_cast<std::size_t>(y) * in.pitch + x;
  std::uint8_t *to = o.data + static_cast<std::size_t>(y) * o.pitch + x;
  if (bytes == 16 && o.wide_stores) {
    if (o.copied != 0) {
      const uint4 copied = __ldg(reinterpret_cast<const uint4 *>(from));
      words[0] = (words[0] & ~o.copied) | (copied.x & o.copied);
      words[1] = (words[1] & ~o.copied) | (copied.y & o.copied);
      words[2] = (words[2] & ~o.copied) | (copied.z & o.copied);
      words[3] = (words[3] & ~o.copied) | (copied.w & o.copied);
    }
    __stcs(reinterpret_cast<uint4 *>(to), make_uint4(words[0], words[1], words[2], words[3]));
    return;
  }
#pragma unroll
  for (int i = 0; i < 16; ++i)
    if (i < bytes)
      to[i] = (o.copied >> 8 * (i % 4) & 1) != 0
                  ? __ldg(from + i)
                  : static_cast<std::uint8_t>(words[i / 4] >> 8 * (i % 4));
}

}  // namespace coalesce
