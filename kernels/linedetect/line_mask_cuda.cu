// SPDX-License-Identifier: LGPL-2.1-or-later
// The mask is cleared; then a warp draws a line. All write the same value, in any order.
#include <algorithm>

#include "../core/cuda_status.h"
#include "../core/grid_order.cuh"
#include "../core/load.cuh"
#include "../core/trace.h"
#include "../picture/runs.cuh"
#include "../picture/tile.cuh"
#include "line_mask_job.h"

namespace coalesce {
namespace {

constexpr int kThreads = 128, kChunk = 16;  // bytes

struct MaskArgs {
  LineMaskJob job;
  int alignment;
  unsigned chunks;  // of a row
};

__global__ void __launch_bounds__(kThreads) clear_kernel(const __grid_constant__ MaskArgs a) {
  wait_for_grid_before();
  const unsigned i = blockIdx.x * kThreads + threadIdx.x, row = i / a.chunks;
  const Plane<std::uint8_t> &mask = a.job.mask;
  if (row >= static_cast<unsigned>(mask.height)) return;
  const int x = static_cast<int>(i - row * a.chunks) * kChunk;
  std::uint8_t *to = mask.row(static_cast<int>(row)) + x;
  const std::uint32_t zeros[kChunk / 4] = {};
  if (x + kChunk <= mask.width) {
    store_run<kChunk>(to, a.alignment, zeros);
    return;
  }
  for (int k = 0; x + k < mask.width; ++k)
    to[k] = 0;
}

__device__ Line ends_of(const Line *line) {
  return {load_global(&line->x0),
          load_global(&line->y0),
          load_global(&line->x1),
          load_global(&line->y1),
          0,
          0};
}

__global__ void __launch_bounds__(kThreads) draw_kernel(const __grid_constant__ MaskArgs a) {
  wait_for_grid_before();
  const Plane<std::uint8_t> &mask = a.job.mask;
  const std::uint32_t count = min(load_global(&a.job.count->lines), a.job.max_lines);
  const unsigned warps = gridDim.x * (kThreads / 32);
  const auto lane = static_cast<int>(threadIdx.x % 32);
  for (std::uint32_t i = (blockIdx.x * kThreads + threadIdx.x) / 32; i < count; i += warps) {
    const LineSteps line(ends_of(a.job.lines + i), mask.width, mask.height);
    for (int step = line.first + lane; step <= line.last; step += 32) {
      const int side = line.side_at(step, a.job.thickness);
      for (int k = max(side, 0); k < min(side + a.job.thickness, line.side_size); ++k)
        (line.upright ? mask.row(step)[k] : mask.row(k)[step]) = 255;
    }
  }
}

}  // namespace

Status draw_line_mask_cuda(const LineMaskJob &job, void *stream) {
  const TraceRange range("draw_line_mask");
  const auto on = static_cast<cudaStream_t>(stream);
  const MaskArgs a = {job, alignment_of(job.mask),
                      static_cast<unsigned>((job.mask.width - 1) / kChunk + 1)};
  const std::size_t chunks = std::size_t{a.chunks} * static_cast<unsigned>(job.mask.height);
  const dim3 rows(static_cast<unsigned>((chunks - 1) / kThreads + 1)), threads(kThreads);
  if (Status s = launch_early(clear_kernel, rows, threads, 0, on, a); !s.ok()) return s;
  const unsigned blocks = std::min((job.max_lines - 1) / (kThreads / 32) + 1, 1056u);
  return launch_early(draw_kernel, dim3(blocks), threads, 0, on, a);
}

}  // namespace coalesce
