// SPDX-License-Identifier: LGPL-2.1-or-later
// What max-shift does to a coefficient, besides the shift.
#pragma once

#include <cstdint>

#include "../../core/host_device.h"
#include "band_weights.h"

namespace coalesce::j2k {

// How far a low-pass basis function reaches to either side, in one level.
COALESCE_HOST_DEVICE int low_pass_reach(Wavelet wavelet) {
  return wavelet == Wavelet::reversible_53 ? 1 : 3;
}

// Towards zero. (Magnitudes have at most 31 bits.)
COALESCE_HOST_DEVICE std::int32_t without_fraction(std::int32_t coefficient, int fraction_bits) {
  return coefficient / (std::int32_t{1} << fraction_bits);
}

}  // namespace coalesce::j2k
