// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rate_control.h"

#include <algorithm>

#include "codestream.h"
#include "packets.h"

namespace coalesce::j2k {
namespace {

constexpr unsigned kAllComponents = ~0u;

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

// Squares of 128 x 128 of the reference grid are counted row by row, several of a large picture as
// one. (A usual block of level 1 is as large.)
constexpr int kSquares = 64;
int square_of(const CodingParams &coding, const Subband &band, const Rect &block) {
  constexpr int kSide = 128;
  const Component &component = coding.component[static_cast<std::size_t>(band.component)];
  const std::int64_t x = std::int64_t{block.x0} * component.dx << band.level;
  const std::int64_t y = std::int64_t{block.y0} * component.dy << band.level;
  const std::int64_t columns = coding.image.x1 / kSide + 1, rows = coding.image.y1 / kSide + 1;
  const std::int64_t before = y / kSide * columns + x / kSide;
  return static_cast<int>(
      std::min<std::int64_t>(before * kSquares / (rows * columns), kSquares - 1));
}

// Where blocks of rounding come, square by square, as their own passes do not tell: where the
// others have about 1/16 of squared error left for a sample. With more than that, a byte is better
// spent on them; with less, decoders round nearly all of it away. Visual weighting lets some of the
// others wait, and these for the last of them.
int rounding_slope(const EncoderPlan &plan) {
  int least_visual = 0;
  for (const ComponentBands &component : plan.bands)
    for (const BandQuantiser &band : component.bands)
      least_visual = std::min(least_visual, band.visual_slope);
  return kSlopeOne - 1152 + least_visual;
}

// All but what Tier-1 finds.
RateBlock rate_block(const EncoderPlan &plan, const TilePlan &tile, const BlockPlace &place,
                     const Pass *passes, int rounding) {
  const Subband &band = tile.geometry.bands[static_cast<std::size_t>(place.band)];
  const auto component = static_cast<std::size_t>(band.component);
  const ComponentBands &bands = plan.bands[component];
  const BandQuantiser &quantiser = bands.bands[plan.band_of(tile, place.band)];
  RateBlock block;
  block.passes = passes;
  block.weight = quantiser.weight;
  block.visual_slope = quantiser.visual_slope;
  block.fine_planes = quantiser.fine_planes;
  block.rounding_slope = static_cast<std::uint16_t>(
      std::max(rounding - square_of(plan.params.coding, band, place.rect), 0));
  block.roi_shift = bands.roi_shift;
  return block;
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
    for (int precinct = 0; precinct < static_cast<int>(tile.geometry.precincts.size()); ++precinct)
      packets += is_counted(tile, precinct);
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
    if (!is_counted(tile, precinct)) continue;
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
  component_of_.clear();
  const int rounding = rounding_slope(plan);
  for (const TilePlan &tile : plan.tiles)
    for (const BlockPlace &place : tile.geometry.blocks) {
      blocks_.push_back(rate_block(plan, tile, place, blocks[blocks_.size()].passes, rounding));
      const Subband &band = tile.geometry.bands[static_cast<std::size_t>(place.band)];
      component_of_.push_back(static_cast<std::uint8_t>(band.component));
    }
  headers_.prepare(plan, blocks);
  if (Status s = set_targets(plan, fixed_bytes(plan, main_header)); !s.ok()) return s;
  if (Status s = set_component_limits(plan); !s.ok()) return s;
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
  least_bytes_ = fixed + headers_.empty_layer() * static_cast<unsigned>(plan.params.layers);
  if (targets_.back().kind == LayerTarget::Kind::bytes &&
      plan.params.targets.back().value < least_bytes_)
    return invalid_argument(
        "j2k: the last layer's target has fewer bytes than markers and empty packets take");
  return {};
}

Status RateControl::set_component_limits(const EncoderPlan &plan) {
  if (plan.params.component_bytes == 0) return {};
  const auto components = static_cast<std::size_t>(plan.components());
  component_limits_.assign(components, plan.params.component_bytes);
  std::vector<std::uint64_t> fixed(components);
  for (const TilePlan &tile : plan.tiles)
    for (std::size_t first = 0; const std::size_t end : tile.part_ends) {
      if (first == end) continue;  // a tile without packets
      const int component = packet_band(tile.geometry, tile.order[first]).component;
      fixed[static_cast<std::size_t>(component)] +=
          tile_part_header_bound(plan.params.plt, end - first);
      first = end;
    }
  bool fits = true;
  for (std::size_t c = 0; c < components; ++c) {
    headers_.count_only(1u << c);
    fits = fits && fixed[c] + headers_.empty_layer() <= component_limits_[c];
    component_limits_[c] -= std::min(component_limits_[c], fixed[c]);
  }
  headers_.count_only(kAllComponents);
  return fits ? Status()
              : invalid_argument("j2k: component_bytes are fewer than empty packets take");
}

// The passes of other components are kept from the allocation.
void RateControl::offer_passes(unsigned components) {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const bool offered = (components >> component_of_[i] & 1) != 0;
    blocks_[i].num_passes = offered ? (*coded_)[i].coded.passes : 0;
    blocks_[i].final_error = (*coded_)[i].final_error;
  }
}

std::uint64_t RateControl::bytes_of(unsigned components, const LayerPasses &layers) {
  headers_.count_only(components);
  std::uint64_t sum = headers_.bytes(0, {layers.passes.data(), layers.blocks, 1});
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const int passes = layers.at(0, i);
    if ((components >> component_of_[i] & 1) != 0 && passes > 0)
      sum += blocks_[i].passes[passes - 1].length;
  }
  return sum;
}

