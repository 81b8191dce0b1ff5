// SPDX-License-Identifier: LGPL-2.1-or-later
// What the decisions of rate allocation are made from, and what they come to. Shared by the CPU and
// the CUDA kernels.
#pragma once

#include <cstdint>

#include "../../core/host_device.h"
#include "../params/layer_budget.h"
#include "rate_block.h"
#include "slope_table.h"

namespace coalesce::j2k {

// Ranks go up to top(): if that is one more than those of the thresholds, it is all passes.
struct AllocationInput {
  using Kind = LayerBudget::Kind;

  const LayerBudget *targets;
  const std::uint32_t *shares;  // automatic_share() of each layer
  int layers, blocks;
  ComponentLimits limits;
  Ranks ranks;
  bool more;                                // there are passes behind the ends of hulls
  std::uint64_t all_bytes[kMaxComponents];  // of all passes
  std::int64_t error;                       // if nothing is decoded
  std::int64_t fine_error;                  // that of fine blocks

  COALESCE_HOST_DEVICE const LayerBudget &last() const { return targets[layers - 1]; }
  COALESCE_HOST_DEVICE bool has_limit() const { return last().kind == Kind::bytes; }
  COALESCE_HOST_DEVICE int top() const { return ranks.count + (more ? 1 : 0); }
  // (Without limits, headers are still counted for each component.)
  COALESCE_HOST_DEVICE unsigned components() const {
    return limits.count == 0 ? kAllComponents : (1u << limits.count) - 1;
  }
  // A layer of this rank has all steps of hulls that are this steep or steeper; -1: all passes.
  COALESCE_HOST_DEVICE int slope(int rank) const {
    return rank > ranks.count ? -1 : ranks.at[rank].slope;
  }
  COALESCE_HOST_DEVICE int rank_of_bytes(std::uint64_t most, unsigned of) const {
    return sum_of(all_bytes, of) <= most ? top() : ranks.of_bytes(most, of);
  }
  // Some components may be the same in several ranks: the lowest of these, and the highest.
  COALESCE_HOST_DEVICE int lowest_same(int rank, unsigned of) const {
    if (of == components() || rank > ranks.count) return rank;
    return ranks.from_bytes(ranks.bytes(rank, of), of);
  }
  COALESCE_HOST_DEVICE int highest_same(int rank, unsigned of) const {
    if (of == components() || rank > ranks.count) return rank;
    return ranks.of_bytes(ranks.bytes(rank, of), of);
  }
  // A picture of which all passes leave little is exact in many places, and what is left is in the
  // others; of a smooth one it is in coarse bands.
  COALESCE_HOST_DEVICE std::uint64_t most_error(const LayerBudget &target) const {
    const std::uint64_t value = target.value;
    const std::int64_t left = difference(error, ranks.at[ranks.count].gain);
    const std::uint64_t most =
        target.usual == 0 ? value : between(target.concentrated, value, left, target.usual);
    const std::uint64_t smooth =
        target.smooth == 0 ? value : between(target.smooth, value, fine_error, value);
    return most < smooth ? most : smooth;
  }
  // last_rank: of the last layer, or about.
  COALESCE_HOST_DEVICE int rank_of(int layer, int last_rank) const {
    const LayerBudget &target = targets[layer];
    const unsigned all = components();
    if (target.kind == Kind::automatic) {
      const std::uint64_t bytes =
          last_rank > ranks.count ? sum_of(all_bytes, all) : ranks.bytes(last_rank, all);
      return rank_of_bytes(bytes * shares[layer] >> 16, all);
    }
    if (target.kind == Kind::error) {
      const std::uint64_t most = most_error(target);
      return ranks.of_gain(
          difference(error, static_cast<std::int64_t>(most < INT64_MAX ? most : INT64_MAX)));
    }
    return target.kind == Kind::slope ? ranks.of_slope(target.value) : top();
  }

 private:
  // It wraps, where sums of errors have: no real picture has as much.
  COALESCE_HOST_DEVICE static std::int64_t difference(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
  }
  // From `low` where there is no error to `high` where it is `whole`, or more.
  COALESCE_HOST_DEVICE static std::uint64_t between(std::uint64_t low, std::uint64_t high,
                                                    std::int64_t error, std::uint64_t whole) {
    if (error <= 0) return low;
    const auto part = static_cast<std::uint64_t>(error);
    if (part >= whole) return high;
    return low + static_cast<std::uint64_t>(static_cast<UInt128>(high - low) * part / whole);
  }
};

// What is to be done with the passes of a layer, in some components.
struct PcrdStep {
  enum class Kind : std::uint8_t {
    take,       // each block gets its steps from `slope` on, but not less than in the layer before
    fill,       // the layer is kept in mind; blocks get more, as long as there is `room`
    refill,     // the same from what was kept in mind on
    one_more,   // of all blocks whose next pass may fit into `room`, the first behind `key`
                // (HulledBlock::pass_key()) gets that pass
    another,    // the same, when the block of `key` has given its last pass back
    put_back,   // the layer is what was kept in mind
    give_back,  // the block of `key` gives its last pass back
    done,
    too_few_bytes,  // for empty packets
    other_headers   // those of empty packets are not what they were
  };
  Kind kind;
  int layer;
  int slope;  // take: AllocationInput::slope()
  unsigned components;
  std::uint64_t room;  // bytes, of blocks and headers
  bool behind;         // fill and refill: with passes behind the ends of hulls
  std::uint64_t key;   // of the block that got one pass last

  COALESCE_HOST_DEVICE bool is_end() const { return kind >= Kind::done; }
  COALESCE_HOST_DEVICE bool is_counted() const { return kind < Kind::put_back; }
  COALESCE_HOST_DEVICE bool is_of_one_pass() const {
    return kind == Kind::one_more || kind == Kind::another || kind == Kind::give_back;
  }
  COALESCE_HOST_DEVICE bool is_for(const RateBlock &block) const {
    return (components >> block.component & 1) != 0;
  }
};

// Of a layer, in each component.
struct LayerBytes {
  std::uint64_t body[kMaxComponents];     // of blocks, in layers up to this one
  std::uint64_t headers[kMaxComponents];  // of this layer, if anybody counts them

  COALESCE_HOST_DEVICE std::uint64_t of(unsigned components) const {
    return sum_of(body, components) + sum_of(headers, components);
  }
};

struct StepCost {
  LayerBytes bytes;     // of the step's components; body, but for take: what was added
  std::uint64_t spent;  // of `room`: 0 if nothing was added, not even a pass without bytes
  std::uint64_t key;    // of the block that got one pass

  COALESCE_HOST_DEVICE bool is_any() const { return spent > 0; }
};

}  // namespace coalesce::j2k
