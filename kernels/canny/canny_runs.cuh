// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA: runs of bits in words.
#pragma once

#include <cstdint>

#include "../core/union_find.cuh"

namespace coalesce {

// A run of ones in a word, from its lowest bit on.
struct BitRun {
  unsigned first;      // the number of that bit
  std::uint32_t bits;  // all of the run
};

// The run that bit `at` is in, which is one.
__device__ __forceinline__ BitRun run_at(std::uint32_t word, unsigned at) {
  // Zeros below and above the bit end it.
  const std::uint32_t below = ~word & ((1u << at) - 1);
  const unsigned first = 32u - static_cast<unsigned>(__clz(static_cast<int>(below)));
  const std::uint32_t from = word >> first;  // its lowest bit is one
  const std::uint32_t zeros = ~from;
  const std::uint32_t bits = zeros == 0 ? from : from & ((zeros & (0u - zeros)) - 1);
  return {first, bits << first};
}

// Each run of a word.
template <class Visit>
__device__ __forceinline__ void for_runs(std::uint32_t word, Visit visit) {
  for (std::uint32_t rest = word; rest != 0;) {
    const BitRun run = run_at(word, static_cast<unsigned>(__ffs(static_cast<int>(rest)) - 1));
    visit(run);
    rest &= ~run.bits;
  }
}

// ones, and those beside them.
__device__ __forceinline__ std::uint32_t widened(std::uint32_t ones) {
  return ones | ones << 1 | ones >> 1;
}

}  // namespace coalesce
