// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA: a pixel in shared memory, its distance to another one, and sums of pixels by weights, for
// one component or three, of bytes or of more bits.
#pragma once

#include <cstdint>

#include "../core/ptx.cuh"

namespace coalesce {

// floor(sum / divisor), if that is below 2^16. Both of the sum's parts wrap: sum = low + high * 256
// modulo 2^32.
__device__ __forceinline__ int bilateral_quotient(float about, std::uint32_t sum,
                                                  std::uint32_t divisor, float inverse) {
  // Rounded to nearest by the place of the last bit. `about` and `inverse` are off by less than
  // 2^-21 together, which is less than half of 2^-16: so this is the floor, or one more.
  const auto nearest =
      static_cast<int>(__float_as_uint(fmaf(about, inverse, 8388608.f)) & 0x7fffff);
  const auto rest = static_cast<int>(sum - static_cast<std::uint32_t>(nearest) * divisor);
  return rest < 0 ? nearest - 1 : nearest;
}

template <int kComponents, int kBytes>
struct BilateralPixel;

// Bytes: up to three components and a 1, which makes the sum of weights a component more.
template <int kComponents>
struct BilateralPixel<kComponents, 1> {
  using Word = std::uint32_t;
  struct Sums {
    std::uint32_t component[kComponents] = {}, weights = 0;
  };

  static __device__ __forceinline__ Word word_of(const std::uint32_t (&sample)[3]) {
    return kComponents == 1 ? sample[0] | 1u << 8
                            : sample[0] | sample[1] << 8 | sample[2] << 16 | 1u << 24;
  }
  static __device__ __forceinline__ std::uint32_t distance(Word a, Word b, std::uint32_t more) {
    return ptx::add_distances(a, b, more);
  }
  // By weights in the halves of a word.
  static __device__ __forceinline__ void add(std::uint32_t weights, Word a, Word b, Sums *sums) {
    const std::uint32_t lower = __byte_perm(a, b, 0x5140);
    sums->component[0] = __dp2a_lo(weights, lower, sums->component[0]);
    if constexpr (kComponents == 1) {
      sums->weights = __dp2a_hi(weights, lower, sums->weights);
    } else {
      const std::uint32_t upper = __byte_perm(a, b, 0x7362);
      sums->component[1] = __dp2a_hi(weights, lower, sums->component[1]);
      sums->component[2] = __dp2a_lo(weights, upper, sums->component[2]);
      sums->weights = __dp2a_hi(weights, upper, sums->weights);
    }
  }
  static __device__ __forceinline__ void results(const Sums &sums, int (&result)[kComponents]) {
    const float inverse = ptx::reciprocal(static_cast<float>(sums.weights));
#pragma unroll
    for (int c = 0; c < kComponents; ++c) {
      const std::uint32_t sum = sums.component[c] + sums.weights / 2;
      result[c] = bilateral_quotient(static_cast<float>(sum), sum, sums.weights, inverse);
    }
  }
};

// Samples of 16 bits are summed by their lower and their upper bytes.
template <int kComponents>
struct BilateralPixel<kComponents, 2> {
  struct Word {
    std::uint16_t sample[kComponents];
  };
  struct Sums {
    std::uint32_t low[kComponents] = {}, high[kComponents] = {}, weights = 0;
  };

  static __device__ __forceinline__ Word word_of(const std::uint32_t (&sample)[3]) {
    Word word;
#pragma unroll
    for (int c = 0; c < kComponents; ++c)
      word.sample[c] = static_cast<std::uint16_t>(sample[c]);
    return word;
  }
  static __device__ __forceinline__ std::uint32_t distance(const Word &a, const Word &b,
                                                           std::uint32_t more) {
#pragma unroll
    for (int c = 0; c < kComponents; ++c)
      more = __usad(a.sample[c], b.sample[c], more);
    return more;
  }
  static __device__ __forceinline__ void add(std::uint32_t weights, const Word &a, const Word &b,
                                             Sums *sums) {
#pragma unroll
    for (int c = 0; c < kComponents; ++c) {
      const std::uint32_t bytes = __byte_perm(a.sample[c], b.sample[c], 0x5140);
      sums->low[c] = __dp2a_lo(weights, bytes, sums->low[c]);
      sums->high[c] = __dp2a_hi(weights, bytes, sums->high[c]);
    }
    sums->weights = __dp2a_lo(weights, 0x0101u, sums->weights);
  }
  static __device__ __forceinline__ void results(const Sums &sums, int (&result)[kComponents]) {
    const float inverse = ptx::reciprocal(static_cast<float>(sums.weights));
#pragma unroll
    for (int c = 0; c < kComponents; ++c) {
      const std::uint32_t low = sums.low[c] + sums.weights / 2;
      const float about = fmaf(static_cast<float>(sums.high[c]), 256.f, static_cast<float>(low));
      result[c] = bilateral_quotient(about, low + (sums.high[c] << 8), sums.weights, inverse);
    }
  }
};

}  // namespace coalesce
