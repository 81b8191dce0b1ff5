// SPDX-License-Identifier: LGPL-2.1-or-later
// Sums over the threads of a block.
#pragma once

#include <cstdint>

#include "../../core/warp_sum.cuh"

namespace coalesce::j2k {

__device__ __forceinline__ void add_atomically(std::uint64_t *sum, std::uint64_t value) {
  atomicAdd(reinterpret_cast<unsigned long long *>(sum), static_cast<unsigned long long>(value));
}

// All threads of a warp call it: to sums[c] comes what they have of component c. Components are
// below `components`.
__device__ __forceinline__ void add_by_component(int components, int component, std::uint64_t value,
                                                 std::uint64_t *sums) {
  for (int c = 0; c < components; ++c) {
    const std::uint64_t sum = warp_sum(c == component ? value : 0);
    if (threadIdx.x % 32 == 0 && sum != 0) add_atomically(sums + c, sum);
  }
}

struct BlockScan {
  std::uint64_t warp[33];  // sums of the warps before; behind the last, of all
};

// Of the threads before this one; *total: of all. For blocks of whole warps; all threads call it.
__device__ __forceinline__ std::uint64_t sum_before(std::uint64_t value, BlockScan &shared,
                                                    std::uint64_t *total) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const std::uint64_t sum = warp_sum_up_to_here(value, static_cast<int>(lane));
  __syncthreads();  // everybody has read the result before
  if (lane == 31) shared.warp[warp + 1] = sum;
  __syncthreads();
  if (warp == 0) {
    const std::uint64_t all =
        warp_sum_up_to_here(lane < warps ? shared.warp[lane + 1] : 0, static_cast<int>(lane));
    if (lane < warps) shared.warp[lane + 1] = all;
    if (lane == 0) shared.warp[0] = 0;
  }
  __syncthreads();
  *total = shared.warp[warps];
  return shared.warp[warp] + sum - value;
}

}  // namespace coalesce::j2k
