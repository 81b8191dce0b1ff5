// SPDX-License-Identifier: LGPL-2.1-or-later
#include "packet_tables.h"

#include <algorithm>

#include "../tier2/packet_bits.h"
#include "../tier2/packet_codes.h"
#include "../tier2/tag_tree.h"

namespace coalesce::j2k {
namespace {

constexpr std::size_t kAlign = 16;

// Bits that headers have for a block at most, in all layers together; without the nodes of its
// trees.
std::uint64_t most_bits(const BlockPlan &block, const EncoderParams &params) {
  const int planes = std::min<int>(block.max_planes, kMaxPlanes);
  const auto passes = static_cast<std::uint64_t>(std::max(3 * planes - 2, 0));
  const auto layers = static_cast<std::uint64_t>(params.layers);
  const std::uint64_t runs = std::min(passes, layers);
  const bool many_segments = (params.block_style & (kTermAll | kBypass)) != 0;
  const std::uint64_t segments = many_segments ? passes : runs;
  const int longest = block.bytes > 0 ? floor_log2(block.bytes) + 1 : 0;
  const auto l_block = static_cast<std::uint64_t>(std::max(longest, kFirstLBlock));
  // Table B.4; the ones and the zeros that l_block grows by; log2 of a segment's passes is below 7.
  return runs * 16 + l_block + runs + segments * (l_block + 7);
}

}  // namespace

void PacketTables::add_tile(const EncoderPlan &plan, const TilePlan &tile) {
  const TileGeometry &geometry = tile.geometry;
  const auto first_block = static_cast<std::uint32_t>(tile.first_block);
  const auto first_band = static_cast<std::uint32_t>(bands_.size());
  const auto first_precinct = static_cast<std::uint32_t>(precincts_.size());
  for (const PrecinctBand &band : geometry.precinct_bands) {
    bands_.push_back({first_block + static_cast<std::uint32_t>(band.first_block),
                      static_cast<std::uint32_t>(band.blocks_wide),
                      static_cast<std::uint32_t>(band.blocks_high), format_.nodes});
    format_.nodes += static_cast<std::uint32_t>(tag_tree_nodes(band.blocks_wide, band.blocks_high));
  }
  for (int i = 0; i < static_cast<int>(geometry.precincts.size()); ++i) {
    const IndexRange blocks = geometry.blocks_of(i), bands = geometry.bands_of(i);
    const auto count = static_cast<std::uint32_t>(blocks.end - blocks.begin);
    const std::uint32_t band = first_band + static_cast<std::uint32_t>(bands.begin);
    const std::uint32_t node = bands_[band].first_node;
    const int component = packet_band(geometry, {i, 0}).component;
    precinct_of_.insert(precinct_of_.end(), count, static_cast<std::uint32_t>(precincts_.size()));
    precincts_.push_back({first_block + static_cast<std::uint32_t>(blocks.begin), count, band, node,
                          static_cast<std::uint16_t>(bands.end - bands.begin),
                          static_cast<std::uint16_t>(component)});
    format_.most_blocks = std::max(format_.most_blocks, count);
  }
  // Numbers of packets need to know how many precincts there are in all.
  for (const PacketPlace &place : tile.order) {
    order_.push_back(first_precinct + static_cast<std::uint32_t>(place.precinct));
    layer_of_.push_back(static_cast<std::uint32_t>(place.layer));
  }
  add_parts(plan, tile);
}

void PacketTables::add_parts(const EncoderPlan &plan, const TilePlan &tile) {
  const auto tile_packet = static_cast<std::uint32_t>(order_.size() - tile.order.size());
  std::uint32_t first = tile_packet;
  const std::size_t count = tile.part_ends.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t end = tile_packet + static_cast<std::uint32_t>(tile.part_ends[i]);
    const std::size_t tlm = plan.params.tlm ? tlm_entry(parts_.size(), tlm_) : 0;
    part_of_.insert(part_of_.end(), end - first, static_cast<std::uint32_t>(parts_.size()));
    parts_.push_back({first, end, tile_packet, static_cast<std::uint32_t>(tlm),
                      static_cast<std::uint16_t>(tile.geometry.index), static_cast<std::uint8_t>(i),
                      static_cast<std::uint8_t>(count)});
    first = end;
  }
}

// Room for the headers of all packets, and for the bits of all.
std::uint64_t PacketTables::pool_words(const EncoderPlan &plan) const {
  const auto layers = static_cast<std::uint64_t>(plan.params.layers);
  std::uint64_t words = 0;
  for (const FlatPrecinct &precinct : precincts_) {
    std::uint64_t bits = layers;
    for (std::uint32_t i = 0; i < precinct.blocks; ++i)
      bits += most_bits(plan.blocks[precinct.first_block + i], plan.params);
    for (std::uint32_t i = 0; i < precinct.bands; ++i) {
      const FlatBand &band = bands_[precinct.first_band + i];
      if (band.wide * band.high == 0) continue;
      const auto nodes = static_cast<std::uint64_t>(
          tag_tree_nodes(static_cast<int>(band.wide), static_cast<int>(band.high)));
      // A zero for each layer or plane, and a one.
      bits += nodes * (layers + 1 + plan.blocks[band.first_block].max_planes + 1);
    }
    // Divided among the layers, each may round up, the second by two more.
    words += words_of_bits(bits) + words_of_header(bits) +
             (layers - 1) * (words_of_bits(0) + words_of_header(0) + 1);
  }
  return words;
}

