// SPDX-License-Identifier: LGPL-2.1-or-later
// What is known so far of the rank that a layer is to be cut at. Shared by the CPU and the CUDA
// kernels.
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

}  // namespace coalesce::j2k
