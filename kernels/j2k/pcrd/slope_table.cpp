// SPDX-License-Identifier: LGPL-2.1-or-later
#include "slope_table.h"

#include <algorithm>

namespace coalesce::j2k {

SlopeTable::SlopeTable(int components)
    : ranks_(kMaxSlope + 2),
      gains_(kMaxSlope + 1),
      bytes_(static_cast<std::size_t>(components), gains_) {}

void SlopeTable::clear() {
  std::fill(gains_.begin(), gains_.end(), std::uint64_t{0});
  for (std::vector<std::uint64_t> &bytes : bytes_)
    std::fill(bytes.begin(), bytes.end(), std::uint64_t{0});
}

void SlopeTable::add(int component, const HullStep *steps, int count) {
  std::vector<std::uint64_t> &bytes = bytes_[static_cast<std::size_t>(component)];
  add_steps_by_slope(steps, count, [&](int slope, const SlopeSums &step) {
    bytes[static_cast<std::size_t>(slope)] += step.bytes;
    gains_[static_cast<std::size_t>(slope)] += step.gain;
  });
}

void SlopeTable::gather() {
  count_ = 0;
  SlopeRank all = {{}, 0, kMaxSlope + 1};
  ranks_[0] = all;
  for (all.slope = kMaxSlope; all.slope >= 0; --all.slope) {
    const auto slope = static_cast<std::size_t>(all.slope);
    std::uint64_t bytes = 0;
    for (std::size_t c = 0; c < bytes_.size(); ++c) {
      all.bytes[c] += bytes_[c][slope];
      bytes += bytes_[c][slope];
    }
    if (bytes == 0) continue;  // each step has bytes
    all.gain = static_cast<std::int64_t>(static_cast<std::uint64_t>(all.gain) + gains_[slope]);
    ranks_[static_cast<std::size_t>(++count_)] = all;
  }
}

}  // namespace coalesce::j2k
