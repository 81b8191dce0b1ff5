// SPDX-License-Identifier: LGPL-2.1-or-later
// The decisions of rate allocation, one at a time: what passes a layer is to have is guessed, what
// that costs is counted, and that leads to the next guess. The CPU and a CUDA kernel drive the same
// state; who counts is theirs.
#pragma once

#include <cstdint>

#include "allocation_block.h"
#include "allocation_input.h"
#include "allocation_rest.h"

namespace coalesce::j2k {

// What is known so far of the rank that a layer is to be cut at: for the highest one that fits.
class RankSearch {
 public:
  // fits is taken to; fails, which is above it, is taken not to.
  COALESCE_HOST_DEVICE void start(int fits, int fails) {
    fits_ = fits;
    fails_ = fails;
    guesses_ = 0;
  }
  COALESCE_HOST_DEVICE void know(const AllocationInput &in, int rank, bool fits, unsigned of) {
    if (fits)
      fits_ = rank;
    else
      fails_ = in.lowest_same(rank, of);
  }
  COALESCE_HOST_DEVICE int fits() const { return fits_; }
  COALESCE_HOST_DEVICE int guesses() const { return guesses_; }
  COALESCE_HOST_DEVICE bool is_open() const { return fails_ - fits_ > 1; }

  // While it is open: the next to try. bytes: of blocks, if headers stay what they were last. They
  // change little from one rank to the next, so that is a good guess.
  COALESCE_HOST_DEVICE int next(const AllocationInput &in, std::uint64_t bytes, unsigned of) {
    constexpr int kGuesses = 4;
    int rank = guesses_++ < kGuesses ? in.rank_of_bytes(bytes, of) : fits_ + (fails_ - fits_) / 2;
    if (rank <= fits_) rank = fits_ + 1;
    if (rank >= fails_) rank = fails_ - 1;
    return in.highest_same(rank, of);
  }

 private:
  int fits_ = 0, fails_ = 0, guesses_ = 0;
};

class PcrdSearch {
 public:
  using Input = AllocationInput;
  using Kind = PcrdStep::Kind;

  // Until the step is an end: do it, and advance.
  COALESCE_HOST_DEVICE_CALL void start(const Input &in);
  COALESCE_HOST_DEVICE_CALL void advance(const Input &in, const StepCost &cost);
  COALESCE_HOST_DEVICE const PcrdStep &step() const { return step_; }
  COALESCE_HOST_DEVICE int steps() const { return steps_; }  // that were done

 private:
  // What the step in hand is for; those up to last_fit are guesses of fit().
  enum class Goal : std::uint8_t {
    last_rank,   // about what the last layer will get
    lower_fit,   // a layer before the last has a limit of its own
    keep_limit,  // such a layer must leave something to those behind it
    last_fit,
    empty_layer,  // what it takes
    lower,        // a layer before the last, with one certain rank
    last,         // the last, too
    rest          // what is left of the last one's limit
  };

  static constexpr std::uint64_t kNoLimit = UINT64_MAX;

  // A layer need not come closer to its limit than 1 / 256. (With components that are cut again,
  // whose headers are known, the first guess may be that close, and a second one closer.)
  COALESCE_HOST_DEVICE bool is_close(const Input &in) const {
    const unsigned part = in.limits.count > 0 && rank_search_.guesses() == 1 ? 2048 : 256;
    return total() <= limit_ && limit_ - total() <= limit_ / part;
  }
  // Of the components in hand, in layers up to this one.
  COALESCE_HOST_DEVICE std::uint64_t total() const {
    return headers_before_ + now_.of(step_.components);
  }
  COALESCE_HOST_DEVICE std::uint64_t headers() const {
    return sum_of(now_.headers, step_.components);
  }
  COALESCE_HOST_DEVICE void take(const Input &in, Goal goal, int layer, int rank) {
    goal_ = goal;
    taken_ = rank;
    step_ = {Kind::take, layer, in.slope(rank), step_.components, 0, false, 0};
  }

  COALESCE_HOST_DEVICE_CALL void fit(const Input &in, Goal goal, int layer, std::uint64_t limit,
                                     int lowest, int highest);
  COALESCE_HOST_DEVICE_CALL bool is_guessing(const Input &in);
  COALESCE_HOST_DEVICE_CALL bool guess(const Input &in);
  COALESCE_HOST_DEVICE_CALL void know_empty_layer(const Input &in);
  COALESCE_HOST_DEVICE_CALL void begin_layer(const Input &in, int layer);
  COALESCE_HOST_DEVICE_CALL void keep_limit(const Input &in);
  COALESCE_HOST_DEVICE_CALL void end_layer(const Input &in);
  COALESCE_HOST_DEVICE_CALL void cut_last_layer(const Input &in, unsigned components,
                                                std::uint64_t limit);
  COALESCE_HOST_DEVICE_CALL void end_last_layer(const Input &in);
  COALESCE_HOST_DEVICE_CALL void know_step(const StepCost &cost);
  COALESCE_HOST_DEVICE_CALL void know_rest(const Input &in, const StepCost &cost);
  COALESCE_HOST_DEVICE_CALL void finish(const Input &in);
  COALESCE_HOST_DEVICE_CALL unsigned too_large(const Input &in) const;
  COALESCE_HOST_DEVICE_CALL void limit_components(const Input &in);

