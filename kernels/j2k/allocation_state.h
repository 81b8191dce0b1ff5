// SPDX-License-Identifier: LGPL-2.1-or-later
// The decisions of rate allocation, one at a time: what passes a layer is to have is guessed, what
// that costs is counted, and that leads to the next guess. The CPU and a CUDA kernel drive the same
// state; who counts is theirs.
#pragma once

#include <cstdint>

#include "../core/host_device.h"
#include "layer_target.h"
#include "rate_block.h"
#include "thresholds.h"

namespace coalesce::j2k {

// What the decisions are made from. Ranks go up to top(): if that is one more than those of the
// thresholds, it is all passes.
struct AllocationInput {
  using Kind = LayerTarget::Kind;

  const LayerTarget *targets;
  const std::uint32_t *shares;  // automatic_share() of each layer
  int layers;
  Ranks ranks;
  bool more;                // there are passes behind the ends of hulls
  std::uint64_t all_bytes;  // of all passes
  std::int64_t error;       // if nothing is decoded

  COALESCE_HOST_DEVICE const LayerTarget &last() const { return targets[layers - 1]; }
  COALESCE_HOST_DEVICE bool has_limit() const { return last().kind == Kind::bytes; }
  COALESCE_HOST_DEVICE int top() const { return ranks.count + (more ? 1 : 0); }
  // LayerResult::slope.
  COALESCE_HOST_DEVICE int slope(int rank) const {
    return rank > ranks.count ? -1 : ranks.at[rank].slope;
  }
  COALESCE_HOST_DEVICE int rank_of_bytes(std::uint64_t most) const {
    return all_bytes <= most ? top() : ranks.of_bytes(most);
  }
  // last_rank: of the last layer, or about.
  COALESCE_HOST_DEVICE int rank_of(int layer, int last_rank) const {
    const LayerTarget &target = targets[layer];
    if (target.kind == Kind::automatic) {
      const std::uint64_t all = last_rank > ranks.count ? all_bytes : ranks.at[last_rank].bytes;
      return rank_of_bytes(all * shares[layer] >> 16);
    }
    if (target.kind == Kind::error)
      return ranks.of_gain(
          error - static_cast<std::int64_t>(target.value < INT64_MAX ? target.value : INT64_MAX));
    return target.kind == Kind::slope ? ranks.of_slope(target.value) : top();
  }
};

// What is to be done with the passes of a layer.
struct AllocationStep {
  enum class Kind : std::uint8_t {
    take,      // each block gets what `slope` stands for, but not less than in the layer before
    fill,      // the layer is kept in mind; blocks get more, as long as there is `room`
    refill,    // the same from what was kept in mind on
    put_back,  // the layer is what was kept in mind
    done,
    too_few_bytes,  // for empty packets
    other_headers   // those of empty packets are not what they were
  };
  Kind kind;
  int layer;
  int slope;           // LayerResult::slope
  std::uint64_t room;  // bytes, of blocks and headers

  COALESCE_HOST_DEVICE bool is_end() const { return kind >= Kind::done; }
};

struct StepCost {
  std::uint64_t body;     // the layer's blocks; of fill and refill: what was added to them
  std::uint64_t headers;  // of the layer, if anybody counts them
  std::uint64_t spent;    // of `room`
};

class AllocationState {
 public:
  using Input = AllocationInput;
  using Kind = AllocationStep::Kind;

  // Until the step is an end: do it, and advance.
  COALESCE_HOST_DEVICE_CALL void start(const Input &in);
  COALESCE_HOST_DEVICE_CALL void advance(const Input &in, const StepCost &cost);
  COALESCE_HOST_DEVICE const AllocationStep &step() const { return step_; }

  // Of the last step that was done.
  COALESCE_HOST_DEVICE const LayerResult &result() const { return result_; }
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
    fill,
    filled
  };

