// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k_rate_serial.h"

#include <algorithm>

#include "../tier2/j2k_packets_serial.h"
#include "j2k/pcrd/pcrd_step.h"

namespace coalesce::test {
namespace {

using namespace j2k;

void fill(const RateJob &job, const PcrdStep &step, StepCost *cost) {
  const auto blocks = static_cast<std::size_t>(job.frame.blocks);
  for (std::size_t i = 0; i < blocks; ++i)
    save_block(job, step, i);
  if (step.kind == PcrdStep::Kind::put_back) return;
  const std::uint64_t *keys = job.scratch.keys;
  while (step.room - cost->spent > kMoreOfBlock) {
    const std::uint64_t key = *std::max_element(keys, keys + blocks);
    if (key == 0) return;
    const FilledBlock filled = fill_block(job, step, block_of_key(key), step.room - cost->spent);
    cost->bytes.body[job.format.blocks[block_of_key(key)].component] += filled.bytes;
    cost->spent += filled.spent;
  }
}

void add_pass(const RateJob &job, const PcrdStep &step, StepCost *cost) {
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(job.frame.blocks); ++i)
    key = std::max(key, pass_key(job, step, i));
  if (key != 0) add_pass(job, step, key, cost);
}

void take(const RateJob &job, const PcrdStep &step, StepCost *cost) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(job.frame.blocks); ++i)
    if (const RateBlock &block = job.format.blocks[i]; step.is_for(block))
      cost->bytes.body[block.component] += take_block(job, step, i);
}

void take_turn(const RateJob &job, int turn) {
  const PcrdSearch state = next_state(job, turn);
  const PcrdStep step = state.step();
  keep_state(job, state, turn);
  RateProgress &progress = *job.scratch.progress;
  StepCost *cost = &progress.cost[turn % 3];
  if (step.kind == PcrdStep::Kind::take)
    take(job, step, cost);
  else if (step.is_of_one_pass())
    add_pass(job, step, cost);
  else if (!step.is_end())
    fill(job, step, cost);
  if (job.format.wants_bytes && progress.asked.layer >= 0)
    count_headers_serial(job.packets.format, job.packets.scratch, job.packets.input, progress.asked,
                         cost->bytes.headers);
}

}  // namespace

void find_hulls_serial(const RateJob &job) {
  RateProgress &progress = *job.scratch.progress;
  progress = {};
  std::fill_n(job.scratch.sums, slope_sums(job.format.components), std::uint64_t{0});
  for (std::size_t i = 0; i < static_cast<std::size_t>(job.frame.blocks); ++i) {
    const BlockTotals totals =
        find_hull(job, i, [](std::uint64_t *sum, std::uint64_t value) { *sum += value; });
    progress.all_bytes[totals.component] += totals.bytes;
    progress.error += totals.error;
    progress.fine_error += totals.fine_error;
    progress.more |= totals.more ? 1u : 0u;
  }
  SlopeRank all = {{}, 0, kMaxSlope + 1};
  job.scratch.ranks[0] = all;
  for (all.slope = kMaxSlope; all.slope >= 0; --all.slope) {
    const std::uint64_t *sums = job.scratch.sums + all.slope;
    std::uint64_t bytes = 0;
    for (int c = 0; c < job.format.components; ++c) {
      all.bytes[c] += sums[(1 + c) * kSlopes];
      bytes += sums[(1 + c) * kSlopes];
    }
    if (bytes == 0) continue;
    all.gain += static_cast<std::int64_t>(sums[0]);
    job.scratch.ranks[++progress.ranks] = all;
  }
}

void allocate_serial(const RateJob &job, int first, int end) {
  for (int turn = first; turn < end; ++turn)
    take_turn(job, turn);
  const PcrdSearch state = next_state(job, end);
  job.scratch.progress->report = {state.step().kind, state.steps()};
  if (state.step().kind == PcrdStep::Kind::done) return;
  for (int i = 0; i < job.frame.blocks; ++i)
    complete_block(job, end, static_cast<std::size_t>(i));
}

}  // namespace coalesce::test
