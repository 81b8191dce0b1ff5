// SPDX-License-Identifier: LGPL-2.1-or-later
// libjpeg's accurate inverse DCT in integers, bit for bit, on both back ends: Loeffler, Ligtenberg
// and Moschytz, ICASSP 1989, with 13 bits behind the point and 2 more between the passes.
#pragma once

#include <cstdint>

#include "../../core/host_device.h"

namespace coalesce::jpeg {

// Sums of absolute dequantised coefficients of a block up to here fit 32 bits: the passes' results
// are at most 11,600 times and 5.7 * 11,600 times as much, before the shift. What is between may
// wrap round. Blocks of good files stay below; others need 64 bits, as libjpeg's `long` has them.
constexpr std::int32_t kMostIn32Bits = 20000;

// Unsigned, so that wrapping round is defined; shifted down as signed.
template <class Word>
struct SignedOf;
template <>
struct SignedOf<std::uint32_t> {
  using Type = std::int32_t;
  using Number = std::uint32_t;
};
template <>
struct SignedOf<std::uint64_t> {
  using Type = std::int64_t;
  using Number = std::uint64_t;
};

// Word: unsigned, or a vector of such numbers.
// In place: eight coefficients, by frequency, to eight samples, shifted down by `shift` with
// rounding.
template <class Word>
COALESCE_HOST_DEVICE void inverse_dct_8(Word (&x)[8], int shift) {
  using Signed = typename SignedOf<Word>::Type;
  using Number = typename SignedOf<Word>::Number;
  const auto constant = [](int value) { return static_cast<Number>(value); };
  Word z1 = (x[2] + x[6]) * constant(4433);
  const Word even2 = z1 - x[6] * constant(15137), even3 = z1 + x[2] * constant(6270);
  const Word even0 = (x[0] + x[4]) << 13, even1 = (x[0] - x[4]) << 13;
  const Word e0 = even0 + even3, e3 = even0 - even3, e1 = even1 + even2, e2 = even1 - even2;

  z1 = (x[7] + x[1]) * constant(7373);
  const Word z2 = (x[5] + x[3]) * constant(20995);
  const Word z5 = (x[7] + x[3] + x[5] + x[1]) * constant(9633);
  const Word z3 = z5 - (x[7] + x[3]) * constant(16069), z4 = z5 - (x[5] + x[1]) * constant(3196);
  const Word o0 = x[7] * constant(2446) - z1 + z3, o1 = x[5] * constant(16819) - z2 + z4;
  const Word o2 = x[3] * constant(25172) - z2 + z3, o3 = x[1] * constant(12299) - z1 + z4;

  // (Vectors are not passed by value, and have no static_cast.)
  const auto down = [shift](const Word &sum, Word &to) {
    to = Word(Signed(sum + (Number{1} << (shift - 1))) >> shift);
  };
  down(e0 + o3, x[0]);
  down(e0 - o3, x[7]);
  down(e1 + o2, x[1]);
  down(e1 - o2, x[6]);
  down(e2 + o1, x[2]);
  down(e2 - o1, x[5]);
  down(e3 + o0, x[3]);
  down(e3 - o0, x[4]);
}

constexpr int kColumnShift = 11, kRowShift = 18;

// Between the passes libjpeg has `int`.
template <class Word>
COALESCE_HOST_DEVICE Word between_passes(Word value) {
  return static_cast<Word>(static_cast<typename SignedOf<Word>::Type>(
      static_cast<std::int32_t>(static_cast<std::uint32_t>(value))));
}

// To 0 to 255, of the ten bits that libjpeg looks at.
template <class Word>
COALESCE_HOST_DEVICE std::uint8_t idct_sample(Word value) {
  const int ten = (static_cast<int>(static_cast<std::uint32_t>(value) & 1023) ^ 512) - 512;
  const int sample = ten + 128;
  return static_cast<std::uint8_t>(sample < 0 ? 0 : sample > 255 ? 255 : sample);
}

// Steps are used as libjpeg has them where it has SIMD: 16 bits with a sign.
COALESCE_HOST_DEVICE std::int32_t dequantised(std::int16_t coefficient, std::uint16_t step) {
  return coefficient * static_cast<std::int16_t>(step);
}

}  // namespace coalesce::jpeg
