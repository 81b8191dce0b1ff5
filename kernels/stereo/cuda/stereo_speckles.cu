// SPDX-License-Identifier: LGPL-2.1-or-later
// Areas of disparities by union-find: runs of a warp's pixels have a node, runs that touch are
// joined, pixels are counted at the first node of each area, and small areas are erased.
#include "../../core/cuda_status.h"
#include "../../core/divided_up.h"
#include "../../core/grid_order.cuh"
#include "../../core/load.cuh"
#include "../../core/trace.h"
#include "../../core/union_find.cuh"
#include "../../core/warp_sum.cuh"
#include "scratch.h"

namespace coalesce {
namespace {

constexpr int kThreads = 128;

struct SpeckleArgs {
  Plane<std::uint16_t> disparities;
  std::uint32_t size;
  int range;
  std::uint32_t *parent, *count;
};

struct Pixel {
  int x, y;
  std::uint32_t node;
  bool inside;
};
__device__ __forceinline__ Pixel this_pixel(const SpeckleArgs &a) {
  const int x = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const auto y = static_cast<int>(blockIdx.y);
  return {x, y,
          static_cast<std::uint32_t>(y) * static_cast<std::uint32_t>(a.disparities.width) +
              static_cast<std::uint32_t>(x),
          x < a.disparities.width};
}
__device__ __forceinline__ int disparity_at(const SpeckleArgs &a, int x, int y) {
  return load_global(a.disparities.row(y) + x);
}
__device__ __forceinline__ bool is_linked(const SpeckleArgs &a, int one, int other) {
  return one != 0 && other != 0 && abs(one - other) <= a.range;
}

// Is a pixel linked with the one left of it?
__device__ __forceinline__ bool is_linked_left(const SpeckleArgs &a, const Pixel &p, int own) {
  return p.inside && p.x > 0 && own != 0 && is_linked(a, own, disparity_at(a, p.x - 1, p.y));
}

// Lanes at which runs of a warp begin, up to this one: the last of them is this lane's.
__device__ __forceinline__ unsigned run_starts(bool goes_on, int lane) {
  const unsigned starts = __ballot_sync(kWholeWarp, !goes_on || lane == 0);
  return starts & (0xFFFFFFFFu >> (31 - lane));
}

__global__ void __launch_bounds__(kThreads) start_kernel(const __grid_constant__ SpeckleArgs a) {
  wait_for_grid_before();
  const Pixel p = this_pixel(a);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int own = p.inside ? disparity_at(a, p.x, p.y) : 0;
  const unsigned starts = run_starts(is_linked_left(a, p, own), lane);
  if (!p.inside) return;
  const int first = 31 - __clz(static_cast<int>(starts));
  a.parent[p.node] = p.node - static_cast<std::uint32_t>(lane - first);
  a.count[p.node] = 0;
}

__global__ void __launch_bounds__(kThreads) join_kernel(const __grid_constant__ SpeckleArgs a) {
  wait_for_grid_before();
  const Pixel p = this_pixel(a);
  if (!p.inside) return;
  const int own = disparity_at(a, p.x, p.y);
  if (own == 0) return;
  const auto width = static_cast<std::uint32_t>(a.disparities.width);
  const bool left = is_linked_left(a, p, own);
  if (left && threadIdx.x % 32 == 0) join(a.parent, p.node, p.node - 1);
  if (p.y == 0) return;
  const int above = disparity_at(a, p.x, p.y - 1);
  if (!is_linked(a, own, above)) return;
  // Where the pixel to the left is linked with both its neighbours, and these are linked, it does.
  if (left) {
    const int beside = disparity_at(a, p.x - 1, p.y), corner = disparity_at(a, p.x - 1, p.y - 1);
    if (is_linked(a, beside, corner) && is_linked(a, corner, above)) return;
  }
  join(a.parent, p.node, p.node - width);
}

// The first lane of a run counts all of it. An area that is large enough is not counted on, so few
// threads wait for each other.
__global__ void __launch_bounds__(kThreads) count_kernel(const __grid_constant__ SpeckleArgs a) {
  wait_for_grid_before();
  const Pixel p = this_pixel(a);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int own = p.inside ? disparity_at(a, p.x, p.y) : 0;
  const bool goes_on = is_linked_left(a, p, own) && lane > 0;
  const unsigned starts = __ballot_sync(kWholeWarp, !goes_on);
  if (own == 0 || goes_on) return;
  const unsigned behind = lane == 31 ? 0 : starts >> (lane + 1);
  const int length = behind == 0 ? 32 - lane : __ffs(static_cast<int>(behind));
  const std::uint32_t root = find_root(a.parent, p.node);
  if (load_global(a.count + root) <= a.size)
    atomicAdd(a.count + root, static_cast<std::uint32_t>(length));
}

__global__ void __launch_bounds__(kThreads) erase_kernel(const __grid_constant__ SpeckleArgs a) {
  wait_for_grid_before();
  const Pixel p = this_pixel(a);
  if (!p.inside || disparity_at(a, p.x, p.y) == 0) return;
  if (load_global(a.count + find_root(a.parent, p.node)) <= a.size) a.disparities.row(p.y)[p.x] = 0;
}

}  // namespace

Status filter_speckles_cuda(const SpeckleJob &job, void *stream) {
  const TraceRange range("speckles");
  const SpeckleCudaScratch s(job.scratch, job.disparities.width, job.disparities.height);
  const SpeckleArgs a = {job.disparities, static_cast<std::uint32_t>(job.size), job.range, s.parent,
                         s.size};
  const dim3 grid(divided_up(job.disparities.width, kThreads), job.disparities.height);
  for (auto *const kernel : {start_kernel, join_kernel, count_kernel, erase_kernel})
    if (Status status =
            launch_early(kernel, grid, dim3(kThreads), 0, static_cast<cudaStream_t>(stream), a);
        !status.ok())
      return status;
  return {};
}

}  // namespace coalesce
