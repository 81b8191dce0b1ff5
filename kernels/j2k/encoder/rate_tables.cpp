// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rate_tables.h"

#include <algorithm>

#include "../pcrd/allocation.h"
#include "rate_control.h"

namespace coalesce::j2k {
namespace {

// Of a block.
std::size_t most_passes(const EncoderPlan &plan) {
  int planes = 1;
  for (const BlockPlan &block : plan.blocks)
    planes = std::max(planes, std::min<int>(block.max_planes, kMaxPlanes));
  return static_cast<std::size_t>(3 * planes - 2);
}

constexpr std::size_t kAlign = 16;

}  // namespace

Status RateTables::make(const EncoderPlan &plan, std::size_t main_header) {
  RatePlan rate;
  if (Status s = rate.make(plan, main_header); !s.ok()) return s;
  image_.clear();
  append_array(rate.blocks, kAlign, &image_);
  append_array(automatic_shares(plan.params.layers), kAlign, &image_);
  append_array(rate.component_limits, kAlign, &image_);
  blocks_ = rate.blocks.size();
  format_.limits.count = static_cast<int>(rate.component_limits.size());
  format_.components = std::max(format_.limits.count, 1);
  format_.layers = plan.params.layers;
  targets_ = rate.targets;
  return {};
}

RateFormat RateTables::format_at(const std::uint8_t *image, const LayerBudget *targets) const {
  Layout l(kAlign, image);
  RateFormat f = format_;
  f.blocks = l.at<const RateBlock>(blocks_);
  f.targets = targets;
  f.shares = l.at<const std::uint32_t>(static_cast<std::size_t>(f.layers));
  f.limits.bytes = l.at<const std::uint64_t>(static_cast<std::size_t>(f.limits.count));
  f.wants_bytes = targets_.wants_bytes() || f.limits.count > 0;
  f.wants_errors = targets_.wants_errors();
  return f;
}

RateScratch place_rate_scratch(const EncoderPlan &plan, Layout *l) {
  const std::size_t n = plan.blocks.size();
  const int components = plan.params.component_bytes != 0 ? plan.components() : 1;
  return {.progress = l->at<RateProgress>(1),
          .sums = l->at<std::uint64_t>(slope_sums(components)),
          .ranks = l->at<SlopeRank>(kMaxSlope + 2),
          .blocks = l->at<RateBlock>(n),
          .steps = l->at<HullStep>(plan.passes),
          .corners = l->at<HullCorner>(n * (most_passes(plan) + 1)),
          .num_steps = l->at<std::uint8_t>(n),
          .saved = l->at<std::uint8_t>(n),
          .keys = l->at<std::uint64_t>(n)};
}

}  // namespace coalesce::j2k
