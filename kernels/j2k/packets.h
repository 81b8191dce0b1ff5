// SPDX-License-Identifier: LGPL-2.1-or-later
// Tier-2: the packets of a tile (ITU-T T.800 B.9, B.10). See docs/jpeg2000.md.
#pragma once

#include <cstdint>
#include <vector>

#include "coded_picture.h"
#include "encoder_params.h"
#include "progression.h"
#include "tag_tree.h"

namespace coalesce::j2k {

// Makes the headers of a tile's packets, which tells how long everything is; then writes packets.
// One tile after the other; it keeps its memory, so that it grows with the largest tile only.
class Packets {
 public:
  // blocks: the first one of the tile, which is number first_block of `passes`. All must stay as
  // they are until the packets are written.
  void make(const EncoderParams &params, const TileGeometry &tile,
            const std::vector<PacketPlace> &order, const BlockData *blocks,
            const LayerPasses &passes, std::size_t first_block);

  // Of each packet, with SOP and EPH, in their order.
  const std::vector<std::uint64_t> &lengths() const { return lengths_; }
  std::uint64_t length() const { return length_; }  // of all
  void append_to(std::vector<std::uint8_t> *out) const;

 private:
  // What the decoder knows of a block.
  struct BlockState {
    std::uint32_t length;  // bytes that were sent
    std::uint8_t passes;   // that were sent
    std::uint8_t l_block;  // B.10.7.1
    std::uint16_t x, y;    // in its precinct's part of the band
  };
  struct BandTrees {
    int inclusion, zero_planes;  // first node
  };

  void start_trees();
  void start_band(std::size_t band);
  void make_packet(const PacketPlace &place);
  bool has_blocks(const PacketPlace &place) const;
  void put_block(const PrecinctBand &band, const BandTrees &trees, int block, int layer,
                 HeaderBits *bits);
  void put_lengths(const Pass *passes, BlockState *state, int upto, HeaderBits *bits);
  int passes_of(int block, int layer) const {
    return (*passes_).at(layer, first_block_ + static_cast<std::size_t>(block));
  }
  template <class Visit>
  void for_blocks(const PacketPlace &place, Visit &&visit) const;

  const EncoderParams *params_ = nullptr;
  const TileGeometry *tile_ = nullptr;
  const std::vector<PacketPlace> *order_ = nullptr;
  const BlockData *blocks_ = nullptr;
  const LayerPasses *passes_ = nullptr;
  std::size_t first_block_ = 0;

  std::vector<TagNode> nodes_;
  std::vector<BandTrees> trees_;  // of each of the tile's precinct_bands
  std::vector<BlockState> states_;
  std::vector<std::uint8_t> headers_;
  std::vector<std::uint32_t> header_ends_;
  std::vector<std::uint64_t> lengths_;
  std::uint64_t length_ = 0;
};

}  // namespace coalesce::j2k
