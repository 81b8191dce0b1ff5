// SPDX-License-Identifier: LGPL-2.1-or-later
// A Huffman table as decoders look codes up, on both back ends.
#pragma once

#include <cstdint>

#include "../../core/host_device.h"
#include "../tables/huffman.h"

namespace coalesce::jpeg {

constexpr int kLookupBits = 9;
constexpr int kBadCodeBits = kMostCodeBits + 1;  // taken by bits that are no code

struct DecodeTable {
  std::uint16_t lookup[1 << kLookupBits];  // length << 8 | symbol; 0: the code is longer
  // Codes of n bits, in the highest of 16, are below limit[n]; symbol (code + first[n]) is theirs.
  std::uint32_t limit[kMostCodeBits + 1];
  std::int32_t first[kMostCodeBits + 1];
  std::uint8_t symbols[kSymbols];
};

// The table has passed check_table().
DecodeTable decode_table(const HuffmanTable &table);

// bits: the next 16. Length << 8 | symbol; for what is no code, as libjpeg, symbol 0 of 17 bits.
COALESCE_HOST_DEVICE std::uint32_t look_up(const DecodeTable &table, std::uint32_t bits) {
  const std::uint32_t found = table.lookup[bits >> (kMostCodeBits - kLookupBits)];
  if (found != 0) return found;
  for (int length = kLookupBits + 1; length <= kMostCodeBits; ++length)
    if (bits < table.limit[length]) {
      const auto code = static_cast<std::int32_t>(bits >> (kMostCodeBits - length));
      return static_cast<std::uint32_t>(length) << 8 | table.symbols[code + table.first[length]];
    }
  return std::uint32_t{kBadCodeBits} << 8;
}

// The number that `size` (1 to 15) bits stand for (T.81, figure F.12).
COALESCE_HOST_DEVICE int extend(std::uint32_t bits, int size) {
  const auto value = static_cast<int>(bits);
  return value < 1 << (size - 1) ? value - (1 << size) + 1 : value;
}

}  // namespace coalesce::jpeg
