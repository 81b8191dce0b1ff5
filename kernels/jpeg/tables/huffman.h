// SPDX-License-Identifier: LGPL-2.1-or-later
// Huffman tables: those of ITU-T T.81, annex K.3, codes from counts (annex C), and the best table
// for given statistics (annex K.2).
#pragma once

#include <array>
#include <cstdint>

#include "../../core/status.h"

namespace coalesce::jpeg {

constexpr int kMostCodeBits = 16;
constexpr int kSymbols = 256;   // at most
constexpr int kDcSymbols = 12;  // baseline: sizes 0 to 11 of a difference
constexpr int kEndOfBlock = 0;  // symbols of AC; else zeros before it << 4 | size of 1 to 10
constexpr int kZeroRun = 0xF0;  // 16 zeros

// As in a DHT segment.
struct HuffmanTable {
  std::array<std::uint8_t, kMostCodeBits> counts = {};  // [n]: of codes of n + 1 bits
  std::array<std::uint8_t, kSymbols> symbols = {};      // in the order of their codes

  int size() const;  // how many symbols have codes
};

// The class and the destination of a table: DC or AC; 0 for luma, 1 for chroma. (Hidden: a program
// and a plugin in it may both have the library.)
[[gnu::visibility("hidden")]] extern const HuffmanTable kLumaDcTable, kLumaAcTable, kChromaDcTable,
    kChromaAcTable;

// Code and length by symbol; length 0 where there is none.
struct HuffmanCodes {
  std::array<std::uint16_t, kSymbols> code = {};
  std::array<std::uint8_t, kSymbols> length = {};
};

// Errors: invalid_argument for counts of more than 256 symbols, or of more codes of a length than
// there are. (A code of ones alone is refused, as T.81 has none.)
Status check_table(const HuffmanTable &table);
// The table has passed check_table(). Of a symbol that is there twice, the last code.
HuffmanCodes codes_of(const HuffmanTable &table);

// The table that T.81, annex K.2 makes of statistics, with libjpeg's choice between equals: no code
// is longer than 16 bits, and none is of ones alone.
// counts: how often each of 256 symbols occurs; their sum is below 10^9. Of zeros alone: an empty
// table.
HuffmanTable optimal_table(const std::uint32_t *counts);

}  // namespace coalesce::jpeg
