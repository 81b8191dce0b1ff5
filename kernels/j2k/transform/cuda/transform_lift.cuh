// SPDX-License-Identifier: LGPL-2.1-or-later
// One step of a wavelet in a lane: down a column, or across the two pairs of columns it has and
// those of the lanes beside it. As in wavelet.cpp, step n down takes rows 2n to 2n + 2 and gives
// rows n - kDelay of the bands; the first kWarmUp + kDelay steps of a strip give none.
#pragma once

#include <cstdint>

#include "../quantiser_sample.h"
#include "../wavelet_lift.h"

namespace coalesce::j2k {

constexpr int kLaneColumns = 4;

template <class T>
__device__ __forceinline__ T of_lane_before(T value) {
  return __shfl_up_sync(0xffffffffu, value, 1);
}
template <class T>
__device__ __forceinline__ T of_lane_behind(T value) {
  return __shfl_down_sync(0xffffffffu, value, 1);
}

struct Lift53 {
  using Sample = std::int32_t;
  static constexpr int kDelay = 0, kWarmUp = 1;
  struct State {
    Sample high;  // row 2n - 1
  };

  static __device__ __forceinline__ void down(Sample even, Sample odd, Sample next, State &s,
                                              Sample &low, Sample &high) {
    high = high_53(odd, even, next);
    low = low_53(even, s.high, high);
    s.high = high;
  }

  // In place. Right in all lanes but the first and the last.
  static __device__ __forceinline__ void across(Sample (&v)[kLaneColumns]) {
    v[1] = high_53(v[1], v[0], v[2]);
    v[3] = high_53(v[3], v[2], of_lane_behind(v[0]));
    v[0] = low_53(v[0], of_lane_before(v[3]), v[1]);
    v[2] = low_53(v[2], v[1], v[3]);
  }

  static __device__ __forceinline__ std::int32_t coefficient(Sample v, float, float) { return v; }
};

struct Lift97 {
  using Sample = float;
  static constexpr int kDelay = 1, kWarmUp = 2;
  struct State {
    Sample alpha;  // row 2n - 1 after the step of that name
    Sample beta;   // row 2n - 2
    Sample gamma;  // row 2n - 3
  };

  static __device__ __forceinline__ void down(Sample even, Sample odd, Sample next, State &s,
                                              Sample &low, Sample &high) {
    const float a = lift_97(odd, kAlpha, even, next);
    const float b = lift_97(even, kBeta, s.alpha, a);
    const float c = lift_97(s.alpha, kGamma, s.beta, b);
    low = lift_97(s.beta, kDelta, s.gamma, c) * kScaleLow;
    high = c * kScaleHigh;
    s = {a, b, c};
  }

  static __device__ __forceinline__ void across(Sample (&v)[kLaneColumns]) {
    v[1] = lift_97(v[1], kAlpha, v[0], v[2]);
    v[3] = lift_97(v[3], kAlpha, v[2], of_lane_behind(v[0]));
    v[0] = lift_97(v[0], kBeta, of_lane_before(v[3]), v[1]);
    v[2] = lift_97(v[2], kBeta, v[1], v[3]);
    v[1] = lift_97(v[1], kGamma, v[0], v[2]);
    v[3] = lift_97(v[3], kGamma, v[2], of_lane_behind(v[0]));
    v[0] = lift_97(v[0], kDelta, of_lane_before(v[3]), v[1]) * kScaleLow;
    v[2] = lift_97(v[2], kDelta, v[1], v[3]) * kScaleLow;
    v[1] = v[1] * kScaleHigh;
    v[3] = v[3] * kScaleHigh;
  }

  static __device__ __forceinline__ std::int32_t coefficient(Sample v, float factor, float limit) {
    return quantised(v, factor, limit);
  }
};

}  // namespace coalesce::j2k
