// SPDX-License-Identifier: LGPL-2.1-or-later
// Everything of a file before its scan, with libjpeg's order of segments: SOI, APP0 (JFIF) or APP14
// (Adobe), DQT, SOF0, DHT, DRI, SOS.
#pragma once

#include <cstdint>
#include <vector>

#include "../tables/huffman.h"
#include "coding_plan.h"

namespace coalesce::jpeg {

// [0]: luma's, [1]: chroma's.
struct HuffmanTables {
  HuffmanTable dc[2], ac[2];
};
HuffmanTables usual_tables();

// Appends it, of at most kMostHeaderBytes.
constexpr int kMostHeaderBytes = 2048;
void write_header(const EncoderParams &params, const CodingPlan &plan, const QuantTables &quant,
                  const HuffmanTables &huffman, std::vector<std::uint8_t> *file);

}  // namespace coalesce::jpeg
