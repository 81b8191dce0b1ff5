// SPDX-License-Identifier: LGPL-2.1-or-later
// The kernels of uyvy2y as templates over their shape, for the operation and for its benchmark.
#pragma once

#include <cuda_runtime.h>

#include "../core/load.cuh"
#include "uyvy2y_pixel.h"

namespace coalesce {

struct LumaArgs {
  const std::uint8_t *packed;
  std::uint8_t *luma;
  std::size_t packed_pitch;
  std::size_t luma_pitch;
  int width;   // luma samples
  int height;  // rows of this launch
  int offset;  // of luma in a pixel
};

// Pixels [first, last) of one row, byte by byte.
__device__ __forceinline__ void luma_bytes(const std::uint8_t *packed, std::uint8_t *luma,
                                           int first, int last, int offset) {
  for (int x = first; x < last; ++x)
    luma[x] = packed[2 * static_cast<std::ptrdiff_t>(x) + offset];
}

__device__ __forceinline__ uint2 luma_of_8(uint4 pixels, int offset) {
  return make_uint2(luma_of_words(pixels.x, pixels.y, offset),
                    luma_of_words(pixels.z, pixels.w, offset));
}

// What a load and a store tell the caches about data that is touched once.
enum class CacheHint { none, evict_first, evict_first_stores, prefetch };

template <CacheHint kHint>
__device__ __forceinline__ uint4 load(const uint4 *from) {
  if constexpr (kHint == CacheHint::evict_first) return __ldcs(from);
#if __CUDA_ARCH__ >= 800 && !defined(COALESCE_EMULATED)
  if constexpr (kHint == CacheHint::prefetch) {
    uint4 v;
    asm("ld.global.nc.L1::no_allocate.L2::256B.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
        : "l"(from));
    return v;
  }
#endif
  return load_global(from);
}

template <CacheHint kHint, class T>
__device__ __forceinline__ void store(T *to, T value) {
  if constexpr (kHint == CacheHint::none) {
    *to = value;
  } else {
    __stcs(to, value);
  }
}

// Planes and pitches of both sides are multiples of 16 bytes. A thread takes kLoads times 8 pixels,
// 16 bytes in and 8 out each, of kRows rows, and has all of its loads under way before it uses the
// first. Data is touched once, so stores ask to be evicted first (asking so for the loads as well
// made it slower). blockIdx.x and threadIdx.x go along a row, blockIdx.y and threadIdx.y down the
// bands of kRows rows.
template <int kLoads, int kRows, CacheHint kHint = CacheHint::evict_first_stores>
__device__ __forceinline__ void luma_aligned_rows(const LumaArgs &a) {
  constexpr int kPixels = 8 * kLoads;
  const int x = kPixels * static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = kRows * static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= a.width || y >= a.height) return;
  const std::uint8_t *in = a.packed + y * a.packed_pitch;
  std::uint8_t *out = a.luma + y * a.luma_pitch;

  if (x + kPixels > a.width) {
    for (int r = 0; r < kRows && y + r < a.height; ++r)
      luma_bytes(in + r * a.packed_pitch, out + r * a.luma_pitch, x, a.width, a.offset);
    return;
  }
  in += 2 * static_cast<std::size_t>(x);
  out += x;
  uint4 pixels[kRows][kLoads];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const auto *from = reinterpret_cast<const uint4 *>(in + r * a.packed_pitch);
    if (y + r < a.height) {
#pragma unroll
      for (int i = 0; i < kLoads; ++i)
        pixels[r][i] = load<kHint>(from + i);
    }
  }
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    if (y + r >= a.height) return;
    if constexpr (kLoads == 1) {
      auto *to = reinterpret_cast<uint2 *>(out + r * a.luma_pitch);
      const uint2 value = luma_of_8(pixels[r][0], a.offset);
      store<kHint>(to, value);
    } else {
      static_assert(kLoads == 2, "a store has at most 16 bytes");
      auto *to = reinterpret_cast<uint4 *>(out + r * a.luma_pitch);
      const uint2 low = luma_of_8(pixels[r][0], a.offset);
      const uint2 high = luma_of_8(pixels[r][1], a.offset);
      const uint4 value = make_uint4(low.x, low.y, high.x, high.y);
      store<kHint>(to, value);
    }
  }
}

// Any alignment. The stores of a row are aligned 8-byte words between a head and a tail of single
// bytes; the loads are aligned 4-byte words, shifted into place. A word that reaches over an end of
// the row is not loaded: the pixels that need it go byte by byte.
template <int kRows>
__device__ __forceinline__ void luma_shifted_rows(const LumaArgs &a) {
  const int chunk = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = kRows * static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    if (y + r >= a.height) return;
    const std::uint8_t *in = a.packed + (y + r) * a.packed_pitch;
    std::uint8_t *out = a.luma + (y + r) * a.luma_pitch;
    // Chunk 0 is the head, of 0 to 7 pixels.
    const int head = static_cast<int>(-reinterpret_cast<std::uintptr_t>(out) & 7);
    const int x = head + 8 * (chunk - 1);
    const std::uint8_t *first = in + 2 * static_cast<std::ptrdiff_t>(x);
    const int shift = static_cast<int>(reinterpret_cast<std::uintptr_t>(first) & 3);
    const int start = 2 * x - shift;  // of the words, in bytes from the row's first
    const bool whole = x >= 0 && x <= a.width - 8;
    const bool inside = start >= 0 && (shift == 0 || start <= 2 * a.width - 20);
    if (!whole || !inside) {
      luma_bytes(in, out, max(x, 0), min(x + 8, a.width), a.offset);
      continue;
    }
    const auto *words = reinterpret_cast<const std::uint32_t *>(first - shift);
    std::uint32_t w[5];
#pragma unroll
    for (int i = 0; i < 4; ++i)
      w[i] = load_global(words + i);
    w[4] = shift != 0 ? load_global(words + 4) : 0;
#pragma unroll
    for (int i = 0; i < 4; ++i)
      w[i] = __funnelshift_r(w[i], w[i + 1], 8 * shift);
    __stcs(reinterpret_cast<uint2 *>(out + x),
           luma_of_8(make_uint4(w[0], w[1], w[2], w[3]), a.offset));
  }
}

// The two as kernels of their own, for the benchmark's shapes.
template <int kLoads, int kRows, CacheHint kHint = CacheHint::evict_first_stores>
__global__ void luma_aligned(LumaArgs a) {
  luma_aligned_rows<kLoads, kRows, kHint>(a);
}

template <int kRows>
__global__ void luma_shifted(LumaArgs a) {
  luma_shifted_rows<kRows>(a);
}

}  // namespace coalesce
