// SPDX-License-Identifier: LGPL-2.1-or-later
// Markers of a codestream (ITU-T T.800 Annex A).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "../../core/status.h"
#include "../params/encoder_params.h"
#include "markers.h"

namespace coalesce::j2k {

// What the codestream tells of the bit-planes of each component.
struct ComponentBands {
  std::vector<BandQuantiser> bands;  // LL; HL, LH, HH of the coarsest level; and so on
  int roi_shift = 0;                 // RGN
};
using Bands = std::array<ComponentBands, kMaxComponents>;

// What SOT says of a tile-part.
struct TilePart {
  int tile;
  int number, count;     // of the tile's
  std::uint32_t length;  // header included
};

// As many as there is room for in 256 TLM.
constexpr std::size_t kMaxTlmEntries = std::size_t{256} * ((65535 - 4) / 6);

// SOC to the last marker before the first tile-part; TLM, for so many of them, has zeros, the first
// of which stands at *tlm.
void put_main_header(const EncoderParams &params, const Bands &bands, std::size_t tile_parts,
                     std::vector<std::uint8_t> *out, std::size_t *tlm);
// Where the entry of TLM of that number stands, and setting it. tlm: as put_main_header() said.
std::size_t tlm_entry(std::size_t number, std::size_t tlm);
void set_tlm_entry(std::size_t number, const TilePart &part, std::size_t tlm,
                   std::vector<std::uint8_t> *out);

using PacketLengths = std::span<const std::uint64_t>;

// A tile-part's SOT to SOD is as long: with PLT, for packets of these lengths; 0 if they do not fit
// into the 256 markers there may be.
std::uint64_t tile_part_header_length(bool plt, PacketLengths packets);
// At most, for any so many packets, without their lengths in PLT, which take plt_bytes() each.
std::uint64_t tile_part_header_bound(bool plt, std::size_t packets);
void put_tile_part_header(const TilePart &part, bool plt, PacketLengths packets,
                          std::vector<std::uint8_t> *out);

void put_end(std::vector<std::uint8_t> *out);  // EOC

}  // namespace coalesce::j2k
