// SPDX-License-Identifier: LGPL-2.1-or-later
#include "encoder_params.h"

#include <tuple>

namespace coalesce::j2k {
namespace {

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

Status check_targets(const std::vector<LayerBudget> &targets, int layers) {
  if (targets.empty() || targets.size() != static_cast<std::size_t>(layers))
    return invalid_argument("j2k: there are not as many targets as layers");
  for (const LayerBudget &target : targets)
    if (target.kind > LayerBudget::Kind::everything)
      return invalid_argument("j2k: no such kind of target");
  if (targets.back().kind == LayerBudget::Kind::automatic)
    return invalid_argument("j2k: the target of the last layer cannot be automatic");
  return {};
}

bool differ_in_targets_only(const EncoderParams &a, const EncoderParams &b) {
  return !a.targets.empty() && !b.targets.empty() &&
         members_but_targets(a) == members_but_targets(b);
}

}  // namespace coalesce::j2k
