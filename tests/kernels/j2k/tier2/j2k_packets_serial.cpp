// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k_packets_serial.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "j2k/canvas/geometry.h"
#include "j2k/tier2/packet_header_bits.h"
#include "j2k/tier2/packet_layout.h"
#include "j2k/tier2/packet_stuffing.h"

namespace coalesce::test {
namespace {

using namespace j2k;

void make_trees(const PacketView &packet) {
  const FlatPrecinct &p = packet.precinct;
  for (std::uint32_t b = p.first_block; b < p.first_block + p.blocks; ++b)
    packet.set_leaf(b);
  for (std::uint32_t i = 0; i < p.bands; ++i) {
    const TreePlaces tree(packet.format.bands[p.first_band + i]);
    for (int level = 1; level < tree.depth; ++level)
      for (std::uint32_t y = 0; y < halved(tree.band.high, level); ++y)
        for (std::uint32_t x = 0; x < halved(tree.band.wide, level); ++x)
          packet.set_node(tree, level, x, y);
  }
}

bool same_layers(const PacketView &packet, int a, int b) {
  for (std::uint32_t i = 0; i < packet.precinct.blocks; ++i)
    if (packet.passes_in(a, packet.precinct.first_block + i) !=
        packet.passes_in(b, packet.precinct.first_block + i))
      return false;
  return true;
}

// In parts of 96 bits.
std::uint32_t stuff(const std::uint32_t *words, std::uint32_t bits, std::uint8_t *out) {
  constexpr std::uint32_t kPart = 96;
  const std::uint32_t all = (bits + 31) / 32 * 32;
  ByteStart right = {0, 0};
  for (std::uint32_t begin = 0; begin < all; begin += kPart) {
    const std::uint32_t end = std::min(begin + kPart, all);
    ByteStart next[kByteStarts];
    for (std::uint32_t guess = 0; guess < kByteStarts; ++guess)
      next[guess] = pass_bytes(words, {begin + guess, 0}, end);
    write_bytes(words, right, end, bits, out);
    const ByteStart &after = next[right.at - begin];
    right = {after.at, right.zeros + after.zeros};
  }
  return (bits + right.zeros + 7) / 8;
}

// One packet's header, behind what is in the pool; its blocks get their places.
PacketHeader make_header(const PacketFormat &f, const PacketScratch &s, const PacketInput &in,
                         std::uint32_t precinct, int layer) {
  const PacketView packet(f, in, s, precinct, layer);
  const std::size_t row = std::size_t{f.blocks} * static_cast<unsigned>(layer);
  const FlatPrecinct &p = packet.precinct;
  PacketHeader header = {4 * s.result->pool, 1, 0};
  auto *out = reinterpret_cast<std::uint8_t *>(s.pool + s.result->pool);
  *out = 0;
  const bool empty = same_layers(packet, layer, layer - 1);
  const int told = layers_told(layer, [&](int k) { return same_layers(packet, k, layer - 1); });
  if (!empty) make_trees(packet);
  std::uint32_t bits = 1;
  for (std::uint32_t b = p.first_block; b < p.first_block + p.blocks; ++b) {
    s.l_block[row + b] = static_cast<std::uint8_t>(packet.l_block(b));
    if (empty) continue;
    BitString string;
    const BlockTold told_now = tell_block(packet, b, told, &string);
    s.bit_at[row + b] = bits;
    s.byte_at[row + b] = header.body;
    s.bit_strings[row + b] = string.bits;
    s.l_block[row + b] = static_cast<std::uint8_t>(told_now.l_block);
    bits += string.count;
    header.body += told_now.body;
  }
  if (!empty) {
    std::vector<std::uint32_t> words(words_of_bits(bits));
    words[0] = 1u << 31;
    for (std::uint32_t b = p.first_block; b < p.first_block + p.blocks; ++b) {
      const bool last = b + 1 == p.first_block + p.blocks;
      const std::uint32_t count = (last ? bits : s.bit_at[row + b + 1]) - s.bit_at[row + b];
      BitWriter writer(words.data(), s.bit_at[row + b]);
      if (count <= kMostStringBits)
        writer.put_string(s.bit_strings[row + b], count);
      else
        tell_block(packet, b, told, &writer);
      writer.end();
    }
    header.bytes = stuff(words.data(), bits, out);
  }
  s.result->pool += (header.bytes + 3) / 4;
  return header;
}

// Sums, tile-parts, places of packets. Whether all is well.
bool lay_out(const PacketFormat &f, const PacketScratch &s, std::uint64_t room) {
  s.length_sum[0] = 0;
  s.plt_sum[0] = 0;
  for (std::uint32_t i = 0; i < f.packets; ++i) {
    const std::uint64_t length = packet_length(f, s.headers[f.order[i]]);
    s.length_sum[i + 1] = s.length_sum[i] + length;
    s.plt_sum[i + 1] = s.plt_sum[i] + static_cast<unsigned>(plt_bytes(length));
  }
  std::uint64_t at = f.main_bytes;
  for (std::uint32_t p = 0; p < f.num_parts; ++p) {
    const PartLength part = part_length(f, s, p);
    s.result->errors |= part.errors;
    s.part_lengths[p] = static_cast<std::uint32_t>(part.bytes);
    s.part_header[p] = part.header;
    s.part_at[p] = at;
    at += part.bytes;
  }
  for (std::uint32_t i = 0; i < f.packets; ++i)
    s.packet_at[f.order[i]] = packet_at(f, s, i);
  s.result->bytes = at + kEndBytes;
  if (s.result->bytes > room) s.result->errors |= PacketResult::kNoRoom;
  return s.result->errors == 0;
}

void copy(const Piece &piece) {
  if (piece.bytes > 0) std::memcpy(piece.to, piece.from, piece.bytes);
}

}  // namespace

void count_headers_serial(const PacketFormat &format, const PacketScratch &scratch,
                          const PacketInput &input, const HeadersAsked &asked,
                          std::uint64_t *bytes) {
  std::fill_n(bytes, kMaxComponents, std::uint64_t{0});
  scratch.result->pool = 0;
  for (std::uint32_t p = 0; p < format.num_precincts; ++p) {
    const int component = format.precincts[p].component;
    if ((asked.components >> component & 1) == 0) continue;
    bytes[component] += counted_bytes(format, make_header(format, scratch, input, p, asked.layer));
  }
}

void packets_serial(const PacketFormat &format, const PacketScratch &scratch,
                    const PacketInput &input, std::uint8_t *out, std::uint64_t room) {
  *scratch.result = {};
  for (int layer = 0; layer < format.layers; ++layer)
    for (std::uint32_t p = 0; p < format.num_precincts; ++p)
      scratch.headers[static_cast<unsigned>(layer) * format.num_precincts + p] =
          make_header(format, scratch, input, p, layer);
  if (!lay_out(format, scratch, room)) return;
  std::copy_n(format.main_header, format.main_bytes, out);
  store_u16(kEoc, out + scratch.result->bytes - kEndBytes);
  for (std::uint32_t p = 0; p < format.num_parts; ++p)
    write_part(format, scratch, p, out);
  for (std::uint32_t i = 0; i < format.packets; ++i) {
    write_packet_markers(format, scratch, i, out);
    copy(header_piece(format, scratch, i, out));
  }
  for (int layer = 0; layer < format.layers; ++layer)
    for (std::uint32_t b = 0; b < format.blocks; ++b)
      copy(body_piece(format, scratch, input, layer, b, out));
}

}  // namespace coalesce::test
