// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rate_control.h"

#include <algorithm>

#include "../codestream/codestream.h"
#include "../tier2/packets.h"

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
                     int rounding) {
  const Subband &band = tile.geometry.bands[static_cast<std::size_t>(place.band)];
  const auto component = static_cast<std::size_t>(band.component);
  const ComponentBands &bands = plan.bands[component];
  const BandQuantiser &quantiser = bands.bands[plan.band_of(tile, place.band)];
  RateBlock block;
  block.weight = quantiser.weight;
  block.visual_slope = quantiser.visual_slope;
  block.fine_planes = quantiser.fine_planes;
  block.one_sample = place.rect.width() * place.rect.height() == 1;
  block.is_fine = band.level <= 2;
  block.rounding_slope = static_cast<std::uint16_t>(
      std::max(rounding - square_of(plan.params.coding, band, place.rect), 0));
  block.roi_shift = bands.roi_shift;
  if (plan.params.component_bytes != 0) block.component = static_cast<std::uint8_t>(component);
  return block;
}

// Bytes of a layer with nothing in it.
std::uint64_t empty_layer(const EncoderPlan &plan, unsigned components) {
  std::uint64_t packets = 0;
  for (const TilePlan &tile : plan.tiles)
    for (int precinct = 0; precinct < static_cast<int>(tile.geometry.precincts.size()); ++precinct)
      packets += components >> packet_band(tile.geometry, {precinct, 0}).component & 1;
  const unsigned packet = 1 + packet_marker_bytes(plan.params);
  return packets * (packet + (plan.params.plt ? static_cast<unsigned>(plt_bytes(packet)) : 0));
}

// EncoderParams::component_bytes, without what is no packet's.
Status limit_components(const EncoderPlan &plan, std::vector<std::uint64_t> *limits) {
  limits->clear();
  if (plan.params.component_bytes == 0) return {};
  const auto components = static_cast<std::size_t>(plan.components());
  limits->assign(components, plan.params.component_bytes);
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
    fits = fits && fixed[c] + empty_layer(plan, 1u << c) <= (*limits)[c];
    (*limits)[c] -= std::min((*limits)[c], fixed[c]);
  }
  return fits ? Status()
              : invalid_argument("j2k: component_bytes are fewer than empty packets require");
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

void HeaderCounter::count(int layer, unsigned components, const PassTable &table,
                          std::uint64_t *bytes) {
  if (layer > layer_) std::swap(before_, now_);
  layer_ = layer;
  for (std::size_t i = 0; i < plan_->tiles.size(); ++i) {
    const TilePlan &tile = plan_->tiles[i];
    if (layer == 0) before_[i].start(tile.geometry, blocks_->data() + tile.first_block);
    now_[i] = before_[i];
    count_tile(tile, layer, components, table.layer(layer) + tile.first_block, &now_[i], bytes);
  }
}

void HeaderCounter::count_tile(const TilePlan &tile, int layer, unsigned components,
                               const std::uint8_t *passes, TileHeaders *headers,
                               std::uint64_t *bytes) {
  for (int precinct = 0; precinct < static_cast<int>(tile.geometry.precincts.size()); ++precinct) {
    const int component = packet_band(tile.geometry, {precinct, 0}).component;
    if ((components >> component & 1) == 0) continue;
    header_.clear();
    const std::uint64_t body = headers->put(precinct, layer, passes, &header_);
    const std::uint64_t header = header_.size() + packet_marker_bytes(plan_->params);
    bytes[component] += header;
    if (plan_->params.plt) bytes[component] += static_cast<unsigned>(plt_bytes(header + body));
  }
}

Status RatePlan::make(const EncoderPlan &plan, std::size_t main_header) {
  blocks.clear();
  const int rounding = rounding_slope(plan);
  for (const TilePlan &tile : plan.tiles)
    for (const BlockPlace &place : tile.geometry.blocks)
      blocks.push_back(rate_block(plan, tile, place, rounding));
  targets.prepare(plan.params.layers, fixed_bytes(plan, main_header),
                  empty_layer(plan, kAllComponents));
  if (Status s = targets.set(plan.params.targets); !s.ok()) return s;
  return limit_components(plan, &component_limits);
}

Status RateControl::prepare(const EncoderPlan &plan, const std::vector<BlockData> &blocks,
                            std::size_t main_header) {
  coded_ = &blocks;
  if (Status s = plan_.make(plan, main_header); !s.ok()) return s;
  for (std::size_t i = 0; i < blocks.size(); ++i)
    plan_.blocks[i].passes = blocks[i].passes;
  headers_.prepare(plan, blocks);
  const std::vector<std::uint64_t> &limits = plan_.component_limits;
  return rate_.prepare(blocks.size(), plan.passes, plan.params.layers,
                       {limits.data(), static_cast<int>(limits.size())});
}

Status RateControl::run(ThreadPool *pool, LayerPasses *layers) {
  for (std::size_t i = 0; i < plan_.blocks.size(); ++i) {
    plan_.blocks[i].num_passes = (*coded_)[i].coded.passes;
    plan_.blocks[i].final_error = (*coded_)[i].final_error;
    plan_.blocks[i].rounding = plan_.targets.list().back().rounding;
  }
  const bool count = plan_.targets.wants_bytes() || !plan_.component_limits.empty();
  if (Status s = rate_.allocate(plan_.blocks.data(), plan_.targets.list().data(),
                                count ? &headers_ : nullptr, pool);
      !s.ok())
    return s;
  const PassTable table = rate_.table();
  std::copy_n(table.passes, layers->passes.size(), layers->passes.begin());
  return {};
}

}  // namespace coalesce::j2k
