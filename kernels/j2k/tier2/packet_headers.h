// SPDX-License-Identifier: LGPL-2.1-or-later
// Headers of packets (ITU-T T.800 B.10).
#pragma once

#include <cstdint>
#include <vector>

#include "../canvas/geometry.h"
#include "coded_picture.h"
#include "packet_codes.h"
#include "tag_tree.h"

namespace coalesce::j2k {

// Those of one tile. What is told of a block depends on what was told before, so each precinct's
// come in the order of layers; but not on what comes later. Copies go on from where the original
// is, and take no new memory where there is a tile of that size already.
class TileHeaders {
 public:
  // A tile, of which nothing has been told. blocks: its first one. Both must stay as they are.
  void start(const TileGeometry &tile, const BlockData *blocks);

  // Appends the header of a precinct's next packet, which goes up to passes[b] of the tile's block
  // b. Returns how many bytes of blocks it has.
  std::uint64_t put(int precinct, int layer, const std::uint8_t *passes,
                    std::vector<std::uint8_t> *out);

 private:
  // What the decoder knows of a block.
  struct BlockState {
    std::uint32_t length = 0;  // bytes that were sent
    std::uint8_t passes = 0;   // that were sent
    std::uint8_t l_block = kFirstLBlock;
  };
  struct BandTrees {
    int inclusion, zero_planes;  // first node
  };

  void start_band(std::size_t band);
  std::uint64_t put_band(std::size_t band, int layer, const std::uint8_t *passes, HeaderBits *bits);
  bool is_first(int block, const std::uint8_t *passes) const {
    return states_[static_cast<std::size_t>(block)].passes == 0 && passes[block] > 0;
  }

  const TileGeometry *tile_ = nullptr;
  const BlockData *blocks_ = nullptr;
  std::vector<BandTrees> trees_;  // of each of the tile's precinct_bands
  std::vector<TagNode> nodes_;
  std::vector<BlockState> states_;
};

}  // namespace coalesce::j2k
