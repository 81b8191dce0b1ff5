// SPDX-License-Identifier: LGPL-2.1-or-later
// RateAllocator at work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "allocation_block.h"
#include "pcrd_search.h"
#include "rate.h"
#include "slope_table.h"

namespace coalesce::j2k {

// AllocationInput::shares: what an automatic layer has of the last one's bytes, times 2^16.
std::vector<std::uint32_t> automatic_shares(int layers);

// What the ends of PcrdSearch mean.
Status status_of(PcrdStep::Kind end);

struct RateAllocator::Memory {
  Memory(std::size_t blocks, std::size_t passes, int layers, ComponentLimits limits);

  Status run(const RateBlock *blocks, const LayerBudget *targets, PacketHeaders *headers,
             ThreadPool *pool);
  PassTable table() const { return {table_.data(), num_blocks_, num_layers_}; }

 private:
  struct BlockHull {
    std::size_t first_step;
    Hull hull;
  };

  Status check(const LayerBudget *targets) const;
  bool find_hulls(ThreadPool *pool);
  void gather_thresholds();
  // Each as PcrdStep has it.
  StepCost done(const PcrdStep &step);
  StepCost take(const PcrdStep &step);
  StepCost fill(const PcrdStep &step);      // allocation_fill.cpp; so is
  StepCost add_pass(const PcrdStep &step);  // this

  std::uint8_t *row(int layer) {
    return table_.data() + static_cast<std::size_t>(layer) * num_blocks_;
  }
  HulledBlock hulled(std::size_t block) const {
    const BlockHull &hull = hulls_[block];
    return {blocks_[block], steps_.get() + hull.first_step, hull.hull.steps};
  }

  std::size_t num_blocks_;
  int num_layers_;
  std::size_t num_steps_;
  std::unique_ptr<HullStep[]> steps_;  // uninitialised: what is not used costs nothing
  std::vector<BlockHull> hulls_;
  std::vector<std::uint8_t> table_, saved_;
  std::vector<std::uint64_t> heap_;
  std::vector<std::uint32_t> shares_;
  std::vector<std::uint64_t> limits_;  // of components
  SlopeTable thresholds_;
  AllocationInput input_ = {};

  const RateBlock *blocks_ = nullptr;
  PacketHeaders *headers_ = nullptr;
};

}  // namespace coalesce::j2k
