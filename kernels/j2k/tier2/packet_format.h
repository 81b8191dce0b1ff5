// SPDX-License-Identifier: LGPL-2.1-or-later
// Tier-2 in device memory: the flat tables that it works on, and its scratch memory. Plain data:
// for the host, too, where tests walk through it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../canvas/block_plan.h"
#include "../canvas/code_block.h"

namespace coalesce::j2k {

// Blocks, bands, precincts and packets are those of all tiles, one tile after the other.
struct FlatBand {  // the blocks of a band in a precinct
  std::uint32_t first_block, wide, high;
  std::uint32_t first_node;  // of its tag trees: the leaves, then level by level, row by row
};
struct FlatPrecinct {
  std::uint32_t first_block, blocks;
  std::uint32_t first_band, first_node;
  std::uint16_t bands, component;
};
struct FlatPart {                   // a tile-part
  std::uint32_t first_packet, end;  // in their order
  std::uint32_t tile_packet;        // the tile's first one
  std::uint32_t tlm;                // where its entry stands in the main header; 0: there is none
  std::uint16_t tile;               // what SOT says
  std::uint8_t number, count;       // the same
};

// Of a format. A packet's number is layer * num_precincts + precinct.
struct PacketFormat {
  std::uint32_t blocks, most_blocks;  // in all, and of a precinct
  std::uint32_t nodes, num_bands, num_precincts, packets, num_parts, main_bytes;
  int layers;
  bool one_segment;  // PassRun
  bool sop, eph, plt;
  const FlatBand *bands;
  const FlatPrecinct *precincts;
  const FlatPart *parts;
  const std::uint32_t *order;        // the numbers of packets as they come in the codestream
  const std::uint32_t *part_of;      // of the i-th packet of that order
  const std::uint32_t *precinct_of;  // of a block
  const std::uint8_t *main_header;
};

// Of a packet, when its header is known.
struct PacketHeader {
  std::uint32_t at;  // where the bytes of its header begin in the pool
  std::uint32_t bytes;
  std::uint32_t body;  // bytes
};

// What the host wants to know of a frame.
struct PacketResult {
  // More packets in a tile-part than PLT can list; more bytes in one than SOT can say; a codestream
  // that is longer than the room for it.
  static constexpr std::uint32_t kTooManyPackets = 1, kTooLong = 2, kNoRoom = 4;

  std::uint64_t bytes;   // of the codestream, SOC to EOC
  std::uint32_t errors;  // if any, nothing was written
  std::uint32_t pool;    // words of the pool that are taken
};

// The packet is empty.
constexpr std::int32_t kNothing = -1;

struct PacketScratch {
  PacketResult *result;
  std::uint32_t *part_lengths;  // of each tile-part, as SOT has it
  std::uint64_t *part_at;       // where it begins
  std::uint32_t *part_header;   // bytes
  // Of each packet, by its number.
  std::int32_t *told;  // layers_told(), or kNothing
  PacketHeader *headers;
  std::uint64_t *packet_at;  // where it begins in the codestream
  // Before the i-th packet, and behind the last: bytes of packets, and of their lengths in PLT.
  std::uint64_t *length_sum;
  std::uint32_t *plt_sum;
  // Of each layer and block: Lblock when the layer is complete; where it begins in the header
  // (bits) and in the body; and those bits, if they are not more than 64.
  std::uint8_t *l_block;
  std::uint32_t *bit_at, *byte_at;
  std::uint64_t *bit_strings;
  // Of each layer and node, see packet_header_bits.h.
  std::uint32_t *keys;
  std::uint8_t *zero_planes;
  std::uint32_t *pool;  // headers, and their bits where they are many
};

// Of which layer headers are to be counted; below 0: of none.
struct HeadersAsked {
  int layer;
  unsigned components;  // that have a bit
};

// The blocks of a frame, and how many of their passes are in each layer: LayerPasses::passes.
struct PacketInput {
  const BlockPlan *plan;
  const Pass *passes;
  const std::uint8_t *bytes;
  const CodedBlock *coded;
  const std::uint8_t *layers;
};

}  // namespace coalesce::j2k
