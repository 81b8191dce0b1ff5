// SPDX-License-Identifier: LGPL-2.1-or-later
// A thread has a pixel.
#include "../../core/cuda_status.h"
#include "../../core/divided_up.h"
#include "../../core/grid_order.cuh"
#include "../../core/load.cuh"
#include "../../core/trace.h"
#include "../view_job.h"

namespace coalesce {
namespace {

constexpr int kThreads = 128;

// Nothing writes to it. Were it const, its loads would be read-only ones, which early kernels have
// not (tests/kernels/core/early_loads.py).
__device__ ColourMaps kMaps = kColourMaps;

template <class Plane>
__device__ __forceinline__ bool this_pixel(const Plane &plane, int *x, int *y) {
  *x = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  *y = static_cast<int>(blockIdx.y);
  return *x < plane.width;
}

__global__ void __launch_bounds__(kThreads) depth_kernel(const __grid_constant__ DepthJob a) {
  wait_for_grid_before();
  int x, y;
  if (!this_pixel(a.in, &x, &y)) return;
  a.out.row(y)[x] = depth_of(a.scale, load_global(a.in.row(y) + x));
}

__global__ void __launch_bounds__(kThreads) outside_kernel(const __grid_constant__ OutsideJob a) {
  wait_for_grid_before();
  int x, y;
  if (!this_pixel(a.disparities, &x, &y)) return;
  std::uint16_t *disparity = a.disparities.row(y) + x;
  const int value = load_global(disparity);
  if (value != 0 && !is_seen_by_both(a, value, x, y)) *disparity = 0;
}

__global__ void __launch_bounds__(kThreads) colour_kernel(const __grid_constant__ ColourJob a) {
  wait_for_grid_before();
  int x, y;
  if (!this_pixel(a.in, &x, &y)) return;
  std::uint32_t pixel = colour_of(a, kMaps, load_global(a.in.row(y) + x));
  std::uint8_t *to = a.out.row(y) + x * a.bytes;
  for (int i = 0; i < a.bytes; ++i, pixel >>= 8)
    to[i] = static_cast<std::uint8_t>(pixel);
}

template <class Job, class Pixels>
Status launch_pixels(void (*kernel)(Job), const Job &job, const Pixels &pixels, void *stream) {
  const dim3 grid(divided_up(pixels.width, kThreads), static_cast<unsigned>(pixels.height));
  return launch_early(kernel, grid, dim3(kThreads), 0, static_cast<cudaStream_t>(stream), job);
}

}  // namespace

Status depths_cuda(const DepthJob &job, void *stream) {
  const TraceRange range("depths");
  return launch_pixels(depth_kernel, job, job.in, stream);
}

Status hide_outside_cuda(const OutsideJob &job, void *stream) {
  const TraceRange range("hide outside");
  return launch_pixels(outside_kernel, job, job.disparities, stream);
}

Status colours_cuda(const ColourJob &job, void *stream) {
  const TraceRange range("colours");
  return launch_pixels(colour_kernel, job, job.in, stream);
}

}  // namespace coalesce
