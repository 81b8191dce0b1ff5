// SPDX-License-Identifier: LGPL-2.1-or-later
// The best candidate of a pixel, and of the right picture's pixels.
#pragma once

#include <algorithm>

#include "lanes.h"
#include "scratch.h"

namespace coalesce {

// Of equal costs that of the smallest disparity: the last one.
template <int kBytes>
COALESCE_INLINE int best_candidate(const std::uint16_t *costs, int count) {
  using L = StereoLanes<kBytes>;
  using Words = typename L::Words;
  Words best = load_lanes<Words>(costs), number, at;
  for (int i = 0; i < L::kCount; ++i)
    number[i] = static_cast<std::uint16_t>(i);
  at = number;
  for (int k = L::kCount; k < count; k += L::kCount) {
    number += static_cast<std::uint16_t>(L::kCount);
    const Words cost = load_lanes<Words>(costs + k);
    const auto better = cost <= best;
    best = better ? cost : best;
    at = better ? number : at;
  }
  std::uint32_t key = ~0u;
  for (int i = 0; i < L::kCount; ++i)
    key = std::min(key, std::uint32_t{best[i]} << 16 | (kNoIndex - at[i]));
  return static_cast<int>(kNoIndex - (key & 0xFFFF));
}

// How many costs are at most `limit`.
template <int kBytes>
COALESCE_INLINE int count_up_to(const std::uint16_t *costs, int count, int limit) {
  using L = StereoLanes<kBytes>;
  using Words = typename L::Words;
  Words all = {};
  for (int k = 0; k < count; k += L::kCount)
    all -=
        reinterpret_cast<Words>(load_lanes<Words>(costs + k) <= static_cast<std::uint16_t>(limit));
  int sum = 0;
  for (int i = 0; i < L::kCount; ++i)
    sum += all[i];
  return sum;
}

// Costs of pixel (x, y) that come to the right picture's pixels. Of equal costs those of the
// smallest disparity count: those of the pixel further left.
template <int kBytes, bool kLeftwards>
COALESCE_INLINE void put_right(const std::uint16_t *costs, int count, std::uint16_t *right_cost,
                               std::uint16_t *right_index) {
  using L = StereoLanes<kBytes>;
  using Words = typename L::Words;
  Words number;
  for (int i = 0; i < L::kCount; ++i)
    number[i] = static_cast<std::uint16_t>(i);
  for (int k = 0; k < count; k += L::kCount) {
    const Words cost = load_lanes<Words>(costs + k), best = load_lanes<Words>(right_cost + k);
    const Words at = load_lanes<Words>(right_index + k);
    const auto better = kLeftwards ? cost <= best : cost < best;
    store_lanes(right_cost + k, better ? cost : best);
    store_lanes(right_index + k, better ? number : at);
    number += static_cast<std::uint16_t>(L::kCount);
  }
}

// Pixels of a row, one after the other.
template <int kBytes, bool kLeftwards>
class RowWinners {
 public:
  COALESCE_INLINE RowWinners(const StereoJob &job, const StereoCpuScratch &s, int y)
      : params_(job.params),
        found_(job.found.row(y)),
        index_(s.index + static_cast<std::size_t>(y) * s.width),
        right_cost_(s.right_cost),
        right_index_(s.right_index),
        place_(s.right_place(0, y)) {}

  // costs: of candidates, of which a multiple of 16 is there. kNoCost: it is none.
  COALESCE_INLINE void put(int x, const std::uint16_t *costs) const {
    const int count = params_.disparities;
    const int best = best_candidate<kBytes>(costs, count);
    const int cost = costs[best];
    if (cost == static_cast<int>(kNoCost)) {
      put_unknown(x);
      return;
    }
    const auto place = [&](std::uint16_t *of) {
      return of + static_cast<std::ptrdiff_t>(place_) + x - params_.min_disparity - count + 1;
    };
    if (right_cost_ != nullptr && x >= params_.min_disparity)
      put_right<kBytes, kLeftwards>(costs, count, place(right_cost_), place(right_index_));
    if (!is_unique(costs, best, cost)) {
      put_unknown(x);
      return;
    }
    int offset = 0;
    if (params_.subpixel && best > 0 && best + 1 < count && costs[best - 1] != kNoCost)
      offset = subpixel_offset(costs[best + 1], cost, costs[best - 1]);
    index_[x] = static_cast<std::uint16_t>(best);
    found_[x] = static_cast<std::uint16_t>(
        stored_disparity(params_.min_disparity + count - 1 - best, offset));
  }
  COALESCE_INLINE void put_unknown(int x) const {
    index_[x] = static_cast<std::uint16_t>(kNoIndex);
    found_[x] = 0;
  }

 private:
  COALESCE_INLINE bool is_unique(const std::uint16_t *costs, int best, int cost) const {
    if (params_.uniqueness == 0) return true;
    const int count = params_.disparities;
    const int limit =
        std::min(uniqueness_limit(cost, params_.uniqueness), static_cast<int>(kNoCost) - 1);
    int others = count_up_to<kBytes>(costs, count, limit) - 1;
    if (best > 0) others -= costs[best - 1] <= limit;
    if (best + 1 < count) others -= costs[best + 1] <= limit;
    return others == 0;
  }

  const StereoParams &params_;
  std::uint16_t *found_, *index_, *right_cost_, *right_index_;
  std::size_t place_;
};

}  // namespace coalesce
