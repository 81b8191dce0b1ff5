// SPDX-License-Identifier: LGPL-2.1-or-later
// What Tier-1 hands to rate allocation, and that to Tier-2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../canvas/code_block.h"

namespace coalesce::j2k {

// A block with its passes, and what their distortions weigh (the unit is the band's, times 64).
struct BlockData {
  const Pass *passes;
  const std::uint8_t *bytes;
  CodedBlock coded;
  DistortionWeight weight;
  std::uint32_t final_error = 0;  // RateBlock
};

// How much of each block is in each layer: at(layer, block) passes have come when the layer is
// complete. Never less than in the layer before, and at most as many as the block has. Blocks are
// those of all tiles, one tile after the other, in the order of TileGeometry.
struct LayerPasses {
  int layers = 0;
  std::size_t blocks = 0;
  std::vector<std::uint8_t> passes;

  std::uint8_t *row(int layer) { return passes.data() + static_cast<std::size_t>(layer) * blocks; }
  const std::uint8_t *row(int layer) const {
    return passes.data() + static_cast<std::size_t>(layer) * blocks;
  }
  std::uint8_t &at(int layer, std::size_t block) { return row(layer)[block]; }
  int at(int layer, std::size_t block) const { return row(layer)[block]; }
};

}  // namespace coalesce::j2k
