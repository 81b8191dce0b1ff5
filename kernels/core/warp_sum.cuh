// SPDX-License-Identifier: LGPL-2.1-or-later
// Sums and minima over the lanes of a warp, or of its halves and their like. All lanes of the warp
// call these together.
#pragma once

namespace coalesce {

constexpr unsigned kWholeWarp = 0xFFFFFFFF;

template <int kLanes = 32, class Number>
__device__ __forceinline__ Number warp_sum(Number value) {
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2)
    value += __shfl_xor_sync(kWholeWarp, value, distance, kLanes);
  return value;
}

// Up to this lane.
template <int kLanes = 32, class Number>
__device__ __forceinline__ Number warp_sum_up_to_here(Number value, int lane) {
#pragma unroll
  for (int distance = 1; distance < kLanes; distance *= 2) {
    const Number other = __shfl_up_sync(kWholeWarp, value, distance, kLanes);
    if (lane >= distance) value += other;
  }
  return value;
}

// Of a whole warp by one instruction, of its halves by two, where there is that.
template <int kLanes = 32>
__device__ __forceinline__ unsigned warp_least(unsigned value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  constexpr bool kReduces = kLanes >= 16;
#else
  constexpr bool kReduces = false;
#endif
  if constexpr (kReduces && kLanes == 32) {
    value = __reduce_min_sync(kWholeWarp, value);
  } else if constexpr (kReduces) {
    const bool upper = threadIdx.x % 32 >= 16;
    const unsigned of_lower = __reduce_min_sync(kWholeWarp, upper ? 0xFFFFFFFF : value);
    const unsigned of_upper = __reduce_min_sync(kWholeWarp, upper ? value : 0xFFFFFFFF);
    value = upper ? of_upper : of_lower;
  } else {
#pragma unroll
    for (int distance = kLanes / 2; distance > 0; distance /= 2)
      value = min(value, __shfl_xor_sync(kWholeWarp, value, distance, kLanes));
  }
  return value;
}

}  // namespace coalesce
