// SPDX-License-Identifier: LGPL-2.1-or-later
// Minima and maxima of two samples at a time.
#pragma once

#include <cstdint>

#include "median_network.h"

namespace coalesce {

// Two samples of 16 bits in a word.
struct Pair {
  std::uint32_t word;
};
__device__ __forceinline__ Pair least(Pair a, Pair b) {
  return {__vminu2(a.word, b.word)};
}
__device__ __forceinline__ Pair most(Pair a, Pair b) {
  return {__vmaxu2(a.word, b.word)};
}
// What the least leaves of the sum: a sum has more room than the pipe of minima.
__constant__ std::uint32_t kOne = 1;  // (No constant: the sum is to be a multiplication's.)
__device__ __forceinline__ Pair other(Pair a, Pair b) {
  return {a.word * kOne + b.word - least(a, b).word};
}
__device__ __forceinline__ Pair least(Pair a, Pair b, Pair c) {
  return {__vimin3_u16x2(a.word, b.word, c.word)};
}
__device__ __forceinline__ Pair most(Pair a, Pair b, Pair c) {
  return {__vimax3_u16x2(a.word, b.word, c.word)};
}
// The middle one is what the least and the largest leave of the sum.
__device__ __forceinline__ Sorted<Pair, 3> sort_three(const Sorted<Pair, 3> &a) {
  const Pair low = least(a.at[0], a.at[1], a.at[2]), high = most(a.at[0], a.at[1], a.at[2]);
  return {{low, {a.at[0].word + a.at[1].word + a.at[2].word - low.word - high.word}, high}};
}

}  // namespace coalesce
