// SPDX-License-Identifier: LGPL-2.1-or-later
// All slopes that occur in a picture, the steepest first, and what they cost and give.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hull.h"
#include "rate_block.h"

namespace coalesce::j2k {

// All steps of this slope and of steeper ones.
struct SlopeRank {
  std::uint64_t bytes[kMaxComponents];
  std::int64_t gain;
  int slope;
};

// A rank n stands for the n steepest slopes: 0 for nothing, count for all steps of all hulls.
struct Ranks {
  const SlopeRank *at = nullptr;  // count + 1
  int count = 0;

  COALESCE_HOST_DEVICE std::uint64_t bytes(int rank, unsigned components) const {
    return sum_of(at[rank].bytes, components);
  }
  // The highest rank with at most so many bytes, and the lowest with at least as many; the lowest
  // that gains so much, or count; the highest with a slope of at least that.
  COALESCE_HOST_DEVICE int of_bytes(std::uint64_t most, unsigned components) const {
    const int n = first([&](int rank) { return bytes(rank, components) > most; });
    return bytes(n, components) > most ? n - 1 : n;
  }
  COALESCE_HOST_DEVICE int from_bytes(std::uint64_t least, unsigned components) const {
    return first([&](int rank) { return bytes(rank, components) >= least; });
  }
  COALESCE_HOST_DEVICE int of_gain(std::int64_t least) const {
    return first([&](int rank) { return at[rank].gain >= least; });
  }
  COALESCE_HOST_DEVICE int of_slope(std::uint64_t least) const {
    return first([&](int rank) {
      return rank == count || static_cast<std::uint64_t>(at[rank + 1].slope) < least;
    });
  }

 private:
  // The lowest of 0 to count for which `enough` holds, if it does from one on; else count.
  template <class Enough>
  COALESCE_HOST_DEVICE int first(Enough enough) const {
    int low = 0, high = count;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (enough(middle))
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  }
};

// What the steps of a slope cost and give; modulo 2^64.
struct SlopeSums {
  std::uint64_t bytes, gain;
};

// add(slope, sums) for each of a block's steps.
template <class Add>
COALESCE_HOST_DEVICE void add_steps_by_slope(const HullStep *steps, int count, Add add) {
  std::uint32_t length = 0;
  std::uint64_t gain = 0;
  for (int i = 0; i < count; ++i) {
    const auto gain_then = static_cast<std::uint64_t>(steps[i].gain);
    add(steps[i].slope, SlopeSums{steps[i].length - length, gain_then - gain});
    length = steps[i].length;
    gain = gain_then;
  }
}

class SlopeTable {
 public:
  explicit SlopeTable(int components);  // allocates, for good
  void clear();                         // for the next picture
  void add(int component, const HullStep *steps, int count);
  void gather();  // when all have come

  // Of what gather() found.
  Ranks ranks() const { return {ranks_.data(), count_}; }

 private:
  std::vector<SlopeRank> ranks_;  // count_ + 1
  int count_ = 0;
  std::vector<std::uint64_t> gains_;               // by slope
  std::vector<std::vector<std::uint64_t>> bytes_;  // of each component
};

}  // namespace coalesce::j2k
