// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cuda_decode_job.h"

#include <algorithm>
#include <iterator>

#include "../tables/parts.h"

namespace coalesce::jpeg {

BitTable bit_table(const DecodeTable &table, bool is_dc) {
  BitTable t = {};
  t.is_dc = is_dc ? 1 : 0;
  t.tail_start = table.limit[kFirstBits];
  const auto entry = [is_dc](std::uint32_t symbol, int length) {
    return static_cast<std::uint16_t>(entry_of(symbol, static_cast<std::uint32_t>(length), is_dc));
  };
  static_assert(kFirstBits == kLookupBits);
  for (std::size_t i = 0; i < std::size(t.first); ++i)
    if (const std::uint32_t found = table.lookup[i]; found != 0)
      t.first[i] = entry(found & 255, static_cast<int>(found >> 8));
  std::fill(t.tail, t.tail + kTail, entry(0, kBadCodeBits));
  for (int length = kFirstBits + 1; length <= kMostCodeBits; ++length) {
    const int spare = kMostCodeBits - length;
    for (std::uint32_t bits = table.limit[length - 1]; bits < table.limit[length];
         bits += 1u << spare) {
      const std::uint32_t from = bits - t.tail_start;
      if (from >= kTail) return t;
      const auto code = static_cast<std::int32_t>(bits >> spare);
      std::fill(t.tail + from, t.tail + std::min(from + (1u << spare), kTail),
                entry(table.symbols[code + table.first[length]], length));
    }
  }
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
