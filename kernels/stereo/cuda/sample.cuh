// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA: single samples of a picture.
#pragma once

#include "../../core/load.cuh"
#include "../../picture/image.h"

namespace coalesce {

struct SampleSource {
  Plane<const std::uint8_t> in;
  int width, height;
  int sample_bytes, at, step, shift, bits;
};

inline SampleSource sample_source(const Plane<const std::uint8_t> &in, const PixelComponent &c,
                                  int width, int height) {
  return {in, width, height, container_bytes(c.container), c.first, c.step, c.shift, c.bits};
}

// Outside the picture, the nearest one.
__device__ __forceinline__ int sample_at(const SampleSource &a, int x, int y) {
  x = min(max(x, 0), a.width - 1), y = min(max(y, 0), a.height - 1);
  const std::uint8_t *const row = a.in.row(y);
  const int place = a.at + x * a.step;
  const int word = a.sample_bytes == 1
                       ? load_global(row + place)
                       : load_global(reinterpret_cast<const std::uint16_t *>(row) + place);
  return word >> a.shift & ((1 << a.bits) - 1);
}

}  // namespace coalesce
