// SPDX-License-Identifier: LGPL-2.1-or-later
#include "quantisation.h"

#include <algorithm>

namespace coalesce::jpeg {

// clang-format off
const QuantTable kLumaQuantTable = {
    16, 11, 10, 16,  24,  40,  51,  61,
    12, 12, 14, 19,  26,  58,  60,  55,
    14, 13, 16, 24,  40,  57,  69,  56,
    14, 17, 22, 29,  51,  87,  80,  62,
    18, 22, 37, 56,  68, 109, 103,  77,
    24, 35, 55, 64,  81, 104, 113,  92,
    49, 64, 78, 87, 103, 121, 120, 101,
    72, 92, 95, 98, 112, 100, 103,  99};

const QuantTable kChromaQuantTable = {
    17, 18, 24, 47, 99, 99, 99, 99,
    18, 21, 26, 66, 99, 99, 99, 99,
    24, 26, 56, 99, 99, 99, 99, 99,
    47, 66, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99};
// clang-format on

QuantTable quant_table(const QuantTable &at_50, int quality) {
  const int percent = quality < 50 ? 5000 / quality : 200 - 2 * quality;
  QuantTable table = at_50;
  for (std::uint16_t &step : table)
    step = static_cast<std::uint16_t>(std::clamp((step * percent + 50) / 100, 1, 255));
  return table;
}

}  // namespace coalesce::jpeg
