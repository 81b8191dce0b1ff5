// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cuda_decode_job.h"

#include <algorithm>

#include "../tables/parts.h"

namespace coalesce::jpeg {

BitTable bit_table(const DecodeTable &table, bool is_dc) {
  BitTable t = {};
  const auto entry = [is_dc](std::uint32_t found) {
    return static_cast<std::uint16_t>(entry_of(found & 255, found >> 8, is_dc));
  };
  for (std::uint32_t i = 0; i < kFirst; ++i)
    if (table.lookup[i] != 0) t.entries[i] = entry(table.lookup[i]);
  for (std::uint32_t i = 0; i < kTail; ++i)
    t.entries[kFirst + i] = entry(look_up(table, kTailStart + i));
  return t;
}

ScanPlan make_scan_plan(const Frame &frame, const Scan &scan, std::size_t bytes) {
  ScanPlan plan = {};
  plan.bytes = static_cast<std::uint32_t>(bytes);
  plan.groups = std::max(parts(plan.bytes, kGroupBytes), 1u);
  plan.components = scan.components;
  const bool alone = scan.components == 1;
  for (int c = 0; c < scan.components; ++c) {
    const FrameComponent &k = frame.component[c];
    for (int b = 0; b < (alone ? 1 : k.h * k.v); ++b)
      plan.component[plan.blocks_of_mcu++] = static_cast<std::uint8_t>(c);
  }
  plan.mcus =
      static_cast<std::uint32_t>(scan.mcus_wide) * static_cast<std::uint32_t>(scan.mcus_high);
  plan.blocks = plan.mcus * static_cast<std::uint32_t>(plan.blocks_of_mcu);
  plan.tiles = parts(plan.mcus, kTileMcus);
  plan.interval = static_cast<std::uint32_t>(scan.restart_interval);
  return plan;
}

DecodeArrays place_decode_arrays(const Frame &frame, const ScanPlan *plan, bool needs_samples,
                                 Layout *layout) {
  DecodeArrays a = {};
  if (plan != nullptr) {
    a.data = layout->at<std::uint8_t>(plan->bytes + kReadBehind);
    a.tables = layout->at<BitTable>(2 * kMostComponents);
    a.rest = layout->at<DecodeTable>(2 * kMostComponents);
    a.exits = layout->at<std::uint32_t>(std::size_t{plan->groups} * kWriters);
    a.counts = layout->at<std::uint32_t>(std::size_t{plan->groups} * kWriters);
    for (std::uint32_t *&last : a.last)
      last = layout->at<std::uint32_t>(plan->groups);
    a.first = layout->at<std::uint32_t>(plan->groups);
    a.group_counts = layout->at<std::uint32_t>(plan->groups);
    const auto components = static_cast<std::size_t>(plan->components);
    a.dc = layout->at<std::uint32_t>(components * plan->mcus);
    a.dc_tiles = layout->at<std::uint32_t>(components * plan->tiles);
  }
  a.result = layout->at<std::uint32_t>(1);
  a.coefficients = layout->at<std::int16_t>(frame.blocks() * kCoefficients);
  if (needs_samples) a.samples = layout->at<std::uint8_t>(frame.blocks() * kCoefficients);
  return a;
}

}  // namespace coalesce::jpeg
