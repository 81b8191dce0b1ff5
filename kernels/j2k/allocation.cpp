// SPDX-License-Identifier: LGPL-2.1-or-later
#include "allocation.h"

#include <algorithm>
#include <cmath>

namespace coalesce::j2k {
namespace {

// A layer need not come closer to its limit than 1 / 256.
constexpr bool is_close(std::uint64_t total, std::uint64_t limit) {
  return total <= limit && limit - total <= limit / 256;
}

// What an automatic layer has of the last one's bytes, times 2^16.
std::uint64_t automatic_share(int layer, int layers) {
  constexpr int kOctaves = 6;
  const double octaves = std::min(layers - 1, kOctaves);
  return static_cast<std::uint64_t>(
      std::floor(std::exp2(16 - octaves * (layers - 1 - layer) / (layers - 1)) + 0.5));
}

}  // namespace

RateAllocator::Memory::Memory(std::size_t blocks, std::size_t passes, int layers)
    : results_(static_cast<std::size_t>(layers)),
      num_blocks_(blocks),
      num_layers_(layers),
      num_steps_(passes),
      steps_(new HullStep[passes]),
      hulls_(blocks),
      table_(blocks * static_cast<std::size_t>(layers)),
      saved_(blocks) {
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
      hulls_[i].hull = convex_hull(blocks_[i], steps_of(i));
  });
  return true;
}

void RateAllocator::Memory::gather_thresholds() {
  thresholds_.clear();
  std::uint64_t error = 0;
  bool more = false;  // passes behind the end of a hull
  all_bytes_ = 0;
  for (std::size_t i = 0; i < num_blocks_; ++i) {
    const HullStep *steps = steps_of(i);
    const int count = hulls_[i].hull.steps, passes = blocks_[i].num_passes;
    thresholds_.add(steps, count);
    all_bytes_ += length(i, passes);
    error += static_cast<std::uint64_t>(hulls_[i].hull.error);
    more = more || (count == 0 ? 0 : steps[count - 1].passes) != passes;
  }
  thresholds_.gather();
  error_ = static_cast<std::int64_t>(error);
  top_ = thresholds_.count() + (more ? 1 : 0);
}

int RateAllocator::Memory::rank_of_bytes(std::uint64_t most) const {
  return all_bytes_ <= most ? top_ : thresholds_.of_bytes(most);
}

int RateAllocator::Memory::rank_of(const LayerTarget &target, int layer) const {
  switch (target.kind) {
    case LayerTarget::Kind::automatic:
      return rank_of_bytes(body_of(last_rank_) * automatic_share(layer, num_layers_) >> 16);
    case LayerTarget::Kind::error:
      return thresholds_.of_gain(
          error_ - static_cast<std::int64_t>(std::min<std::uint64_t>(target.value, INT64_MAX)));
    case LayerTarget::Kind::slope:
      return thresholds_.of_slope(target.value);
    case LayerTarget::Kind::bytes:
    case LayerTarget::Kind::everything:
      break;
  }
  return top_;
}

int RateAllocator::Memory::passes_of(std::size_t block, int rank) const {
  if (rank > thresholds_.count()) return blocks_[block].num_passes;
  const HullStep *steps = steps_of(block);
  const HullStep *end = std::partition_point(
      steps, steps + hulls_[block].hull.steps,
      [&](const HullStep &step) { return step.slope >= thresholds_.slope(rank); });
  return end == steps ? 0 : end[-1].passes;
}

void RateAllocator::Memory::take(int layer, int rank) {
  const std::uint8_t *before = layer > 0 ? row(layer - 1) : nullptr;
  std::uint8_t *now = row(layer);
  LayerResult &result = results_[static_cast<std::size_t>(layer)];
  result = {0, 0, rank > thresholds_.count() ? -1 : thresholds_.slope(rank)};
  for (std::size_t i = 0; i < num_blocks_; ++i) {
    const int passes = std::max<int>(passes_of(i, rank), before != nullptr ? before[i] : 0);
    now[i] = static_cast<std::uint8_t>(passes);
    result.body += length(i, passes);
  }
  if (headers_ != nullptr) result.headers = headers_->bytes(layer, table());
}

