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
    if (with_before) load_before<kAligned>(a.in, x, y);
  }

  // Before the first pixel of a row comes that pixel itself.
  template <bool kAligned>
  __device__ __forceinline__ void load_before(const RgbImage &in, int x, int y) {
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
      before |= std::uint32_t{__ldg(p)} << (8 * i);
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
  return pack(value[0], value[1], value[2], value[3]);
}

// A pixel of AYUV or VUYA.
__device__ __forceinline__ std::uint32_t packed_sample(const Rgb2yuvArgs &a, std::uint32_t pixel) {
  const std::uint32_t yuv = pack(add_weighted(a.y, pixel, a.y_bias) >> kWeightBits,
                                 add_weighted(a.u, pixel, a.uv_bias) >> kWeightBits,
                                 add_weighted(a.v, pixel, a.uv_bias) >> kWeightBits, kOpaque);
  return __byte_perm(yuv, pixel, a.order);
}

// The chroma of a quad of 4:2:2 or 4:2:0: two samples, as sums of filtered pixels.
struct ChromaSums {
  int u[2], v[2];

  __device__ __forceinline__ explicit ChromaSums(int bias) : u{bias, bias}, v{bias, bias} {}

  __device__ __forceinline__ void add(const Rgb2yuvArgs &a, int i, std::uint32_t pixel) {
    u[i] = add_weighted(a.u, pixel, u[i]);
    v[i] = add_weighted(a.v, pixel, v[i]);
  }

  // One row's part: pairs of pixels as they are for centred chroma; for [1 2 1] those too that
  // start one pixel earlier. `before` becomes the quad's last pixel.
  __device__ __forceinline__ void add_row(const Rgb2yuvArgs &a, const std::uint32_t (&pixel)[4],
                                          std::uint32_t &before) {
#pragma unroll
    for (int i = 0; i < 4; ++i)
      add(a, i / 2, pixel[i]);
    if (!a.h_cosited) return;
    add(a, 0, before);
    add(a, 0, pixel[0]);
    add(a, 1, pixel[1]);
    add(a, 1, pixel[2]);
    before = pixel[3];
  }

  __device__ __forceinline__ void double_all() {
#pragma unroll
    for (int i = 0; i < 2; ++i)
      u[i] *= 2, v[i] *= 2;
  }

  // U V U V
  __device__ __forceinline__ std::uint32_t packed(int shift) const {
    return pack(u[0] >> shift, v[0] >> shift, u[1] >> shift, v[1] >> shift);
  }
};

}  // namespace coalesce
