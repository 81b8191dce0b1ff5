// SPDX-License-Identifier: LGPL-2.1-or-later
// Vectors of the CPU back end, with the compiler's own operations.
#pragma once

#include <cstdint>
#include <cstring>

#include "../../core/simd.h"

// How vectors are passed depends on the target: all of this is inlined.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

namespace coalesce {

template <int kBytes>
struct StereoLanes {
  static constexpr int kCount = kBytes / 2;  // of numbers of 16 bits
  typedef std::uint8_t Bytes __attribute__((vector_size(kBytes)));
  typedef std::uint8_t HalfBytes __attribute__((vector_size(kBytes / 2)));
  typedef std::uint16_t Words __attribute__((vector_size(kBytes)));
  typedef std::uint16_t HalfWords __attribute__((vector_size(kBytes / 2)));
  typedef std::int16_t HalfSigned __attribute__((vector_size(kBytes / 2)));
  typedef std::int8_t QuarterBytes __attribute__((vector_size(kBytes / 4)));
  typedef std::int32_t Ints __attribute__((vector_size(kBytes)));
  typedef float Floats __attribute__((vector_size(kBytes)));
};

template <class V>
COALESCE_INLINE V load_lanes(const void *from) {
  V v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
template <class V>
COALESCE_INLINE void store_lanes(void *to, const V &v) {
  std::memcpy(to, &v, sizeof v);
}
// (A number in every lane is V{} + number, where it is used and of the lanes' own type: GCC makes a
// function of it out of single lanes, and sanitizers see an int in an expression.)
template <class V>
COALESCE_INLINE V least_of(const V &a, const V &b) {
  return a < b ? a : b;
}
template <class V>
COALESCE_INLINE V most_of(const V &a, const V &b) {
  return a < b ? b : a;
}

constexpr std::uint16_t kLaneNumbers[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

// All 16-bit lanes together, by a function of two vectors.
template <int kBytes, class Combine>
COALESCE_INLINE std::uint16_t combine_lanes(const typename StereoLanes<kBytes>::Words &v,
                                            const Combine &combine) {
  typedef std::uint16_t Words __attribute__((vector_size(16)));
  Words all;
  if constexpr (kBytes == 32) {
    Words half[2];
    std::memcpy(half, &v, sizeof v);
    all = combine(half[0], half[1]);
  } else {
    all = v;
  }
  all = combine(all, __builtin_shufflevector(all, all, 4, 5, 6, 7, 0, 1, 2, 3));
  all = combine(all, __builtin_shufflevector(all, all, 2, 3, 0, 1, 6, 7, 4, 5));
  all = combine(all, __builtin_shufflevector(all, all, 1, 0, 3, 2, 5, 4, 7, 6));
  return all[0];
}

}  // namespace coalesce
