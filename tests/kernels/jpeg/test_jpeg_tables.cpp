// SPDX-License-Identifier: LGPL-2.1-or-later
// The tables of annex K: their sums, what qualities make of them, codes, and the best codes. Whole
// files of libjpeg have the same ones.
#include <algorithm>
#include <cstring>

#include "../../support/doctest.h"
#include "../../support/random.h"
#include "jpeg/tables/huffman.h"
#include "jpeg/tables/markers.h"
#include "jpeg/tables/quantisation.h"
#include "libjpeg_judge.h"

namespace coalesce::test {
namespace {

using namespace jpeg;  // NOLINT

using Bytes = std::vector<std::uint8_t>;

// The segments of a file that begin with this marker, without marker and length.
std::vector<Bytes> segments(const Bytes &file, Marker marker) {
  std::vector<Bytes> found;
  for (std::size_t i = 2; file[i + 1] != static_cast<std::uint8_t>(Marker::sos);) {
    const std::size_t length = static_cast<std::size_t>(file[i + 2] << 8 | file[i + 3]);
    if (file[i + 1] == static_cast<std::uint8_t>(marker))
      found.emplace_back(file.begin() + static_cast<std::ptrdiff_t>(i + 4),
                         file.begin() + static_cast<std::ptrdiff_t>(i + 2 + length));
    i += 2 + length;
  }
  return found;
}

Bytes bytes_of(int first, const QuantTable &table) {
  Bytes bytes = {static_cast<std::uint8_t>(first)};
  for (const int at : kNaturalOrder)
    bytes.push_back(static_cast<std::uint8_t>(table[static_cast<std::size_t>(at)]));
  return bytes;
}

Bytes bytes_of(int first, const HuffmanTable &table) {
  Bytes bytes = {static_cast<std::uint8_t>(first)};
  bytes.insert(bytes.end(), table.counts.begin(), table.counts.end());
  bytes.insert(bytes.end(), table.symbols.begin(), table.symbols.begin() + table.size());
  return bytes;
}

Bytes small_file(const LibjpegCoding &coding) {
  const Bytes grey(64, 100);
  const LibjpegPlane plane = {grey.data(), 8, 8, 8};
  return libjpeg_file(8, 8, {plane, plane, plane}, coding);
}

TEST_CASE("the zigzag order and its inverse") {
  for (std::size_t k = 0; k < kCoefficients; ++k)
    CHECK(kZigzagOrder[kNaturalOrder[k]] == k);
  for (std::size_t k = 1; k < kCoefficients; ++k) {  // neighbours on a diagonal or at an edge
    const int a = kNaturalOrder[k - 1], b = kNaturalOrder[k];
    CHECK(std::abs(a / 8 - b / 8) <= 1);
    CHECK(std::abs(a % 8 - b % 8) <= 1);
  }
}

TEST_CASE("qualities: libjpeg's tables") {
  CHECK(quant_table(kLumaQuantTable, 50) == kLumaQuantTable);
  for (const int step : quant_table(kLumaQuantTable, 100))
    CHECK(step == 1);
  if (!have_libjpeg()) return;
  for (int quality = 1; quality <= 100; ++quality) {
    const auto tables = segments(small_file({.quality = quality, .h = 1, .v = 1}), Marker::dqt);
    REQUIRE(tables.size() == 2);
    CHECK(tables[0] == bytes_of(0, quant_table(kLumaQuantTable, quality)));
    CHECK(tables[1] == bytes_of(1, quant_table(kChromaQuantTable, quality)));
  }
}

TEST_CASE("the usual Huffman tables: libjpeg's") {
  for (const HuffmanTable &table : {kLumaDcTable, kLumaAcTable, kChromaDcTable, kChromaAcTable})
    CHECK(check_table(table).ok());
  CHECK(kLumaAcTable.size() == 162);
  CHECK(kChromaAcTable.size() == 162);
  if (!have_libjpeg()) return;
  const auto tables = segments(small_file({.h = 1, .v = 1}), Marker::dht);
  REQUIRE(tables.size() == 4);
  CHECK(tables[0] == bytes_of(0x00, kLumaDcTable));
  CHECK(tables[1] == bytes_of(0x10, kLumaAcTable));
  CHECK(tables[2] == bytes_of(0x01, kChromaDcTable));
  CHECK(tables[3] == bytes_of(0x11, kChromaAcTable));
}

TEST_CASE("codes of tables K.3 and K.5") {
  const HuffmanCodes dc = codes_of(kLumaDcTable), ac = codes_of(kLumaAcTable);
  CHECK((dc.length[0] == 2 && dc.code[0] == 0));
  CHECK((dc.length[11] == 9 && dc.code[11] == 0x1FE));
  CHECK(dc.length[12] == 0);
  CHECK((ac.length[kEndOfBlock] == 4 && ac.code[kEndOfBlock] == 0xA));
  CHECK((ac.length[kZeroRun] == 11 && ac.code[kZeroRun] == 0x7F9));
  CHECK((ac.length[0xFA] == 16 && ac.code[0xFA] == 0xFFFE));
}

TEST_CASE("tables that are refused") {
  HuffmanTable ones;  // 0, 10, 11
  ones.counts = {1, 2};
  CHECK(std::strstr(check_table(ones).message(), "more codes of a length") != nullptr);
  HuffmanTable many;
  many.counts[14] = 200, many.counts[15] = 57;
  CHECK(std::strstr(check_table(many).message(), "more than 256 symbols") != nullptr);
  HuffmanTable all;
  all.counts[14] = 200, all.counts[15] = 56;
  CHECK(check_table(all).ok());
}

// Bits of a text.
std::uint64_t coded_bits(const HuffmanTable &table, const std::array<std::uint32_t, 256> &counts) {
  const HuffmanCodes codes = codes_of(table);
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < 256; ++i) {
    CHECK((counts[i] == 0 || codes.length[i] != 0));
    bits += std::uint64_t{counts[i]} * codes.length[i];
  }
  return bits;
}

TEST_CASE("the best table: every symbol has a code, and none is better by exchange") {
  Random random = random_of_run(22);
  for (int trial = 0; trial < 200; ++trial) {
    std::array<std::uint32_t, 256> counts = {};
    const int symbols = random.between(1, random.pick({2, 20, 256}));
    for (int i = 0; i < symbols; ++i)
      counts[static_cast<std::size_t>(random.below(256))] =
          static_cast<std::uint32_t>(random.between(1, 1 << random.between(0, 20)));
    const HuffmanTable table = optimal_table(counts.data());
    REQUIRE(check_table(table).ok());
    const auto used = std::count_if(counts.begin(), counts.end(), [](auto n) { return n != 0; });
    CHECK(table.size() == used);
    coded_bits(table, counts);
    const HuffmanCodes codes = codes_of(table);
    if (table.counts[15] != 0) continue;  // where codes were shortened, equal ones are unequal
    for (std::size_t a = 0; a < 256; ++a)
      for (std::size_t b = 0; b < 256; ++b)
        if (counts[a] > counts[b] && counts[b] != 0) CHECK(codes.length[a] <= codes.length[b]);
  }
}

TEST_CASE("the best table: codes that would be longer than 16 bits") {
  std::array<std::uint32_t, 256> counts = {};
  std::uint32_t a = 1, b = 1;
  for (std::size_t i = 0; i < 40; ++i) {  // Fibonacci's numbers make a tree of one branch
    counts[i] = a;
    b += a;
    a = b - a;
  }
  const HuffmanTable table = optimal_table(counts.data());
  CHECK(check_table(table).ok());
  CHECK(table.size() == 40);
  CHECK(table.counts[15] > 2);
  const std::array<std::uint32_t, 256> none = {};
  CHECK(optimal_table(none.data()).size() == 0);
}

}  // namespace
}  // namespace coalesce::test
