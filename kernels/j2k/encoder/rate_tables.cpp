// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rate_tables.h"

#include <algorithm>
#include <cstring>

#include "../../core/layout.h"
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

struct ScratchLayout {
  explicit ScratchLayout(const EncoderPlan &plan) {
    const std::size_t n = plan.blocks.size();
    progress = l.add<RateProgress>(1);
    const int components = plan.params.component_bytes != 0 ? plan.components() : 1;
    sums = l.add<std::uint64_t>(slope_sums(components));
    ranks = l.add<SlopeRank>(kMaxSlope + 2);
    blocks = l.add<RateBlock>(n);
    steps = l.add<HullStep>(plan.passes);
    corners = l.add<HullCorner>(n * (most_passes(plan) + 1));
    num_steps = l.add<std::uint8_t>(n);
    saved = l.add<std::uint8_t>(n);
    keys = l.add<std::uint64_t>(n);
  }

  Layout l;
  std::size_t progress, sums, ranks, blocks, steps, corners, num_steps, saved, keys;
};

template <class T>
std::size_t append(const std::vector<T> &list, std::vector<std::uint8_t> *image) {
  constexpr std::size_t kAlign = 16;
  const std::size_t at = (image->size() + kAlign - 1) / kAlign * kAlign;
  image->resize(at + list.size() * sizeof(T));
  if (!list.empty()) std::memcpy(image->data() + at, list.data(), list.size() * sizeof(T));
  return at;
}

template <class T>
T *at(std::uint8_t *memory, std::size_t offset) {
  return reinterpret_cast<T *>(memory + offset);
}

}  // namespace

Status RateTables::make(const EncoderPlan &plan, std::size_t main_header) {
  RatePlan rate;
  if (Status s = rate.make(plan, main_header); !s.ok()) return s;
  image_.clear();
  append(rate.blocks, &image_);
  shares_at_ = append(automatic_shares(plan.params.layers), &image_);
  limits_at_ = append(rate.component_limits, &image_);
  format_.limits.count = static_cast<int>(rate.component_limits.size());
  format_.components = std::max(format_.limits.count, 1);
  format_.layers = plan.params.layers;
  targets_ = rate.targets;
  return {};
}

RateFormat RateTables::format_at(const std::uint8_t *image, const LayerBudget *targets) const {
  RateFormat f = format_;
  f.blocks = reinterpret_cast<const RateBlock *>(image);
  f.targets = targets;
  f.shares = reinterpret_cast<const std::uint32_t *>(image + shares_at_);
  f.limits.bytes = reinterpret_cast<const std::uint64_t *>(image + limits_at_);
  f.wants_bytes = targets_.wants_bytes() || f.limits.count > 0;
  f.wants_errors = targets_.wants_errors();
  return f;
}

std::size_t rate_scratch_bytes(const EncoderPlan &plan) {
  return ScratchLayout(plan).l.end();
}

RateScratch rate_scratch_at(const EncoderPlan &plan, std::uint8_t *memory) {
  const ScratchLayout l(plan);
  return {at<RateProgress>(memory, l.progress),  at<std::uint64_t>(memory, l.sums),
          at<SlopeRank>(memory, l.ranks),        at<RateBlock>(memory, l.blocks),
          at<HullStep>(memory, l.steps),         at<HullCorner>(memory, l.corners),
          at<std::uint8_t>(memory, l.num_steps), at<std::uint8_t>(memory, l.saved),
          at<std::uint64_t>(memory, l.keys)};
}

}  // namespace coalesce::j2k
