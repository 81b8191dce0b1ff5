// SPDX-License-Identifier: LGPL-2.1-or-later
// The quantiser of one coefficient.
#pragma once

#include <cmath>
#include <cstdint>

#include "../../core/host_device.h"
#include "quantiser.h"

namespace coalesce::j2k {

// Both on the host, once for a band. The limit is the largest float below 2^(planes + fraction):
// its integer part fits, and so does the result an int32.
inline float quantiser_factor(float step) {
  return std::ldexp(1.0f, kFractionBitsOf97) / step;
}
inline float quantiser_limit(int planes) {
  return std::nextafter(std::ldexp(1.0f, planes + kFractionBitsOf97), 0.0f);
}

// Towards zero: the zero bin is twice as wide.
COALESCE_HOST_DEVICE std::int32_t quantised(float coefficient, float factor, float limit) {
  const float scaled = coefficient * factor;
  const float above = scaled < -limit ? -limit : scaled;
  return static_cast<std::int32_t>(above > limit ? limit : above);
}

}  // namespace coalesce::j2k
