// SPDX-License-Identifier: LGPL-2.1-or-later
// Chunks of a row: how RGB becomes pixels in words, and those samples of YUV.
//
// Whatever the source, its pixels are brought into 32-bit words: its three or four bytes in the
// order of memory, with a weight of 0 for a byte that is none of red, green and blue. Four pixels,
// a quad, are the unit: three words of 24-bit pixels, or four of 32-bit ones, or one of each plane.
#pragma once

#include "rgb2yuv_args.h"
#include "rgb2yuv_words.cuh"

namespace coalesce {

// kPixels pixels of a row as they come from memory, and one more where filters want it.
template <RgbSource kSource, int kPixels>
struct RgbChunk {
  static constexpr int kRuns = kSource == RgbSource::planar ? 3 : 1;
  static constexpr int kStep = kRuns == 3 ? 1 : kSource == RgbSource::packed24 ? 3 : 4;
  static constexpr int kRunWords = kStep * kPixels / 4;
  // The longest vectors that a chunk starts on.
  static constexpr int kVector = kSource == RgbSource::packed32 ? 16 : kPixels;
  std::uint32_t word[kRuns * kRunWords];
  std::uint32_t before;  // the pixel before them, if asked for

  template <bool kAligned>
  __device__ __forceinline__ void load(const Rgb2yuvArgs &a, int x, int y, bool with_before) {
#pragma unroll
    for (int i = 0; i < kRuns; ++i) {
      const Plane<const std::uint8_t> &plane = a.in.plane[i];
      if constexpr (kAligned)
        load_vectors<kRunWords, kVector>(plane.row(y) + kStep * x, word + i * kRunWords);
      else
        load_run<kRunWords>(plane.row(y), kStep * x, plane.width, word + i * kRunWords);
    }
    before = 0;
    if (with_before) load_before<kAligned>(a.in, x, y);
  }

  // Before the first pixel of a row comes that pixel itself.
  template <bool kAligned>
  __device__ __forceinline__ void load_before(const RgbPlanes &in, int x, int y) {
    const int at = kStep * (x > 0 ? x - 1 : 0);
    if (kAligned && kRuns == 1 && x > 0) {
      load_vectors<1, 4>(in.plane[0].row(y) + kStep * x - 4, &before);
      before >>= 32 - 8 * kStep;
      return;
    }
    before = 0;
#pragma unroll
    for (int i = 0; i < (kRuns == 3 ? 3 : kStep); ++i) {
      const std::uint8_t *p =
          kRuns == 3 ? in.plane[i % kRuns].row(y) + at : in.plane[0].row(y) + at + i;
      before |= std::uint32_t{load_global(p)} << (8 * i);
    }
  }

  __device__ __forceinline__ void quad(int q, std::uint32_t (&pixel)[4]) const {
    if constexpr (kSource == RgbSource::packed24) {
      const std::uint32_t *w = word + 3 * q;
      pixel[0] = w[0];
      pixel[1] = __funnelshift_r(w[0], w[1], 24);
      pixel[2] = __funnelshift_r(w[1], w[2], 16);
      pixel[3] = w[2] >> 8;
    } else if constexpr (kSource == RgbSource::packed32) {
#pragma unroll
      for (int i = 0; i < 4; ++i)
        pixel[i] = word[4 * q + i];
    } else {
      const std::uint32_t b = word[2 * kRunWords + q];
      const std::uint32_t rg01 = __byte_perm(word[q], word[kRunWords + q], 0x5140);
      const std::uint32_t rg23 = __byte_perm(word[q], word[kRunWords + q], 0x7362);
      pixel[0] = __byte_perm(rg01, b, 0x4410);
      pixel[1] = __byte_perm(rg01, b, 0x5532);
      pixel[2] = __byte_perm(rg23, b, 0x6610);
      pixel[3] = __byte_perm(rg23, b, 0x7732);
    }
  }

  // The same where pixels count in pairs: after the last pixel of a row comes that pixel itself.
  template <bool kAligned>
  __device__ __forceinline__ void pairs(const Rgb2yuvArgs &a, int x, int q,
                                        std::uint32_t (&pixel)[4]) const {
    quad(q, pixel);
    if (!kAligned && x + 4 * q + 1 >= a.width) pixel[1] = pixel[0];
    if (!kAligned && x + 4 * q + 3 >= a.width) pixel[3] = pixel[2];
  }
};

__device__ __forceinline__ std::uint32_t samples(const WordWeights &weights, int bias,
                                                 const std::uint32_t (&pixel)[4]) {
  int value[4];
#pragma unroll
  for (int i = 0; i < 4; ++i)
    value[i] = add_weighted(weights, pixel[i], bias) >> kWeightBits;
  return pack_bytes(value[0], value[1], value[2], value[3]);
}

// A pixel of AYUV or VUYA.
__device__ __forceinline__ std::uint32_t packed_sample(const Rgb2yuvArgs &a, std::uint32_t pixel) {
  const std::uint32_t yuv = pack_bytes(add_weighted(a.y, pixel, a.y_bias) >> kWeightBits,
                                       add_weighted(a.u, pixel, a.uv_bias) >> kWeightBits,
                                       add_weighted(a.v, pixel, a.uv_bias) >> kWeightBits, kOpaque);
  return __byte_perm(yuv, pixel, a.order);
}

// U and V of a pixel, or of the same pixel of several rows: sums without the bias.
struct ChromaSum {
  int u = 0, v = 0;

  __device__ __forceinline__ void add(const Rgb2yuvArgs &a, std::uint32_t pixel) {
    u = add_weighted(a.u, pixel, u);
    v = add_weighted(a.v, pixel, v);
  }
  __device__ __forceinline__ void twice() {
    u *= 2;
    v *= 2;
  }
};

// The pixels of a quad.
struct ChromaSums {
  ChromaSum of[4];

  __device__ __forceinline__ void add_row(const Rgb2yuvArgs &a, const std::uint32_t (&pixel)[4]) {
#pragma unroll
    for (int i = 0; i < 4; ++i)
      of[i].add(a, pixel[i]);
  }
  __device__ __forceinline__ void twice() {
#pragma unroll
    for (int i = 0; i < 4; ++i)
      of[i].twice();
  }

  // The two samples of chroma that the quad shares, as U V U V: pairs of pixels, or [1 2 1].
  // `before` is the sum of the pixel before the quad and becomes that of its last.
  __device__ __forceinline__ std::uint32_t packed(const Rgb2yuvArgs &a, ChromaSum &before) const {
    int u[2], v[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      u[i] = of[2 * i].u + of[2 * i + 1].u + a.uv_bias;
      v[i] = of[2 * i].v + of[2 * i + 1].v + a.uv_bias;
      if (a.h_cosited) {
        u[i] += of[2 * i].u + before.u;
        v[i] += of[2 * i].v + before.v;
        before = of[2 * i + 1];
      }
    }
    return pack_bytes(u[0] >> a.uv_shift, v[0] >> a.uv_shift, u[1] >> a.uv_shift,
                      v[1] >> a.uv_shift);
  }
};

}  // namespace coalesce
