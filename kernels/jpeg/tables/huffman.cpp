// SPDX-License-Identifier: LGPL-2.1-or-later
#include "huffman.h"

#include <algorithm>
#include <numeric>

namespace coalesce::jpeg {
namespace {

constexpr int kReserved = kSymbols;  // a symbol that is never coded gets the code of ones alone
constexpr int kEnd = -1;

// Trees in the making: those of a tree are a list of symbols.
struct Forest {
  std::array<std::uint32_t, kSymbols + 1> count = {};
  std::array<int, kSymbols + 1> length = {}, next = {};

  // The least tree, of equals the one of the highest number; kEnd if there is none but `other`.
  int least(int other) const {
    int found = kEnd;
    for (int i = 0; i <= kReserved; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (i != other && count[at] != 0 &&
          (found == kEnd || count[at] <= count[static_cast<std::size_t>(found)]))
        found = i;
    }
    return found;
  }

  // A tree becomes one bit longer. Returns the end of its list.
  std::size_t lengthen(int tree) {
    auto at = static_cast<std::size_t>(tree);
    ++length[at];
    while (next[at] != kEnd) {
      at = static_cast<std::size_t>(next[at]);
      ++length[at];
    }
    return at;
  }
};

constexpr int kMostTreeBits = kSymbols;  // before codes are shortened

}  // namespace

int HuffmanTable::size() const {
  return std::accumulate(counts.begin(), counts.end(), 0);
}

const HuffmanTable kLumaDcTable = {{0, 1, 5, 1, 1, 1, 1, 1, 1},
                                   {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}};
const HuffmanTable kChromaDcTable = {{0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1},
                                     {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}};
const HuffmanTable kLumaAcTable = {
    {0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 0x7d},
    {0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61,
     0x07, 0x22, 0x71, 0x14, 0x32, 0x81, 0x91, 0xa1, 0x08, 0x23, 0x42, 0xb1, 0xc1, 0x15, 0x52,
     0xd1, 0xf0, 0x24, 0x33, 0x62, 0x72, 0x82, 0x09, 0x0a, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x25,
     0x26, 0x27, 0x28, 0x29, 0x2a, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3a, 0x43, 0x44, 0x45,
     0x46, 0x47, 0x48, 0x49, 0x4a, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5a, 0x63, 0x64,
     0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x83,
     0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99,
     0x9a, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6,
     0xb7, 0xb8, 0xb9, 0xba, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xd2, 0xd3,
     0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda, 0xe1, 0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8,
     0xe9, 0xea, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa}};
const HuffmanTable kChromaAcTable = {
    {0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 0x77},
    {0x00, 0x01, 0x02, 0x03, 0x11, 0x04, 0x05, 0x21, 0x31, 0x06, 0x12, 0x41, 0x51, 0x07, 0x61,
     0x71, 0x13, 0x22, 0x32, 0x81, 0x08, 0x14, 0x42, 0x91, 0xa1, 0xb1, 0xc1, 0x09, 0x23, 0x33,
     0x52, 0xf0, 0x15, 0x62, 0x72, 0xd1, 0x0a, 0x16, 0x24, 0x34, 0xe1, 0x25, 0xf1, 0x17, 0x18,
     0x19, 0x1a, 0x26, 0x27, 0x28, 0x29, 0x2a, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3a, 0x43, 0x44,
     0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5a, 0x63,
     0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a,
     0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97,
     0x98, 0x99, 0x9a, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xb2, 0xb3, 0xb4,
     0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xba, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca,
     0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda, 0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7,
     0xe8, 0xe9, 0xea, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa}};

Status check_table(const HuffmanTable &table) {
  if (table.size() > kSymbols)
    return invalid_argument("jpeg: a Huffman table has more than 256 symbols");
  std::uint32_t code = 0;  // the first one that is free
  for (std::size_t i = 0; i < table.counts.size(); ++i) {
    code = 2 * code + table.counts[i];
    if (table.counts[i] != 0 && code >= std::uint32_t{2} << i)
      return invalid_argument("jpeg: a Huffman table has more codes of a length than there are");
  }
  return {};
}

HuffmanCodes codes_of(const HuffmanTable &table) {
  HuffmanCodes codes;
  unsigned code = 0;
  std::size_t next = 0;
  for (std::size_t i = 0; i < table.counts.size(); ++i, code <<= 1)
    for (int n = 0; n < table.counts[i]; ++n, ++next, ++code) {
      codes.code[table.symbols[next]] = static_cast<std::uint16_t>(code);
      codes.length[table.symbols[next]] = static_cast<std::uint8_t>(i + 1);
    }
  return codes;
}

HuffmanTable optimal_table(const std::uint32_t *counts) {
  HuffmanTable table;
  if (std::all_of(counts, counts + kSymbols, [](std::uint32_t n) { return n == 0; })) return table;
  Forest forest;
  std::copy(counts, counts + kSymbols, forest.count.begin());
  forest.count[kReserved] = 1;
  forest.next.fill(kEnd);
  for (;;) {
    const int into = forest.least(kEnd), from = forest.least(into);
    if (from == kEnd) break;
    forest.count[static_cast<std::size_t>(into)] += forest.count[static_cast<std::size_t>(from)];
    forest.count[static_cast<std::size_t>(from)] = 0;
    forest.next[forest.lengthen(into)] = from;
    forest.lengthen(from);
  }

  std::array<int, kMostTreeBits + 1> of_length = {};
  for (int i = 0; i <= kReserved; ++i)
    ++of_length[static_cast<std::size_t>(forest.length[static_cast<std::size_t>(i)])];
  of_length[0] = 0;
  // Two codes that are too long go, and one of a shorter length becomes two (figure K.3).
  for (std::size_t i = kMostTreeBits; i > kMostCodeBits; --i)
    while (of_length[i] > 0) {
      std::size_t j = i - 2;
      while (of_length[j] == 0)
        --j;
      of_length[i] -= 2;
      ++of_length[i - 1];
      of_length[j + 1] += 2;
      --of_length[j];
    }
  std::size_t longest = kMostCodeBits;
  while (of_length[longest] == 0)
    --longest;
  --of_length[longest];  // the reserved one's

  for (std::size_t i = 0; i < kMostCodeBits; ++i)
    table.counts[i] = static_cast<std::uint8_t>(of_length[i + 1]);
  std::size_t next = 0;
  for (int length = 1; length <= kMostTreeBits; ++length)
    for (std::size_t symbol = 0; symbol < kSymbols; ++symbol)
      if (forest.length[symbol] == length)
        table.symbols[next++] = static_cast<std::uint8_t>(symbol);
  return table;
}

}  // namespace coalesce::jpeg
