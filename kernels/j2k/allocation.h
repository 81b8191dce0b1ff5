// SPDX-License-Identifier: LGPL-2.1-or-later
// RateAllocator at work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "rate.h"
#include "thresholds.h"

namespace coalesce::j2k {

struct RateAllocator::Memory {
  Memory(std::size_t blocks, std::size_t passes, int layers);

  Status run(const RateBlock *blocks, const LayerTarget *targets, PacketHeaders *headers,
             ThreadPool *pool);
  PassTable table() const { return {table_.data(), num_blocks_, num_layers_}; }

  std::vector<LayerResult> results_;

 private:
  struct BlockHull {
    std::size_t first_step;
    Hull hull;
  };

  bool find_hulls(ThreadPool *pool);
  void gather_thresholds();
  bool find_last_rank();
  void lower_layer(int layer);
  void last_layer();

  const LayerTarget &last_target() const { return targets_[num_layers_ - 1]; }
  // Ranks go up to top_. If that is one more than those of the thresholds, it is all passes.
  int rank_of(const LayerTarget &target, int layer) const;
  int rank_of_bytes(std::uint64_t most) const;
  std::uint64_t body_of(int rank) const {
    return rank > thresholds_.count() ? all_bytes_ : thresholds_.bytes(rank);
  }
  int passes_of(std::size_t block, int rank) const;
  // The layer gets what the rank stands for, and what that costs is asked.
  void take(int layer, int rank);
  // Takes the highest rank with which layers up to this one keep to the limit, or one that comes
  // close to it; `lowest` if none does.
  int fit(int layer, std::uint64_t limit, int lowest, int highest);
  // Of layers up to this one.
  std::uint64_t total(int layer) const {
    const LayerResult &r = results_[static_cast<std::size_t>(layer)];
    return headers_before_ + r.headers + r.body;
  }

  // allocation_fill.cpp: the rest of the limit is spent step by step.
  void fill(int layer, std::uint64_t limit);
  std::uint64_t add_steps(int layer, std::uint64_t most);
  const HullStep *next_step(int layer, std::size_t block) const;
  int best_inside(std::size_t block, int from, int to, std::uint64_t room) const;

  std::uint8_t *row(int layer) {
    return table_.data() + static_cast<std::size_t>(layer) * num_blocks_;
  }
  const std::uint8_t *row(int layer) const {
    return table_.data() + static_cast<std::size_t>(layer) * num_blocks_;
  }
  HullStep *steps_of(std::size_t block) { return steps_.get() + hulls_[block].first_step; }
  const HullStep *steps_of(std::size_t block) const {
    return steps_.get() + hulls_[block].first_step;
  }
  std::uint32_t length(std::size_t block, int passes) const {
    return passes == 0 ? 0 : blocks_[block].passes[passes - 1].length;
  }

  std::size_t num_blocks_;
  int num_layers_;
  std::size_t num_steps_;
  std::unique_ptr<HullStep[]> steps_;  // uninitialised: what is not used costs nothing
  std::vector<BlockHull> hulls_;
  std::vector<std::uint8_t> table_, saved_;
  std::vector<std::uint64_t> heap_;
  Thresholds thresholds_;

  const RateBlock *blocks_ = nullptr;
  const LayerTarget *targets_ = nullptr;
  PacketHeaders *headers_ = nullptr;

  std::uint64_t all_bytes_ = 0;
  std::int64_t error_ = 0;  // if nothing is decoded
  int top_ = 0;
  int last_rank_ = 0;                 // about what the last layer gets
  std::uint64_t empty_ = 0;           // the headers of a layer with nothing in it
  int rank_ = 0;                      // of the layer before
  std::uint64_t headers_before_ = 0;  // of all layers before
};

}  // namespace coalesce::j2k
