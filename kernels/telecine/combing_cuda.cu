// SPDX-License-Identifier: LGPL-2.1-or-later
// A block measures a part of the rows, a thread columns of it, from the top down.
#include "../core/cuda_status.h"
#include "../core/grid_order.cuh"
#include "../core/trace.h"
#include "../picture/sample.cuh"
#include "combing_job.h"

namespace coalesce {
namespace {

constexpr int kThreads = 512;

// One column, from one group of rows to another.
struct Column {
  std::uint32_t within = 0, across[2] = {};

  __device__ __forceinline__ void add(const CombingJob &job, int x, int begin, int end) {
    int current[kCombingRows], before[kCombingRows];
    const int shift = job.shift();
#pragma unroll 4
    for (int y = begin; y < end + kCombingRows - 1; ++y) {
#pragma unroll
      for (int i = 0; i + 1 < kCombingRows; ++i)
        current[i] = current[i + 1], before[i] = before[i + 1];
      current[3] = read_sample(job.current.row(y), job.component, x) >> shift;
      before[3] = read_sample(job.before.row(y), job.component, x) >> shift;
      if (y < begin + kCombingRows - 1) continue;
      int change = 0;
#pragma unroll
      for (int i = 0; i < kCombingRows; ++i)
        change = max(change, abs(current[i] - before[i]));
      if (change <= kCombingThreshold) continue;
      within += combing_of(current[0], current[1], current[2], current[3]);
      // (Rows 1 and 3 of the group have the parity of the last one.)
      const int odd = combing_of(before[0], current[1], before[2], current[3]);
      const int even = combing_of(current[0], before[1], current[2], before[3]);
      across[0] += y % 2 == 0 ? odd : even;
      across[1] += y % 2 == 0 ? even : odd;
    }
  }
};

__global__ void __launch_bounds__(kThreads) combing_parts(const __grid_constant__ CombingJob job) {
  __shared__ unsigned long long sums[3];
  wait_for_grid_before();
  if (threadIdx.x < 3) sums[threadIdx.x] = 0;
  __syncthreads();
  const auto part = static_cast<int>(blockIdx.x);
  const int begin = job.first_group(part), end = job.first_group(part + 1);
  std::uint64_t within = 0, across[2] = {};
  for (auto x = static_cast<int>(threadIdx.x); begin < end && x < job.columns; x += kThreads) {
    Column column;
    column.add(job, x, begin, end);
    within += column.within;
    across[0] += column.across[0], across[1] += column.across[1];
  }
  if (within != 0) atomicAdd(&sums[0], within);
  if (across[0] != 0) atomicAdd(&sums[1], across[0]);
  if (across[1] != 0) atomicAdd(&sums[2], across[1]);
  __syncthreads();
  if (threadIdx.x == 0) job.parts[part] = {sums[0], {sums[1], sums[2]}};
}

}  // namespace

Status measure_combing_cuda(const CombingJob &job, void *stream) {
  const TraceRange range("combing");
  return launch_early(combing_parts, dim3(kCombingParts), dim3(kThreads), 0,
                      static_cast<cudaStream_t>(stream), job);
}

}  // namespace coalesce
