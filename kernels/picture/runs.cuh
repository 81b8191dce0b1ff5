// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA: runs of bytes between memory and registers, in the widest accesses that alignment allows,
// or in aligned words that are shifted; and numbers as bytes of a word.
#pragma once

#include <cstdint>

#include "../core/load.cuh"

namespace coalesce {

__device__ __forceinline__ std::uint32_t clamped(int v, int most) {
  return static_cast<std::uint32_t>(min(max(v, 0), most));
}

// Four numbers, clamped, as the bytes of a word.
__device__ __forceinline__ std::uint32_t pack_bytes(int a, int b, int c, int d) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 720 && !defined(COALESCE_EMULATED)
  std::uint32_t word;
  asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, 0;" : "=r"(word) : "r"(d), "r"(c));
  asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %0;" : "+r"(word) : "r"(b), "r"(a));
  return word;
#else
  return clamped(a, 255) | clamped(b, 255) << 8 | clamped(c, 255) << 16 | clamped(d, 255) << 24;
#endif
}

// alignment: of the address and of all others of this launch, so that all threads go one way.
template <int kBytes>
__device__ __forceinline__ void load_run(const std::uint8_t *from, int alignment,
                                         std::uint32_t (&words)[(kBytes + 3) / 4]) {
  if constexpr (kBytes % 16 == 0) {
    if (alignment >= 16) {
#pragma unroll
      for (int i = 0; i < kBytes / 16; ++i) {
        const uint4 v = load_global(reinterpret_cast<const uint4 *>(from) + i);
        words[4 * i] = v.x, words[4 * i + 1] = v.y, words[4 * i + 2] = v.z, words[4 * i + 3] = v.w;
      }
      return;
    }
  }
  if constexpr (kBytes % 8 == 0) {
    if (alignment >= 8) {
#pragma unroll
      for (int i = 0; i < kBytes / 8; ++i) {
        const uint2 v = load_global(reinterpret_cast<const uint2 *>(from) + i);
        words[2 * i] = v.x, words[2 * i + 1] = v.y;
      }
      return;
    }
  }
  if constexpr (kBytes % 4 == 0) {
    if (alignment >= 4) {
#pragma unroll
      for (int i = 0; i < kBytes / 4; ++i)
        words[i] = load_global(reinterpret_cast<const std::uint32_t *>(from) + i);
      return;
    }
  }
#pragma unroll
  for (int i = 0; i < (kBytes + 3) / 4; ++i)
    words[i] = 0;
  if constexpr (kBytes % 4 == 2) {
    if (alignment >= 2) {
#pragma unroll
      for (int i = 0; i < kBytes / 2; ++i)
        words[i / 2] |=
            std::uint32_t{load_global(reinterpret_cast<const std::uint16_t *>(from) + i)}
            << 16 * (i % 2);
      return;
    }
  }
#pragma unroll
  for (int i = 0; i < kBytes; ++i)
    words[i / 4] |= std::uint32_t{load_global(from + i)} << 8 * (i % 4);
}

// From any address: by the aligned words that have a byte of the run, and no others.
template <int kWords>
__device__ __forceinline__ void load_shifted(const std::uint8_t *from,
                                             std::uint32_t (&words)[kWords]) {
  const auto place = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from) & 3);
  const std::uint8_t *aligned = from - place;
  std::uint32_t around[kWords + 1];
#pragma unroll
  for (int i = 0; i < kWords; ++i)
    around[i] = load_global(reinterpret_cast<const std::uint32_t *>(aligned) + i);
  around[kWords] = load_global(reinterpret_cast<const std::uint32_t *>(
      aligned + (place == 0 ? 4 * kWords - 4 : 4 * kWords)));
#pragma unroll
  for (int i = 0; i < kWords; ++i)
    words[i] = __funnelshift_r(around[i], around[i + 1], 8 * place);
}

// 16 bytes, by the one or two aligned blocks of 16 that have them.
__device__ __forceinline__ uint4 load_shifted(const std::uint8_t *from) {
  const auto place = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from) & 15);
  const auto *aligned = reinterpret_cast<const uint4 *>(from - place);
  const uint4 a = load_global(aligned), b = load_global(aligned + (place == 0 ? 0 : 1));
  const bool two = (place & 8) != 0, one = (place & 4) != 0;
  const std::uint32_t w[6] = {two ? a.z : a.x, two ? a.w : a.y, two ? b.x : a.z,
                              two ? b.y : a.w, two ? b.z : b.x, two ? b.w : b.y};
  std::uint32_t v[5];
