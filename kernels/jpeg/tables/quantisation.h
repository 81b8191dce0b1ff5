// SPDX-License-Identifier: LGPL-2.1-or-later
// Quantisation tables of ITU-T T.81, annex K.1, and libjpeg's scaling of them.
#pragma once

#include <array>
#include <cstdint>

#include "zigzag.h"

namespace coalesce::jpeg {

// Steps in the order of rows (kNaturalOrder), each of 1 to 255 in baseline files. (Steps of
// decoders have up to 16 bits.)
using QuantTable = std::array<std::uint16_t, kCoefficients>;

// K.1 and K.2: a quality of 50. (Hidden, as the Huffman tables are.)
[[gnu::visibility("hidden")]] extern const QuantTable kLumaQuantTable, kChromaQuantTable;

// The steps of a quality of 1 to 100, limited to 1 to 255: libjpeg's jpeg_set_quality() with
// force_baseline.
QuantTable quant_table(const QuantTable &at_50, int quality);

}  // namespace coalesce::jpeg
