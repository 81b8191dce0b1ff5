// SPDX-License-Identifier: LGPL-2.1-or-later
// Rate allocation inside of the encoder: whole codestreams that reach the targets of their layers.
#pragma once

#include <cstdint>
#include <vector>

#include "encoder_plan.h"
#include "packet_headers.h"
#include "rate.h"

namespace coalesce::j2k {

// Counts the headers of packets by making them, and what markers take with each packet: SOP, EPH,
// its length in PLT.
class HeaderCounter : public PacketHeaders {
 public:
  // Both must stay. Allocates, as much as is ever needed.
  void prepare(const EncoderPlan &plan, const std::vector<BlockData> &blocks);
  // Of a layer with nothing in it.
  std::uint64_t empty_layer(unsigned components) const;
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

class RateControl {
 public:
  // For plan.params.targets, which are not empty. main_header: its bytes. Plan and blocks must
  // stay.
  // Errors: out_of_memory; invalid_argument if nothing fits the last layer's bytes.
  Status prepare(const EncoderPlan &plan, const std::vector<BlockData> &blocks,
                 std::size_t main_header);
  // What the last layer's target has to have at least, if it is of bytes.
  std::uint64_t least_bytes() const { return least_bytes_; }
  // A target is of an error: Tier-1 has to set BlockData::final_error.
  bool wants_errors() const { return wants_errors_; }
  // For allocation elsewhere: blocks without what Tier-1 finds; targets and limits of bytes without
  // what is no packet's; is there any of these?
  const std::vector<RateBlock> &blocks() const { return blocks_; }
  const std::vector<LayerTarget> &targets() const { return targets_; }
  const std::vector<std::uint64_t> &component_limits() const { return component_limits_; }
  bool wants_bytes() const { return wants_bytes_; }
  // Which passes are in which layer. Allocates nothing.
  Status run(ThreadPool *pool, LayerPasses *layers);

 private:
  Status set_targets(const EncoderPlan &plan, std::uint64_t fixed);
  Status set_component_limits(const EncoderPlan &plan);

  const std::vector<BlockData> *coded_ = nullptr;
  std::vector<RateBlock> blocks_;
  std::vector<LayerTarget> targets_;  // bytes: of packets, and of what comes with each
  std::uint64_t least_bytes_ = 0;
  bool wants_errors_ = false, wants_bytes_ = false;
  std::vector<std::uint64_t> component_limits_;  // the same; or empty
  HeaderCounter headers_;
  RateAllocator rate_;
};

}  // namespace coalesce::j2k
