// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA: one sample of a row, of any format.
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

}  // namespace coalesce
