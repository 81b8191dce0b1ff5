// SPDX-License-Identifier: LGPL-2.1-or-later
// Where rate allocation cuts one block. Shared by the CPU and the CUDA kernels.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hull.h"

namespace coalesce::j2k {

// About what a header grows by: more of a block that is in the layer, or a block more.
constexpr std::uint64_t kMoreOfBlock = 1, kAnotherBlock = 3;

// The steepest step comes first, of equals that of the first block. Never 0.
COALESCE_HOST_DEVICE std::uint64_t fill_key(int slope, std::size_t block) {
  return static_cast<std::uint64_t>(slope) << 32 | (0xFFFFFFFF - block);
}
COALESCE_HOST_DEVICE std::size_t block_of_key(std::uint64_t key) {
  return 0xFFFFFFFF - (key & 0xFFFFFFFF);
}

// What became of a block that was to get a step more.
struct FilledBlock {
  int passes;           // that it has now
  std::uint64_t bytes;  // that it was given
  std::uint64_t spent;  // these, and what its header may need for them
  bool may_go_on;       // the step was had in full
};

class HulledBlock {
 public:
  COALESCE_HOST_DEVICE HulledBlock(const RateBlock &block, const HullStep *steps, int num_steps)
      : block_(block), steps_(steps), num_steps_(num_steps) {}

  COALESCE_HOST_DEVICE std::uint32_t length(int passes) const {
    return passes == 0 ? 0 : block_.passes[passes - 1].length;
  }

  // Are there passes behind the end of the hull?
  COALESCE_HOST_DEVICE bool has_more() const {
    return (num_steps_ == 0 ? 0 : steps_[num_steps_ - 1].passes) != block_.num_passes;
  }

  // With steps from this slope on; -1: all passes.
  COALESCE_HOST_DEVICE int passes_at(int slope) const {
    if (slope < 0) return block_.num_passes;
    const int n = first_step([&](const HullStep &step) { return step.slope < slope; });
    return n == 0 ? 0 : steps_[n - 1].passes;
  }

  // The step that leads on from where the block is cut. At the end of the hull there is none, or if
  // `behind`, one of all passes behind it, if there are any.
  COALESCE_HOST_DEVICE HullStep next_step(int passes, bool behind) const {
    const int n = first_step([&](const HullStep &step) { return step.passes > passes; });
    if (n < num_steps_) return steps_[n];
    const int end = behind ? block_.num_passes : passes;
    return {0, length(end), 0, static_cast<std::uint8_t>(end)};
  }
  // 0 if there is none.
  COALESCE_HOST_DEVICE std::uint64_t next_key(int passes, bool behind, std::size_t block) const {
    const HullStep step = next_step(passes, behind);
    return step.passes == passes ? 0 : fill_key(step.slope, block);
  }

  // Bytes of the pass behind these.
  COALESCE_HOST_DEVICE std::uint32_t next_pass(int passes) const {
    return length(passes + 1) - length(passes);
  }
  // The order in which blocks get a single pass; 0 where that is too long for `room`. Blocks in the
  // layer come first: their packets' headers hardly grow by it, and may become a byte shorter (of
  // 4, 8 or 16 passes the length has a bit more without LBlock). Then the slope of the step that
  // the pass is part of; behind the end of the hull, 0.
  COALESCE_HOST_DEVICE std::uint64_t pass_key(int passes, int before, std::uint64_t room,
                                              std::size_t block) const {
    if (passes == block_.num_passes || next_pass(passes) > room + 1) return 0;
    const int slope = next_step(passes, true).slope;
    return fill_key(passes > before ? kMaxSlope + 1 + slope : slope, block);
  }

  // From `passes` on there is another step. If it does not fit, the block gets what fits of its
  // passes. before: the passes in the layer before.
  COALESCE_HOST_DEVICE FilledBlock fill(int passes, int before, std::uint64_t room,
                                        bool behind) const {
    const std::uint64_t header = passes == before ? kAnotherBlock : kMoreOfBlock;
    if (room < header) return {passes, 0, 0, false};
    const HullStep step = next_step(passes, behind);
    const bool whole = step.length - length(passes) + header <= room;
    const int reached = whole ? step.passes : best_inside(passes, step.passes, room - header);
    if (reached == passes) return {passes, 0, 0, false};
    const std::uint64_t bytes = length(reached) - length(passes);
    return {reached, bytes, bytes + header, whole};
  }

 private:
  // num_steps_ if there is none. What `holds` for one, it does for all behind it.
  template <class Holds>
  COALESCE_HOST_DEVICE int first_step(Holds holds) const {
    int low = 0, high = num_steps_;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (holds(steps_[middle]))
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  }

  // Behind which pass from `from` on, before `to`, the error is least, if there is room for so many
  // bytes.
  COALESCE_HOST_DEVICE int best_inside(int from, int to, std::uint64_t room) const {
    const std::uint64_t most = length(from) + room;
    Int128 gain = 0, best_gain = 0;
    int best = from;
    for (int i = from; i < to && length(i + 1) <= most; ++i) {
      gain += worth_of(block_, block_.passes[i]);
      if (gain <= best_gain) continue;
      best_gain = gain;
      best = i + 1;
    }
    return best;
  }

  const RateBlock &block_;
  const HullStep *steps_;
  int num_steps_;
};

}  // namespace coalesce::j2k
