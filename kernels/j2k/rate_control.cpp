// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rate_control.h"

#include <algorithm>

#include "codestream.h"
#include "packets.h"

namespace coalesce::j2k {
namespace {

// Of a codestream, at most, beside packets and their lengths in PLT.
std::uint64_t fixed_bytes(const EncoderPlan &plan, std::size_t main_header) {
  std::uint64_t sum = main_header + kEndBytes;
  for (const TilePlan &tile : plan.tiles)
    for (std::size_t first = 0; const std::size_t end : tile.part_ends) {
      sum += tile_part_header_bound(plan.params.plt, end - first);
      first = end;
    }
  return sum;
}

}  // namespace

void HeaderCounter::prepare(const EncoderPlan &plan, const std::vector<BlockData> &blocks) {
  plan_ = &plan;
  blocks_ = &blocks;
  before_.resize(plan.tiles.size());
  for (std::size_t i = 0; i < plan.tiles.size(); ++i)
    before_[i].start(plan.tiles[i].geometry, blocks.data() + plan.tiles[i].first_block);
  now_ = before_;
}

std::uint64_t HeaderCounter::empty_layer() const {
  std::uint64_t packets = 0;
  for (const TilePlan &tile : plan_->tiles)
    packets += tile.geometry.precincts.size();
  const unsigned packet = 1 + packet_marker_bytes(plan_->params);
  return packets * (packet + (plan_->params.plt ? static_cast<unsigned>(plt_bytes(packet)) : 0));
}

std::uint64_t HeaderCounter::bytes(int layer, const PassTable &table) {
  if (layer > layer_) std::swap(before_, now_);
  layer_ = layer;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < plan_->tiles.size(); ++i) {
    const TilePlan &tile = plan_->tiles[i];
    if (layer == 0) before_[i].start(tile.geometry, blocks_->data() + tile.first_block);
    now_[i] = before_[i];
    sum += of_tile(tile, layer, table.layer(layer) + tile.first_block, &now_[i]);
  }
  return sum;
}

std::uint64_t HeaderCounter::of_tile(const TilePlan &tile, int layer, const std::uint8_t *passes,
                                     TileHeaders *headers) {
  std::uint64_t sum = 0;
  for (int precinct = 0; precinct < static_cast<int>(tile.geometry.precincts.size()); ++precinct) {
    header_.clear();
    const std::uint64_t body = headers->put(precinct, layer, passes, &header_);
    const std::uint64_t bytes = header_.size() + packet_marker_bytes(plan_->params);
    sum += bytes;
    if (plan_->params.plt) sum += static_cast<unsigned>(plt_bytes(bytes + body));
  }
  return sum;
}

Status RateControl::prepare(const EncoderPlan &plan, const std::vector<BlockData> &blocks,
                            std::size_t main_header) {
  coded_ = &blocks;
  blocks_.clear();
  for (const TilePlan &tile : plan.tiles)
    for (const BlockPlace &place : tile.geometry.blocks) {
      const BlockData &block = blocks[blocks_.size()];
      const int component = tile.geometry.bands[static_cast<std::size_t>(place.band)].component;
      blocks_.push_back({block.passes, 0, block.weight, 0,
                         plan.bands[static_cast<std::size_t>(component)].roi_shift});
    }
  headers_.prepare(plan, blocks);
  if (Status s = set_targets(plan, fixed_bytes(plan, main_header)); !s.ok()) return s;
  return rate_.prepare(blocks.size(), plan.passes, plan.params.layers);
}

Status RateControl::set_targets(const EncoderPlan &plan, std::uint64_t fixed) {
  targets_ = plan.params.targets;
  for (LayerTarget &target : targets_) {
    wants_errors_ = wants_errors_ || target.kind == LayerTarget::Kind::error;
    if (target.kind != LayerTarget::Kind::bytes) continue;
    wants_bytes_ = true;
    target.value -= std::min(target.value, fixed);
  }
  if (targets_.back().kind == LayerTarget::Kind::bytes &&
      plan.params.targets.back().value <
          fixed + headers_.empty_layer() * static_cast<unsigned>(plan.params.layers))
    return invalid_argument(
        "j2k: the last layer's target has fewer bytes than markers and empty packets take");
  return {};
}

Status RateControl::run(ThreadPool *pool, LayerPasses *layers) {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    blocks_[i].num_passes = (*coded_)[i].coded.passes;
    blocks_[i].final_error = (*coded_)[i].final_error;
  }
  if (Status s =
          rate_.allocate(blocks_.data(), targets_.data(), wants_bytes_ ? &headers_ : nullptr, pool);
      !s.ok())
    return s;
  const PassTable table = rate_.table();
  std::copy_n(table.passes, layers->passes.size(), layers->passes.begin());
  return {};
}

}  // namespace coalesce::j2k
