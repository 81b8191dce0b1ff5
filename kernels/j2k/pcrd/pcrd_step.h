// SPDX-License-Identifier: LGPL-2.1-or-later
// What the threads of rate allocation on a GPU do, each for itself. Shared with the tests, which do
// it one thread after the other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "allocation_block.h"
#include "pcrd_search.h"
#include "rate_cuda.h"

namespace coalesce::j2k {

// What a block adds to AllocationInput.
struct BlockTotals {
  int component;
  std::uint64_t bytes, error, fine_error;
  bool more;
};

// add(sum, value): as several threads can at once.
template <class Add>
COALESCE_HOST_DEVICE BlockTotals find_hull(const RateJob &job, std::size_t i, Add add) {
  const RateScratch &s = job.scratch;
  const std::size_t first = job.frame.plan[i].first_pass;
  RateBlock block = job.format.blocks[i];
  block.passes = job.frame.passes + first;
  block.num_passes = job.frame.coded[i].passes;
  block.final_error = job.format.wants_errors ? job.errors[i] : 0;
  block.rounding = job.format.targets[job.format.layers - 1].rounding;
  HullStep *steps = s.steps + first;
  const HullCorners corners = {s.corners + i, static_cast<std::size_t>(job.frame.blocks)};
  const Hull hull = convex_hull(block, corners, steps);
  s.blocks[i] = block;
  s.num_steps[i] = static_cast<std::uint8_t>(hull.steps);
  std::uint64_t *const gains = s.sums, *const bytes = gains + kSlopes * (1 + block.component);
  add_steps_by_slope(steps, hull.steps, [&](int slope, const SlopeSums &step) {
    add(gains + slope, step.gain);
    add(bytes + slope, step.bytes);
  });
  const HulledBlock hulled(block, steps, hull.steps);
  const auto error = static_cast<std::uint64_t>(hull.error);
  return {block.component, hulled.length(block.num_passes), error, block.is_fine ? error : 0,
          hulled.has_more()};
}

COALESCE_HOST_DEVICE HulledBlock hulled(const RateJob &job, std::size_t i) {
  const RateScratch &s = job.scratch;
  return {s.blocks[i], s.steps + job.frame.plan[i].first_pass, s.num_steps[i]};
}

// Passes of each block.
struct LayerRows {
  COALESCE_HOST_DEVICE LayerRows(const RateJob &job, int layer)
      : now(job.layers + static_cast<std::size_t>(layer) * static_cast<unsigned>(job.frame.blocks)),
        before_(layer > 0 ? now - job.frame.blocks : nullptr) {}
  COALESCE_HOST_DEVICE int before(std::size_t i) const {
    return before_ != nullptr ? before_[i] : 0;
  }

  std::uint8_t *now;

 private:
  const std::uint8_t *before_;
};

COALESCE_HOST_DEVICE AllocationInput input_of(const RateJob &job) {
  const RateProgress &p = *job.scratch.progress;
  AllocationInput in = {job.format.targets,
                        job.format.shares,
                        job.format.layers,
                        job.frame.blocks,
                        job.format.limits,
                        {job.scratch.ranks, p.ranks},
                        p.more != 0,
                        {},
                        static_cast<std::int64_t>(p.error),
                        static_cast<std::int64_t>(p.fine_error)};
  for (int c = 0; c < kMaxComponents; ++c)
    in.all_bytes[c] = p.all_bytes[c];
  return in;
}

// What comes behind the turns before this one.
COALESCE_HOST_DEVICE PcrdSearch next_state(const RateJob &job, int turn) {
  const RateProgress &p = *job.scratch.progress;
  PcrdSearch state = p.state[turn % 2];
  if (turn == 0)
    state.start(input_of(job));
  else if (!state.step().is_end())
    state.advance(input_of(job), p.cost[(turn + 2) % 3]);
  return state;
}

// For the next turn, and for the headers' count in this one.
COALESCE_HOST_DEVICE void keep_state(const RateJob &job, const PcrdSearch &state, int turn) {
  RateProgress &p = *job.scratch.progress;
  p.state[(turn + 1) % 2] = state;
  p.cost[(turn + 1) % 3] = {};
  const PcrdStep &step = state.step();
  p.asked = {step.is_counted() ? step.layer : -1, step.components};
}

// PcrdStep::Kind::take, of one of its components. Returns the bytes that the block then has.
COALESCE_HOST_DEVICE std::uint64_t take_block(const RateJob &job, const PcrdStep &step,
                                              std::size_t i) {
  const HulledBlock block = hulled(job, i);
  const LayerRows rows(job, step.layer);
  const int before = rows.before(i);
  int passes = block.passes_at(step.slope);
  if (passes < before) passes = before;
  rows.now[i] = static_cast<std::uint8_t>(passes);
  return block.length(passes);
}

// Before blocks get more of what is left.
COALESCE_HOST_DEVICE void save_block(const RateJob &job, const PcrdStep &step, std::size_t i) {
  std::uint8_t &now = LayerRows(job, step.layer).now[i], &saved = job.scratch.saved[i];
  if (step.kind == PcrdStep::Kind::fill)
    saved = now;
  else
    now = saved;
  if (step.kind == PcrdStep::Kind::put_back) return;
  job.scratch.keys[i] =
      step.is_for(job.format.blocks[i]) ? hulled(job, i).next_key(now, step.behind, i) : 0;
}

// That with the greatest key.
COALESCE_HOST_DEVICE FilledBlock fill_block(const RateJob &job, const PcrdStep &step, std::size_t i,
                                            std::uint64_t room) {
  const HulledBlock block = hulled(job, i);
  const LayerRows rows(job, step.layer);
  const FilledBlock filled = block.fill(rows.now[i], rows.before(i), room, step.behind);
  rows.now[i] = static_cast<std::uint8_t>(filled.passes);
  job.scratch.keys[i] = filled.may_go_on ? block.next_key(filled.passes, step.behind, i) : 0;
  return filled;
}

// PcrdStep::Kind::one_more, another: the key of a block that may be the one; else 0.
COALESCE_HOST_DEVICE std::uint64_t pass_key(const RateJob &job, const PcrdStep &step,
                                            std::size_t i) {
  const LayerRows rows(job, step.layer);
  if (step.kind != PcrdStep::Kind::one_more && block_of_key(step.key) == i) --rows.now[i];
  if (step.kind == PcrdStep::Kind::give_back || !step.is_for(job.format.blocks[i])) return 0;
  const std::uint64_t key = hulled(job, i).pass_key(rows.now[i], rows.before(i), step.room, i);
  return key < step.key ? key : 0;
}

// The one with the greatest key gets its pass.
COALESCE_HOST_DEVICE void add_pass(const RateJob &job, const PcrdStep &step, std::uint64_t key,
                                   StepCost *cost) {
  const std::size_t i = block_of_key(key);
  std::uint8_t &now = LayerRows(job, step.layer).now[i];
  const std::uint64_t bytes = hulled(job, i).next_pass(now);
  ++now;
  cost->bytes.body[job.format.blocks[i].component] = bytes;
  cost->spent = bytes + kMoreOfBlock;
  cost->key = key;
}

// The layers of which nothing is known yet are as the last one that is known before this turn.
COALESCE_HOST_DEVICE void complete_block(const RateJob &job, int turn, std::size_t i) {
  const int known = job.scratch.progress->state[turn % 2].step().layer;
  const std::uint8_t passes = LayerRows(job, known).now[i];
  for (int layer = known + 1; layer < job.format.layers; ++layer)
    LayerRows(job, layer).now[i] = passes;
}

}  // namespace coalesce::j2k
