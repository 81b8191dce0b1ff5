// SPDX-License-Identifier: LGPL-2.1-or-later
// How that is spent which the last layer's rank leaves of its limit: in steps first, and where
// these leave much, pass by pass. Shared by the CPU and the CUDA kernels.
#pragma once

#include <cstdint>

#include "allocation_block.h"
#include "allocation_input.h"

namespace coalesce::j2k {

// For the room that steps are to be given (PcrdStep::room), as what they make of headers is
// not known before: a guess is part of the room (HulledBlock::fill()). The first block of an empty
// packet takes more than that, up to a bit for each of its blocks.
class RoomSearch {
 public:
  COALESCE_HOST_DEVICE void start(std::uint64_t left) {
    nothing_ = 0;
    too_much_ = room_ = left;
  }
  // No step fitted.
  COALESCE_HOST_DEVICE void know_nothing() {
    nothing_ = room_;
    room_ = middle();
  }
  // So much was spent of the room, and so much too much.
  COALESCE_HOST_DEVICE void know_over(std::uint64_t spent, std::uint64_t over) {
    too_much_ = room_;
    const std::uint64_t less = spent > over ? spent - over : 0;
    room_ = less > middle() ? less : middle();
  }
  COALESCE_HOST_DEVICE std::uint64_t room() const { return room_; }
  // After either of these two: is there another one to try?
  COALESCE_HOST_DEVICE bool is_open() const { return room_ < too_much_; }

 private:
  COALESCE_HOST_DEVICE std::uint64_t middle() const { return (nothing_ + too_much_ + 1) / 2; }

  // With which no step fits; with which they came to too much, or would; and the next to try.
  std::uint64_t nothing_ = 0, too_much_ = 0, room_ = 0;
};

class RestSearch {
 public:
  using Kind = PcrdStep::Kind;

  // total: that is spent of the limit. There must be passes left. False: nothing is to be tried.
  // Else *step is to be done; and so on with next().
  COALESCE_HOST_DEVICE bool start(const AllocationInput &in, std::uint64_t limit,
                                  std::uint64_t total, PcrdStep *step) {
    limit_ = limit;
    left_ = limit - total;
    passes_ = kMostCounted / in.blocks;
    return start_fills(false, step);
  }
  // total: with what the step added, which is not kept if that is above the limit.
  COALESCE_HOST_DEVICE bool next(const StepCost &cost, std::uint64_t total, PcrdStep *step) {
    const bool fits = total <= limit_;
    if (fits) left_ = limit_ - total;
    switch (step->kind) {
      case Kind::one_more:
      case Kind::another:
        return know_pass(cost, fits, step);
      case Kind::give_back:
        return false;
      case Kind::put_back:
        return end_fills(step);
      default:
        break;
    }
    if (!cost.is_any()) {
      room_.know_nothing();
      return room_.is_open() ? fill(Kind::refill, step) : end_fills(step);
    }
    if (fits)
      room_.start(left_);
    else
      room_.know_over(cost.spent, total - limit_);
    return fill(fits ? Kind::fill : Kind::refill, step);
  }

 private:
  COALESCE_HOST_DEVICE bool start_fills(bool behind, PcrdStep *step) {
    step->behind = behind;
    fills_ = 0;
    room_.start(left_);
    return fill(Kind::fill, step);
  }
  COALESCE_HOST_DEVICE bool end_fills(PcrdStep *step) {
    if (step->behind || !is_much()) return start_passes(step);
    return start_fills(true, step);
  }
  // Headers are only known afterwards: if they are too long, it is done again with less room.
  COALESCE_HOST_DEVICE bool fill(Kind kind, PcrdStep *step) {
    constexpr int kTries = 6;
    const bool again =
        fills_++ < kTries && left_ > limit_ / 256 && (kind == Kind::fill || room_.is_open());
    if (!again && kind == Kind::fill) return end_fills(step);
    step->kind = again ? kind : Kind::put_back;
    step->room = room_.room();
    return true;
  }

  COALESCE_HOST_DEVICE bool start_passes(PcrdStep *step) {
    fitted_ = false;
    return pass(Kind::one_more, kFirstKey, step);
  }
  // Else 98 % are spent.
  COALESCE_HOST_DEVICE bool is_much() const { return left_ > limit_ / 50; }
  COALESCE_HOST_DEVICE bool pass(Kind kind, std::uint64_t key, PcrdStep *step) {
    step->kind = kind;
    step->room = left_;
    step->key = key;
    return is_much();
  }
  // A pass that did not fit may do so when others have made its packet's header longer anyway: only
  // behind a round in which none has fitted, none does.
  COALESCE_HOST_DEVICE bool know_pass(const StepCost &cost, bool fits, PcrdStep *step) {
    if (!cost.is_any()) return fitted_ && start_passes(step);
    fitted_ = fitted_ || fits;
    if (--passes_ > 0) return pass(fits ? Kind::one_more : Kind::another, cost.key, step);
    return !fits && pass(Kind::give_back, cost.key, step);
  }

  // For each pass that is tried, the headers of all blocks are counted. If there are more blocks
  // than can be tried, what is left is a few bytes of a limit that has room for nothing.
  static constexpr int kMostCounted = 1 << 22;
  static constexpr std::uint64_t kFirstKey = UINT64_MAX;

  std::uint64_t limit_ = 0, left_ = 0;
  RoomSearch room_;
  int fills_ = 0, passes_ = 0;  // that were tried; that may still be tried
  bool fitted_ = false;         // a pass, in this round of all blocks
};

}  // namespace coalesce::j2k
