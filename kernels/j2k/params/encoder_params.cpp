// SPDX-License-Identifier: LGPL-2.1-or-later
#include "encoder_params.h"

#include <cmath>
#include <tuple>

#include "../transform/band_gains.h"

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

// All members must be named here, or it does not compile.
auto members(const CodingParams &p) {
  const auto &[image, tile_x0, tile_y0, tile_width, tile_height, num_components, component, levels,
               block_x, block_y, precinct] = p;
  return std::tie(image, tile_x0, tile_y0, tile_width, tile_height, num_components, component,
                  levels, block_x, block_y, precinct);
}

auto members_but_targets(const EncoderParams &p) {
  const auto &[coding, wavelet, colour_transform, guard_bits, base_step, derived, visual_weighting,
               block_style, progression, largest_last, tile_parts, layers, targets, component_bytes,
               roi, sop, eph, plt, tlm, profile, comment] = p;
  return std::tuple_cat(
      members(coding),
      std::tie(wavelet, colour_transform, guard_bits, base_step, derived, visual_weighting,
               block_style, progression, largest_last, tile_parts, layers, component_bytes, roi,
               sop, eph, plt, tlm, profile, comment));
}

}  // namespace

Status check_targets(const std::vector<LayerTarget> &targets, int layers) {
  if (targets.empty() || targets.size() != static_cast<std::size_t>(layers))
    return invalid_argument("j2k: there are not as many targets as layers");
  for (const LayerTarget &target : targets)
    if (target.kind > LayerTarget::Kind::everything)
      return invalid_argument("j2k: no such kind of target");
  if (targets.back().kind == LayerTarget::Kind::automatic)
    return invalid_argument("j2k: the target of the last layer cannot be automatic");
  return {};
}

bool differ_in_targets_only(const EncoderParams &a, const EncoderParams &b) {
  return !a.targets.empty() && !b.targets.empty() &&
         members_but_targets(a) == members_but_targets(b);
}

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

double fine_base_step(bool colour_transform) {
  return colour_transform ? std::sqrt(colour_energy(Wavelet::irreversible_97, 0)) / 4 : 0.5;
}

QuantiserParams quantiser_params(const EncoderParams &p, int component) {
  return {p.wavelet,
          p.coding.levels,
          p.coding.component[static_cast<std::size_t>(component)].bits,
          p.colour_transform && component < 3 ? component : -1,
          p.guard_bits,
          p.base_step,
          p.derived};
}

}  // namespace coalesce::j2k
