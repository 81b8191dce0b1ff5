// SPDX-License-Identifier: LGPL-2.1-or-later
// The order in which codewords are coded: the longest first, for a warp takes as long as its
// longest, and what begins last should be short.
#pragma once

#include "../../../core/warp_sum.cuh"
#include "mq_kernel.cuh"

namespace coalesce::j2k {

constexpr int kBins = 1024, kBinSymbols = 64;
constexpr int kOrderThreads = 256;

// The longest are in bin 0.
__device__ inline std::uint32_t bin_of(std::uint32_t symbols) {
  const std::uint32_t bin = symbols / kBinSymbols;
  return kBins - 1 - (bin < kBins ? bin : kBins - 1);
}

// Counts the symbols of codewords, and the codewords of each bin. A warp takes a codeword.
static __global__ void __launch_bounds__(kOrderThreads)
    count_symbols(DeviceFrame frame, CodingScratch scratch) {
  const std::uint32_t index = blockIdx.x * (kOrderThreads / kLanes) + threadIdx.x / kLanes;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  if (index >= static_cast<std::uint32_t>(frame.blocks)) return;
  const SymbolSource source = codeword_at(frame, scratch, index).source;
  int count = 0;
  for (int i = lane; i < 3 * source.planes - 2; i += kLanes)
    count += source.made[i].count;
  count = warp_sum(count);
  if (lane != 0) return;
  scratch.symbols[index] = static_cast<std::uint32_t>(count);
  atomicAdd(&scratch.bins[bin_of(static_cast<std::uint32_t>(count))], 1u);
}

// The bins' beginnings; a block of kBins threads.
static __global__ void __launch_bounds__(kBins) begin_bins(CodingScratch scratch) {
  __shared__ std::uint32_t of_warp[kLanes];
  const int lane = static_cast<int>(threadIdx.x) % kLanes, warp = threadIdx.x / kLanes;
  const std::uint32_t own = scratch.bins[threadIdx.x];
  std::uint32_t sum = warp_sum_up_to_here(own, lane);
  if (lane == kLanes - 1) of_warp[warp] = sum;
  __syncthreads();
  for (int i = 0; i < warp; ++i)
    sum += of_warp[i];
  scratch.bins[threadIdx.x] = sum - own;
}

static __global__ void __launch_bounds__(kOrderThreads)
    put_in_order(CodingScratch scratch, std::uint32_t all) {
  const std::uint32_t index = blockIdx.x * kOrderThreads + threadIdx.x;
  if (index >= all) return;
  scratch.order[atomicAdd(&scratch.bins[bin_of(scratch.symbols[index])], 1u)] = index;
}

}  // namespace coalesce::j2k
