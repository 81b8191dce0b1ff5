// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA: what the lanes of a warp have together. All of them call these at once.
#pragma once

namespace coalesce {

constexpr unsigned kWarp = 0xffffffff;

template <class Number>
__device__ __forceinline__ Number sum_of_lanes(Number value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_xor_sync(kWarp, value, distance);
  return value;
}
__device__ __forceinline__ int least_of_lanes(int value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    value = min(value, __shfl_xor_sync(kWarp, value, distance));
  return value;
}
__device__ __forceinline__ int most_of_lanes(int value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    value = max(value, __shfl_xor_sync(kWarp, value, distance));
  return value;
}

}  // namespace coalesce
