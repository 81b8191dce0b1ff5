// SPDX-License-Identifier: LGPL-2.1-or-later
// Separable filters on 8-bit matrix units: which of them, and with which numbers.
#pragma once

#include <cstdint>
#include <optional>

#include "../../mask/filter.h"

namespace coalesce {

// Ways to sum and to finish. Sums down are cut into bytes, and so are taps of more than one.
enum class SeparableSums : std::uint8_t {
  packed,       // taps of 8 bits, none negative; divisor 2^16; nothing saturates
  divided,      // the same with any divisor
  shifted,      // signed taps of 8 bits; divisor a power of two
  wide,         // taps of 16 bits, none negative; divisor a power of two, 2^33 at least
  wide_across,  // the same, those across signed
  wide_down,    // the same, those down signed
  deep,         // samples of 16 bits, else as `wide`
  deep_long,    // samples of 16 bits, signed taps of 24 bits, sums of 62 bits, any divisor
};

// With wide sums, more units across do not fit into the registers.
constexpr int kMostWideUnits = 5;

// What follows from the way.
template <SeparableSums kSums>
struct MmaTypes {
  static constexpr bool kDeep = kSums >= SeparableSums::deep;
  static constexpr bool kWide = kSums >= SeparableSums::wide;
  static constexpr bool kLong = kSums == SeparableSums::deep_long;
  static constexpr int kBytes = kDeep ? 2 : 1;               // of a sample
  static constexpr int kDigits = kLong ? 3 : kWide ? 2 : 1;  // bytes of a tap
  static constexpr int kPlanes = kLong ? 5 : kWide ? 4 : 2;  // bytes of a sum down
  static constexpr bool kSignedDown =
      kSums == SeparableSums::shifted || kSums == SeparableSums::wide_down || kLong;
  static constexpr bool kSignedAcross =
      kSums == SeparableSums::shifted || kSums == SeparableSums::wide_across || kLong;
  // Sums of so many bits and sign: the uppermost byte is signed even if the sums cannot be
  // negative.
  static constexpr bool kSignedSums = kSums == SeparableSums::shifted || kWide;
};

// Taps are scaled up by powers of two to reach the divisor a way wants; all else here is scaled
// too.
struct MmaNumbers {
  SeparableSums sums = SeparableSums::packed;
  int scale_down = 0, scale_across = 0;  // taps << scale
  int shift = 0;                         // what is left to do of a divisor 2^shift
  std::uint32_t reciprocal = 0;          // divided: 2^32 / divisor, rounded up
  std::int64_t level = 0, chroma = 0;    // to be added, as the way wants it
};

// The fastest way that gives exactly the filter's samples, if there is one.
std::optional<MmaNumbers> choose_mma_numbers(const Filter &filter);

}  // namespace coalesce