Status RateControl::allocate_some(unsigned components, std::uint64_t bytes, ThreadPool *pool,
                                  LayerPasses *layers) {
  const LayerTarget target = {LayerTarget::Kind::bytes, bytes};
  offer_passes(components);
  headers_.count_only(components);
  if (Status s = rate_.allocate(blocks_.data(), &target, &headers_, pool); !s.ok()) return s;
  const PassTable table = rate_.table();
  for (std::size_t i = 0; i < blocks_.size(); ++i)
    if ((components >> component_of_[i] & 1) != 0) layers->at(0, i) = table.passes[i];
  return {};
}

unsigned RateControl::too_large(unsigned components, const LayerPasses &layers) {
  unsigned result = 0;
  for (std::size_t c = 0; c < component_limits_.size(); ++c) {
    const unsigned component = components & 1u << c;
    if (component != 0 && bytes_of(component, layers) > component_limits_[c]) result |= component;
  }
  return result;
}

// A component that has too many bytes is allocated by itself, and if bytes are the target, the
// others share what it leaves; which may be too many for one of them.
Status RateControl::limit_components(ThreadPool *pool, LayerPasses *layers) {
  unsigned free = (1u << component_limits_.size()) - 1, limited = 0;
  while (const unsigned large = too_large(free, *layers)) {
    for (std::size_t c = 0; c < component_limits_.size(); ++c)
      if ((large >> c & 1) != 0)
        if (Status s = allocate_some(1u << c, component_limits_[c], pool, layers); !s.ok())
          return s;
    limited |= large;
    free &= ~large;
    if (free == 0 || !wants_bytes_) continue;
    const std::uint64_t left = targets_[0].value - bytes_of(limited, *layers);
    if (Status s = allocate_some(free, left, pool, layers); !s.ok()) return s;
  }
  headers_.count_only(kAllComponents);
  return {};
}

Status RateControl::run(ThreadPool *pool, LayerPasses *layers) {
  offer_passes(kAllComponents);
  if (Status s =
          rate_.allocate(blocks_.data(), targets_.data(), wants_bytes_ ? &headers_ : nullptr, pool);
      !s.ok())
    return s;
  const PassTable table = rate_.table();
  std::copy_n(table.passes, layers->passes.size(), layers->passes.begin());
  return component_limits_.empty() ? Status() : limit_components(pool, layers);
}

}  // namespace coalesce::j2k
