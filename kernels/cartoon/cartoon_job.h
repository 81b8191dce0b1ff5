// SPDX-License-Identifier: LGPL-2.1-or-later
// What the back ends do of a cartoon: lines by a difference of Gaussians, and tones. All samples
// are bytes.
#pragma once

#include <cstdint>

#include "../core/host_device.h"
#include "../core/thread_pool.h"
#include "cartoon.h"

namespace coalesce {

// Sample x of a row is byte first + x * step.
struct CartoonSamples {
  Plane<const std::uint8_t> in;
  int first = 0, step = 1;
};

// Of luma or grey: one component; of RGB: R, G and B.
struct CartoonLuma {
  CartoonSamples component[3];
  int components = 1;
  int width = 0, height = 0;  // pixels
};

struct DogJob {
  CartoonLuma luma;
  Plane<std::uint8_t> out;
  DogTaps narrow, wide;
  int threshold = 1;
};

struct TonePlane {
  Plane<const std::uint8_t> in;  // the rows that pixels have
  Plane<std::uint8_t> out;

  // The row of `in` that one of `out` is made of.
  COALESCE_HOST_DEVICE const std::uint8_t *from(int row) const {
    return in.row(row < in.height ? row : in.height > 2 ? in.height - 2 : 0);
  }
};

// Planes are copied, but for what becomes tones.
struct ToneJob {
  TonePlane plane[4];
  int planes = 0;
  // Their planes by number; one component, whose step divides 16, or R, G and B.
  int of_plane[3] = {};
  CartoonLuma luma;
  std::uint8_t tone[256] = {};

  COALESCE_HOST_DEVICE bool is_rgb() const { return luma.components == 3; }
};

// Of R, G and B by BT.709. The weights add up to 2^16.
COALESCE_HOST_DEVICE int cartoon_luma(int r, int g, int b) {
  return (13933 * r + 46871 * g + 4732 * b + 32768) >> 16;
}

COALESCE_HOST_DEVICE std::uint8_t moved_sample(int sample, int by) {
  const int moved = sample + by;
  return static_cast<std::uint8_t>(moved < 0 ? 0 : moved > 255 ? 255 : moved);
}

// How strong a line is, by sums of samples in 256ths.
COALESCE_HOST_DEVICE std::uint8_t line_strength(int narrow, int wide, int threshold) {
  const int above = wide - narrow - threshold;
  if (above <= 0) return 0;
  return static_cast<std::uint8_t>(above >= threshold ? 255 : 255 * above / threshold);
}

// A sum of taps times samples, and of taps times those; both fit 32 bits.
COALESCE_HOST_DEVICE std::uint16_t dog_across(std::uint32_t sum) {
  return static_cast<std::uint16_t>((sum + 128) >> 8);
}
COALESCE_HOST_DEVICE int dog_down(std::uint32_t sum) {
  return static_cast<int>((sum + 32768) >> 16);
}

void dog_cpu(const DogJob &job, ThreadPool *pool);
Status dog_cuda(const DogJob &job, void *stream);
void tones_cpu(const ToneJob &job, ThreadPool *pool);
Status tones_cuda(const ToneJob &job, void *stream);

}  // namespace coalesce
