// SPDX-License-Identifier: LGPL-2.1-or-later
// A thread has a pixel. Those of a block are in several rows, which share samples in the cache.
#include "../core/cuda_status.h"
#include "../core/divided_up.h"
#include "../core/grid_order.cuh"
#include "../core/load.cuh"
#include "../core/trace.h"
#include "remap_job.h"

namespace coalesce {
namespace {

constexpr int kColumns = 32, kRows = 8;  // of a block

template <class T>
__global__ void __launch_bounds__(kColumns *kRows)
    remap_kernel(const __grid_constant__ RemapJob a) {
  wait_for_grid_before();
  const int x = static_cast<int>(blockIdx.x * kColumns + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * kRows + threadIdx.y);
  if (x >= a.map.point.width || y >= a.map.point.height) return;
  const MapPoint at = load_global(a.map.point.row(y) + x);
  const int fraction = load_global(a.map.fraction.row(y) + x);
  reinterpret_cast<T *>(a.out.row(y))[x] =
      remapped<T>(a, at, fraction, [](const T *from) { return load_global(from); });
}

}  // namespace

Status remap_cuda(const RemapJob &job, void *stream) {
  const TraceRange range("remap");
  auto *const kernel = job.component.container == Container::u8 ? remap_kernel<std::uint8_t>
                                                                : remap_kernel<std::uint16_t>;
  const dim3 grid(divided_up(job.map.point.width, kColumns),
                  divided_up(job.map.point.height, kRows));
  return launch_early(kernel, grid, dim3(kColumns, kRows), 0, static_cast<cudaStream_t>(stream),
                      job);
}

}  // namespace coalesce
