// SPDX-License-Identifier: LGPL-2.1-or-later
// What rate allocation on a GPU needs of a format, prepared once on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../../core/layout.h"
#include "../pcrd/packet_budgets.h"
#include "../pcrd/rate_cuda.h"
#include "encoder_plan.h"

namespace coalesce::j2k {

class RateTables {
 public:
  // For plan.params.targets, which are not empty.
  // Errors: as RateControl::prepare(). Allocates.
  Status make(const EncoderPlan &plan, std::size_t main_header);
  // Others.
  Status set_targets(const std::vector<LayerBudget> &targets) { return targets_.set(targets); }
  const PacketBudgets &targets() const { return targets_; }

  // To be copied to where the tables are to lie, which must be aligned to 256 bytes.
  const std::vector<std::uint8_t> &image() const { return image_; }
  // The tables, if the image lies there, and the list of targets() at `targets`.
  RateFormat format_at(const std::uint8_t *image, const LayerBudget *targets) const;

 private:
  RateFormat format_ = {};
  PacketBudgets targets_;
  std::size_t blocks_ = 0;
  std::vector<std::uint8_t> image_;
};

// Scratch memory of a frame, which need not be cleared.
RateScratch place_rate_scratch(const EncoderPlan &plan, Layout *l);

}  // namespace coalesce::j2k
