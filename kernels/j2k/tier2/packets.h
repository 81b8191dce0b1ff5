// SPDX-License-Identifier: LGPL-2.1-or-later
// Tier-2: the packets of a tile (ITU-T T.800 B.9, B.10). See docs/jpeg2000.md.
#pragma once

#include <cstdint>
#include <vector>

#include "../canvas/progression.h"
#include "../params/encoder_params.h"
#include "coded_picture.h"
#include "packet_headers.h"

namespace coalesce::j2k {

// SOP and EPH of a packet, if it has them.
unsigned packet_marker_bytes(const EncoderParams &params);

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
  // Of packets first to end - 1.
  void append_to(std::size_t first, std::size_t end, std::vector<std::uint8_t> *out) const;

 private:
  void append_body(const PacketPlace &place, std::vector<std::uint8_t> *out) const;
  // Of the tile's blocks.
  const std::uint8_t *passes_of(int layer) const { return passes_->row(layer) + first_block_; }

  const EncoderParams *params_ = nullptr;
  const TileGeometry *tile_ = nullptr;
  const std::vector<PacketPlace> *order_ = nullptr;
  const BlockData *blocks_ = nullptr;
  const LayerPasses *passes_ = nullptr;
  std::size_t first_block_ = 0;

  TileHeaders maker_;
  std::vector<std::uint8_t> headers_;
  std::vector<std::uint32_t> header_ends_;
  std::vector<std::uint64_t> lengths_;
};

}  // namespace coalesce::j2k
