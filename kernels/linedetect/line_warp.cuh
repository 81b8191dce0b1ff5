// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA: what the lanes of a warp have together. All of them call these at once.
#pragma once

#include "../core/warp_sum.cuh"

namespace coalesce {

__device__ __forceinline__ int least_of_lanes(int value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    value = min(value, __shfl_xor_sync(kWholeWarp, value, distance));
  return value;
}
__device__ __forceinline__ int most_of_lanes(int value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    value = max(value, __shfl_xor_sync(kWholeWarp, value, distance));
  return value;
}

}  // namespace coalesce
