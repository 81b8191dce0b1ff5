// SPDX-License-Identifier: LGPL-2.1-or-later
// Samples of all pictures, and at last what neighbours agree on.
#include "../../core/divided_up.h"
#include "../../core/grid_order.cuh"
#include "../../core/trace.h"
#include "../../stereo/cuda/sample.cuh"
#include "kernels.h"

namespace coalesce {
namespace {

constexpr int kThreads = 128;

struct SampleArgs {
  SampleSource source;
  Plane<const std::uint8_t> in[kMaxMultiviewViews];
  std::uint8_t *bytes;
  std::uint32_t *quads;
};

// A thread has a pixel of a picture.
__global__ void __launch_bounds__(kThreads) sample_kernel(const __grid_constant__ SampleArgs a) {
  wait_for_grid_before();
  const int x = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const auto y = static_cast<int>(blockIdx.y), width = a.source.width;
  if (x >= width) return;
  SampleSource source = a.source;
  source.in = a.in[blockIdx.z];
  const auto byte = [&](int dx, int dy) {
    return static_cast<std::uint32_t>(byte_of(sample_at(source, x + dx, y + dy), source.bits));
  };
  const std::size_t row = static_cast<std::size_t>(y) * static_cast<unsigned>(width);
  if (blockIdx.z == 0) {
    a.bytes[row + x] = static_cast<std::uint8_t>(byte(0, 0));
    return;
  }
  const std::size_t picture =
      static_cast<std::size_t>(width) * static_cast<unsigned>(a.source.height);
  a.quads[(blockIdx.z - 1) * picture + row + x] =
      byte(0, 0) | byte(1, 0) << 8 | byte(0, 1) << 16 | byte(1, 1) << 24;
}

struct ResultArgs {
  MultiviewJob job;
  const std::uint32_t *matches;
};

__global__ void __launch_bounds__(kThreads) result_kernel(const __grid_constant__ ResultArgs a) {
  wait_for_grid_before();
  const int x = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const auto y = static_cast<int>(blockIdx.y);
  if (x >= a.job.width) return;
  const std::size_t picture =
      static_cast<std::size_t>(a.job.width) * static_cast<unsigned>(a.job.height);
  const std::size_t at = static_cast<std::size_t>(y) * static_cast<unsigned>(a.job.width) + x;
  std::uint32_t matches[kMaxNeighbours];
#pragma unroll
  for (int i = 0; i < kMaxNeighbours; ++i)
    matches[i] = i < a.job.neighbours ? load_global(a.matches + i * picture + at) : kNoMatch;
  store_result(a.job, x, y, matches);
}

}  // namespace

Status find_depths_cuda(const MultiviewJob &job, void *stream) {
  const TraceRange range("multiview");
  const MultiviewCudaScratch s(job.scratch, job.params, job.neighbours, job.width, job.height);
  const auto on = static_cast<cudaStream_t>(stream);
  const int blocks = divided_up(job.width, kThreads);
  SampleArgs samples = {};
  samples.source = sample_source({}, job.component, job.width, job.height);
  for (int i = 0; i <= job.neighbours; ++i)
    samples.in[i] = job.in[i];
  samples.bytes = s.shared.bytes, samples.quads = s.shared.quads;
  if (Status status = launch_early(sample_kernel, dim3(blocks, job.height, job.neighbours + 1),
                                   dim3(kThreads), 0, on, samples);
      !status.ok())
    return status;
  if (Status status = launch_sweep(job, s, on); !status.ok()) return status;
  const ResultArgs results = {job, s.shared.matches};
  return launch_early(result_kernel, dim3(blocks, job.height), dim3(kThreads), 0, on, results);
}

}  // namespace coalesce