  // A layer need not come closer to its limit than 1 / 256.
  COALESCE_HOST_DEVICE bool is_close(std::uint64_t limit) const {
    return total() <= limit && limit - total() <= limit / 256;
  }
  // Of layers up to this one.
  COALESCE_HOST_DEVICE std::uint64_t total() const {
    return headers_before_ + result_.headers + result_.body;
  }
  COALESCE_HOST_DEVICE void take(const Input &in, Goal goal, int layer, int rank) {
    goal_ = goal;
    taken_ = rank;
    step_ = {Kind::take, layer, in.slope(rank), 0};
  }

  COALESCE_HOST_DEVICE_CALL void fit(const Input &in, Goal goal, int layer, std::uint64_t limit,
                                     int lowest, int highest);
  COALESCE_HOST_DEVICE_CALL bool is_guessing(const Input &in);
  COALESCE_HOST_DEVICE_CALL bool guess(const Input &in);
  COALESCE_HOST_DEVICE_CALL void know_empty_layer(const Input &in);
  COALESCE_HOST_DEVICE_CALL void begin_layer(const Input &in, int layer);
  COALESCE_HOST_DEVICE_CALL void keep_limit(const Input &in);
  COALESCE_HOST_DEVICE_CALL void end_layer(const Input &in);
  COALESCE_HOST_DEVICE_CALL void end_last_layer(const Input &in);
  COALESCE_HOST_DEVICE_CALL void try_fill(const Input &in, Kind kind);
  COALESCE_HOST_DEVICE_CALL void know_fill(const Input &in, const StepCost &cost);
  COALESCE_HOST_DEVICE_CALL void finish(const Input &in);

  // The least for this layer: one more than in the layer before, if there is any left.
  COALESCE_HOST_DEVICE int next_rank() const {
    return rank_ + 1 < last_rank_ ? rank_ + 1 : last_rank_;
  }

  AllocationStep step_ = {Kind::take, 0, 0, 0};
  LayerResult result_ = {0, 0, 0};
  Goal goal_ = Goal::last;
  int steps_ = 0;
  int last_rank_ = 0;                 // about what the last layer gets
  std::uint64_t empty_ = 0;           // the headers of a layer with nothing in it
  int rank_ = 0;                      // of the layer before
  std::uint64_t headers_before_ = 0;  // of all layers before
  int taken_ = 0;                     // the rank of the last step to take
  // fit()'s: what is known to fit, and what not; headers as they were asked last.
  int fits_ = 0, fails_ = 0, guesses_ = 0;
  std::uint64_t limit_ = 0, headers_ = 0;
  // fill's.
  int fills_ = 0;
  std::uint64_t room_ = 0;
};

COALESCE_HOST_DEVICE_CALL void AllocationState::start(const Input &in) {
  if (in.has_limit()) return take(in, Goal::empty_layer, 0, 0);
  last_rank_ = in.rank_of(in.layers - 1, 0);
  begin_layer(in, 0);
}

COALESCE_HOST_DEVICE_CALL void AllocationState::advance(const Input &in, const StepCost &cost) {
  ++steps_;
  if (step_.kind == Kind::take) result_ = {cost.body, cost.headers, step_.slope};
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
    case Goal::fill:
      return know_fill(in, cost);
    case Goal::last:
    case Goal::filled:
      return finish(in);
  }
}

// Takes the highest rank with which layers up to this one keep to the limit, or one that comes
// close to it; `lowest` if none does.
COALESCE_HOST_DEVICE_CALL void AllocationState::fit(const Input &in, Goal goal, int layer,
                                                    std::uint64_t limit, int lowest, int highest) {
  goal_ = goal;
  step_.layer = layer;
  limit_ = limit;
  headers_ = empty_;
  fits_ = lowest;
  fails_ = highest + 1;
  guesses_ = 0;
  taken_ = -1;
  (void)guess(in);
}

// After a guess: is another one to be taken?
COALESCE_HOST_DEVICE_CALL bool AllocationState::is_guessing(const Input &in) {
  headers_ = result_.headers;
  (total() <= limit_ ? fits_ : fails_) = taken_;
  return !is_close(limit_) && guess(in);
}

