// SPDX-License-Identifier: LGPL-2.1-or-later
// Rate allocation on a CUDA stream: RateControl's tables, from the passes of a frame, all in device
// memory. See docs/jpeg2000.md.
// Everything is enqueued; nothing allocates or waits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../core/status.h"
#include "../device/device_frame.h"
#include "../tier2/packets_cuda.h"
#include "pcrd_search.h"

namespace coalesce::j2k {

// Of a format: RateTables.
struct RateFormat {
  const RateBlock *blocks;  // all but what Tier-1 finds
  const LayerBudget *targets;
  const std::uint32_t *shares;
  ComponentLimits limits;
  int components;  // RateBlock::component is below
  int layers;
  bool wants_bytes, wants_errors;  // any of targets and limits
};

// What the host wants to know.
struct RateReport {
  PcrdStep::Kind step;  // an end, or the allocation goes on
  int turns;            // that were needed
};

// Of a frame. Turn n finds the state that the turn before has left in state[n % 2], what that cost
// in cost[(n + 2) % 3], and adds up its own cost in cost[n % 3].
struct RateProgress {
  RateReport report;
  std::uint64_t all_bytes[kMaxComponents], error, fine_error;  // AllocationInput's
  std::uint32_t more;
  int ranks;
  PcrdSearch state[2];
  StepCost cost[3];
  HeadersAsked asked;
};

// Sums by slope: gains, and behind them the bytes of each component.
constexpr std::size_t kSlopes = kMaxSlope + 1;
constexpr std::size_t slope_sums(int components) {
  return kSlopes * (1 + static_cast<std::size_t>(components));
}

struct RateScratch {
  RateProgress *progress;
  std::uint64_t *sums;
  SlopeRank *ranks;  // kMaxSlope + 2
  // Of each block; the steps are where its passes are in DeviceFrame.
  RateBlock *blocks;
  HullStep *steps;
  HullCorner *corners;  // the first of each block, the second of each, and so on
  std::uint8_t *num_steps;
  std::uint8_t *saved;  // the layer that is kept in mind
  std::uint64_t *keys;  // fill_key() of the step that could be next; 0: there is none
};

struct RateJob {
  RateFormat format;
  RateScratch scratch;
  DeviceFrame frame;
  const std::uint32_t *errors;  // final_errors_cuda()'s, if the targets want them
  PacketJob packets;
  std::uint8_t *layers;  // the result; the packets' input
};

// Without targets. Every layer gets all passes, so the first has them: passes of layer l, block b
// at l * blocks + b.
Status fill_layers_cuda(const DeviceFrame &frame, int layers, std::uint8_t *passes, void *stream);

// final_error() of each block.
Status final_errors_cuda(const DeviceFrame &frame, std::uint32_t *errors, void *stream);

// Hulls, and the ranks of their slopes.
Status find_hulls_cuda(const RateJob &job, void *stream);

// Turns first to end - 1 of the allocation, those before having been enqueued, and the report.
// Turns behind the end of the allocation do nothing. If it has not come to its end, the layers that
// are missing are as the last one known: packets can be made of them, but should not be sent.
Status allocate_cuda(const RateJob &job, int first, int end, void *stream);

}  // namespace coalesce::j2k
