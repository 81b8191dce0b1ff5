// SPDX-License-Identifier: LGPL-2.1-or-later
#include "packets.h"

#include <algorithm>

#include "big_endian.h"

namespace coalesce::j2k {
namespace {

constexpr std::size_t kSopBytes = 6, kEphBytes = 2;

int floor_log2(unsigned v) {
  return 31 - __builtin_clz(v);
}

// Table B.4.
void put_number_of_passes(int passes, HeaderBits *bits) {
  if (passes == 1)
    bits->put(0, 1);
  else if (passes == 2)
    bits->put(2, 2);
  else if (passes <= 5)
    bits->put(0xCu + static_cast<unsigned>(passes - 3), 4);
  else if (passes <= 36)
    bits->put(0x1E0u + static_cast<unsigned>(passes - 6), 9);
  else
    bits->put(0xFF80u + static_cast<unsigned>(passes - 37), 16);
}

// The codeword segments, or parts of one, that passes first to end - 1 are in: visit(number of
// passes, bytes).
template <class Visit>
void for_segments(const Pass *passes, int first, int end, std::uint32_t sent, Visit &&visit) {
  for (int i = first; i < end; ++i) {
    if (i + 1 < end && !passes[i].terminated) continue;
    visit(static_cast<unsigned>(i + 1 - first), passes[i].length - sent);
    sent = passes[i].length;
    first = i + 1;
  }
}

}  // namespace

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
  length_ = 0;
  start_trees();
  for (const PacketPlace &place : order)
    make_packet(place);
}

void Packets::start_trees() {
  trees_.clear();
  int nodes = 0;
  for (const PrecinctBand &band : tile_->precinct_bands) {
    const int size = tag_tree_nodes(band.blocks_wide, band.blocks_high);
    trees_.push_back({nodes, nodes + size});
    nodes += 2 * size;
  }
  if (nodes_.size() < static_cast<std::size_t>(nodes))
    nodes_.resize(static_cast<std::size_t>(nodes));
  states_.resize(tile_->blocks.size());
  for (std::size_t band = 0; band < trees_.size(); ++band)
    start_band(band);
}

// Of a block that is in no layer, no decoder asks how many planes are zero: a large number leaves
// the nodes above it to the others.
void Packets::start_band(std::size_t index) {
  const PrecinctBand &band = tile_->precinct_bands[index];
  TagTree inclusion(&nodes_[0] + trees_[index].inclusion, band.blocks_wide, band.blocks_high);
  TagTree zero_planes(&nodes_[0] + trees_[index].zero_planes, band.blocks_wide, band.blocks_high);
  for (int i = 0; i < band.blocks_wide * band.blocks_high; ++i) {
    const int block = band.first_block + i;
    int layer = 0;
    while (layer < passes_->layers && passes_of(block, layer) == 0)
      ++layer;
    inclusion.set(i, layer);
    const CodedBlock &coded = blocks_[block].coded;
    zero_planes.set(i, layer < passes_->layers ? coded.zero_planes : kMaxBandPlanes);
    states_[static_cast<std::size_t>(block)] = {0, 0, 3,
                                                static_cast<std::uint16_t>(i % band.blocks_wide),
                                                static_cast<std::uint16_t>(i / band.blocks_wide)};
  }
  inclusion.start();
  zero_planes.start();
}

// visit(index of the precinct's band, block).
template <class Visit>
void Packets::for_blocks(const PacketPlace &place, Visit &&visit) const {
  const auto precinct = static_cast<std::size_t>(place.precinct);
  const auto first = static_cast<std::size_t>(tile_->precincts[precinct].first_band);
  const std::size_t end = precinct + 1 < tile_->precincts.size()
                              ? static_cast<std::size_t>(tile_->precincts[precinct + 1].first_band)
                              : tile_->precinct_bands.size();
  for (std::size_t i = first; i < end; ++i) {
    const PrecinctBand &band = tile_->precinct_bands[i];
    for (int b = 0; b < band.blocks_wide * band.blocks_high; ++b)
      visit(i, band.first_block + b);
  }
}

