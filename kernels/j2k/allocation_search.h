// SPDX-License-Identifier: LGPL-2.1-or-later
// What is known so far of a layer that is to come as near to its limit as it can: of the rank that
// it is cut at, and of what is then left. Shared by the CPU and the CUDA kernels.
#pragma once

#include <cstdint>

#include "allocation_block.h"
#include "allocation_input.h"

namespace coalesce::j2k {

// For the highest rank that fits.
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

// For the room that steps are to be given (AllocationStep::room), as what they make of headers is
// not known before: a guess is part of the room (HulledBlock::fill()). The first block of an empty
// packet takes more than that, up to a bit for each of its blocks.
class RoomSearch {
 public:
  COALESCE_HOST_DEVICE void start(std::uint64_t left) {
    nothing_ = 0;
    too_much_ = room_ = left;
  }
  // No step fitted. Where much is left, the guess may have been too high.
  COALESCE_HOST_DEVICE void know_nothing(bool much) {
    if (much && room_ == too_much_) too_much_ += kAnotherBlock;
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

}  // namespace coalesce::j2k
