// SPDX-License-Identifier: LGPL-2.1-or-later
// Rate allocation inside of the encoder: whole codestreams that reach the targets of their layers.
#pragma once

#include <cstdint>
#include <vector>

#include "../pcrd/packet_budgets.h"
#include "../pcrd/rate.h"
#include "../tier2/packet_headers.h"
#include "encoder_plan.h"

namespace coalesce::j2k {

// Counts the headers of packets by making them, and what markers take with each packet: SOP, EPH,
// its length in PLT.
class HeaderCounter : public PacketHeaders {
 public:
  // Both must stay. Allocates, as much as is ever needed.
  void prepare(const EncoderPlan &plan, const std::vector<BlockData> &blocks);
  void count(int layer, unsigned components, const PassTable &table, std::uint64_t *bytes) override;

 private:
  void count_tile(const TilePlan &tile, int layer, unsigned components, const std::uint8_t *passes,
                  TileHeaders *headers, std::uint64_t *bytes);

  const EncoderPlan *plan_ = nullptr;
  const std::vector<BlockData> *blocks_ = nullptr;
  int layer_ = 0;                          // that was asked for last
  std::vector<TileHeaders> before_, now_;  // where layer_ begins; its end
  std::vector<std::uint8_t> header_;
};

// What rate allocation has of a format, on the CPU and on a GPU.
struct RatePlan {
  // For plan.params.targets, which are not empty. main_header: its bytes.
  // Errors: invalid_argument if nothing fits the last layer's bytes. Allocates.
  Status make(const EncoderPlan &plan, std::size_t main_header);

  std::vector<RateBlock> blocks;  // without what Tier-1 finds
  PacketBudgets targets;
  std::vector<std::uint64_t> component_limits;  // bytes as of the targets; or empty
};

class RateControl {
 public:
  // For plan.params.targets, which are not empty. main_header: its bytes. Plan and blocks must
  // stay.
  // Errors: out_of_memory; invalid_argument if nothing fits the last layer's bytes.
  Status prepare(const EncoderPlan &plan, const std::vector<BlockData> &blocks,
                 std::size_t main_header);
  // Others, from the next run() on.
  Status set_targets(const std::vector<LayerBudget> &targets) { return plan_.targets.set(targets); }
  // (If one wants an error, Tier-1 has to set BlockData::final_error.)
  const PacketBudgets &targets() const { return plan_.targets; }
  // Which passes are in which layer. Allocates nothing.
  Status run(ThreadPool *pool, LayerPasses *layers);

 private:
  const std::vector<BlockData> *coded_ = nullptr;
  RatePlan plan_;
  HeaderCounter headers_;
  RateAllocator rate_;
};

}  // namespace coalesce::j2k
