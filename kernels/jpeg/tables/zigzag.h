// SPDX-License-Identifier: LGPL-2.1-or-later
// The order of the 64 coefficients of a block (ITU-T T.81, figure A.6).
#pragma once

#include <array>
#include <cstdint>

namespace coalesce::jpeg {

constexpr int kBlockSize = 8;                           // columns and rows
constexpr int kCoefficients = kBlockSize * kBlockSize;  // of a block

// kNaturalOrder[k]: where coefficient k of the file is in a block of rows, 8 * row + column, row
// and column being its vertical and horizontal frequency. kZigzagOrder is the inverse.
constexpr std::array<std::uint8_t, kCoefficients> kNaturalOrder = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
    41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
    30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

constexpr std::array<std::uint8_t, kCoefficients> make_zigzag_order() {
  std::array<std::uint8_t, kCoefficients> order = {};
  for (int k = 0; k < kCoefficients; ++k)
    order[kNaturalOrder[static_cast<std::size_t>(k)]] = static_cast<std::uint8_t>(k);
  return order;
}
constexpr std::array<std::uint8_t, kCoefficients> kZigzagOrder = make_zigzag_order();

}  // namespace coalesce::jpeg
