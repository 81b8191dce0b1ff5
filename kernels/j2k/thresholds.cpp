// SPDX-License-Identifier: LGPL-2.1-or-later
#include "thresholds.h"

#include <algorithm>

namespace coalesce::j2k {

Thresholds::Thresholds() : ranks_(kMaxSlope + 2), bytes_(kMaxSlope + 1), gain_(kMaxSlope + 1) {}

void Thresholds::clear() {
  std::fill(bytes_.begin(), bytes_.end(), 0);
  std::fill(gain_.begin(), gain_.end(), 0);
}

void Thresholds::add(const HullStep *steps, int count) {
  std::uint32_t length = 0;
  std::int64_t gain = 0;
  for (int i = 0; i < count; ++i) {
    const HullStep &step = steps[i];
    bytes_[step.slope] += step.length - length;
    gain_[step.slope] += static_cast<std::uint64_t>(step.gain) - static_cast<std::uint64_t>(gain);
    length = step.length;
    gain = step.gain;
  }
}

void Thresholds::gather() {
  count_ = 0;
  ranks_[0] = {0, 0, kMaxSlope + 1};
  std::uint64_t bytes = 0, gain = 0;
  for (int slope = kMaxSlope; slope >= 0; --slope) {
    const auto i = static_cast<std::size_t>(slope);
    if (bytes_[i] == 0) continue;  // each step has bytes
    bytes += bytes_[i];
    gain += gain_[i];
    ranks_[static_cast<std::size_t>(++count_)] = {bytes, static_cast<std::int64_t>(gain), slope};
  }
}

template <class Enough>
int Thresholds::first(Enough enough) const {
  int low = 0, high = count_;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (enough(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

int Thresholds::of_bytes(std::uint64_t most) const {
  const int n = first([&](int rank) { return bytes(rank) >= most; });
  return bytes(n) > most ? n - 1 : n;
}

int Thresholds::of_gain(std::int64_t least) const {
  return first([&](int rank) { return gain(rank) >= least; });
}

int Thresholds::of_slope(std::uint64_t least) const {
  return first([&](int rank) {
    return rank == count_ || static_cast<std::uint64_t>(slope(rank + 1)) < least;
  });
}

}  // namespace coalesce::j2k
