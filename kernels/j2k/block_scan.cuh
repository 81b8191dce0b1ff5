// SPDX-License-Identifier: LGPL-2.1-or-later
// Sums over the threads of a block.
#pragma once

#include <cstdint>

namespace coalesce::j2k {

constexpr unsigned kWholeWarp = 0xFFFFFFFF;

__device__ __forceinline__ void add_atomically(std::uint64_t *sum, std::uint64_t value) {
  atomicAdd(reinterpret_cast<unsigned long long *>(sum), static_cast<unsigned long long>(value));
}

// Of the threads of a warp.
__device__ __forceinline__ std::uint64_t warp_sum(std::uint64_t value) {
  unsigned long long sum = value;
#pragma unroll
  for (int half = 16; half > 0; half /= 2)
    sum += __shfl_xor_sync(kWholeWarp, sum, half);
  return sum;
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
  unsigned long long sum = value;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const unsigned long long other = __shfl_up_sync(kWholeWarp, sum, step);
    if (lane >= step) sum += other;
  }
  __syncthreads();  // everybody has read the result before
  if (lane == 31) shared.warp[warp + 1] = sum;
  __syncthreads();
  if (warp == 0) {
    unsigned long long all = lane < warps ? shared.warp[lane + 1] : 0;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const unsigned long long other = __shfl_up_sync(kWholeWarp, all, step);
      if (lane >= step) all += other;
    }
    if (lane < warps) shared.warp[lane + 1] = all;
    if (lane == 0) shared.warp[0] = 0;
  }
  __syncthreads();
  *total = shared.warp[warps];
  return shared.warp[warp] + sum - value;
}

}  // namespace coalesce::j2k
