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
void put_segment(Marker marker, const Bytes &content, Bytes *to) {
  put_marker(marker, to);
  put_two(static_cast<int>(content.size()) + 2, to);
  to->insert(to->end(), content.begin(), content.end());
}

// JFIF 1.01, without a thumbnail.
Bytes jfif(int density_x, int density_y) {
  Bytes content = {'J', 'F', 'I', 'F', 0, 1, 1, 0};
  put_two(density_x, &content);
  put_two(density_y, &content);
  put_two(0, &content);
  return content;
}

// Adobe Technical Note 5116: version 100, no flags, no transform.
Bytes adobe() {
  return {'A', 'd', 'o', 'b', 'e', 0, 100, 0, 0, 0, 0, 0};
}

Bytes quantisation(int number, const QuantTable &table) {
  Bytes content;
  put(number, &content);
  for (const std::uint8_t at : kNaturalOrder)
    put(table[at], &content);
  return content;
}

Bytes frame(const CodingPlan &plan) {
  Bytes content = {8};
  put_two(plan.height, &content);
  put_two(plan.width, &content);
  put(plan.components, &content);
  for (int i = 0; i < plan.components; ++i) {
    const CodedComponent &c = plan.component[i];
    content.insert(content.end(), {c.id, static_cast<std::uint8_t>(c.h << 4 | c.v), c.table});
  }
  return content;
}

Bytes huffman_table(int number, const HuffmanTable &table) {
  Bytes content;
  put(number, &content);
  for (const std::uint8_t count : table.counts)
    put(count, &content);
  for (std::size_t i = 0; i < static_cast<std::size_t>(table.size()); ++i)
    put(table.symbols[i], &content);
  return content;
}

Bytes scan(const CodingPlan &plan) {
  Bytes content;
  put(plan.components, &content);
  for (int i = 0; i < plan.components; ++i) {
    const CodedComponent &c = plan.component[i];
    content.insert(content.end(), {c.id, static_cast<std::uint8_t>(c.table << 4 | c.table)});
  }
  content.insert(content.end(), {0, kCoefficients - 1, 0});
  return content;
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
    put_segment(Marker::app14, adobe(), file);
  else
    put_segment(Marker::app0, jfif(params.density_x, params.density_y), file);
  for (int i = 0; i < tables; ++i)
    put_segment(Marker::dqt, quantisation(i, quant.table[i]), file);
  put_segment(Marker::sof0, frame(plan), file);
  for (int i = 0; i < tables; ++i) {
    put_segment(Marker::dht, huffman_table(i, huffman.dc[i]), file);
    put_segment(Marker::dht, huffman_table(0x10 | i, huffman.ac[i]), file);
  }
  if (params.restart_interval != 0) {
    Bytes interval;
    put_two(params.restart_interval, &interval);
    put_segment(Marker::dri, interval, file);
  }
  put_segment(Marker::sos, scan(plan), file);
}

}  // namespace coalesce::jpeg
