// SPDX-License-Identifier: LGPL-2.1-or-later
// From a component's samples to one for each pixel, and from YCbCr to RGB: libjpeg's arithmetic,
// bit for bit, on both back ends.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../core/host_device.h"

namespace coalesce::jpeg {

enum class Upsampling : std::uint8_t {
  repeat,      // the sample that covers the pixel
  fancy_h2v1,  // triangles: 3/4 of the nearer sample and 1/4 of the other one
  fancy_h1v2,
  fancy_h2v2,
};

// A component's samples. Repeated, one is h times v pixels.
struct SamplePlane {
  const std::uint8_t *data;
  int pitch;
  int width, height;  // of the picture; what is beyond is not looked at
  std::uint8_t h, v;
  Upsampling how;

  COALESCE_HOST_DEVICE const std::uint8_t *row(int y) const {
    return data + static_cast<std::size_t>(y) * static_cast<std::size_t>(pitch);
  }
};

// At pixel (x, y), of a plane with this `how`.
template <Upsampling kHow>
COALESCE_HOST_DEVICE int upsampled_by(const SamplePlane &p, int x, int y) {
  if (kHow == Upsampling::repeat) return p.row(y / p.v)[x / p.h];
  if (kHow == Upsampling::fancy_h2v1) {
    const int at = x >> 1, other = x & 1 ? at + 1 : at - 1;
    const std::uint8_t *row = p.row(y);
    if (other < 0 || other >= p.width) return row[at];
    return (3 * row[at] + row[other] + 1 + (x & 1)) >> 2;
  }
  const int near = y >> 1;
  int far = y & 1 ? near + 1 : near - 1;
  far = far < 0 ? 0 : far >= p.height ? p.height - 1 : far;
  const std::uint8_t *a = p.row(near), *b = p.row(far);
  if (kHow == Upsampling::fancy_h1v2) return (3 * a[x] + b[x] + 1 + (y & 1)) >> 2;
  const int at = x >> 1, other = x & 1 ? at + 1 : at - 1;
  const int sum = 3 * a[at] + b[at];
  const int bias = x & 1 ? 7 : 8;
  if (other < 0 || other >= p.width) return (4 * sum + bias) >> 4;
  return (3 * sum + 3 * a[other] + b[other] + bias) >> 4;
}

COALESCE_HOST_DEVICE int upsampled(const SamplePlane &p, int x, int y) {
  switch (p.how) {
    case Upsampling::repeat:
      return upsampled_by<Upsampling::repeat>(p, x, y);
    case Upsampling::fancy_h2v1:
      return upsampled_by<Upsampling::fancy_h2v1>(p, x, y);
    case Upsampling::fancy_h1v2:
      return upsampled_by<Upsampling::fancy_h1v2>(p, x, y);
    default:
      return upsampled_by<Upsampling::fancy_h2v2>(p, x, y);
  }
}

struct Rgb8 {
  std::uint8_t r, g, b;
};

COALESCE_HOST_DEVICE std::uint8_t limited(int value) {
  return static_cast<std::uint8_t>(value < 0 ? 0 : value > 255 ? 255 : value);
}

// JFIF's colours, with weights in units of 2^-16: 1.402, 0.34414, 0.71414, 1.772.
COALESCE_HOST_DEVICE Rgb8 rgb_of(int y, int cb, int cr) {
  cb -= 128;
  cr -= 128;
  constexpr int kHalf = 1 << 15;
  return {limited(y + ((91881 * cr + kHalf) >> 16)),
          limited(y + ((-22554 * cb - 46802 * cr + kHalf) >> 16)),
          limited(y + ((116130 * cb + kHalf) >> 16))};
}

}  // namespace coalesce::jpeg
