// SPDX-License-Identifier: LGPL-2.1-or-later
#include "thresholds.h"

#include <algorithm>

namespace coalesce::j2k {

Thresholds::Thresholds() : ranks_(kMaxSlope + 2), sums_(kMaxSlope + 1) {}

void Thresholds::clear() {
  std::fill(sums_.begin(), sums_.end(), SlopeSums{0, 0});
}

void Thresholds::add(const HullStep *steps, int count) {
  add_steps_by_slope(steps, count, [&](int slope, const SlopeSums &step) {
    SlopeSums &sums = sums_[static_cast<std::size_t>(slope)];
    sums.bytes += step.bytes;
    sums.gain += step.gain;
  });
}

void Thresholds::gather() {
  count_ = 0;
  ranks_[0] = {0, 0, kMaxSlope + 1};
  SlopeSums all = {0, 0};
  for (int slope = kMaxSlope; slope >= 0; --slope) {
    const SlopeSums &sums = sums_[static_cast<std::size_t>(slope)];
    if (sums.bytes == 0) continue;  // each step has bytes
    all.bytes += sums.bytes;
    all.gain += sums.gain;
    ranks_[static_cast<std::size_t>(++count_)] = {all.bytes, static_cast<std::int64_t>(all.gain),
                                                  slope};
  }
}

}  // namespace coalesce::j2k
