// SPDX-License-Identifier: LGPL-2.1-or-later
// Markers of a codestream (ITU-T T.800 Annex A).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "../core/status.h"
#include "encoder_params.h"

namespace coalesce::j2k {

// What the codestream tells of the bit-planes of each component.
struct ComponentBands {
  std::vector<BandQuantiser> bands;  // LL; HL, LH, HH of the coarsest level; and so on
  int roi_shift = 0;                 // RGN
};
using Bands = std::array<ComponentBands, kMaxComponents>;

// SOC to the last marker before the first tile; TLM has zeros, its first length stands at *lengths.
void put_main_header(const EncoderParams &params, const Bands &bands,
                     std::vector<std::uint8_t> *out, std::size_t *lengths);
// The length of tile number `tile` for TLM, of which put_main_header() said where it is.
void set_tile_length(int tile, std::uint32_t length, std::size_t lengths,
                     std::vector<std::uint8_t> *out);

// A tile's SOT to SOD is as long: with PLT, for packets of these lengths; 0 if they do not fit into
// the 256 markers there may be.
std::uint64_t tile_header_length(bool plt, const std::vector<std::uint64_t> &packets);
// At most, for any so many packets, without their lengths in PLT, which take plt_bytes() each.
std::uint64_t tile_header_bound(bool plt, std::size_t packets);
int plt_bytes(std::uint64_t packet);
// length: of the tile-part, this header included.
void put_tile_header(int tile, std::uint32_t length, bool plt,
                     const std::vector<std::uint64_t> &packets, std::vector<std::uint8_t> *out);

constexpr std::size_t kEndBytes = 2;
void put_end(std::vector<std::uint8_t> *out);  // EOC

}  // namespace coalesce::j2k
