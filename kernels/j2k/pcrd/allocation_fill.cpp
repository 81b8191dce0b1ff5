// SPDX-License-Identifier: LGPL-2.1-or-later
// What is left of a limit when the next threshold is too much. It matters to small pictures.
#include <algorithm>

#include "allocation.h"

namespace coalesce::j2k {

// Steps in the order of their slopes, as far as they fit. Where one does not, the block gets what
// fits of its passes, and is done.
StepCost RateAllocator::Memory::fill(const PcrdStep &step) {
  std::uint8_t *now = row(step.layer);
  if (step.kind == PcrdStep::Kind::fill)
    std::copy_n(now, num_blocks_, saved_.begin());
  else
    std::copy_n(saved_.begin(), num_blocks_, now);
  StepCost cost = {};
  if (step.kind == PcrdStep::Kind::put_back) return cost;
  const std::uint8_t *before = step.layer > 0 ? row(step.layer - 1) : nullptr;
  heap_.clear();
  for (std::size_t i = 0; i < num_blocks_; ++i) {
    if (!step.is_for(blocks_[i])) continue;
    if (const std::uint64_t key = hulled(i).next_key(now[i], step.behind, i)) heap_.push_back(key);
  }
  std::make_heap(heap_.begin(), heap_.end());
  while (!heap_.empty() && step.room - cost.spent > kMoreOfBlock) {
    std::pop_heap(heap_.begin(), heap_.end());
    const std::size_t i = block_of_key(heap_.back());
    heap_.pop_back();
    const HulledBlock block = hulled(i);
    const FilledBlock filled =
        block.fill(now[i], before != nullptr ? before[i] : 0, step.room - cost.spent, step.behind);
    now[i] = static_cast<std::uint8_t>(filled.passes);
    cost.bytes.body[blocks_[i].component] += filled.bytes;
    cost.spent += filled.spent;
    const std::uint64_t key = filled.may_go_on ? block.next_key(now[i], step.behind, i) : 0;
    if (key == 0) continue;
    heap_.push_back(key);
    std::push_heap(heap_.begin(), heap_.end());
  }
  return cost;
}

// The keys are found anew each time: counting the headers takes longer.
StepCost RateAllocator::Memory::add_pass(const PcrdStep &step) {
  std::uint8_t *now = row(step.layer);
  if (step.kind != PcrdStep::Kind::one_more) --now[block_of_key(step.key)];
  StepCost cost = {};
  if (step.kind == PcrdStep::Kind::give_back) return cost;
  const std::uint8_t *before = step.layer > 0 ? row(step.layer - 1) : nullptr;
  for (std::size_t i = 0; i < num_blocks_; ++i) {
    if (!step.is_for(blocks_[i])) continue;
    const std::uint64_t key =
        hulled(i).pass_key(now[i], before != nullptr ? before[i] : 0, step.room, i);
    if (key < step.key) cost.key = std::max(cost.key, key);
  }
  if (cost.key == 0) return cost;
  const std::size_t i = block_of_key(cost.key);
  const std::uint64_t bytes = hulled(i).next_pass(now[i]);
  ++now[i];
  cost.bytes.body[blocks_[i].component] = bytes;
  cost.spent = bytes + kMoreOfBlock;
  return cost;
}

}  // namespace coalesce::j2k
