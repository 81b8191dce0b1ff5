// SPDX-License-Identifier: LGPL-2.1-or-later
// A decoder of single code-blocks, written from the figures and tables of ITU-T T.800 Annexes C and
// D without a look at the encoder: it judges what the encoder makes. It shares only the names of
// bands and style flags with it.
#pragma once

#include <cstdint>
#include <vector>

#include "j2k/canvas/band.h"

namespace coalesce::test {

struct DecoderInput {
  int width = 0, height = 0;
  j2k::Band band = j2k::Band::ll;
  unsigned style = 0;
  int planes = 0;  // not counting those that are said to be zero
  const std::uint8_t *bytes = nullptr;
  // For every pass to decode, the number of bytes up to its end. Only the ends of segments and the
  // end of the last pass are looked at, as a packet header tells no more.
  std::vector<std::uint32_t> lengths;
};

struct DecodedBlock {
  std::vector<std::uint32_t> magnitudes;  // planes that were not decoded are 0
  std::vector<bool> negative;
  std::vector<int> lowest;  // the lowest plane decoded, for each sample
  // What error resilience (D.4.2, D.5) finds wrong.
  bool bad_segmentation_symbol = false;
  bool bad_termination = false;
};

DecodedBlock decode_block(const DecoderInput &input);

}  // namespace coalesce::test
