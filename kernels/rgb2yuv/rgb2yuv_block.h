// SPDX-License-Identifier: LGPL-2.1-or-later
// What the CPU back end of rgb2yuv does with a block of pixels, which stays in the nearest cache.
// Everything is inlined into functions for one machine or another; kBytes is its size of vectors.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "../core/simd.h"
#include "rgb2yuv_pixel.h"

namespace coalesce {

constexpr int kBlock = 384;  // pixels
constexpr int kUnit = 64;    // work is done on whole units: half of them fill any vector with bytes

// Pixels, or sums of up to 16 of them. Bytes 0 and 2 of a pixel as it stands in memory are the
// halves of one word, bytes 1 and 3 those of another: additions take two components at once, and
// products too. Which component is where is known to the weights alone.
struct Pixels {
  static constexpr int kMargin = 16;  // in front; its last word is the pixel to the left
  alignas(64) std::uint32_t even_words[kMargin + kBlock], odd_words[kMargin + kBlock];

  std::uint32_t *even() { return even_words + kMargin; }
  std::uint32_t *odd() { return odd_words + kMargin; }
  const std::uint32_t *even() const { return even_words + kMargin; }
  const std::uint32_t *odd() const { return odd_words + kMargin; }
};
constexpr std::uint32_t kHalves = 0x00ff00ff;

struct PixelWeights {
  std::uint32_t even, odd;  // of 16 bits each, as in Pixels; of what is no component 0
  std::int32_t bias;
  int filter_bits;  // for rounded()
};

template <class Word>
COALESCE_INLINE Word load(const std::uint8_t *bytes) {
  Word word;
  std::memcpy(&word, bytes, sizeof word);
  if constexpr (std::endian::native == std::endian::big)
    word = sizeof word == 8 ? __builtin_bswap64(word) : __builtin_bswap32(word);
  return word;
}

// 8 bytes hold two pixels of 24 bits, the second of which moves up by a byte. The last load reaches
// 2 bytes further than the pixels.
template <int kBytes>
COALESCE_INLINE void unpack24(const std::uint8_t *in, int count, Pixels &out) {
  using Uint32 = typename Vector<kBytes>::Uint32;
  using Uint64 = typename Vector<kBytes>::Uint64;
  constexpr int kPairs = kBytes / 8;
  const Uint64 first = Uint64{} + 0xffffffffu;
  for (int i = 0; i < count; i += 2 * kPairs) {
    Uint64 pairs = {};
    for (int k = 0; k < kPairs; ++k)
      pairs[k] = load<std::uint64_t>(in + 3 * i + 6 * k);
    const Uint64 moved = (pairs & first) | (pairs << 8 & ~first);
    const Uint32 pixels = reinterpret_cast<Uint32>(moved);
    const Uint32 even = pixels & kHalves, odd = pixels >> 8 & kHalves;
    std::memcpy(out.even() + i, &even, kBytes);
    std::memcpy(out.odd() + i, &odd, kBytes);
  }
}

COALESCE_INLINE void unpack32(const std::uint8_t *in, int count, Pixels &out) {
  for (int i = 0; i < count; ++i) {
    const std::uint32_t pixel = load<std::uint32_t>(in + 4 * i);
    out.even()[i] = pixel & kHalves;
    out.odd()[i] = pixel >> 8 & kHalves;
  }
}

COALESCE_INLINE void unpack_planar(const std::uint8_t *r, const std::uint8_t *g,
                                   const std::uint8_t *b, int count, Pixels &out) {
  for (int i = 0; i < count; ++i) {
    out.even()[i] = r[i] | static_cast<std::uint32_t>(b[i]) << 16;
    out.odd()[i] = g[i];
  }
}

// One component of each pixel.
template <int kBytes>
COALESCE_INLINE void weigh(const Pixels &p, int count, const PixelWeights &w, std::uint8_t *out) {
  using V = Vector<kBytes>;
  if constexpr (V::kMultipliesPairs) {
    using Int16 = typename V::Int16;
    using Int32 = typename V::Int32;
    const Int16 even_weights = reinterpret_cast<Int16>(Int32{} + static_cast<std::int32_t>(w.even));
    const Int16 odd_weights = reinterpret_cast<Int16>(Int32{} + static_cast<std::int32_t>(w.odd));
    const std::int32_t bias = w.bias * (1 << w.filter_bits);  // as rounded() has it
    for (int i = 0; i < count; i += kBytes) {
      Int32 numbers[4];
      for (int k = 0; k < 4; ++k) {
        Int16 even, odd;
        std::memcpy(&even, p.even() + i + k * kBytes / 4, kBytes);
        std::memcpy(&odd, p.odd() + i + k * kBytes / 4, kBytes);
        Int32 even_sums, odd_sums;
        V::multiply_add(even, even_weights, even_sums);
        V::multiply_add(odd, odd_weights, odd_sums);
        numbers[k] = (even_sums + odd_sums + bias) >> (kWeightBits + w.filter_bits);
      }
      V::saturate(numbers, out + i);
    }
  } else {
    const auto low = [](std::uint32_t word) { return static_cast<std::int16_t>(word); };
    const auto high = [](std::uint32_t word) { return static_cast<std::int16_t>(word >> 16); };
    for (int i = 0; i < count; ++i) {
      const std::uint32_t even = p.even()[i], odd = p.odd()[i];
      const std::int32_t sum = low(even) * low(w.even) + high(even) * high(w.even) +
                               low(odd) * low(w.odd) + high(odd) * high(w.odd);
      out[i] = saturated(rounded(sum, w.bias, w.filter_bits));
    }
  }
}

// The filter down: `row` and the next one, or, cosited, `row` twice and those around it.
COALESCE_INLINE void add_rows(const std::uint32_t *__restrict before,
                              const std::uint32_t *__restrict row,
                              const std::uint32_t *__restrict next, int count, bool cosited,
                              std::uint32_t *__restrict sum) {
  if (cosited)
    for (int i = 0; i < count; ++i)
      sum[i] = before[i] + 2 * row[i] + next[i];
  else
    for (int i = 0; i < count; ++i)
      sum[i] = row[i] + next[i];
}

// The filter across: in[2i] + in[2i + 1], or, cosited, in[2i - 1] + 2 * in[2i] + in[2i + 1]. Blocks
// of a row come one after the other: the last pixel is left where the next block looks for it.
template <int kBytes>
COALESCE_INLINE void halve(std::uint32_t *in, int count, bool row_begins, bool cosited,
                           std::uint32_t *out) {
  using Uint32 = typename Vector<kBytes>::Uint32;
  constexpr int kStep = kBytes / 4;
  if (row_begins) in[-1] = in[0];
  for (int i = 0; i < count; i += 2 * kStep) {
    Uint32 a, b;
    std::memcpy(&a, in + i, kBytes);
    std::memcpy(&b, in + i + kStep, kBytes);
    if (cosited) {
      Uint32 left_of_a, left_of_b;
      std::memcpy(&left_of_a, in + i - 1, kBytes);
      std::memcpy(&left_of_b, in + i + kStep - 1, kBytes);
      a += left_of_a;
      b += left_of_b;
    }
    Uint32 sums;
    Vector<kBytes>::add_pairs(a, b, sums);
    std::memcpy(out + i / 2, &sums, kBytes);
  }
  in[-1] = in[count - 1];
}

// a[0] b[0] a[1] b[1] ...
COALESCE_INLINE void interleave(const std::uint8_t *__restrict a, const std::uint8_t *__restrict b,
                                int count, std::uint8_t *__restrict out) {
  for (int i = 0; i < count; ++i) {
    out[2 * i] = a[i];
    out[2 * i + 1] = b[i];
  }
}

}  // namespace coalesce
