// SPDX-License-Identifier: LGPL-2.1-or-later
// What the direct kernels on tensor cores have in common: which masks and planes they take, how
// sums become samples, and how those are stored.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "../../../core/load.cuh"
#include "../../../picture/byte_words.h"
#include "../../finish.h"
#include "../tile_source.cuh"
#include "instructions.cuh"

namespace coalesce {

enum class MmaWeights : std::uint8_t {
  bytes,           // -128 to 127
  words,           // -32768 to 32767: two bytes, the lower one unsigned
  unsigned_words,  // 0 to 65535
};

// How samples are made of sums.
enum class MmaFinish : std::uint8_t {
  byte,       // by ByteFinish
  saturated,  // the upper half of the product with the reciprocal, cut to 0 .. 255, or max
  any,        // by Finish
};

// Samples of one role, or of two that are alike.
struct MmaSamples {
  MmaFinish way;
  ByteFinish byte;
  int reciprocal;       // of the divisor, times 2^32
  int max;              // of a sample
  std::int64_t addend;  // the offset times the reciprocal
  int offset;
  Finish<std::int32_t> finish;
  Finish<std::int32_t>::Offsets offsets;
};

struct MmaOutput : MmaSamples {
  std::uint8_t *data;
  std::size_t pitch;
  bool wide_stores;
  std::uint32_t copied;  // bits of each four bytes that are not filtered
  // Bits of each four bytes that are chroma, if they have an offset of their own: then that of all
  // is 0, and sums come with theirs.
  std::uint32_t chroma;

  // Of byte i of four.
  __device__ __forceinline__ int offset_by_role(int i) const {
    const auto &of = (chroma >> 8 * i & 1) != 0 ? finish.chroma : finish.level;
    return chroma == 0 ? 0 : of.before + of.after;
  }
};

// False if tensor cores cannot compute this at all; else says which weights there are, and if level
// and chroma have offsets of their own. Without `by_role` such planes are not taken.
bool direct_sums_take(const ConvolveParams &params, const ConvolvePlane &plane, MmaWeights *weights,
                      bool *by_role = nullptr);

// A kernel for devices of some compute capability on, times 10, and empty below.
class MmaKernel {
 public:
  MmaKernel(const void *kernel, int from) : kernel_(kernel), from_(from) {}

  // Was it built for the current device, with the instructions it wants?
  bool built();

 private:
  enum : signed char { unknown, no, yes };

  const void *kernel_;
  int from_;
  std::atomic<signed char> known_[64] = {};  // by device
};

// For the role copy: without an offset.
MmaSamples make_mma_samples(const Filter &f, ChannelRole role);

MmaOutput make_mma_output(const ConvolveParams &params, const ConvolvePlane &plane);

// From the first tap to the last of a row, in bytes.
inline int mma_span(const Filter &f, const ConvolvePlane &plane) {
  return (f.width - 1) * plane.channels + 1;
}

// kGroups times four words of four samples, the first lowest, from sum(group, word, i); word()
// makes one of them.
template <int kGroups, class Sum, class Word>
__device__ __forceinline__ void finish_each(Sum sum, Word word,
                                            std::uint32_t (&words)[kGroups][4]) {
#pragma unroll
  for (int g = 0; g < kGroups; ++g)
#pragma unroll
    for (int w = 0; w < 4; ++w)
      words[g][w] = word(sum(g, w, 0), sum(g, w, 1), sum(g, w, 2), sum(g, w, 3));
}

template <int kGroups, class Sum>
__device__ __forceinline__ void finish_saturated(int reciprocal, std::int64_t addend, Sum sum,
                                                 std::uint32_t (&words)[kGroups][4]) {
  const auto one = [&](int n) { return upper_half_of_sum(n, reciprocal, addend); };
  finish_each(
      sum,
      [&](int n0, int n1, int n2, int n3) {
        return saturate_bytes(one(n0), one(n1), one(n2), one(n3));
      },
      words);
}

// Of any depth, where the way is `saturated`.
__device__ __forceinline__ std::uint32_t finish_cut(const MmaSamples &o, int sum) {
  return static_cast<std::uint32_t>(
      clamp_sum(upper_half_of_sum(sum, o.reciprocal, o.addend), 0, o.max));
}

template <int kGroups, class Sum>
__device__ __forceinline__ void finish_words(const MmaSamples &o, Sum sum,
                                             std::uint32_t (&words)[kGroups][4]) {
  const auto finish = [&](std::uint32_t selector, auto one) {
    finish_each(
        sum,
        [&](int n0, int n1, int n2, int n3) {
          const std::uint32_t samples[4] = {one(n0), one(n1), one(n2), one(n3)};
          return same_bytes(samples, selector);
        },
        words);
  };
  if (o.way == MmaFinish::saturated)
    finish_saturated(o.reciprocal, o.addend, sum, words);
  else if (o.way == MmaFinish::byte)
    finish(kTopByte, [&](int n) { return finish_byte(o.byte, n, o.offset); });
  else
    finish(0x40,
           [&](int n) { return static_cast<std::uint32_t>(finish_sum(o.finish, o.offsets, n)); });
}

__device__ __forceinline__ void store_words(std::uint8_t *to, const std::uint32_t (&words)[4]) {
  __stcs(reinterpret_cast<uint4 *>(to), make_uint4(words[0], words[1], words[2], words[3]));
}

// 16 bytes from x on, or what there is of them, of row y; some may be copied.
__device__ __forceinline__ void store_16(const MmaOutput &o, const TileSource &in, int x, int y,
                                         std::uint32_t (&words)[4]) {
  const int bytes = min(16, in.width - x);
  const std::uint8_t *from = in.data + static_cast<std::size_t>(y) * in.pitch + x;
  std::uint8_t *to = o.data + static_cast<std::size_t>(y) * o.pitch + x;
  if (bytes == 16 && o.wide_stores) {
    if (o.copied != 0) {
      const uint4 copied = load_global(reinterpret_cast<const uint4 *>(from));
      words[0] = (words[0] & ~o.copied) | (copied.x & o.copied);
      words[1] = (words[1] & ~o.copied) | (copied.y & o.copied);
      words[2] = (words[2] & ~o.copied) | (copied.z & o.copied);
      words[3] = (words[3] & ~o.copied) | (copied.w & o.copied);
    }
    store_words(to, words);
    return;
  }
#pragma unroll
  for (int i = 0; i < 16; ++i)
    if (i < bytes)
      to[i] = (o.copied >> 8 * (i % 4) & 1) != 0
                  ? load_global(from + i)
                  : static_cast<std::uint8_t>(words[i / 4] >> 8 * (i % 4));
}

}  // namespace coalesce
