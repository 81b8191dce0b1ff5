// SPDX-License-Identifier: LGPL-2.1-or-later
// Minima and maxima of two samples at a time.
#pragma once

#include <cstdint>

#include "median_network.h"

namespace coalesce {

// Two samples of 16 bits in a word.
// kSummed: the larger one of two is what the least leaves of their sum. A sum takes more
// instructions, but minima and maxima have a pipe of a quarter of the rate: it pays where a network
// is large.
template <bool kSummed>
struct PairOf {
  std::uint32_t word;
};
using Pair = PairOf<false>;
using SummedPair = PairOf<true>;

template <bool kSummed>
__device__ __forceinline__ PairOf<kSummed> least(PairOf<kSummed> a, PairOf<kSummed> b) {
  return {__vminu2(a.word, b.word)};
}
template <bool kSummed>
__device__ __forceinline__ PairOf<kSummed> most(PairOf<kSummed> a, PairOf<kSummed> b) {
  return {__vmaxu2(a.word, b.word)};
}
__device__ __forceinline__ SummedPair other(SummedPair a, SummedPair b) {
  return {a.word + b.word - least(a, b).word};
}
template <bool kSummed>
__device__ __forceinline__ PairOf<kSummed> least(PairOf<kSummed> a, PairOf<kSummed> b,
                                                 PairOf<kSummed> c) {
  return {__vimin3_u16x2(a.word, b.word, c.word)};
}
template <bool kSummed>
__device__ __forceinline__ PairOf<kSummed> most(PairOf<kSummed> a, PairOf<kSummed> b,
                                                PairOf<kSummed> c) {
  return {__vimax3_u16x2(a.word, b.word, c.word)};
}
// The middle one is what the least and the largest leave of the sum.
template <bool kSummed>
__device__ __forceinline__ Sorted<PairOf<kSummed>, 3> sort_three(
    const Sorted<PairOf<kSummed>, 3> &a) {
  const auto low = least(a.at[0], a.at[1], a.at[2]), high = most(a.at[0], a.at[1], a.at[2]);
  return {{low, {a.at[0].word + a.at[1].word + a.at[2].word - low.word - high.word}, high}};
}

}  // namespace coalesce
