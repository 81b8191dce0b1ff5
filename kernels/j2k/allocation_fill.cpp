// SPDX-License-Identifier: LGPL-2.1-or-later
// What is left of a limit when the next threshold is too much. It matters to small pictures.
#include <algorithm>

#include "allocation.h"

namespace coalesce::j2k {
namespace {

// About what a header grows by: more of a block that is in the layer, or a block more.
constexpr std::uint64_t kMoreOfBlock = 1, kAnotherBlock = 3;

// The steepest step comes first, of equals that of the first block.
constexpr std::uint64_t heap_key(int slope, std::size_t block) {
  return static_cast<std::uint64_t>(slope) << 32 | (0xFFFFFFFF - block);
}
constexpr std::size_t block_of_key(std::uint64_t key) {
  return 0xFFFFFFFF - (key & 0xFFFFFFFF);
}

}  // namespace

// The step that leads on from where the block is cut in the layer; nullptr behind the last.
const HullStep *RateAllocator::Memory::next_step(int layer, std::size_t block) const {
  const HullStep *steps = steps_of(block);
  const HullStep *end = steps + hulls_[block].hull.steps;
  const int passes = row(layer)[block];
  const HullStep *step =
      std::partition_point(steps, end, [&](const HullStep &s) { return s.passes <= passes; });
  return step == end ? nullptr : step;
}

// Behind which pass from `from` on, before `to`, the error is least, if there is room for so many
// bytes.
int RateAllocator::Memory::best_inside(std::size_t block, int from, int to,
                                       std::uint64_t room) const {
  const std::uint64_t most = length(block, from) + room;
  Int128 gain = 0, best_gain = 0;
  int best = from;
  for (int i = from; i < to && length(block, i + 1) <= most; ++i) {
    gain += worth_of(blocks_[block], blocks_[block].passes[i]);
    if (gain <= best_gain) continue;
    best_gain = gain;
    best = i + 1;
  }
  return best;
}

// Steps in the order of their slopes, as far as they fit. Where one does not, the block gets what
// fits of its passes, and is done. Returns what it took them to need.
std::uint64_t RateAllocator::Memory::add_steps(int layer, std::uint64_t most) {
  std::uint64_t room = most;
  std::uint8_t *now = row(layer);
  const std::uint8_t *before = layer > 0 ? row(layer - 1) : nullptr;
  heap_.clear();
  for (std::size_t i = 0; i < num_blocks_; ++i)
    if (const HullStep *step = next_step(layer, i)) heap_.push_back(heap_key(step->slope, i));
  std::make_heap(heap_.begin(), heap_.end());
  while (!heap_.empty() && room > kMoreOfBlock) {
    std::pop_heap(heap_.begin(), heap_.end());
    const std::size_t block = block_of_key(heap_.back());
    heap_.pop_back();
    const int passes = now[block];
    const std::uint64_t header =
        passes == (before != nullptr ? before[block] : 0) ? kAnotherBlock : kMoreOfBlock;
    if (room < header) continue;
    const HullStep *step = next_step(layer, block);
    const bool whole = step->length - length(block, passes) + header <= room;
    const int reached =
        whole ? step->passes : best_inside(block, passes, step->passes, room - header);
    if (reached == passes) continue;
    const std::uint32_t bytes = length(block, reached) - length(block, passes);
    now[block] = static_cast<std::uint8_t>(reached);
    results_[static_cast<std::size_t>(layer)].body += bytes;
    room -= bytes + header;
    if (!whole) continue;
    if (const HullStep *next = next_step(layer, block)) {
      heap_.push_back(heap_key(next->slope, block));
      std::push_heap(heap_.begin(), heap_.end());
    }
  }
  return most - room;
}

// Headers are only known afterwards: if they are too long, it is done again with room for as much
// less than was added.
void RateAllocator::Memory::fill(int layer, std::uint64_t limit) {
  constexpr int kTries = 6;
  LayerResult &result = results_[static_cast<std::size_t>(layer)];
  std::uint64_t room = limit - total(layer);
  for (int tries = 0; tries < kTries && room > limit / 256; ++tries) {
    const LayerResult good = result;
    std::copy_n(row(layer), num_blocks_, saved_.begin());
    const std::uint64_t added = add_steps(layer, room);
    if (result.body == good.body) return;
    result.headers = headers_->bytes(layer, table());
    if (total(layer) <= limit) {
      room = limit - total(layer);
      continue;
    }
    const std::uint64_t over = total(layer) - limit;
    std::copy_n(saved_.begin(), num_blocks_, row(layer));
    result = good;
    room = added - std::min(added, over);
  }
}

}  // namespace coalesce::j2k
