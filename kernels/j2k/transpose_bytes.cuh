// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>

namespace coalesce::j2k {

// Swaps rows and columns in each 8 x 8 bits that stand in one byte of eight words.
__device__ __forceinline__ void transpose_bytes(std::uint32_t (&rows)[8]) {
#pragma unroll
  for (int distance = 4; distance > 0; distance /= 2) {
    const std::uint32_t mask = distance == 4 ? 0x0F0F0F0F : distance == 2 ? 0x33333333 : 0x55555555;
#pragma unroll
    for (int i = 0; i < 8; ++i)
      if ((i & distance) == 0) {
        const std::uint32_t swap = (rows[i] >> distance ^ rows[i + distance]) & mask;
        rows[i + distance] ^= swap;
        rows[i] ^= swap << distance;
      }
  }
}

}  // namespace coalesce::j2k
