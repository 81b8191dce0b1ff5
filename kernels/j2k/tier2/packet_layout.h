// SPDX-License-Identifier: LGPL-2.1-or-later
// Where tile-parts and packets stand in the codestream, and the markers that come with them, when
// all lengths are known. Each function does one tile-part's or packet's.
#pragma once

#include <cstdint>

#include "../../core/host_device.h"
#include "../codestream/markers.h"
#include "packet_format.h"

namespace coalesce::j2k {

COALESCE_HOST_DEVICE unsigned marker_bytes(const PacketFormat &f) {
  return (f.sop ? kSopBytes : 0) + (f.eph ? kEphBytes : 0);
}
COALESCE_HOST_DEVICE std::uint64_t packet_length(const PacketFormat &f, const PacketHeader &h) {
  return std::uint64_t{marker_bytes(f)} + h.bytes + h.body;
}
// Where a packet's body begins.
COALESCE_HOST_DEVICE std::uint64_t body_at(const PacketFormat &f, const PacketHeader &h,
                                           std::uint64_t packet_at) {
  return packet_at + marker_bytes(f) + h.bytes;
}

// What of a packet is no block's: SOP, EPH, its header, its length in PLT.
COALESCE_HOST_DEVICE std::uint64_t counted_bytes(const PacketFormat &f, const PacketHeader &h) {
  const unsigned plt = f.plt ? static_cast<unsigned>(plt_bytes(packet_length(f, h))) : 0;
  return std::uint64_t{marker_bytes(f)} + h.bytes + plt;
}

// A PLT has the lengths of packets first to end - 1, in the order of packets.
struct PltSegment {
  std::uint32_t first, end, number;
};

// The one that begins with packet `first` of those up to `end`.
COALESCE_HOST_DEVICE PltSegment plt_segment(const std::uint32_t *plt_sum, std::uint32_t first,
                                            std::uint32_t end, std::uint32_t number) {
  std::uint32_t fits = first, beyond = end + 1;
  while (beyond - fits > 1) {
    const std::uint32_t middle = fits + (beyond - fits) / 2;
    if (plt_sum[middle] - plt_sum[first] <= kPltRoom)
      fits = middle;
    else
      beyond = middle;
  }
  return {first, fits, number};
}

// The one of a tile-part that packet i is in.
COALESCE_HOST_DEVICE PltSegment plt_segment_of(const std::uint32_t *plt_sum, const FlatPart &part,
                                               std::uint32_t i) {
  PltSegment segment = plt_segment(plt_sum, part.first_packet, part.end, 0);
  while (segment.end <= i)
    segment = plt_segment(plt_sum, segment.end, part.end, segment.number + 1);
  return segment;
}

// SOT to SOD; 0 if there would be more PLT than there may be.
COALESCE_HOST_DEVICE std::uint32_t part_header_bytes(const PacketFormat &f,
                                                     const std::uint32_t *plt_sum,
                                                     const FlatPart &part) {
  constexpr unsigned kBytes = kSotBytes + kSodBytes;
  if (!f.plt || part.first_packet == part.end) return kBytes;
  const std::uint32_t segments = plt_segment_of(plt_sum, part, part.end - 1).number + 1;
  if (segments > kMaxPltSegments) return 0;
  return kBytes + segments * kPltHead + plt_sum[part.end] - plt_sum[part.first_packet];
}

// The whole of a tile-part, and what is wrong with it.
struct PartLength {
  std::uint64_t bytes;
  std::uint32_t header, errors;
};
COALESCE_HOST_DEVICE PartLength part_length(const PacketFormat &f, const PacketScratch &s,
                                            std::uint32_t p) {
  const FlatPart &part = f.parts[p];
  const std::uint32_t header = part_header_bytes(f, s.plt_sum, part);
  const std::uint64_t bytes = header + s.length_sum[part.end] - s.length_sum[part.first_packet];
  return {bytes, header,
          (header == 0 ? PacketResult::kTooManyPackets : 0u) |
              (bytes > UINT32_MAX ? PacketResult::kTooLong : 0u)};
}

// Where the i-th packet begins, if its tile-part is placed.
COALESCE_HOST_DEVICE std::uint64_t packet_at(const PacketFormat &f, const PacketScratch &s,
                                             std::uint32_t i) {
  const std::uint32_t p = f.part_of[i];
  return s.part_at[p] + s.part_header[p] + s.length_sum[i] - s.length_sum[f.parts[p].first_packet];
}

COALESCE_HOST_DEVICE void store_u16(unsigned v, std::uint8_t *at) {
  at[0] = static_cast<std::uint8_t>(v >> 8);
  at[1] = static_cast<std::uint8_t>(v);
}
COALESCE_HOST_DEVICE void store_u32(std::uint32_t v, std::uint8_t *at) {
  store_u16(v >> 16, at);
  store_u16(v & 0xFFFF, at + 2);
}

// SOT and SOD of tile-part number p, and its entry in TLM. out: the codestream.
COALESCE_HOST_DEVICE void write_part(const PacketFormat &f, const PacketScratch &s, std::uint32_t p,
                                     std::uint8_t *out) {
  const FlatPart &part = f.parts[p];
  const std::uint32_t length = s.part_lengths[p];
  std::uint8_t *at = out + s.part_at[p];
  store_u16(kSot, at);
  store_u16(kSotBytes - 2, at + 2);
  store_u16(part.tile, at + 4);
  store_u32(length, at + 6);
  at[10] = part.number;
  at[11] = part.count;
  store_u16(kSod, at + s.part_header[p] - kSodBytes);
  if (part.tlm == 0) return;
  store_u16(part.tile, out + part.tlm);
  store_u32(length, out + part.tlm + 2);
}

// The i-th packet's length in PLT, with the head of that if it is the first one there.
COALESCE_HOST_DEVICE void write_plt(const PacketFormat &f, const PacketScratch &s, std::uint32_t i,
                                    std::uint64_t length, std::uint8_t *out) {
  const FlatPart &part = f.parts[f.part_of[i]];
  const PltSegment segment = plt_segment_of(s.plt_sum, part, i);
  std::uint8_t *at = out + s.part_at[f.part_of[i]] + kSotBytes + kPltHead * segment.number +
                     (s.plt_sum[segment.first] - s.plt_sum[part.first_packet]);
  if (i == segment.first) {
    store_u16(kPlt, at);
    store_u16(kPltHead - 2 + s.plt_sum[segment.end] - s.plt_sum[i], at + 2);
    at[4] = static_cast<std::uint8_t>(segment.number);
  }
  at += kPltHead + (s.plt_sum[i] - s.plt_sum[segment.first]);
  for (int k = plt_bytes(length) - 1; k >= 0; --k)
    *at++ = static_cast<std::uint8_t>(plt_byte(length, k));
}

// What comes with the i-th packet: SOP, EPH, its length in PLT.
COALESCE_HOST_DEVICE void write_packet_markers(const PacketFormat &f, const PacketScratch &s,
                                               std::uint32_t i, std::uint8_t *out) {
  const PacketHeader &header = s.headers[f.order[i]];
  std::uint8_t *at = out + s.packet_at[f.order[i]];
  if (f.sop) {
    store_u16(kSop, at);
    store_u16(kSopBytes - 2, at + 2);
    store_u16((i - f.parts[f.part_of[i]].tile_packet) & 0xFFFF, at + 4);
  }
  if (f.eph) store_u16(kEph, at + (f.sop ? kSopBytes : 0) + header.bytes);
  if (f.plt) write_plt(f, s, i, packet_length(f, header), out);
}

// Bytes of one packet that come from one place to one place.
struct Piece {
  const std::uint8_t *from;
  std::uint8_t *to;
  std::uint32_t bytes;
};
COALESCE_HOST_DEVICE Piece header_piece(const PacketFormat &f, const PacketScratch &s,
                                        std::uint32_t packet, std::uint8_t *out) {
  const PacketHeader &header = s.headers[packet];
  return {reinterpret_cast<const std::uint8_t *>(s.pool) + header.at,
          out + s.packet_at[packet] + (f.sop ? kSopBytes : 0), header.bytes};
}
COALESCE_HOST_DEVICE Piece body_piece(const PacketFormat &f, const PacketScratch &s,
                                      const PacketInput &in, int layer, std::uint32_t block,
                                      std::uint8_t *out) {
  const std::size_t row = std::size_t{f.blocks} * static_cast<unsigned>(layer);
  const std::uint8_t *passes = in.layers + row + block;
  const int before = layer > 0 ? *(passes - f.blocks) : 0;
  if (*passes == before) return {nullptr, nullptr, 0};
  const BlockPlan &plan = in.plan[block];
  const Pass *first = in.passes + plan.first_pass;
  const std::uint32_t sent = before > 0 ? first[before - 1].length : 0;
  const std::uint32_t packet =
      static_cast<unsigned>(layer) * f.num_precincts + f.precinct_of[block];
  return {in.bytes + plan.first_byte + sent,
          out + body_at(f, s.headers[packet], s.packet_at[packet]) + s.byte_at[row + block],
          first[*passes - 1].length - sent};
}

}  // namespace coalesce::j2k
