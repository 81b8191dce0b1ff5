// SPDX-License-Identifier: LGPL-2.1-or-later
// The squared error that is left of a sample when all its planes are decoded.
#pragma once

#include <cstdint>

#include "../../core/host_device.h"

namespace coalesce::j2k {

// In units of (step / 128)^2: what has fraction_bits, at least 1, below the step was rounded down,
// and is taken for the middle of that here; the decoder takes the middle of the step, or 0.
COALESCE_HOST_DEVICE std::uint32_t final_error_of(std::int32_t value, int fraction_bits) {
  const auto sample = static_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = value < 0 ? 0 - sample : sample;
  const int right = fraction_bits > 6 ? fraction_bits - 6 : 0;
  const int left = fraction_bits < 6 ? 6 - fraction_bits : 0;
  const int fraction = static_cast<int>((magnitude >> right << left & 63) * 2 + 1);
  const int error = magnitude >> fraction_bits != 0 ? fraction - 64 : fraction;
  return static_cast<std::uint32_t>(error * error);
}

// The sum over a block's samples in RateBlock's units.
COALESCE_HOST_DEVICE std::uint32_t final_error_sum(std::uint32_t sum) {
  return (sum + 128) / 256;
}

}  // namespace coalesce::j2k
