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
  constexpr std::uint16_t kStep = L::kCount;
  Words best = load_lanes<Words>(costs), number = load_lanes<Words>(kLaneNumbers), at = number;
  for (int k = L::kCount; k < count; k += L::kCount) {
    number += kStep;
    const Words cost = load_lanes<Words>(costs + k);
    const auto better = cost <= best;
    best = better ? cost : best;
    at = better ? number : at;
  }
  const auto least = [](const auto &a, const auto &b) __attribute__((always_inline)) {
    return least_of(a, b);
  };
  const auto most = [](const auto &a, const auto &b) __attribute__((always_inline)) {
    return most_of(a, b);
  };
  const std::uint16_t first = combine_lanes<kBytes>(best, least);
  return combine_lanes<kBytes>(best == Words{} + first ? at : Words{}, most);
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
  return combine_lanes<kBytes>(
      all, [](const auto &a, const auto &b) __attribute__((always_inline)) { return a + b; });
}

// Costs of some pixels that follow each other, with none on either side of each.
struct CostBatch {
  static constexpr int kPixels = 16, kBeside = 32;
  alignas(64) std::uint16_t costs[kPixels][kMaxDisparities + 2 * kBeside];

  // Of so many candidates.
  explicit CostBatch(int count) {
    for (auto &of : costs) {
      std::fill_n(of, kBeside, static_cast<std::uint16_t>(kNoCost));
      std::fill_n(of + kBeside + count, kBeside, static_cast<std::uint16_t>(kNoCost));
    }
  }
  std::uint16_t *of(int x) { return costs[x % kPixels] + kBeside; }
  const std::uint16_t *of(int x) const { return costs[x % kPixels] + kBeside; }
};

// Pixels of a row, one after the other: to the left or to the right.
template <int kBytes, bool kLeftwards>
class RowWinners {
  using L = StereoLanes<kBytes>;
  using Words = typename L::Words;

 public:
  COALESCE_INLINE RowWinners(const StereoJob &job, const StereoCpuScratch &s, int y)
      : params_(job.params),
        width_(job.width),
        found_(job.found.row(y)),
        index_(s.index + static_cast<std::size_t>(y) * s.width) {
    if (!job.checks_right()) return;
    right_cost_ = s.right_cost + s.right_place(y);
    right_index_ = s.right_index + s.right_place(y);
  }

  // Its costs are in the batch; kNoCost: it is no candidate.
  COALESCE_INLINE void put(int x, const CostBatch &batch) const {
    put_left(x, batch.of(x));
    if (right_cost_ == nullptr) return;
    constexpr int kPixels = CostBatch::kPixels;
    const int first = x / kPixels * kPixels;
    if (kLeftwards && x == first) put_right(first, std::min(first + kPixels, width_), batch);
    if (!kLeftwards && (x == first + kPixels - 1 || x == width_ - 1))
      put_right(first, x + 1, batch);
  }

 private:
  COALESCE_INLINE void put_left(int x, const std::uint16_t *costs) const {
    const int count = params_.disparities;
    const int best = best_candidate<kBytes>(costs, count);
    const int cost = costs[best];
    if (cost == static_cast<int>(kNoCost) || !is_unique(costs, best, cost)) {
      index_[x] = static_cast<std::uint16_t>(kNoIndex);
      found_[x] = 0;
      return;
    }
    int offset = 0;
    if (params_.subpixel && best > 0 && best + 1 < count && costs[best - 1] != kNoCost)
      offset = subpixel_offset(costs[best + 1], cost, costs[best - 1]);
    index_[x] = static_cast<std::uint16_t>(best);
    found_[x] = static_cast<std::uint16_t>(
        stored_disparity(params_.min_disparity + count - 1 - best, offset));
  }

  // What pixels first to end - 1 cost for pixels of the right picture. Of equal costs those of the
  // smallest disparity count: those of the pixel further left.
  COALESCE_INLINE void put_right(int first, int end, const CostBatch &batch) const {
    first = std::max(first, params_.min_disparity);  // those before have no candidates
    const int count = params_.disparities, pixels = end - first;
    if (pixels <= 0) return;
    const std::ptrdiff_t place = first - params_.min_disparity - count + 1;
    const Words lane = load_lanes<Words>(kLaneNumbers);
    for (int at = 0; at < count + pixels - 1; at += L::kCount) {
      std::uint16_t *const right_cost = right_cost_ + place + at;
      std::uint16_t *const right_index = right_index_ + place + at;
      Words best = load_lanes<Words>(right_cost), index = load_lanes<Words>(right_index);
      const int from = std::max(at - count + 1, 0), to = std::min(at + L::kCount, pixels);
      for (int i = 0; i < to - from; ++i) {
        const int pixel = kLeftwards ? to - 1 - i : from + i;
        const Words cost = load_lanes<Words>(batch.of(first + pixel) + at - pixel);
        const auto better = kLeftwards ? cost <= best : cost < best;
        const auto candidate = static_cast<std::uint16_t>(at - pixel);
        index = better ? lane + candidate : index;
        best = least_of(best, cost);
      }
      store_lanes(right_cost, best), store_lanes(right_index, index);
    }
  }

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
  int width_;
  std::uint16_t *found_, *index_, *right_cost_ = nullptr, *right_index_ = nullptr;
};

}  // namespace coalesce