// Headers change little from one rank to the next: those that were asked last make a good guess.
// False: what fits has been taken.
COALESCE_HOST_DEVICE_CALL bool AllocationState::guess(const Input &in) {
  constexpr int kGuesses = 4;
  int rank = fits_;
  if (fails_ - fits_ > 1) {
    const std::uint64_t spent = headers_before_ + headers_;
    rank = guesses_++ < kGuesses ? in.rank_of_bytes(limit_ > spent ? limit_ - spent : 0)
                                 : fits_ + (fails_ - fits_) / 2;
    if (rank <= fits_) rank = fits_ + 1;
    if (rank >= fails_) rank = fails_ - 1;
  } else if (taken_ == fits_) {
    return false;
  }
  take(in, goal_, step_.layer, rank);
  return true;
}

COALESCE_HOST_DEVICE_CALL void AllocationState::know_empty_layer(const Input &in) {
  empty_ = result_.headers;
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
COALESCE_HOST_DEVICE_CALL void AllocationState::begin_layer(const Input &in, int layer) {
  const int behind = in.layers - 1 - layer;
  const LayerTarget &target = in.targets[layer];
  const bool has_limit = target.kind == LayerTarget::Kind::bytes;
  if (behind == 0) {
    if (has_limit) return fit(in, Goal::last_fit, layer, target.value, rank_, in.top());
    return take(in, Goal::last, layer, rank_ > last_rank_ ? rank_ : last_rank_);
  }
  const int next = next_rank();
  const int highest = last_rank_ - behind > next ? last_rank_ - behind : next;
  if (has_limit) return fit(in, Goal::lower_fit, layer, target.value, rank_, highest);
  const int rank = in.rank_of(layer, last_rank_);
  take(in, Goal::lower, layer, rank < next ? next : rank > highest ? highest : rank);
}

COALESCE_HOST_DEVICE_CALL void AllocationState::keep_limit(const Input &in) {
  if (in.has_limit()) {
    const auto behind = static_cast<unsigned>(in.layers - 1 - step_.layer);
    const std::uint64_t limit = in.last().value - behind * empty_;
    if (total() > limit) return fit(in, Goal::keep_limit, step_.layer, limit, rank_, taken_ - 1);
  }
  end_layer(in);
}

COALESCE_HOST_DEVICE_CALL void AllocationState::end_layer(const Input &in) {
  rank_ = taken_;
  headers_before_ += result_.headers;
  begin_layer(in, step_.layer + 1);
}

// The rest of the limit is spent step by step.
COALESCE_HOST_DEVICE_CALL void AllocationState::end_last_layer(const Input &in) {
  const std::uint64_t limit = in.last().value;
  if (taken_ >= in.top() || total() > limit || is_close(limit)) return finish(in);
  goal_ = Goal::fill;
  room_ = limit - total();
  try_fill(in, Kind::fill);
}

COALESCE_HOST_DEVICE_CALL void AllocationState::try_fill(const Input &in, Kind kind) {
  constexpr int kTries = 6;
  const bool again = fills_++ < kTries && room_ > in.last().value / 256;
  if (!again && kind == Kind::fill) return finish(in);
  if (!again) goal_ = Goal::filled;
  step_.kind = again ? kind : Kind::put_back;
  step_.room = room_;
}

// Headers are only known afterwards: if they are too long, it is done again with room for as much
// less than was added.
COALESCE_HOST_DEVICE_CALL void AllocationState::know_fill(const Input &in, const StepCost &cost) {
  if (cost.body == 0) return finish(in);
  const std::uint64_t limit = in.last().value;
  const LayerResult good = result_;
  result_.body += cost.body;
  result_.headers = cost.headers;
  if (total() <= limit) {
    room_ = limit - total();
    return try_fill(in, Kind::fill);
  }
  const std::uint64_t over = total() - limit;
  result_ = good;
  room_ = cost.spent > over ? cost.spent - over : 0;
  try_fill(in, Kind::refill);
}

COALESCE_HOST_DEVICE_CALL void AllocationState::finish(const Input &in) {
  const bool kept = !in.has_limit() || total() <= in.last().value;
  step_.kind = kept ? Kind::done : Kind::other_headers;
}

}  // namespace coalesce::j2k
