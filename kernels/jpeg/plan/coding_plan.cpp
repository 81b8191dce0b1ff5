// SPDX-License-Identifier: LGPL-2.1-or-later
#include "coding_plan.h"

#include <algorithm>

#include "../tables/parts.h"

namespace coalesce::jpeg {
namespace {

// Chroma's share of luma's samples, as shifts.
struct Shifts {
  int x, y;
};

Shifts shifts_of(const EncoderParams &params) {
  if (const PixelComponent *u = params.format.find(Role::u)) return {u->log2_width, u->log2_height};
  if (params.format.has(Role::grey) || params.keep_rgb) return {0, 0};
  switch (params.subsampling) {
    case Subsampling::s444:
      return {0, 0};
    case Subsampling::s422:
      return {1, 0};
    default:
      return {1, 1};
  }
}

}  // namespace

std::size_t CodingPlan::most_scan_bytes() const {
  const std::size_t block_bytes = (kMostBlockBits + 7) / 8;
  const auto intervals =
      static_cast<std::size_t>(parts(static_cast<int>(mcus()), restart_interval));
  return 2 * (static_cast<std::size_t>(blocks()) * block_bytes + intervals) + 2 * intervals;
}

CodingPlan make_plan(const EncoderParams &params) {
  const bool grey = params.format.has(Role::grey);
  const Shifts shifts = shifts_of(params);
  CodingPlan plan = {};
  plan.width = params.width;
  plan.height = params.height;
  plan.components = grey ? 1 : kMostComponents;
  plan.converts = params.format.has(Role::r) && !params.keep_rgb;
  plan.shrink_x = 1 << shifts.x;
  plan.shrink_y = 1 << shifts.y;
  plan.mcus_x = parts(params.width, kBlockSize << shifts.x);
  plan.mcus_y = parts(params.height, kBlockSize << shifts.y);
  for (int i = 0; i < plan.components; ++i) {
    CodedComponent &c = plan.component[i];
    const bool whole = i == 0;
    c.id = static_cast<std::uint8_t>(params.keep_rgb ? "RGB"[i] : i + 1);
    c.h = static_cast<std::uint8_t>(whole ? 1 << shifts.x : 1);
    c.v = static_cast<std::uint8_t>(whole ? 1 << shifts.y : 1);
    c.first_in_mcu = static_cast<std::uint8_t>(plan.blocks_of_mcu);
    c.table = static_cast<std::uint8_t>(whole || params.keep_rgb ? 0 : 1);
    c.width = parts(params.width, whole ? 1 : 1 << shifts.x);
    c.height = parts(params.height, whole ? 1 : 1 << shifts.y);
    c.blocks_x = parts(c.width, kBlockSize);
    c.blocks_y = parts(c.height, kBlockSize);
    plan.blocks_of_mcu += c.h * c.v;
  }
  plan.restart_interval = static_cast<int>(plan.mcus());
  if (params.restart_interval != 0)
    plan.restart_interval = std::min(plan.restart_interval, params.restart_interval);
  return plan;
}

QuantTables quant_tables(const EncoderParams &params, int quality) {
  const auto choose = [&](const std::optional<QuantTable> &own, const QuantTable &usual) {
    if (own && params.max_bytes == 0) return *own;
    return quant_table(own ? *own : usual, quality);
  };
  return {
      {choose(params.luma_table, kLumaQuantTable), choose(params.chroma_table, kChromaQuantTable)}};
}

}  // namespace coalesce::jpeg
