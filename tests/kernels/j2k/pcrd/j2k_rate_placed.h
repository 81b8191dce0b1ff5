// SPDX-License-Identifier: LGPL-2.1-or-later
// Rate allocation in a back end's memory.
#pragma once

#include "../tier2/j2k_packets_trial.h"
#include "j2k/encoder/rate_tables.h"

namespace coalesce::test {

struct PlacedRate {
  BackendMemory image, targets, scratch, errors;
  j2k::RateJob job;

  PlacedRate(const MadeBlocks &made, const j2k::RateTables &tables, PlacedPackets *packets,
             bool cuda)
      : image(tables.image(), cuda),
        targets(tables.targets().list(), cuda),
        scratch(std::vector<std::uint8_t>(scratch_bytes(made), 0xEE), cuda),
        errors(errors_of(made), cuda) {
    j2k::DeviceFrame frame = {};
    frame.plan = packets->plan.as<j2k::BlockPlan>();
    frame.blocks = static_cast<int>(made.coded.size());
    frame.passes = packets->passes.as<j2k::Pass>();
    frame.coded = packets->coded.as<j2k::CodedBlock>();
    Layout l(256, scratch.data());
    job = {tables.format_at(image.data(), targets.as<j2k::LayerBudget>()),
           j2k::place_rate_scratch(made.plan, &l),
           frame,
           errors.as<std::uint32_t>(),
           packets->job,
           packets->layers.data()};
  }

  static std::size_t scratch_bytes(const MadeBlocks &made) {
    Layout l;
    (void)j2k::place_rate_scratch(made.plan, &l);
    return l.end();
  }
  static std::vector<std::uint32_t> errors_of(const MadeBlocks &made) {
    std::vector<std::uint32_t> errors;
    for (const j2k::BlockData &block : made.data)
      errors.push_back(block.final_error);
    return errors;
  }
  // The progress comes first.
  j2k::RateReport report() const { return scratch.first<j2k::RateReport>(); }
};

}  // namespace coalesce::test
