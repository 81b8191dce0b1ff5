// SPDX-License-Identifier: LGPL-2.1-or-later
// Runs of 32-bit words in and out of rows, and the instructions that pixels in words are made with.
#pragma once

#include <cuda_runtime.h>

#include "../core/load.cuh"
#include "../picture/runs.cuh"
#include "rgb2yuv_args.h"

namespace coalesce {

__device__ __forceinline__ int offset_in_word(const std::uint8_t *p) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(p) & 3);
}

__device__ __forceinline__ std::uint8_t byte_of(std::uint32_t word, int i) {
  return static_cast<std::uint8_t>(word >> (8 * i));
}

// kWords words by aligned loads or stores of kBytes each. What is stored is not read again, so it
// asks to be evicted first; what is loaded may be wanted by the neighbour, so it does not.
template <int kWords, int kBytes>
__device__ __forceinline__ void load_vectors(const std::uint8_t *from, std::uint32_t *w) {
#pragma unroll
  for (int i = 0; i < kWords; i += kBytes / 4) {
    const std::uint8_t *p = from + 4 * i;
    if constexpr (kBytes == 16) {
      const uint4 v = load_global(reinterpret_cast<const uint4 *>(p));
      w[i] = v.x, w[i + 1] = v.y, w[i + 2] = v.z, w[i + 3] = v.w;
    } else if constexpr (kBytes == 8) {
      const uint2 v = load_global(reinterpret_cast<const uint2 *>(p));
      w[i] = v.x, w[i + 1] = v.y;
    } else {
      static_assert(kBytes == 4, "16, 8 or 4");
      w[i] = load_global(reinterpret_cast<const std::uint32_t *>(p));
    }
  }
}

template <int kWords>
__device__ __forceinline__ void store_vector(std::uint8_t *to, const std::uint32_t *w) {
  if constexpr (kWords == 4) {
    __stcs(reinterpret_cast<uint4 *>(to), make_uint4(w[0], w[1], w[2], w[3]));
  } else if constexpr (kWords == 2) {
    __stcs(reinterpret_cast<uint2 *>(to), make_uint2(w[0], w[1]));
  } else {
    static_assert(kWords == 1, "16, 8 or 4 bytes");
    __stcs(reinterpret_cast<std::uint32_t *>(to), w[0]);
  }
}

// The word at byte `at` of a row of `length` bytes, 0 for what lies outside.
__device__ __forceinline__ std::uint32_t part_of_word(const std::uint8_t *row, int at, int length) {
  std::uint32_t word = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (at + i >= 0 && at + i < length) word |= std::uint32_t{load_global(row + at + i)} << (8 * i);
  return word;
}

// The kWords words from byte `at` of a row on, at any address: aligned words, shifted into place.
// Words that reach over an end of the row are put together from the bytes inside.
template <int kWords>
__device__ __forceinline__ void load_run(const std::uint8_t *row, int at, int length,
                                         std::uint32_t *w) {
  const int shift = offset_in_word(row + at);
  const int start = at - shift;
  std::uint32_t raw[kWords + 1];
#pragma unroll
  for (int i = 0; i <= kWords; ++i) {
    const int byte = start + 4 * i;
    const bool inside = (i > 0 || byte >= 0) && byte <= length - 4;
    const bool wanted = i < kWords || shift != 0;
    raw[i] = inside && wanted
                 ? load_global(reinterpret_cast<const std::uint32_t *>(row + at - shift) + i)
                 : 0;
  }
  if (start < 0) raw[0] = part_of_word(row, start, length);
  const int last = (length - start) / 4;  // the word in which the row ends, or the one behind it
  if (last <= kWords) {
    const std::uint32_t part = part_of_word(row, start + 4 * last, length);
#pragma unroll
    for (int i = 0; i <= kWords; ++i)
      raw[i] = i == last ? part : raw[i];
  }
#pragma unroll
  for (int i = 0; i < kWords; ++i)
    w[i] = __funnelshift_r(raw[i], raw[i + 1], static_cast<unsigned>(8 * shift));
}

// kWords words to any address; the first `bytes` bytes of them, if those are fewer.
template <int kWords>
__device__ __forceinline__ void store_run(std::uint8_t *to, const std::uint32_t *w, int bytes) {
  if (bytes < 4 * kWords) {
#pragma unroll
    for (int i = 0; i < 4 * kWords; ++i)
      if (i < bytes) __stcs(to + i, byte_of(w[i / 4], i % 4));
    return;
  }
  if (reinterpret_cast<std::uintptr_t>(to) % (4 * kWords) == 0) return store_vector<kWords>(to, w);
  const int head = 3 & -offset_in_word(to);  // bytes before the first aligned word
#pragma unroll
  for (int i = 0; i < 3; ++i)
    if (i < head) __stcs(to + i, byte_of(w[0], i));
#pragma unroll
  for (int i = 0; i < kWords - 1; ++i)
    __stcs(reinterpret_cast<std::uint32_t *>(to + head) + i,
           __funnelshift_r(w[i], w[i + 1], static_cast<unsigned>(8 * head)));
  std::uint8_t *last = to + 4 * (kWords - 1);
  if (head == 0) return __stcs(reinterpret_cast<std::uint32_t *>(last), w[kWords - 1]);
#pragma unroll
  for (int i = 1; i < 4; ++i)
    if (i >= head) __stcs(last + i, byte_of(w[kWords - 1], i));
}

// sum + the weighted bytes of a pixel: two dot products of two.
__device__ __forceinline__ int add_weighted(const WordWeights &weights, std::uint32_t pixel,
                                            int sum) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 610 && !defined(COALESCE_EMULATED)
  asm("dp2a.lo.s32.u32 %0, %1, %2, %0;" : "+r"(sum) : "r"(weights.low), "r"(pixel));
  asm("dp2a.hi.s32.u32 %0, %1, %2, %0;" : "+r"(sum) : "r"(weights.high), "r"(pixel));
  return sum;
#else
  const std::uint32_t pairs[2] = {weights.low, weights.high};
#pragma unroll
  for (int i = 0; i < 4; ++i)
    sum += static_cast<std::int16_t>(pairs[i / 2] >> (16 * (i % 2))) * byte_of(pixel, i);
  return sum;
#endif
}

}  // namespace coalesce
