// SPDX-License-Identifier: LGPL-2.1-or-later
// sgm: costs of all candidates of all pixels; all paths of half of the directions at once, then
// those of the opposite ones; the best candidates of their sums.
#include "../../core/divided_up.h"
#include "../../core/grid_order.cuh"
#include "kernels.h"
#include "paths.cuh"
#include "winner.cuh"

namespace coalesce {
namespace {

// ---- Costs --------------------------------------------------------------------------------------

constexpr int kCostThreads = 128;
constexpr int kCostRun = 16;  // pixels of a thread

struct CostArgs {
  int width, height, min_disparity, candidates;
  StereoPlane<const std::uint32_t> census_of[2];
  std::uint8_t *costs;
};

// A thread has four candidates of pixels that follow each other. Those of a pixel are those of the
// one before, one further.
__global__ void __launch_bounds__(kCostThreads) cost_kernel(const __grid_constant__ CostArgs a) {
  wait_for_grid_before();
  const int quads = a.candidates / 4;
  const int thread = static_cast<int>(blockIdx.x * kCostThreads + threadIdx.x);
  const int candidate = thread % quads * 4, first = thread / quads * kCostRun;
  if (first >= a.width) return;
  const auto y = static_cast<int>(blockIdx.y);
  const int end = min(first + kCostRun, a.width);
  const std::uint32_t *const left = a.census_of[0].row(y);
  const std::uint32_t *const right = a.census_of[1].row(y) - a.min_disparity - candidate;
  std::uint8_t *const to = a.costs +
                           static_cast<std::size_t>(y) * static_cast<unsigned>(a.width) *
                               static_cast<unsigned>(a.candidates) +
                           candidate;
  std::uint32_t bits[4];
#pragma unroll
  for (int j = 0; j < 3; ++j)
    bits[j] = load_global(right + first - 1 - j);
  for (int x = first; x < end; ++x) {
#pragma unroll
    for (int j = 3; j > 0; --j)
      bits[j] = bits[j - 1];
    bits[0] = load_global(right + x);
    const std::uint32_t from = load_global(left + x);
    std::uint32_t costs = 0;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const bool outside = x - a.min_disparity - candidate - j < 0;
      costs |= static_cast<std::uint32_t>(outside ? kCostOutside : __popc(from ^ bits[j])) << 8 * j;
    }
    *reinterpret_cast<std::uint32_t *>(
        to + static_cast<std::size_t>(static_cast<unsigned>(x) *
                                      static_cast<unsigned>(a.candidates))) = costs;
  }
}

// ---- The best candidates ------------------------------------------------------------------------

struct SumArgs {
  WinnerArgs winner;
  int strips;  // of a row
  int axes;
  const std::uint8_t *paths[4];
};

constexpr int kSumThreads = 64;

// A group has a strip of a row. Bytes of the paths are added up as pairs.
template <int kLanes, bool kRight>
__global__ void __launch_bounds__(kSumThreads) sum_kernel(const __grid_constant__ SumArgs a) {
  using GroupWinners = Winners<kLanes, kPathEach, kRight>;
  constexpr int kGroups = kSumThreads / kLanes;
  __shared__ __align__(16) std::uint32_t shared[kGroups * GroupWinners::kShared];
  wait_for_grid_before();
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int group = static_cast<int>(threadIdx.x) / kLanes;
  const int begin = (static_cast<int>(blockIdx.x) * kGroups + group) * kStereoStrip;
  const auto y = static_cast<int>(blockIdx.y);
  const bool active = lane * kPathEach < a.winner.candidates;
  const auto place = [&](int x) {
    const std::size_t pixel = static_cast<std::size_t>(y) * static_cast<unsigned>(a.winner.width) +
                              static_cast<unsigned>(x);
    return pixel * static_cast<unsigned>(a.winner.candidates) +
           static_cast<unsigned>(lane * kPathEach);
  };
  struct Pixel {
    uint2 of[4];
  };
  const auto load = [&](int x) {
    Pixel pixel = {};
    if (!active || x >= a.winner.width) return pixel;
#pragma unroll
    for (int axis = 0; axis < 4; ++axis)
      if (axis < a.axes)
        pixel.of[axis] = load_global(reinterpret_cast<const uint2 *>(a.paths[axis] + place(x)));
    return pixel;
  };
  GroupWinners winners(a.winner, shared + group * GroupWinners::kShared, lane, begin);
  winners.start_row(y);
  Pixel ahead[2] = {load(begin), load(begin + 1)};
  for (int i = 0; i < kStereoStrip; i += 2) {
    std::uint32_t sums[2][4] = {};
#pragma unroll
    for (int u = 0; u < 2; ++u) {
      const Pixel pixel = ahead[u];
      ahead[u] = load(begin + i + u + 2);
#pragma unroll
      for (int axis = 0; axis < 4; ++axis) {
        sums[u][0] += low_bytes(pixel.of[axis].x), sums[u][1] += high_bytes(pixel.of[axis].x);
        sums[u][2] += low_bytes(pixel.of[axis].y), sums[u][3] += high_bytes(pixel.of[axis].y);
      }
    }
    winners.put(i, sums);
  }
  winners.end_row();
}

// ---- Launches -----------------------------------------------------------------------------------

template <int kLanes>
Status launch_path_kernel(const PathArgs &a, cudaStream_t stream) {
  const bool full = a.candidates == kLanes * kPathEach;
  auto *const kernel =
      a.backwards ? full ? path_kernel<kLanes, true, true> : path_kernel<kLanes, true, false>
      : full ? path_kernel<kLanes, false, true>
                  : path_kernel<kLanes, false, false>;
  return launch_early(kernel, dim3(divided_up(a.lines, kPathThreads / kLanes)), dim3(kPathThreads),
                      0, stream, a);
}

template <int kLanes>
Status launch_all(const PathArgs &paths, const SumArgs &sums, cudaStream_t stream) {
  for (const bool backwards : {false, true}) {
    PathArgs a = paths;
    a.backwards = backwards;
    if (Status s = launch_path_kernel<kLanes>(a, stream); !s.ok()) return s;
  }
  const dim3 grid(divided_up(sums.strips, kSumThreads / kLanes), sums.winner.height);
  auto *const kernel =
      sums.winner.right_keys != nullptr ? sum_kernel<kLanes, true> : sum_kernel<kLanes, false>;
  return launch_early(kernel, grid, dim3(kSumThreads), 0, stream, sums);
}

Status launch_costs(const StereoJob &job, const StereoCudaScratch &s, cudaStream_t stream) {
  CostArgs a = {};
  a.width = job.width, a.height = job.height;
  a.min_disparity = job.params.min_disparity, a.candidates = job.params.disparities;
  for (int picture = 0; picture < 2; ++picture)
    a.census_of[picture] = {s.census_of[picture].data, s.census_of[picture].pitch};
  a.costs = s.costs;
  const int threads = divided_up(job.width, kCostRun) * (a.candidates / 4);
  return launch_early(cost_kernel, dim3(divided_up(threads, kCostThreads), job.height),
                      dim3(kCostThreads), 0, stream, a);
}

}  // namespace

