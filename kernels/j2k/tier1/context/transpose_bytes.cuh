// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>

namespace coalesce::j2k {

// One step of the below: rows that are `distance` apart.
template <int kRows>
__device__ __forceinline__ void transpose_step(std::uint32_t (&rows)[kRows], int distance,
                                               std::uint32_t mask) {
#pragma unroll
  for (int i = 0; i < kRows; ++i)
    if ((i & distance) == 0) {
      const std::uint32_t swap = (rows[i] >> distance ^ rows[i + distance]) & mask;
      rows[i + distance] ^= swap;
      rows[i] ^= swap << distance;
    }
}

// Swaps rows and columns in each 4 x 4 bits that stand in one nibble of four words.
__device__ __forceinline__ void transpose_nibbles(std::uint32_t (&rows)[4]) {
  transpose_step(rows, 2, 0x33333333);
  transpose_step(rows, 1, 0x55555555);
}

// The same for 8 x 8 bits in one byte of eight words.
__device__ __forceinline__ void transpose_bytes(std::uint32_t (&rows)[8]) {
  transpose_step(rows, 4, 0x0F0F0F0F);
  transpose_step(rows, 2, 0x33333333);
  transpose_step(rows, 1, 0x55555555);
}

}  // namespace coalesce::j2k
