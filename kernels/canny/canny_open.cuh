// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA: pixels that are open after their tile: what hangs together, and then the picture.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../core/grid_order.cuh"
#include "../core/plane.h"
#include "../picture/runs.cuh"
#include "canny_runs.cuh"
#include "canny_scratch.h"

namespace coalesce {
namespace {

// Items of work that few threads of a block find, several of them each. Each thread gets its share
// of all; those without a place in the list are done at once.
struct SharedOut {
  static constexpr unsigned kMost = 512;
  unsigned count;
  uint2 item[kMost];

  __device__ __forceinline__ void start() {
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
  }
  template <class Work>
  __device__ __forceinline__ void add(std::uint32_t a, std::uint32_t b, Work work) {
    const unsigned at = atomicAdd(&count, 1u);
    if (at < kMost)
      item[at] = make_uint2(a, b);
    else
      work(a, b);
  }
  template <class Work>
  __device__ __forceinline__ void finish(Work work) {
    __syncthreads();
    for (unsigned i = threadIdx.x; i < min(count, kMost); i += blockDim.x)
      work(item[i].x, item[i].y);
    __syncthreads();
  }
};

// ---- What hangs together ------------------------------------------------------------------------

struct MergeArgs {
  int height;
  unsigned words, all_words;
  const CannyMapWord *map;
  std::uint32_t *parent;
};

// A word of the map; none outside the picture.
struct MapPlace {
  std::uint32_t edge = 0, open = 0, node = 0;
  __device__ __forceinline__ MapPlace(const MergeArgs &a, int row, unsigned column) {
    if (row < 0 || row >= a.height || column >= a.words) return;
    const std::size_t at = static_cast<std::size_t>(row) * a.words + column;
    const uint2 word = load_global(reinterpret_cast<const uint2 *>(a.map + at));
    edge = word.x, open = word.y;
    node = static_cast<std::uint32_t>(at) * kCannyNodesOfWord + 1;
  }
  // Of the open run that this bit is in.
  __device__ __forceinline__ std::uint32_t node_at(unsigned bit) const {
    return node + run_at(open, bit).first / 2;
  }
};

// Hands on two pixels beside each other, if one is open and the other one is open or an edge.
template <class Join>
__device__ __forceinline__ void join_bits(const MapPlace &a, unsigned bit, const MapPlace &b,
                                          unsigned other, Join join_nodes) {
  const std::uint32_t open = a.open >> bit & 1, other_open = b.open >> other & 1;
  if (((open | a.edge >> bit) & (other_open | b.edge >> other) & (open | other_open) & 1) == 0)
    return;
  join_nodes(open != 0 ? a.node_at(bit) : 0, other_open != 0 ? b.node_at(other) : 0);
}

// What of a word touches the word left of it and the three above it. (Of one tile, edges have no
// open neighbours.)
template <class Join>
__device__ __forceinline__ void for_touching(const MergeArgs &a, int row, unsigned column,
                                             Join join_nodes) {
  // (All loads are under way at a time.)
  const MapPlace here(a, row, column), above(a, row - 1, column), left(a, row, column - 1),
      above_left(a, row - 1, column - 1), above_right(a, row - 1, column + 1);
  join_bits(here, 0, left, 31, join_nodes);
  join_bits(here, 0, above_left, 31, join_nodes);
  join_bits(here, 31, above_right, 0, join_nodes);
  for_runs(here.open, [&](const BitRun &run) {
    const std::uint32_t node = here.node + run.first / 2, around = widened(run.bits);
    if ((above.edge & around) != 0) join_nodes(node, 0);
    for_runs(above.open & around,
             [&](const BitRun &other) { join_nodes(node, above.node_at(other.first)); });
  });
  for_runs(above.open & widened(here.edge),
           [&](const BitRun &other) { join_nodes(above.node_at(other.first), 0); });
}

constexpr int kMergeThreads = 128;

// A thread has a word of the map. To join takes several loads after each other, so each thread of
// the block joins as many.
__global__ void __launch_bounds__(kMergeThreads) merge_kernel(const __grid_constant__ MergeArgs a) {
  __shared__ SharedOut joins;
  wait_for_grid_before();
  joins.start();
  const auto join_nodes = [&](std::uint32_t one, std::uint32_t other) {
    join(a.parent, one, other);
  };
  const unsigned i = blockIdx.x * kMergeThreads + threadIdx.x;
  if (i < a.all_words)
    for_touching(
        a, static_cast<int>(i / a.words), i % a.words,
        [&](std::uint32_t one, std::uint32_t other) { joins.add(one, other, join_nodes); });
  joins.finish(join_nodes);
}

// ---- The picture --------------------------------------------------------------------------------

struct WriteArgs {
  Plane<std::uint8_t> out;
  int alignment;
  unsigned words, all_words;
  const CannyMapWord *map;
  std::uint32_t *parent;
};

// Four bits as four bytes.
__device__ __forceinline__ std::uint32_t bytes_of_bits(std::uint32_t bits) {
  return ((bits & 15) * 0x00204081u & 0x01010101u) * 255;
}

constexpr int kWriteThreads = 128;

// A thread has a word of the map. Each thread of the block looks for as many roots.
__global__ void __launch_bounds__(kWriteThreads) write_kernel(const __grid_constant__ WriteArgs a) {
  __shared__ SharedOut runs;
  __shared__ std::uint32_t edges[kWriteThreads];
  wait_for_grid_before();
  runs.start();
  const unsigned first = blockIdx.x * kWriteThreads, i = first + threadIdx.x;
  const uint2 word =
      i < a.all_words ? load_global(reinterpret_cast<const uint2 *>(a.map + i)) : make_uint2(0, 0);
  edges[threadIdx.x] = word.x;
  const auto add_run = [&](std::uint32_t node, std::uint32_t bits) {
    if (find_root(a.parent, node) == 0)
      atomicOr(&edges[(node - 1) / kCannyNodesOfWord - first], bits);
  };
  for_runs(word.y, [&](const BitRun &run) {
    runs.add(i * kCannyNodesOfWord + run.first / 2 + 1, run.bits, add_run);
  });
  runs.finish(add_run);
  if (i >= a.all_words) return;
  const std::uint32_t edge = edges[threadIdx.x];
  const unsigned row = i / a.words, column = i - row * a.words;
  const int x = static_cast<int>(32 * column);
  std::uint8_t *to = a.out.row(static_cast<int>(row)) + x;
  if (x + 32 <= a.out.width) {
    std::uint32_t bytes[8];
#pragma unroll
    for (int k = 0; k < 8; ++k)
      bytes[k] = bytes_of_bits(edge >> 4 * k);
    store_run<32>(to, a.alignment, bytes);
    return;
  }
  for (int k = 0; x + k < a.out.width; ++k)
    to[k] = (edge >> k & 1) != 0 ? 255 : 0;
}
}  // namespace
}  // namespace coalesce
