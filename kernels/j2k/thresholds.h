// SPDX-License-Identifier: LGPL-2.1-or-later
// All slopes that occur in a picture, the steepest first, and what they cost and give.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hull.h"

namespace coalesce::j2k {

// A rank n stands for the n steepest slopes: 0 for nothing, count() for all steps of all hulls.
class Thresholds {
 public:
  Thresholds();  // allocates, for good
  void clear();  // for the next picture
  void add(const HullStep *steps, int count);
  void gather();  // when all have come

  // From here on, of what gather() found.
  int count() const { return count_; }
  // Steps from this slope on are included.
  int slope(int rank) const { return ranks_[static_cast<std::size_t>(rank)].slope; }
  std::uint64_t bytes(int rank) const { return ranks_[static_cast<std::size_t>(rank)].bytes; }
  std::int64_t gain(int rank) const { return ranks_[static_cast<std::size_t>(rank)].gain; }

  // The highest rank with at most so many bytes; the lowest that gains so much, or count(); the
  // highest with a slope of at least that.
  int of_bytes(std::uint64_t most) const;
  int of_gain(std::int64_t least) const;
  int of_slope(std::uint64_t least) const;

 private:
  struct Rank {
    std::uint64_t bytes;
    std::int64_t gain;
    int slope;
  };
  // The lowest of 0 to count() for which `enough` holds, if it does from one on; else count().
  template <class Enough>
  int first(Enough enough) const;

  std::vector<Rank> ranks_;  // count_ + 1
  int count_ = 0;
  std::vector<std::uint64_t> bytes_, gain_;  // by slope
};

}  // namespace coalesce::j2k
