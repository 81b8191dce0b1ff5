// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../../core/cuda_status.h"
#include "../../core/warp_sum.cuh"
#include "../canvas/block_plan.h"
#include "final_error.h"
#include "rate_cuda.h"

namespace coalesce::j2k {
namespace {

constexpr int kThreads = 256, kWarpSize = 32, kWarps = kThreads / kWarpSize;

__global__ void __launch_bounds__(kThreads)
    fill_layers_kernel(const DeviceFrame f, int layers, std::uint8_t *passes) {
  const int block = static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x);
  if (block >= f.blocks) return;
  const auto all = static_cast<std::uint8_t>(f.coded[block].passes);
  for (int layer = 0; layer < layers; ++layer)
    passes[static_cast<std::size_t>(layer) * f.blocks + block] = all;
}

// A warp for each block.
__global__ void __launch_bounds__(kThreads)
    final_errors_kernel(const DeviceFrame f, std::uint32_t *errors) {
  const int block = static_cast<int>(blockIdx.x * kWarps + threadIdx.x / kWarpSize);
  const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
  if (block >= f.blocks) return;
  const BlockPlan plan = f.plan[block];
  const std::int32_t *samples = f.coefficients + plan.coefficient;
  std::uint32_t sum = 0;
  for (int i = lane; i < plan.width * plan.height; i += kWarpSize)
    sum += final_error_of(samples[i / plan.width * plan.pitch + i % plan.width], f.fraction_bits);
  sum = warp_sum(sum);
  if (lane == 0) errors[block] = final_error_sum(sum);
}

unsigned groups(int blocks, int each) {
  return (static_cast<unsigned>(blocks) + static_cast<unsigned>(each) - 1) /
         static_cast<unsigned>(each);
}

}  // namespace

Status fill_layers_cuda(const DeviceFrame &frame, int layers, std::uint8_t *passes, void *stream) {
  return launch(fill_layers_kernel, dim3(groups(frame.blocks, kThreads)), dim3(kThreads),
                static_cast<cudaStream_t>(stream), frame, layers, passes);
}

Status final_errors_cuda(const DeviceFrame &frame, std::uint32_t *errors, void *stream) {
  const auto cuda_stream = static_cast<cudaStream_t>(stream);
  if (frame.fraction_bits == 0)
    return cuda_checked(cudaMemsetAsync(
        errors, 0, static_cast<std::size_t>(frame.blocks) * sizeof *errors, cuda_stream));
  return launch(final_errors_kernel, dim3(groups(frame.blocks, kWarps)), dim3(kThreads),
                cuda_stream, frame, errors);
}

}  // namespace coalesce::j2k
