// SPDX-License-Identifier: LGPL-2.1-or-later
#include "file_header.h"

#include "../tables/markers.h"

namespace coalesce::jpeg {
namespace {

using Bytes = std::vector<std::uint8_t>;

void put(int byte, Bytes *to) {
  to->push_back(static_cast<std::uint8_t>(byte));
}
void put_two(int number, Bytes *to) {
  put(number >> 8, to);
  put(number & 255, to);
}
void put_marker(Marker marker, Bytes *to) {
  put(0xFF, to);
  put(static_cast<int>(marker), to);
}
// length: of what follows.
void begin_segment(Marker marker, int length, Bytes *to) {
  put_marker(marker, to);
  put_two(length + 2, to);
}

// JFIF 1.01, without a thumbnail.
void put_jfif(int density_x, int density_y, Bytes *to) {
  begin_segment(Marker::app0, 14, to);
  for (const int byte : {int{'J'}, int{'F'}, int{'I'}, int{'F'}, 0, 1, 1, 0})
    put(byte, to);
  put_two(density_x, to);
  put_two(density_y, to);
  put_two(0, to);
}

// Adobe Technical Note 5116: version 100, no flags, no transform.
void put_adobe(Bytes *to) {
  begin_segment(Marker::app14, 12, to);
  for (const int byte : {int{'A'}, int{'d'}, int{'o'}, int{'b'}, int{'e'}, 0, 100, 0, 0, 0, 0, 0})
    put(byte, to);
}

void put_steps(int number, const QuantTable &table, Bytes *to) {
  begin_segment(Marker::dqt, 1 + kCoefficients, to);
  put(number, to);
  for (const std::uint8_t at : kNaturalOrder)
    put(table[at], to);
}

void put_frame(const CodingPlan &plan, Bytes *to) {
  begin_segment(Marker::sof0, 6 + 3 * plan.components, to);
  put(8, to);
  put_two(plan.height, to);
  put_two(plan.width, to);
  put(plan.components, to);
  for (int i = 0; i < plan.components; ++i) {
    const CodedComponent &c = plan.component[i];
    for (const int byte : {int{c.id}, c.h << 4 | c.v, int{c.table}})
      put(byte, to);
  }
}

void put_codes(int number, const HuffmanTable &table, Bytes *to) {
  begin_segment(Marker::dht, 1 + kMostCodeBits + table.size(), to);
  put(number, to);
  for (const std::uint8_t count : table.counts)
    put(count, to);
  for (std::size_t i = 0; i < static_cast<std::size_t>(table.size()); ++i)
    put(table.symbols[i], to);
}

void put_scan(const CodingPlan &plan, Bytes *to) {
  begin_segment(Marker::sos, 4 + 2 * plan.components, to);
  put(plan.components, to);
  for (int i = 0; i < plan.components; ++i) {
    const CodedComponent &c = plan.component[i];
    put(c.id, to);
    put(c.table << 4 | c.table, to);
  }
  for (const int byte : {0, kCoefficients - 1, 0})
    put(byte, to);
}

}  // namespace

HuffmanTables usual_tables() {
  return {{kLumaDcTable, kChromaDcTable}, {kLumaAcTable, kChromaAcTable}};
}

void write_header(const EncoderParams &params, const CodingPlan &plan, const QuantTables &quant,
                  const HuffmanTables &huffman, std::vector<std::uint8_t> *file) {
  const int tables = plan.component[plan.components - 1].table + 1;
  put_marker(Marker::soi, file);
  if (params.keep_rgb)
    put_adobe(file);
  else
    put_jfif(params.density_x, params.density_y, file);
  for (int i = 0; i < tables; ++i)
    put_steps(i, quant.table[i], file);
  put_frame(plan, file);
  for (int i = 0; i < tables; ++i) {
    put_codes(i, huffman.dc[i], file);
    put_codes(0x10 | i, huffman.ac[i], file);
  }
  if (params.restart_interval != 0) {
    begin_segment(Marker::dri, 2, file);
    put_two(params.restart_interval, file);
  }
  put_scan(plan, file);
}

}  // namespace coalesce::jpeg
