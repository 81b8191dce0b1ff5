// SPDX-License-Identifier: LGPL-2.1-or-later
// What the back ends of rgb2yuv share: the quantised weights, and which rows of the picture a row
// of chroma is made of.
#pragma once

#include <cstdint>

#include "../core/host_device.h"
#include "rgb2yuv.h"

namespace coalesce {

constexpr int kWeightBits = 15;  // weights are signed 16-bit integers: w * 2^15
constexpr std::uint8_t kOpaque = 255;

// One output component of a pixel is saturate((r*R + g*G + b*B + bias) >> kWeightBits).
struct ComponentWeights {
  std::int16_t r, g, b;
  std::int32_t bias;  // the offsets of both ranges, and the half of rounding

  COALESCE_HOST_DEVICE std::int32_t sum(int red, int green, int blue) const {  // without the bias
    return r * red + g * green + b * blue;
  }
};

struct YuvWeights {
  ComponentWeights y, u, v;
};

// Quantised so that Y's weights add up to the exact sum, and U's and V's to 0: grey stays grey.
YuvWeights yuv_weights(const Rgb2yuvParams &params);

// Of a chroma sample that is filtered over several pixels, all weights of the filter adding up to
// 2^filter_bits: `sum` is the weighted sum of ComponentWeights::sum().
COALESCE_HOST_DEVICE std::int32_t rounded(std::int32_t sum, std::int32_t bias, int filter_bits) {
  // Times a power of two, not shifted: both are the same, and this is defined for negative ones.
  return (sum + bias * (1 << filter_bits)) >> (kWeightBits + filter_bits);
}

COALESCE_HOST_DEVICE std::uint8_t saturated(std::int32_t value) {
  return static_cast<std::uint8_t>(value < 0 ? 0 : value > 255 ? 255 : value);
}

// The rows that the chroma row c of a 4:2:0 picture sits between: `first` and `first + step`, and
// what comes before them, `first - step`. Any of them may lie outside: clamp_row().
struct ChromaRows {
  int first, step;
};

COALESCE_HOST_DEVICE ChromaRows chroma_rows(int c, bool interlaced) {
  return interlaced ? ChromaRows{4 * (c / 2) + c % 2, 2} : ChromaRows{2 * c, 1};
}

// The nearest row of the picture, of the same field if interlaced (step 2). A picture of one row
// has one field only.
COALESCE_HOST_DEVICE int clamp_row(int row, int height, int step) {
  const int parity = step == 2 ? row & 1 : 0;
  const int last = height - 1 - (step == 2 ? (height - 1 - parity) & 1 : 0);
  if (row < 0) return last < parity ? 0 : parity;
  if (row <= last) return row;
  return last < 0 ? 0 : last;
}

}  // namespace coalesce