bool Packets::has_blocks(const PacketPlace &place) const {
  bool any = false;
  for_blocks(place, [&](std::size_t, int block) {
    any = any || passes_of(block, place.layer) > states_[static_cast<std::size_t>(block)].passes;
  });
  return any;
}

void Packets::make_packet(const PacketPlace &place) {
  const std::size_t begin = headers_.size();
  std::uint64_t body = 0;
  HeaderBits bits(&headers_);
  const bool any = has_blocks(place);
  bits.put(any);
  if (any) {
    for_blocks(place, [&](std::size_t band, int block) {
      const std::uint32_t before = states_[static_cast<std::size_t>(block)].length;
      put_block(tile_->precinct_bands[band], trees_[band], block, place.layer, &bits);
      body += states_[static_cast<std::size_t>(block)].length - before;
    });
  }
  bits.end();
  header_ends_.push_back(static_cast<std::uint32_t>(headers_.size()));
  lengths_.push_back((params_->sop ? kSopBytes : 0) + headers_.size() - begin +
                     (params_->eph ? kEphBytes : 0) + body);
  length_ += lengths_.back();
}

void Packets::put_block(const PrecinctBand &band, const BandTrees &trees, int block, int layer,
                        HeaderBits *bits) {
  BlockState &state = states_[static_cast<std::size_t>(block)];
  const int upto = passes_of(block, layer);
  if (state.passes > 0) {
    bits->put(upto > state.passes);
  } else {
    TagTree inclusion(&nodes_[0] + trees.inclusion, band.blocks_wide, band.blocks_high);
    inclusion.encode(state.x, state.y, layer + 1, bits);
  }
  if (upto == state.passes) return;
  if (state.passes == 0) {
    TagTree zero_planes(&nodes_[0] + trees.zero_planes, band.blocks_wide, band.blocks_high);
    zero_planes.encode(state.x, state.y, blocks_[block].coded.zero_planes + 1, bits);
  }
  put_number_of_passes(upto - state.passes, bits);
  put_lengths(blocks_[block].passes, &state, upto, bits);
}

// B.10.7: a length has l_block + floor(log2(passes)) bits, so l_block grows until all fit.
void Packets::put_lengths(const Pass *passes, BlockState *state, int upto, HeaderBits *bits) {
  int l_block = state->l_block;
  for_segments(passes, state->passes, upto, state->length,
               [&](unsigned count, std::uint32_t bytes) {
                 const int needed = bytes == 0 ? 0 : floor_log2(bytes) + 1;
                 l_block = std::max(l_block, needed - floor_log2(count));
               });
  for (int i = state->l_block; i < l_block; ++i)
    bits->put(true);
  bits->put(false);
  state->l_block = static_cast<std::uint8_t>(l_block);
  for_segments(
      passes, state->passes, upto, state->length,
      [&](unsigned count, std::uint32_t bytes) { bits->put(bytes, l_block + floor_log2(count)); });
  state->passes = static_cast<std::uint8_t>(upto);
  state->length = passes[upto - 1].length;
}

void Packets::append_to(std::vector<std::uint8_t> *out) const {
  const auto at_layer = [&](int block, int layer) {
    const int passes = layer < 0 ? 0 : passes_of(block, layer);
    return passes == 0 ? 0 : blocks_[block].passes[passes - 1].length;
  };
  std::size_t header = 0;
  for (std::size_t i = 0; i < order_->size(); ++i) {
    const PacketPlace &place = (*order_)[i];
    if (params_->sop) {
      put_u16(0xFF91, out);
      put_u16(4, out);
      put_u16(static_cast<unsigned>(i & 0xFFFF), out);
    }
    out->insert(out->end(), headers_.data() + header, headers_.data() + header_ends_[i]);
    header = header_ends_[i];
    if (params_->eph) put_u16(0xFF92, out);
    for_blocks(place, [&](std::size_t, int block) {
      const std::uint8_t *bytes = blocks_[block].bytes;
      out->insert(out->end(), bytes + at_layer(block, place.layer - 1),
                  bytes + at_layer(block, place.layer));
    });
  }
}

}  // namespace coalesce::j2k
