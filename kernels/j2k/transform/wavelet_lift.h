// SPDX-License-Identifier: LGPL-2.1-or-later
// The lifting steps of the two wavelets (T.800 F.3.8, F.4.8), a sample at a time. Floats: in this
// order, and no fused multiply-add.
#pragma once

#include <cstdint>

#include "../../core/host_device.h"

namespace coalesce::j2k {

// 5/3, reversible. High-pass from the even neighbours, low-pass from the high-pass ones.
COALESCE_HOST_DEVICE std::int32_t high_53(std::int32_t x, std::int32_t before, std::int32_t after) {
  return x - ((before + after) >> 1);
}
COALESCE_HOST_DEVICE std::int32_t low_53(std::int32_t x, std::int32_t before, std::int32_t after) {
  return x + ((before + after + 2) >> 2);
}

// 9/7, irreversible: four steps of weights alpha to delta on odd, even, odd, even samples; then
// even ones times 1 / K, odd ones times K (Table F.4).
constexpr float kAlpha = static_cast<float>(-1.586134342059924);
constexpr float kBeta = static_cast<float>(-0.052980118572961);
constexpr float kGamma = static_cast<float>(0.882911075530934);
constexpr float kDelta = static_cast<float>(0.443506852043971);
constexpr float kScaleHigh = static_cast<float>(1.230174104914001);
constexpr float kScaleLow = static_cast<float>(1 / 1.230174104914001);

COALESCE_HOST_DEVICE float lift_97(float x, float weight, float before, float after) {
  return x + weight * (before + after);
}

}  // namespace coalesce::j2k
