// SPDX-License-Identifier: LGPL-2.1-or-later
// Edges as bits, thinned: a block has a tile of words in shared memory, and as many pixels around
// it as the steps reach.
#include "../core/cuda_status.h"
#include "../core/grid_order.cuh"
#include "../core/trace.h"
#include "../picture/runs.cuh"
#include "../picture/tile.cuh"
#include "line_cuda.h"
#include "line_links.h"

namespace coalesce {
namespace {

constexpr int kSteps = 2 * kThinningRounds;
constexpr int kWords = 8, kRows = 56;  // of a tile
constexpr int kPitch = kWords + 2, kAllRows = kRows + 2 * kSteps;
constexpr int kThreads = 256;

struct ThinArgs {
  Plane<const std::uint8_t> edges;
  int alignment;
  int words;  // of a row of the map
  std::uint32_t *bits, *cuts;
  LineCounters *counters;
};

// A bit for each byte that is not 0.
__device__ __forceinline__ std::uint32_t bits_of(std::uint32_t bytes) {
  const std::uint32_t ones = (((bytes & 0x7f7f7f7fu) + 0x7f7f7f7fu) | bytes) >> 7 & 0x01010101u;
  return ones * 0x01020408u >> 24;
}

__device__ __forceinline__ std::uint32_t load_some(const std::uint8_t *from, int begin, int end) {
  std::uint32_t bits = 0;
  for (int i = begin; i < end; ++i)
    bits |= static_cast<std::uint32_t>(load_global(from + i) != 0) << i;
  return bits;
}

// Word k of a row. Of words beside the tile only the pixels that matter.
__device__ __forceinline__ std::uint32_t load_edges(const ThinArgs &a, int y, int k, int side) {
  if (y < 0 || y >= a.edges.height || k < 0 || k >= a.words) return 0;
  const std::uint8_t *from = a.edges.row(y) + 32 * k;
  const int count = min(32, a.edges.width - 32 * k);
  if (side != 0)
    return load_some(from, side < 0 ? 32 - kSteps : 0, side < 0 ? count : min(kSteps, count));
  if (count < 32) return load_some(from, 0, count);
  std::uint32_t words[8], bits = 0;
  load_run<32>(from, a.alignment, words);
#pragma unroll
  for (int i = 0; i < 8; ++i)
    bits |= bits_of(words[i]) << 4 * i;
  return bits;
}

__global__ void __launch_bounds__(kThreads) thin_kernel(const __grid_constant__ ThinArgs a) {
  wait_for_grid_before();
  __shared__ std::uint32_t map[2][kAllRows][kPitch];
  const auto thread = static_cast<int>(threadIdx.x);
  const int left = static_cast<int>(blockIdx.x) * kWords - 1;
  const int top = static_cast<int>(blockIdx.y) * kRows - kSteps;
  if (blockIdx.x == 0 && blockIdx.y == 0) {
    auto *counter = reinterpret_cast<std::uint32_t *>(a.counters);
    for (int i = thread; i < static_cast<int>(sizeof(LineCounters) / 4); i += kThreads)
      counter[i] = 0;
  }
  for (int i = thread; i < kAllRows * kPitch; i += kThreads) {
    const int row = i / kPitch, k = i - row * kPitch;
    map[0][row][k] =
        load_edges(a, top + row, left + k, k == 0 ? -1 : static_cast<int>(k == kPitch - 1));
    map[1][row][k] = 0;
  }
  __syncthreads();
  // What is missing around the map reaches a pixel further in with each step.
  for (int step = 0; step < kSteps; ++step) {
    const std::uint32_t(*from)[kPitch] = map[step % 2];
    for (int i = thread; i < (kAllRows - 2) * kPitch; i += kThreads) {
      const int row = i / kPitch + 1, k = i % kPitch;
      const std::uint32_t here = from[row][k];
      std::uint32_t left_over = 0;
      if (here != 0) {
        const int before = max(k - 1, 0), behind = min(k + 1, kPitch - 1);
        const std::uint32_t up[3] = {from[row - 1][before], from[row - 1][k],
                                     from[row - 1][behind]};
        const std::uint32_t mid[3] = {from[row][before], here, from[row][behind]};
        const std::uint32_t down[3] = {from[row + 1][before], from[row + 1][k],
                                       from[row + 1][behind]};
        left_over = thinned(here, words_around(up, mid, down), step % 2 != 0);
      }
      map[(step + 1) % 2][row][k] = left_over;
    }
    __syncthreads();
  }
  for (int i = thread; i < kRows * kWords; i += kThreads) {
    const int row = i / kWords + kSteps, k = i % kWords + 1;
    if (top + row >= a.edges.height || left + k >= a.words) continue;
    const std::size_t to =
        static_cast<std::size_t>(top + row) * static_cast<unsigned>(a.words) + left + k;
    a.bits[to] = map[kSteps % 2][row][k];
    a.cuts[to] = 0;
  }
}

}  // namespace

Status thin_edges(const LineJob &job, const LineCudaScratch &s, void *stream) {
  const ThinArgs a = {job.edges, alignment_of(job.edges), static_cast<int>(s.words), s.bits, s.cuts,
                      s.counters};
  const dim3 blocks((s.words - 1) / kWords + 1,
                    static_cast<unsigned>((job.height - 1) / kRows + 1));
  return launch_early(thin_kernel, blocks, dim3(kThreads), 0, static_cast<cudaStream_t>(stream), a);
}

}  // namespace coalesce
