// SPDX-License-Identifier: LGPL-2.1-or-later
// The kernels of uyvy2y as templates over their shape, for the operation and for its benchmark.
#pragma once

#include <cuda_runtime.h>

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

// Planes and pitches of both sides are multiples of 16 bytes. A thread takes 8 pixels, 16 bytes in
// and 8 out, of each of kRows rows, and has all of its loads under way before it uses the first.
// blockDim.x covers a row, blockIdx.y the bands of kRows rows.
template <int kRows>
__global__ void luma_aligned(LumaArgs a) {
  const int x = 8 * static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = kRows * static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= a.width || y >= a.height) return;
  const std::uint8_t *in = a.packed + y * a.packed_pitch;
  std::uint8_t *out = a.luma + y * a.luma_pitch;

  if (x + 8 > a.width) {
    for (int r = 0; r < kRows && y + r < a.height; ++r)
      luma_bytes(in + r * a.packed_pitch, out + r * a.luma_pitch, x, a.width, a.offset);
    return;
  }
  uint4 pixels[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r)
    if (y + r < a.height)
      pixels[r] = __ldcs(reinterpret_cast<const uint4 *>(in + r * a.packed_pitch + 2 * x));
#pragma unroll
  for (int r = 0; r < kRows; ++r)
    if (y + r < a.height)
      __stcs(reinterpret_cast<uint2 *>(out + r * a.luma_pitch + x),
             make_uint2(luma_of_words(pixels[r].x, pixels[r].y, a.offset),
                        luma_of_words(pixels[r].z, pixels[r].w, a.offset)));
}

// Any alignment. The stores of a row are aligned 8-byte words between a head and a tail of single
// bytes; the loads are aligned 4-byte words, shifted into place. A word that reaches over an end of
// the row is not loaded: the pixels that need it go byte by byte.
template <int kRows>
__global__ void luma_shifted(LumaArgs a) {
  const int chunk = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y0 = kRows * static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    if (y0 + r >= a.height) return;
    const std::uint8_t *in = a.packed + (y0 + r) * a.packed_pitch;
    std::uint8_t *out = a.luma + (y0 + r) * a.luma_pitch;
    // Chunk 0 is the head, of 0 to 7 pixels.
    const int head = static_cast<int>(-reinterpret_cast<std::uintptr_t>(out) & 7);
    const int x = head + 8 * (chunk - 1);
    const std::uint8_t *first = in + 2 * static_cast<std::ptrdiff_t>(x);
    const int shift = static_cast<int>(reinterpret_cast<std::uintptr_t>(first) & 3);
    const bool whole = x >= 0 && x + 8 <= a.width;
    const bool inside = 2 * x >= shift && (shift == 0 || 2 * x - shift + 20 <= 2 * a.width);
    if (!whole || !inside) {
      luma_bytes(in, out, x > 0 ? x : 0, x + 8 < a.width ? x + 8 : a.width, a.offset);
      continue;
    }
    const auto *words = reinterpret_cast<const std::uint32_t *>(first - shift);
    std::uint32_t w[5];
#pragma unroll
    for (int i = 0; i < 4; ++i)
      w[i] = __ldg(words + i);
    w[4] = shift != 0 ? __ldg(words + 4) : 0;
#pragma unroll
    for (int i = 0; i < 4; ++i)
      w[i] = __funnelshift_r(w[i], w[i + 1], 8 * shift);
    __stcs(reinterpret_cast<uint2 *>(out + x),
           make_uint2(luma_of_words(w[0], w[1], a.offset), luma_of_words(w[2], w[3], a.offset)));
  }
}

}  // namespace coalesce
