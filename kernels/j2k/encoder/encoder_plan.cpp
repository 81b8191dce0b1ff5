// SPDX-License-Identifier: LGPL-2.1-or-later
#include "encoder_plan.h"

#include <algorithm>
#include <cmath>

#include "../tier1/tier1.h"
#include "../transform/band_weights.h"
#include "../transform/roi.h"
#include "encoder.h"

namespace coalesce::j2k {
namespace {

Status check_colour(const EncoderParams &p) {
  if (!p.colour_transform) return {};
  if (p.coding.num_components < 3)
    return invalid_argument("j2k: the component transform needs three components");
  const Component &first = p.coding.component[0];
  for (std::size_t i = 1; i < 3; ++i) {
    const Component &c = p.coding.component[i];
    if (c.dx != first.dx || c.dy != first.dy || c.bits != first.bits)
      return invalid_argument("j2k: the component transform needs three components of one kind");
  }
  return {};
}

Status check_roi(const EncoderParams &p) {
  if (p.roi == Rect{}) return {};
  const Rect &image = p.coding.image;
  if (p.roi.empty() || p.roi.x0 < image.x0 || p.roi.y0 < image.y0 || p.roi.x1 > image.x1 ||
      p.roi.y1 > image.y1)
    return invalid_argument("j2k: the region of interest (roi) is empty or outside of the image");
  return {};
}

Status check_component_bytes(const EncoderParams &p) {
  if (p.component_bytes == 0) return {};
  if (p.tile_parts != TileParts::component)
    return invalid_argument("j2k: component_bytes wants tile-parts by component");
  if (p.layers != 1 || p.targets.empty())
    return invalid_argument("j2k: component_bytes wants one layer with a target");
  return {};
}

constexpr std::size_t kRowAlign = 16;  // samples, 64 bytes

// Y, Cb, Cr have weights, and so has what came as such: chroma that is coarser than luma.
double visual(const EncoderParams &p, int component, Band band, int level) {
  if (!p.visual_weighting || component > 2) return 1;
  const Component &c = p.coding.component[static_cast<std::size_t>(component)];
  const bool subsampled = c.dx * c.dy > p.coding.component[0].dx * p.coding.component[0].dy;
  if (component > 0 && !p.colour_transform && !subsampled) return 1;
  return visual_weight(component, band, level + std::ilogb(c.dx * c.dy) / 2);
}

Status make_bands(const EncoderParams &p, Bands *bands) {
  for (int c = 0; c < p.coding.num_components; ++c) {
    ComponentBands &component = (*bands)[static_cast<std::size_t>(c)];
    const QuantiserParams quantiser = quantiser_params(p, c);
    int most = 0;
    for (int r = 0; r <= p.coding.levels; ++r)
      for (int b = r > 0; b <= (r > 0 ? 3 : 0); ++b) {
        const int level = r > 0 ? p.coding.levels - r + 1 : p.coding.levels;
        const auto band = static_cast<Band>(b);
        component.bands.push_back(
            band_quantiser(quantiser, band, level, visual(p, c, band, level)));
        most = std::max(most, component.bands.back().planes);
      }
    if (p.roi.empty()) continue;
    if (Status s = check_max_shift(most); !s.ok()) return s;
    component.roi_shift = max_shift_of(most);
  }
  return {};
}

void place_planes(EncoderPlan *plan, TilePlan *tile) {
  for (int c = 0; c < plan->components(); ++c) {
    const Rect &rect = tile->geometry.components[static_cast<std::size_t>(c)].rect;
    if (rect.empty()) continue;
    const std::size_t pitch =
        (static_cast<std::size_t>(rect.width()) + kRowAlign - 1) / kRowAlign * kRowAlign;
    tile->plane[c] = {plan->coefficients, pitch};
    plan->coefficients += pitch * static_cast<std::size_t>(rect.height());
  }
}

void place_blocks(EncoderPlan *plan, TilePlan *tile) {
  tile->first_block = plan->blocks.size();
  for (const BlockPlace &place : tile->geometry.blocks) {
    const Subband &band = tile->geometry.bands[static_cast<std::size_t>(place.band)];
    const CoefficientPlane &plane = tile->plane[band.component];
    const int max_planes = plan->max_planes(*tile, place.band);
    const int planes = std::min(max_planes, kMaxPlanes);
    const int samples = place.rect.width() * place.rect.height();
    const std::size_t room = tier1_bytes_bound(samples, planes, plan->params.block_style);
    const ComponentBands &bands = plan->bands[static_cast<std::size_t>(band.component)];
    plan->blocks.push_back(
        {plane.first + static_cast<std::size_t>(place.plane_y) * plane.pitch +
             static_cast<std::size_t>(place.plane_x),
         plane.pitch, plan->bytes, plan->passes, plan->symbols, static_cast<std::uint32_t>(room),
         static_cast<std::uint16_t>(place.rect.width()),
         static_cast<std::uint16_t>(place.rect.height()), static_cast<std::uint8_t>(max_planes),
         band.orientation, bands.bands[plan->band_of(*tile, place.band)].weight});
    plan->bytes += room;
    plan->symbols += tier1_symbols_bound(samples, planes);
    plan->passes += static_cast<std::size_t>(std::max(3 * planes - 2, 0));
  }
}

Status place_packets(EncoderPlan *plan, TilePlan *tile) {
  tile->order = packet_order(tile->geometry, plan->params);
  tile->part_ends = tile_part_ends(tile->geometry, plan->params.tile_parts, tile->order);
  tile->first_part = plan->tile_parts;
  plan->tile_parts += tile->part_ends.size();
  if (tile->part_ends.size() > kMaxTileParts)
    return invalid_argument("j2k: a tile has more than 255 tile-parts");
  if (plan->params.tlm && plan->tile_parts > kMaxTlmEntries)
    return invalid_argument(
        "j2k: there are more tile-parts than tlm can list; use tlm=false or larger tiles "
        "(tile-width, tile-height)");
  return {};
}

Status check_layers(const EncoderPlan &plan, std::uint64_t precincts) {
  const auto layers = static_cast<std::uint64_t>(plan.params.layers);
  if (layers * precincts > kMaxPackets)
    return invalid_argument(
        "j2k: num-layers makes more than 2^27 packets; use fewer layers, or larger precincts or "
        "tiles");
  if (layers * plan.blocks.size() > kMaxLayerBlocks)
    return invalid_argument(
        "j2k: num-layers times the number of code-blocks is more than 2^27; use fewer layers or "
        "larger code-blocks");
  return {};
}

MainHeader main_header(const EncoderPlan &plan) {
  const EncoderParams &p = plan.params;
  MainHeader header{p.coding,
                    p.profile,
                    p.sop,
                    p.eph,
                    p.progression,
                    p.layers,
                    p.colour_transform,
                    p.block_style,
                    p.wavelet,
                    p.largest_last,
                    p.guard_bits,
                    p.derived,
                    {},
                    p.comment,
                    p.tlm ? plan.tile_parts : 0};
  for (std::size_t c = 0; c < header.component.size(); ++c) {
    header.component[c].roi_shift = plan.bands[c].roi_shift;
    for (const BandQuantiser &band : plan.bands[c].bands)
      header.component[c].steps.push_back({band.exponent, band.mantissa});
  }
  return header;
}

}  // namespace

Status check_params(const EncoderParams &p) {
  if (Status s = check_params(p.coding); !s.ok()) return s;
  if (Status s = check_colour(p); !s.ok()) return s;
  for (int c = 0; c < p.coding.num_components; ++c)
    if (Status s = check_quantiser(quantiser_params(p, c)); !s.ok()) return s;
  if ((p.block_style & ~unsigned{kAllBlockStyles}) != 0)
    return invalid_argument("j2k: no such flag of the code-block style");
  if (p.progression > Progression::cprl) return invalid_argument("j2k: no such progression order");
  if (p.largest_last && p.coding.levels == 0)
    return invalid_argument("j2k: the largest resolution is to be last and there is no other");
  if (p.tile_parts > TileParts::component) return invalid_argument("j2k: no such tile-parts");
  if (p.layers < 1 || p.layers > kMaxLayers)
    return invalid_argument("j2k: the number of layers is not 1 to 65535");
  if (p.comment.size() > kMaxComment)
    return invalid_argument("j2k: the comment is longer than 65530 bytes");
  if (!p.targets.empty())
    if (Status s = check_targets(p.targets, p.layers); !s.ok()) return s;
  if (Status s = check_component_bytes(p); !s.ok()) return s;
  return check_roi(p);
}

std::size_t EncoderPlan::band_of(const TilePlan &tile, int band) const {
  const int component = tile.geometry.bands[static_cast<std::size_t>(band)].component;
  return static_cast<std::size_t>(band - component * (3 * params.coding.levels + 1));
}

int EncoderPlan::max_planes(const TilePlan &tile, int band) const {
  const auto c =
      static_cast<std::size_t>(tile.geometry.bands[static_cast<std::size_t>(band)].component);
  return bands[c].bands[band_of(tile, band)].planes + bands[c].roi_shift;
}

Status make_plan(const EncoderParams &params, EncoderPlan *plan) {
  *plan = {};
  plan->params = params;
  if (Status s = make_bands(params, &plan->bands); !s.ok()) return s;
  // max_shift() leaves no fraction.
  const bool fraction = params.wavelet == Wavelet::irreversible_97 && params.roi.empty();
  plan->fraction_bits = fraction ? kFractionBitsOf97 : 0;
  const int tiles = tile_count(params.coding);
  plan->tiles.reserve(static_cast<std::size_t>(tiles));
  std::uint64_t precincts = 0;
  for (int i = 0; i < tiles; ++i) {
    plan->tiles.push_back({tile_geometry(params.coding, i), {}, {}, 0, 0, {}});
    TilePlan &tile = plan->tiles.back();
    precincts += tile.geometry.precincts.size();
    if (Status s = check_layers(*plan, precincts); !s.ok()) return s;
    if (Status s = place_packets(plan, &tile); !s.ok()) return s;
    place_planes(plan, &tile);
    place_blocks(plan, &tile);
  }
  plan->header = main_header(*plan);
  return check_layers(*plan, precincts);
}

}  // namespace coalesce::j2k
