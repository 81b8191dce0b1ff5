// SPDX-License-Identifier: LGPL-2.1-or-later
// Costs of a pixel's candidates, before windows and paths add them up.
#pragma once

#include "lanes.h"
#include "scratch.h"

namespace coalesce {

// count: at least kBytes; the last vector may overlap the one before.
template <int kBytes, class Step>
COALESCE_INLINE void for_vectors(int count, const Step &step) {
  for (int k = 0; k + kBytes <= count; k += kBytes)
    step(k);
  if (count % kBytes != 0) step(count - kBytes);
}

// right: the pixel of the first candidate.
template <int kBytes>
COALESCE_INLINE void sad_costs(std::uint8_t left, const std::uint8_t *right, int count,
                               std::uint8_t *costs) {
  using L = StereoLanes<kBytes>;
  using Bytes = typename L::Bytes;
  constexpr std::uint8_t kMost = kMostDifference;
  // (As words: GCC puts bytes into a vector one by one here.)
  const auto twice = static_cast<std::uint16_t>(left * 0x101);
  const Bytes from = reinterpret_cast<Bytes>(typename L::Words{} + twice), limit = Bytes{} + kMost;
  for_vectors<kBytes>(
      count, [&](int k) __attribute__((always_inline)) {
        const Bytes to = load_lanes<Bytes>(right + k);
        store_lanes(costs + k, least_of<Bytes>(most_of(from, to) - least_of(from, to), limit));
      });
}

// Bits that differ. right: byte by byte.
template <int kBytes>
COALESCE_INLINE void census_costs(std::uint32_t left, const std::uint8_t *const (&right)[4],
                                  std::ptrdiff_t at, int count, std::uint8_t *costs) {
  using L = StereoLanes<kBytes>;
  using Words = typename L::Words;
  Words from[4];
  for (int b = 0; b < 4; ++b) {
    const auto byte = static_cast<std::uint8_t>(left >> 8 * b);
    from[b] = reinterpret_cast<Words>(typename L::Bytes{} + byte);
  }
  for_vectors<kBytes>(
      count, [&](int k) __attribute__((always_inline)) {
        // Sums of two bits, of four, and of those of two bytes, which fit four bits.
        Words four[4];
        for (int b = 0; b < 4; ++b) {
          Words v = load_lanes<Words>(right[b] + at + k) ^ from[b];
          v -= (v >> 1) & 0x5555;
          four[b] = (v & 0x3333) + ((v >> 2) & 0x3333);
        }
        const Words a = four[0] + four[1], b = four[2] + four[3];
        store_lanes(costs + k,
                    (a & 0x0F0F) + ((a >> 4) & 0x0F0F) + (b & 0x0F0F) + ((b >> 4) & 0x0F0F));
      });
}

}  // namespace coalesce