Status launch_paths(const StereoJob &job, const StereoCudaScratch &s, cudaStream_t stream) {
  if (Status status = launch_costs(job, s, stream); !status.ok()) return status;
  PathArgs paths = {};
  paths.width = job.width, paths.height = job.height;
  paths.candidates = job.params.disparities;
  paths.axes = job.params.paths / 2;
  paths.lines = job.width + job.height;
  if (paths.axes == 4) paths.lines += 2 * (job.width + job.height - 1);
  paths.p1 = static_cast<std::uint32_t>(job.params.p1) * 0x10001u;
  for (int i = 0; i < 256; ++i)
    paths.penalty[i] = job.penalty[i];
  paths.bytes = {s.bytes_of[0].data, s.bytes_of[0].pitch};
  paths.costs = s.costs;
  SumArgs sums = {};
  sums.winner = winner_args(job, s);
  sums.strips = divided_up(job.width, kStereoStrip);
  sums.axes = paths.axes;
  for (int i = 0; i < paths.axes; ++i)
    paths.paths[i] = s.paths[i], sums.paths[i] = s.paths[i];
  switch (path_lanes(paths.candidates).lanes) {
    case 8:
      return launch_all<8>(paths, sums, stream);
    case 16:
      return launch_all<16>(paths, sums, stream);
    default:
      return launch_all<32>(paths, sums, stream);
  }
}

}  // namespace coalesce