  // The least for this layer: one more than in the layer before, if there is any left.
  COALESCE_HOST_DEVICE int next_rank() const {
    return rank_ + 1 < last_rank_ ? rank_ + 1 : last_rank_;
  }

  PcrdStep step_ = {Kind::take, 0, 0, 0, 0, false, 0};  // its components are those in hand
  LayerBytes now_ = {};                                 // that step_.layer has
  Goal goal_ = Goal::last;
  int steps_ = 0;
  int last_rank_ = 0;                 // about what the last layer gets
  std::uint64_t empty_ = 0;           // the headers of a layer with nothing in it
  int rank_ = 0;                      // of the layer before
  std::uint64_t headers_before_ = 0;  // of all layers before
  int taken_ = 0;                     // the rank of the last step to take
  // Of the components in hand; and headers as fit() asked for them last.
  std::uint64_t limit_ = kNoLimit, headers_ = 0;
  RankSearch rank_search_;
  RestSearch rest_search_;
  // Sets of components: that have not come to limits of their own; and of the others, that are
  // still larger.
  unsigned free_ = 0, larger_ = 0;
};

COALESCE_HOST_DEVICE_CALL void PcrdSearch::start(const Input &in) {
  step_.components = free_ = in.components();
  if (in.has_limit()) return take(in, Goal::empty_layer, 0, 0);
  last_rank_ = in.rank_of(in.layers - 1, 0);
  begin_layer(in, 0);
}

COALESCE_HOST_DEVICE_CALL void PcrdSearch::advance(const Input &in, const StepCost &cost) {
  ++steps_;
  if (step_.kind == Kind::take) know_step(cost);
  if (goal_ <= Goal::last_fit && is_guessing(in)) return;
  switch (goal_) {
    case Goal::last_rank:
      last_rank_ = taken_;
      return begin_layer(in, 0);
    case Goal::lower_fit:
      if (taken_ < next_rank()) return take(in, Goal::lower, step_.layer, next_rank());
      return keep_limit(in);
    case Goal::keep_limit:
      return end_layer(in);
    case Goal::last_fit:
      return end_last_layer(in);
    case Goal::empty_layer:
      return know_empty_layer(in);
    case Goal::lower:
      return keep_limit(in);
    case Goal::rest:
      return know_rest(in, cost);
    case Goal::last:
      return finish(in);
  }
}

COALESCE_HOST_DEVICE_CALL void PcrdSearch::know_step(const StepCost &cost) {
  for (int c = 0; c < kMaxComponents; ++c) {
    if ((step_.components >> c & 1) == 0) continue;
    now_.body[c] = cost.bytes.body[c] + (step_.kind == Kind::take ? 0 : now_.body[c]);
    now_.headers[c] = cost.bytes.headers[c];
  }
}

// Takes the highest rank with which layers up to this one keep to the limit, or one that comes
// close to it; `lowest` if none does.
COALESCE_HOST_DEVICE_CALL void PcrdSearch::fit(const Input &in, Goal goal, int layer,
                                               std::uint64_t limit, int lowest, int highest) {
  goal_ = goal;
  step_.layer = layer;
  limit_ = limit;
  headers_ = in.layers > 1 ? empty_ : headers();
  rank_search_.start(in.highest_same(lowest, step_.components), highest + 1);
  taken_ = -1;
  (void)guess(in);
}

// After a guess: is another one to be taken?
COALESCE_HOST_DEVICE_CALL bool PcrdSearch::is_guessing(const Input &in) {
  headers_ = headers();
  rank_search_.know(in, taken_, total() <= limit_, step_.components);
  return !is_close(in) && guess(in);
}

// False: what fits has been taken.
COALESCE_HOST_DEVICE_CALL bool PcrdSearch::guess(const Input &in) {
  int rank = rank_search_.fits();
  if (rank_search_.is_open()) {
    const std::uint64_t spent = headers_before_ + headers_;
    rank = rank_search_.next(in, limit_ > spent ? limit_ - spent : 0, step_.components);
  } else if (taken_ == rank) {
    return false;
  }
  take(in, goal_, step_.layer, rank);
  return true;
}

COALESCE_HOST_DEVICE_CALL void PcrdSearch::know_empty_layer(const Input &in) {
  empty_ = headers();
  const std::uint64_t most = in.last().value;
  if (empty_ * static_cast<unsigned>(in.layers) > most) {
    step_.kind = Kind::too_few_bytes;
    return;
  }
  last_rank_ = in.top();
  const auto others = static_cast<unsigned>(in.layers - 1);
  if (others > 0)
    fit(in, Goal::last_rank, 0, most - others * empty_, 0, in.top());
  else
    begin_layer(in, 0);
}

// A lower layer leaves a rank to each of the layers behind it, if there are enough.
COALESCE_HOST_DEVICE_CALL void PcrdSearch::begin_layer(const Input &in, int layer) {
  const int behind = in.layers - 1 - layer;
  const LayerBudget &target = in.targets[layer];
  const bool has_limit = target.kind == LayerBudget::Kind::bytes;
  if (behind == 0) {
    step_.layer = layer;
    return cut_last_layer(in, in.components(), has_limit ? target.value : kNoLimit);
  }
  const int next = next_rank();
  const int highest = last_rank_ - behind > next ? last_rank_ - behind : next;
  if (has_limit) return fit(in, Goal::lower_fit, layer, target.value, rank_, highest);
  const int rank = in.rank_of(layer, last_rank_);
  take(in, Goal::lower, layer, rank < next ? next : rank > highest ? highest : rank);
}

COALESCE_HOST_DEVICE_CALL void PcrdSearch::keep_limit(const Input &in) {
  if (in.has_limit()) {
    const auto behind = static_cast<unsigned>(in.layers - 1 - step_.layer);
    const std::uint64_t limit = in.last().value - behind * empty_;
    if (total() > limit) return fit(in, Goal::keep_limit, step_.layer, limit, rank_, taken_ - 1);
  }
  end_layer(in);
}

COALESCE_HOST_DEVICE_CALL void PcrdSearch::end_layer(const Input &in) {
  rank_ = taken_;
  headers_before_ += headers();
  begin_layer(in, step_.layer + 1);
}

COALESCE_HOST_DEVICE_CALL void PcrdSearch::cut_last_layer(const Input &in, unsigned components,
                                                          std::uint64_t limit) {
  step_.components = components;
  limit_ = limit;
  if (limit != kNoLimit) return fit(in, Goal::last_fit, step_.layer, limit, rank_, in.top());
  take(in, Goal::last, step_.layer, rank_ > last_rank_ ? rank_ : last_rank_);
}

COALESCE_HOST_DEVICE_CALL void PcrdSearch::end_last_layer(const Input &in) {
  if (taken_ >= in.top() || total() > limit_ || is_close(in)) return finish(in);
  goal_ = Goal::rest;
  if (!rest_search_.start(in, limit_, total(), &step_)) finish(in);
}

COALESCE_HOST_DEVICE_CALL void PcrdSearch::know_rest(const Input &in, const StepCost &cost) {
  const LayerBytes good = now_;
  if (cost.is_any()) know_step(cost);
  const std::uint64_t all = total();
  if (all > limit_) now_ = good;
  if (!rest_search_.next(cost, all, &step_)) finish(in);
}

COALESCE_HOST_DEVICE_CALL void PcrdSearch::finish(const Input &in) {
  if (total() > limit_)
    step_.kind = Kind::other_headers;
  else
    limit_components(in);
}

// Of those that have come to no limit yet.
COALESCE_HOST_DEVICE_CALL unsigned PcrdSearch::too_large(const Input &in) const {
  unsigned result = 0;
  for (int c = 0; c < in.limits.count; ++c)
    if ((free_ >> c & 1) != 0 && now_.of(1u << c) > in.limits.bytes[c]) result |= 1u << c;
  return result;
}

// A component that has too many bytes is cut by itself, and if bytes are the target, those that are
// still free share what it leaves; which may be too many for one of them.
COALESCE_HOST_DEVICE_CALL void PcrdSearch::limit_components(const Input &in) {
  const bool are_free = step_.components == free_;
  if (are_free)
    larger_ = too_large(in);
  else
    larger_ &= ~step_.components;
  free_ &= ~larger_;
  for (int c = 0; c < in.limits.count; ++c)
    if ((larger_ >> c & 1) != 0) return cut_last_layer(in, 1u << c, in.limits.bytes[c]);
  if (are_free || free_ == 0 || !in.has_limit())
    step_.kind = Kind::done;
  else
    cut_last_layer(in, free_, in.last().value - now_.of(~free_));
}

}  // namespace coalesce::j2k
