// SPDX-License-Identifier: LGPL-2.1-or-later
#include "allocation.h"

#include <algorithm>
#include <cmath>

namespace coalesce::j2k {

std::vector<std::uint32_t> automatic_shares(int layers) {
  constexpr int kOctaves = 6;
  std::vector<std::uint32_t> shares;
  const double octaves = std::min(layers - 1, kOctaves);
  for (int layer = 0; layer + 1 < layers; ++layer)
    shares.push_back(static_cast<std::uint32_t>(
        std::floor(std::exp2(16 - octaves * (layers - 1 - layer) / (layers - 1)) + 0.5)));
  shares.push_back(1 << 16);
  return shares;
}

Status status_of(PcrdStep::Kind end) {
  if (end == PcrdStep::Kind::too_few_bytes)
    return invalid_argument("j2k: fewer bytes than empty packets require");
  if (end == PcrdStep::Kind::other_headers)
    return invalid_argument("j2k: headers of empty packets are not what they were");
  return {};
}

RateAllocator::Memory::Memory(std::size_t blocks, std::size_t passes, int layers,
                              ComponentLimits limits)
    : num_blocks_(blocks),
      num_layers_(layers),
      num_steps_(passes),
      steps_(new HullStep[passes]),
      hulls_(blocks),
      table_(blocks * static_cast<std::size_t>(layers)),
      saved_(blocks),
      shares_(automatic_shares(layers)),
      limits_(limits.bytes, limits.bytes + limits.count),
      thresholds_(std::max(limits.count, 1)) {
  heap_.reserve(blocks);
}

bool RateAllocator::Memory::find_hulls(ThreadPool *pool) {
  std::size_t passes = 0;
  for (std::size_t i = 0; i < num_blocks_; ++i) {
    hulls_[i].first_step = passes;
    passes += static_cast<std::size_t>(blocks_[i].num_passes);
  }
  if (passes > num_steps_) return false;
  constexpr int kGrain = 64;
  for_ranges(pool, static_cast<int>(num_blocks_), kGrain, [&](int first, int last) {
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i)
      hulls_[i].hull = convex_hull(blocks_[i], steps_.get() + hulls_[i].first_step);
  });
  return true;
}

void RateAllocator::Memory::gather_thresholds() {
  thresholds_.clear();
  std::uint64_t error = 0, fine_error = 0;
  std::fill_n(input_.all_bytes, kMaxComponents, std::uint64_t{0});
  input_.more = false;
  for (std::size_t i = 0; i < num_blocks_; ++i) {
    const HulledBlock block = hulled(i);
    const int component = blocks_[i].component;
    thresholds_.add(component, steps_.get() + hulls_[i].first_step, hulls_[i].hull.steps);
    input_.all_bytes[component] += block.length(blocks_[i].num_passes);
    error += static_cast<std::uint64_t>(hulls_[i].hull.error);
    if (blocks_[i].is_fine) fine_error += static_cast<std::uint64_t>(hulls_[i].hull.error);
    input_.more = input_.more || block.has_more();
  }
  thresholds_.gather();
  input_.error = static_cast<std::int64_t>(error);
  input_.fine_error = static_cast<std::int64_t>(fine_error);
  input_.ranks = thresholds_.ranks();
}

StepCost RateAllocator::Memory::take(const PcrdStep &step) {
  std::uint8_t *now = row(step.layer);
  const std::uint8_t *before = step.layer > 0 ? row(step.layer - 1) : nullptr;
  StepCost cost = {};
  for (std::size_t i = 0; i < num_blocks_; ++i) {
    if (!step.is_for(blocks_[i])) continue;
    const HulledBlock block = hulled(i);
    const int passes =
        std::max<int>(block.passes_at(step.slope), before != nullptr ? before[i] : 0);
    now[i] = static_cast<std::uint8_t>(passes);
    cost.bytes.body[blocks_[i].component] += block.length(passes);
  }
  return cost;
}

StepCost RateAllocator::Memory::done(const PcrdStep &step) {
  const bool taken = step.kind == PcrdStep::Kind::take;
  StepCost cost = taken ? take(step) : step.is_of_one_pass() ? add_pass(step) : fill(step);
  if (headers_ != nullptr && (taken || cost.is_any()))
    headers_->count(step.layer, step.components, table(), cost.bytes.headers);
  return cost;
}

Status RateAllocator::Memory::check(const LayerBudget *targets) const {
  if (targets[num_layers_ - 1].kind == LayerBudget::Kind::automatic)
    return invalid_argument("j2k: the last layer cannot be automatic");
  bool counts = !limits_.empty();
  for (int i = 0; i < num_layers_; ++i)
    counts = counts || targets[i].kind == LayerBudget::Kind::bytes;
  if (counts && headers_ == nullptr)
    return invalid_argument("j2k: nobody knows the headers of a layer of so many bytes");
  return {};
}

Status RateAllocator::Memory::run(const RateBlock *blocks, const LayerBudget *targets,
                                  PacketHeaders *headers, ThreadPool *pool) {
  blocks_ = blocks;
  headers_ = headers;
  if (Status s = check(targets); !s.ok()) return s;
  if (!find_hulls(pool)) return invalid_argument("j2k: more passes than there is room for");
  input_.targets = targets;
  input_.shares = shares_.data();
  input_.layers = num_layers_;
  input_.blocks = static_cast<int>(num_blocks_);
  input_.limits = {limits_.data(), static_cast<int>(limits_.size())};
  gather_thresholds();
  PcrdSearch state;
  state.start(input_);
  while (!state.step().is_end())
    state.advance(input_, done(state.step()));
  return status_of(state.step().kind);
}

// What is left of a limit when the next threshold is too much; it matters to small pictures. Steps
// in the order of their slopes, as far as they fit. Where one does not, the block gets what
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
