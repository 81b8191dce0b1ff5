// SPDX-License-Identifier: LGPL-2.1-or-later
// What windows of two pictures are compared by: samples, costs, and the place between candidates.
#pragma once

#include <math.h>

#include <cstdint>

#include "../core/host_device.h"
#include "../picture/pixel_format.h"

namespace coalesce {

constexpr int kMostDifference = 127;  // of sad
constexpr int kNccOne = 1 << 14;      // cost of no correlation; that of -1 is twice as much
constexpr unsigned kNoCost = 0xFFFF;

// A sample as a byte.
COALESCE_HOST_DEVICE int byte_of(int sample, int bits) {
  if (bits == 8) return sample;
  const int byte = (sample + (1 << (bits - 9))) >> (bits - 8);
  return byte < 255 ? byte : 255;
}

// On the CPU: the samples of a row.
void read_bytes(const PixelComponent &component, const std::uint8_t *row, int width,
                std::uint8_t *bytes);

// The best candidate's offset in 16ths of one, -8 to 8, by the costs beside it; the one before is
// above it.
COALESCE_HOST_DEVICE int subpixel_offset(int before, int best, int behind) {
  const int a = before - best, b = behind - best, most = a > b ? a : b;
  const int numerator = 16 * (a - b) + most;
  const int quotient = numerator / (2 * most);
  return quotient * 2 * most > numerator ? quotient - 1 : quotient;
}

// Of ncc, with samples less 128: of the left picture's window the sum of its samples, of the right
// one's their mean; and what makes a correlation of their covariance.
struct alignas(8) NccWindow {
  float level, scale;
};
COALESCE_HOST_DEVICE float ncc_variance(int count, int sum, int squares) {
  // (It fits 32 bits, as does the first product.)
  return static_cast<float>(static_cast<std::uint32_t>(count) *
                                static_cast<std::uint32_t>(squares) -
                            static_cast<std::uint32_t>(sum) * static_cast<std::uint32_t>(sum));
}
COALESCE_HOST_DEVICE float ncc_deviation(int count, int sum, int squares) {
  const float variance = ncc_variance(count, sum, squares);
  return variance > 0 ? 1.0f / sqrtf(variance) : 0.0f;
}
COALESCE_HOST_DEVICE NccWindow ncc_left(int count, int sum, int squares) {
  return {static_cast<float>(sum),
          static_cast<float>(count * kNccOne) * ncc_deviation(count, sum, squares)};
}
COALESCE_HOST_DEVICE NccWindow ncc_right(int count, int sum, int squares) {
  return {static_cast<float>(sum) / static_cast<float>(count), ncc_deviation(count, sum, squares)};
}
// products: the sum of those of the windows' samples.
COALESCE_HOST_DEVICE unsigned ncc_cost(int products, NccWindow left, NccWindow right) {
  const float covariance = static_cast<float>(products) - left.level * right.level;
  const float cost = kNccOne + 0.5f - covariance * right.scale * left.scale;
  return static_cast<unsigned>(cost < 0 ? 0 : cost > 2 * kNccOne ? 2 * kNccOne : cost);
}

}  // namespace coalesce