Status PacketTables::check(const EncoderPlan &plan, std::uint64_t pool) const {
  const auto layers = static_cast<std::uint64_t>(plan.params.layers);
  std::uint64_t most_bytes = 0;
  for (const FlatPrecinct &precinct : precincts_) {
    std::uint64_t bytes = 0;
    for (std::uint32_t i = 0; i < precinct.blocks; ++i)
      bytes += plan.blocks[precinct.first_block + i].bytes;
    most_bytes = std::max(most_bytes, bytes);
  }
  if (most_bytes > UINT32_MAX)
    return {StatusCode::unsupported,
            "j2k: a packet could have more than the 4 GiB that a GPU counts in; smaller precincts "
            "or tiles have fewer"};
  // (In the pool, bytes are counted.)
  if (std::max({4 * pool, 5 * order_.size() + 1, layers * plan.blocks.size()}) > UINT32_MAX)
    return {
        StatusCode::unsupported,
        "j2k: packet headers could have more than the 4 GiB that a GPU counts in; fewer layers, "
        "or larger code-blocks or precincts, have fewer"};
  return {};
}

Status PacketTables::make(const EncoderPlan &plan) {
  *this = {};
  put_main_header(plan.header, &main_header_, &tlm_);
  for (const TilePlan &tile : plan.tiles)
    add_tile(plan, tile);
  const std::uint64_t pool = pool_words(plan);
  if (Status s = check(plan, pool); !s.ok()) return s;
  for (std::size_t i = 0; i < order_.size(); ++i)
    order_[i] += layer_of_[i] * static_cast<std::uint32_t>(precincts_.size());

  const EncoderParams &params = plan.params;
  format_.blocks = static_cast<std::uint32_t>(plan.blocks.size());
  format_.num_precincts = static_cast<std::uint32_t>(precincts_.size());
  format_.packets = static_cast<std::uint32_t>(order_.size());
  format_.num_parts = static_cast<std::uint32_t>(parts_.size());
  format_.main_bytes = static_cast<std::uint32_t>(main_header_.size());
  format_.layers = params.layers;
  format_.one_segment = (params.block_style & (kTermAll | kBypass)) == 0;
  format_.sop = params.sop;
  format_.eph = params.eph;
  format_.plt = params.plt;
  format_.num_bands = static_cast<std::uint32_t>(bands_.size());
  pool_ = pool;
  append_array(bands_, kAlign, &image_);
  append_array(precincts_, kAlign, &image_);
  append_array(parts_, kAlign, &image_);
  append_array(order_, kAlign, &image_);
  append_array(part_of_, kAlign, &image_);
  append_array(precinct_of_, kAlign, &image_);
  append_array(main_header_, kAlign, &image_);
  return {};
}

PacketFormat PacketTables::format_at(const std::uint8_t *image) const {
  Layout l(kAlign, image);
  PacketFormat f = format_;
  f.bands = l.at<const FlatBand>(f.num_bands);
  f.precincts = l.at<const FlatPrecinct>(f.num_precincts);
  f.parts = l.at<const FlatPart>(f.num_parts);
  f.order = l.at<const std::uint32_t>(f.packets);
  f.part_of = l.at<const std::uint32_t>(f.packets);
  f.precinct_of = l.at<const std::uint32_t>(f.blocks);
  f.main_header = l.at<const std::uint8_t>(f.main_bytes);
  return f;
}

std::size_t PacketTables::most_beside() const {
  constexpr std::size_t kSopAndEph = 8, kMostPlt = 5;
  std::size_t sum = format_.main_bytes + kEndBytes + 4 * pool_;
  for (const FlatPart &part : parts_)
    sum += tile_part_header_bound(format_.plt, part.end - part.first_packet);
  return sum + (kSopAndEph + kMostPlt) * format_.packets;
}

PacketScratch PacketTables::place_scratch(Layout *l) const {
  const PacketFormat &f = format_;
  const std::size_t blocks = static_cast<std::size_t>(f.layers) * f.blocks;
  const std::size_t nodes = static_cast<std::size_t>(f.layers) * f.nodes;
  return {.result = l->at<PacketResult>(1),
          .part_lengths = l->at<std::uint32_t>(f.num_parts),
          .part_at = l->at<std::uint64_t>(f.num_parts),
          .part_header = l->at<std::uint32_t>(f.num_parts),
          .told = l->at<std::int32_t>(f.packets),
          .headers = l->at<PacketHeader>(f.packets),
          .packet_at = l->at<std::uint64_t>(f.packets),
          .length_sum = l->at<std::uint64_t>(f.packets + std::size_t{1}),
          .plt_sum = l->at<std::uint32_t>(f.packets + std::size_t{1}),
          .l_block = l->at<std::uint8_t>(blocks),
          .bit_at = l->at<std::uint32_t>(blocks),
          .byte_at = l->at<std::uint32_t>(blocks),
          .bit_strings = l->at<std::uint64_t>(blocks),
          .keys = l->at<std::uint32_t>(nodes),
          .zero_planes = l->at<std::uint8_t>(nodes),
          .pool = l->at<std::uint32_t>(pool_)};
}

}  // namespace coalesce::j2k
