// SPDX-License-Identifier: LGPL-2.1-or-later
// Reads the packets of a tile, as ITU-T T.800 B.9 to B.12 have them.
#pragma once

#include <cstdint>
#include <vector>

#include "../codestream/j2k_markers.h"

namespace coalesce::test {

// What the packets say of a block.
struct ReadBlock {
  int zero_planes = 0;
  int passes = 0;
  std::vector<std::uint32_t>
      lengths;  // by pass: up to the end of the segment, or of the part of it
  std::vector<std::uint8_t> bytes;
  std::vector<int> layer_passes;  // after each layer
};

// Walks over every packet. Throws Malformed; else the packets end where the tile does, and agree
// with PLT, and SOP and EPH are as COD announces them.
std::vector<ReadBlock> read_packets(const Stream &stream, const j2k::TileGeometry &tile,
                                    const StreamTile &data);

}  // namespace coalesce::test
