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

// (What the compiler knows of samples, it does not ask for each of them.)
template <Container kContainer>
__device__ __forceinline__ int sample(const CombingJob &job, const Plane<const std::uint8_t> &plane,
                                      int x, int y) {
  PixelComponent component = job.component;
  component.container = kContainer;
  return read_sample(plane.row(y), component, x) >> job.shift();
}

// One column, from one group of rows to another.
template <Container kContainer>
__device__ __forceinline__ void add_column(const CombingJob &job, int x, int begin, int end,
                                           Combing *sum) {
  int current[kCombingRows], before[kCombingRows];
  std::uint32_t within = 0, across[2] = {};
#pragma unroll 4
  for (int y = begin; y < end + kCombingRows - 1; ++y) {
#pragma unroll
    for (int i = 0; i + 1 < kCombingRows; ++i)
      current[i] = current[i + 1], before[i] = before[i + 1];
    current[3] = sample<kContainer>(job, job.current, x, y);
    before[3] = sample<kContainer>(job, job.before, x, y);
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
  sum->within += within;
  sum->across[0] += across[0], sum->across[1] += across[1];
}

template <Container kContainer>
__global__ void __launch_bounds__(kThreads) combing_parts(const __grid_constant__ CombingJob job) {
  __shared__ unsigned long long sums[3];
  wait_for_grid_before();
  if (threadIdx.x < 3) sums[threadIdx.x] = 0;
  __syncthreads();
  const auto part = static_cast<int>(blockIdx.x);
  const int begin = job.first_group(part), end = job.first_group(part + 1);
  Combing sum;
  for (auto x = static_cast<int>(threadIdx.x) * kCombingColumns; begin < end && x < job.columns;
       x += kThreads * kCombingColumns)
    add_column<kContainer>(job, x, begin, end, &sum);
  if (sum.within != 0) atomicAdd(&sums[0], sum.within);
  if (sum.across[0] != 0) atomicAdd(&sums[1], sum.across[0]);
  if (sum.across[1] != 0) atomicAdd(&sums[2], sum.across[1]);
  __syncthreads();
  if (threadIdx.x == 0) job.parts[part] = {sums[0], {sums[1], sums[2]}};
}

void (*kernel_of(Container container))(CombingJob) {
  switch (container) {
    case Container::u8:
      return combing_parts<Container::u8>;
    case Container::u16:
      return combing_parts<Container::u16>;
    case Container::u32:
      return combing_parts<Container::u32>;
    case Container::v210:
      return combing_parts<Container::v210>;
    case Container::be10:
      break;
  }
  return combing_parts<Container::be10>;
}

}  // namespace

Status measure_combing_cuda(const CombingJob &job, void *stream) {
  const TraceRange range("combing");
  return launch_early(kernel_of(job.component.container), dim3(kCombingParts), dim3(kThreads), 0,
                      static_cast<cudaStream_t>(stream), job);
}

}  // namespace coalesce
