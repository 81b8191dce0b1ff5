// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA: runs of bits in words, and what hangs together, by a union-find structure that threads
// build at once. (Playne and Hawick, A New Algorithm for Parallel Connected-Component Labelling on
// GPUs, 2018, have this way to join.)
#pragma once

#include <cstdint>

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

// parent[node] is a lower node of the same set, or the node itself: so the lowest node is the root.
// While other threads join sets, what is read may be an older parent, which is as good: it is
// lower, and of the same set. Nodes on the way get the parent of their parent, so that ways stay
// short. They are no roots and never will be; who replaces a parent there joins it, too.
__device__ __forceinline__ std::uint32_t find_root(std::uint32_t *parent, std::uint32_t node) {
  for (;;) {
    const std::uint32_t above = parent[node];
    if (above == node) return node;
    const std::uint32_t top = parent[above];
    if (top == above) return above;
    parent[node] = top;
    node = top;
  }
}

// Joins two sets. The higher node gets the lower one as its parent, in the hope that it is a root;
// if it had a lower parent by then, or had to give one up, that parent and the lower node are still
// to be joined, by their roots. (A parent that was given up is joined by whoever took its place.)
// Nodes become lower each time, so this ends.
__device__ __forceinline__ void join(std::uint32_t *parent, std::uint32_t a, std::uint32_t b) {
  while (a != b) {
    const std::uint32_t high = max(a, b), low = min(a, b);
    const std::uint32_t old = atomicMin(&parent[high], low);
    if (old == high) return;
    a = find_root(parent, old);
    b = find_root(parent, low);
  }
}

}  // namespace coalesce
