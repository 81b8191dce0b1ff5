// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>

#include "../../../core/warp_sum.cuh"

namespace coalesce::j2k {

// The lanes that share a block: a warp, or half of one. All lanes of a warp call these together.
template <int kLanes>
struct Team {
  int lane;

  __device__ int sum_up_to_here(int value) const {
    return warp_sum_up_to_here<kLanes>(value, lane);
  }
  __device__ int from_last(int value) const {
    return __shfl_sync(kWholeWarp, value, kLanes - 1, kLanes);
  }
  // The value of the last lane for which it holds; of the first, if there is none.
  __device__ int from_highest(bool holds, int value) const {
    unsigned who = __ballot_sync(kWholeWarp, holds);
    if (kLanes < 32) who = who >> (threadIdx.x & 16) & 0xFFFF;
    return __shfl_sync(kWholeWarp, value, who == 0 ? 0 : 31 - __clz(static_cast<int>(who)), kLanes);
  }
  __device__ int sum(int value) const { return warp_sum<kLanes>(value); }
  __device__ std::uint32_t any_bits(std::uint32_t value) const {
#pragma unroll
    for (int distance = kLanes / 2; distance > 0; distance /= 2)
      value |= __shfl_xor_sync(kWholeWarp, value, distance, kLanes);
    return value;
  }
};

}  // namespace coalesce::j2k
