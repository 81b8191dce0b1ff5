// SPDX-License-Identifier: LGPL-2.1-or-later
// The component transforms of one pixel (T.800 Annex G), on samples that are level-shifted.
#pragma once

#include <cstdint>

#include "../../core/host_device.h"

namespace coalesce::j2k {

template <class T>
struct Pixel {
  T c0, c1, c2;
};

// G.2.1, reversible. Of B bits each, Y keeps B and the others need B + 1.
COALESCE_HOST_DEVICE Pixel<std::int32_t> rct_pixel(std::int32_t r, std::int32_t g, std::int32_t b) {
  return {(r + 2 * g + b) >> 2, b - g, r - g};
}

// G.3.1, irreversible: the inverse of what decoders do (G.3.2), Cb and Cr as differences, so that
// greys have (nearly) none.
constexpr float kIctRed = 0.299f, kIctGreen = 0.587f, kIctBlue = 0.114f;
constexpr float kIctCb = static_cast<float>(1 / 1.772), kIctCr = static_cast<float>(1 / 1.402);

COALESCE_HOST_DEVICE Pixel<float> ict_pixel(float r, float g, float b) {
  const float y = (kIctRed * r + kIctGreen * g) + kIctBlue * b;
  return {y, (b - y) * kIctCb, (r - y) * kIctCr};
}

}  // namespace coalesce::j2k