// Headers change little from one rank to the next: those that were asked last make a good guess.
int RateAllocator::Memory::fit(int layer, std::uint64_t limit, int lowest, int highest) {
  constexpr int kGuesses = 4;
  std::uint64_t headers = empty_;
  int fits = lowest, fails = highest + 1, taken = -1;
  for (int tries = 0; fails - fits > 1; ++tries) {
    const std::uint64_t spent = headers_before_ + headers;
    const int guess = tries < kGuesses ? rank_of_bytes(limit > spent ? limit - spent : 0)
                                       : fits + (fails - fits) / 2;
    taken = std::clamp(guess, fits + 1, fails - 1);
    take(layer, taken);
    headers = results_[static_cast<std::size_t>(layer)].headers;
    (total(layer) <= limit ? fits : fails) = taken;
    if (is_close(total(layer), limit)) break;
  }
  if (taken != fits) take(layer, fits);
  return fits;
}

// False: not even empty packets keep to the last layer's limit.
bool RateAllocator::Memory::find_last_rank() {
  rank_ = 0;
  headers_before_ = empty_ = 0;
  const LayerTarget &last = last_target();
  if (last.kind != LayerTarget::Kind::bytes) {
    last_rank_ = rank_of(last, num_layers_ - 1);
    return true;
  }
  take(0, 0);
  empty_ = results_[0].headers;
  if (empty_ * static_cast<std::uint64_t>(num_layers_) > last.value) return false;
  last_rank_ = top_;
  const auto others = static_cast<std::uint64_t>(num_layers_ - 1);
  if (others > 0) last_rank_ = fit(0, last.value - others * empty_, 0, top_);
  return true;
}

// Leaves a rank to each of the layers behind it, if there are enough.
void RateAllocator::Memory::lower_layer(int layer) {
  const LayerTarget &target = targets_[layer], &last = last_target();
  const int behind = num_layers_ - 1 - layer;
  const int next = std::min(rank_ + 1, last_rank_);
  const int highest = std::max(last_rank_ - behind, next);
  int rank;
  if (target.kind == LayerTarget::Kind::bytes) {
    rank = fit(layer, target.value, rank_, highest);
    if (rank < next) take(layer, rank = next);
  } else {
    take(layer, rank = std::clamp(rank_of(target, layer), next, highest));
  }
  if (last.kind == LayerTarget::Kind::bytes) {
    const std::uint64_t limit = last.value - static_cast<std::uint64_t>(behind) * empty_;
    if (total(layer) > limit) rank = fit(layer, limit, rank_, rank - 1);
  }
  rank_ = rank;
  headers_before_ += results_[static_cast<std::size_t>(layer)].headers;
}

void RateAllocator::Memory::last_layer() {
  const int layer = num_layers_ - 1;
  const LayerTarget &last = last_target();
  if (last.kind != LayerTarget::Kind::bytes) {
    take(layer, std::max(rank_, last_rank_));
    return;
  }
  const int rank = fit(layer, last.value, rank_, top_);
  if (rank < top_ && total(layer) <= last.value && !is_close(total(layer), last.value))
    fill(layer, last.value);
}

Status RateAllocator::Memory::run(const RateBlock *blocks, const LayerTarget *targets,
                                  PacketHeaders *headers, ThreadPool *pool) {
  blocks_ = blocks;
  targets_ = targets;
  headers_ = headers;
  if (last_target().kind == LayerTarget::Kind::automatic)
    return invalid_argument("j2k: the last layer cannot be automatic");
  for (int i = 0; i < num_layers_; ++i)
    if (targets[i].kind == LayerTarget::Kind::bytes && headers == nullptr)
      return invalid_argument("j2k: nobody knows the headers of a layer of so many bytes");
  if (!find_hulls(pool)) return invalid_argument("j2k: more passes than there is room for");
  gather_thresholds();
  if (!find_last_rank()) return invalid_argument("j2k: fewer bytes than empty packets take");
  for (int layer = 0; layer + 1 < num_layers_; ++layer)
    lower_layer(layer);
  last_layer();
  if (last_target().kind == LayerTarget::Kind::bytes &&
      total(num_layers_ - 1) > last_target().value)
    return invalid_argument("j2k: headers of empty packets are not what they were");
  return {};
}

}  // namespace coalesce::j2k