#pragma unroll
  for (int i = 0; i < 5; ++i)
    v[i] = one ? w[i + 1] : w[i];
  const unsigned bits = 8 * (place & 3);
  return make_uint4(__funnelshift_r(v[0], v[1], bits), __funnelshift_r(v[1], v[2], bits),
                    __funnelshift_r(v[2], v[3], bits), __funnelshift_r(v[3], v[4], bits));
}

// To any address, each lane of `lanes` behind the one before it: a lane stores aligned words, the
// first of which begins with bytes of the lane before. first, last: of the run.
template <int kWords>
__device__ __forceinline__ void store_shifted(std::uint8_t *to,
                                              const std::uint32_t (&words)[kWords], unsigned lanes,
                                              bool first, bool last) {
  const auto place = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(to) & 3);
  const std::uint32_t before = __shfl_up_sync(lanes, words[kWords - 1], 1);
  auto *aligned = reinterpret_cast<std::uint32_t *>(to - place);
#pragma unroll
  for (int i = 0; i < kWords; ++i)
    if (i > 0 || !first || place == 0)
      __stcs(aligned + i, __funnelshift_l(i == 0 ? before : words[i - 1], words[i], 8 * place));
  if (place == 0 || (!first && !last)) return;
  const std::uint32_t behind = words[kWords - 1] >> (32 - 8 * place);
#pragma unroll
  for (unsigned b = 0; b < 3; ++b) {
    if (first && b < 4 - place) to[b] = static_cast<std::uint8_t>(words[0] >> 8 * b);
    if (last && b < place)
      reinterpret_cast<std::uint8_t *>(aligned + kWords)[b] =
          static_cast<std::uint8_t>(behind >> 8 * b);
  }
}

// A warp's, from shared memory, where the row begins at a multiple of 4, to any address.
__device__ __forceinline__ void store_row_anywhere(std::uint8_t *to, const std::uint8_t *row,
                                                   int bytes) {
  const int lane = threadIdx.x % 32;
  const int head = min(static_cast<int>(-reinterpret_cast<std::uintptr_t>(to) & 3), bytes);
  const int words = (bytes - head) / 4, tail = head + 4 * words;
  const auto *from = reinterpret_cast<const std::uint32_t *>(row);
  for (int i = lane; i < words; i += 32)
    __stcs(reinterpret_cast<std::uint32_t *>(to + head) + i,
           __funnelshift_r(from[i], from[i + (head == 0 ? 0 : 1)], 8 * head));
  // Three lanes have the bytes before, three those behind.
  const int at = lane < 4 ? lane : tail + lane - 4;
  if (lane < 4 ? lane < head : lane < 7 && at < bytes) to[at] = row[at];
}

// What is stored is not read again by the kernel, so it asks to be evicted first.
template <int kBytes>
__device__ __forceinline__ void store_run(std::uint8_t *to, int alignment,
                                          const std::uint32_t (&words)[(kBytes + 3) / 4]) {
  if constexpr (kBytes % 16 == 0) {
    if (alignment >= 16) {
#pragma unroll
      for (int i = 0; i < kBytes / 16; ++i)
        __stcs(reinterpret_cast<uint4 *>(to) + i,
               make_uint4(words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3]));
      return;
    }
  }
  if constexpr (kBytes % 8 == 0) {
    if (alignment >= 8) {
#pragma unroll
      for (int i = 0; i < kBytes / 8; ++i)
        __stcs(reinterpret_cast<uint2 *>(to) + i, make_uint2(words[2 * i], words[2 * i + 1]));
      return;
    }
  }
  if constexpr (kBytes % 4 == 0) {
    if (alignment >= 4) {
#pragma unroll
      for (int i = 0; i < kBytes / 4; ++i)
        __stcs(reinterpret_cast<std::uint32_t *>(to) + i, words[i]);
      return;
    }
  }
  if constexpr (kBytes % 4 == 2) {
    if (alignment >= 2) {
#pragma unroll
      for (int i = 0; i < kBytes / 2; ++i)
        __stcs(reinterpret_cast<std::uint16_t *>(to) + i,
               static_cast<std::uint16_t>(words[i / 2] >> 16 * (i % 2)));
      return;
    }
  }
#pragma unroll
  for (int i = 0; i < kBytes; ++i)
    to[i] = static_cast<std::uint8_t>(words[i / 4] >> 8 * (i % 4));
}

}  // namespace coalesce
