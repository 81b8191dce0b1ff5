// SPDX-License-Identifier: LGPL-2.1-or-later
// What hangs together, by a structure of nodes that threads build at once. (Playne and Hawick, A
// New Algorithm for Parallel Connected-Component Labelling on GPUs, 2018, have this way to join.)
#pragma once

#include <cstdint>

namespace coalesce {

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
