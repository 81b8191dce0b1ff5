// SPDX-License-Identifier: LGPL-2.1-or-later
#include "packets.h"

#include "../codestream/big_endian.h"
#include "../codestream/markers.h"

namespace coalesce::j2k {
namespace {

std::uint32_t length_of(const BlockData &block, int passes) {
  return passes == 0 ? 0 : block.passes[passes - 1].length;
}

}  // namespace

unsigned packet_marker_bytes(const EncoderParams &params) {
  return (params.sop ? kSopBytes : 0) + (params.eph ? kEphBytes : 0);
}

void Packets::make(const EncoderParams &params, const TileGeometry &tile,
                   const std::vector<PacketPlace> &order, const BlockData *blocks,
                   const LayerPasses &passes, std::size_t first_block) {
  params_ = &params;
  tile_ = &tile;
  order_ = &order;
  blocks_ = blocks;
  passes_ = &passes;
  first_block_ = first_block;
  headers_.clear();
  header_ends_.clear();
  lengths_.clear();
  maker_.start(tile, blocks);
  for (const PacketPlace &place : order) {
    const std::size_t begin = headers_.size();
    const std::uint64_t body =
        maker_.put(place.precinct, place.layer, passes_of(place.layer), &headers_);
    header_ends_.push_back(static_cast<std::uint32_t>(headers_.size()));
    lengths_.push_back(packet_marker_bytes(params) + headers_.size() - begin + body);
  }
}

void Packets::append_to(std::size_t first, std::size_t end, std::vector<std::uint8_t> *out) const {
  std::size_t header = first > 0 ? header_ends_[first - 1] : 0;
  for (std::size_t i = first; i < end; ++i) {
    if (params_->sop) {
      put_u16(kSop, out);
      put_u16(4, out);
      put_u16(static_cast<unsigned>(i & 0xFFFF), out);
    }
    out->insert(out->end(), headers_.data() + header, headers_.data() + header_ends_[i]);
    header = header_ends_[i];
    if (params_->eph) put_u16(kEph, out);
    append_body((*order_)[i], out);
  }
}

void Packets::append_body(const PacketPlace &place, std::vector<std::uint8_t> *out) const {
  const std::uint8_t *before = place.layer > 0 ? passes_of(place.layer - 1) : nullptr;
  const std::uint8_t *now = passes_of(place.layer);
  const IndexRange range = tile_->blocks_of(place.precinct);
  for (int i = range.begin; i < range.end; ++i) {
    const std::uint8_t *bytes = blocks_[i].bytes;
    out->insert(out->end(), bytes + length_of(blocks_[i], before != nullptr ? before[i] : 0),
                bytes + length_of(blocks_[i], now[i]));
  }
}

}  // namespace coalesce::j2k
