// SPDX-License-Identifier: LGPL-2.1-or-later
// Markers of a codestream (ITU-T T.800 Annex A).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "coding_params.h"
#include "markers.h"

namespace coalesce::j2k {

// All that the main header says.
struct MainHeader {
  // One entry of QCD and QCC.
  struct Step {
    int exponent, mantissa;  // epsilon_b: 0 to 31; mu_b: 0 to 2047, 0 if reversible

    bool operator==(const Step &o) const {
      return exponent == o.exponent && mantissa == o.mantissa;
    }
  };
  struct Quantisation {
    std::vector<Step> steps;  // LL; HL, LH, HH of the coarsest level; and so on
    int roi_shift = 0;        // RGN; 0: none
  };

  CodingParams coding;
  std::uint16_t profile = 0;  // Rsiz
  // COD
  bool sop = false, eph = false;
  Progression progression = Progression::lrcp;
  int layers = 1;
  bool colour_transform = false;
  unsigned block_style = 0;
  Wavelet wavelet = Wavelet::reversible_53;
  bool largest_last = false;  // POC
  // QCD, QCC
  int guard_bits = 0;
  bool derived = false;  // the first step alone is written
  std::array<Quantisation, kMaxComponents> component;
  std::string comment;         // COM, Latin-1; empty: none
  std::size_t tile_parts = 0;  // entries of TLM; 0: there is none
};

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
void put_main_header(const MainHeader &header, std::vector<std::uint8_t> *out, std::size_t *tlm);
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
