// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA: one sample of a row, of any format, and where there is one.
#pragma once

#include <cstdint>

#include "../core/load.cuh"
#include "pixel_format.h"

namespace coalesce {

__device__ __forceinline__ int be10_field(const std::uint8_t *row, int number) {
  const Be10Place at = be10_place(number);
  return (load_global(row + at.byte) << 8 | load_global(row + at.byte + 1)) >> at.shift & 0x3ff;
}

__device__ __forceinline__ int read_sample(const std::uint8_t *row, const PixelComponent &c,
                                           int x) {
  const int at = c.first + x * c.step;
  std::uint32_t word;
  if (c.container == Container::be10) return be10_field(row, at);
  if (c.container == Container::u8)
    word = load_global(row + at);
  else if (c.container == Container::u16)
    word = load_global(reinterpret_cast<const std::uint16_t *>(row) + at);
  else if (c.container == Container::u32)
    word = load_global(reinterpret_cast<const std::uint32_t *>(row) + at);
  else
    word = load_global(reinterpret_cast<const std::uint32_t *>(row) + at / 3) >> (10 * (at % 3));
  return static_cast<int>(word >> c.shift & ((1u << c.bits) - 1));
}

// Which sample of a picture of so many pixels is field or container `number` of a row. False: none
// is, only the group that it is in belongs to the picture.
__device__ __forceinline__ bool find_sample(const PixelFormat &format, int width, int plane,
                                            int number, int *component, int *x) {
#pragma unroll 1
  for (int c = 0; c < format.components; ++c) {
    const PixelComponent &candidate = format.component[c];
    const int from = number - candidate.first;
    if (candidate.plane != plane || from < 0) continue;
    // (A division by a constant is no division.)
    const int step = candidate.step;
    const int at = step == 1 ? from : step == 2 ? from / 2 : step == 3 ? from / 3 : from / 4;
    if (at * step != from) continue;
    const int columns = -(-width >> candidate.log2_width);
    *component = c;
    *x = min(at, columns - 1);
    // The second luma of an odd width's last pair repeats the first.
    const bool is_luma_of_pairs =
        candidate.log2_width == 0 && format.components > 1 && format.component[1].log2_width == 1;
    return at < columns + (is_luma_of_pairs ? columns & 1 : 0);
  }
  return false;
}

}  // namespace coalesce
