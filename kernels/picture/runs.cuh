// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA: runs of bytes between memory and registers, in the widest accesses that alignment allows,
// and numbers as bytes of a word.
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
