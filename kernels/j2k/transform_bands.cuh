// SPDX-License-Identifier: LGPL-2.1-or-later
// Where the results of a level go: to the coefficients, quantised, and LL to the next level.
#pragma once

#include <cstdint>

#include "roi_sample.h"
#include "transform_lift.cuh"
#include "transform_plan.h"

namespace coalesce::j2k {

// What a launch is told.
struct TransformArgs {
  const TransformTile *tiles;  // of each tile, the components
  std::int32_t *coefficients;
  void *scratch;
  int components, levels;
  int level;         // the first, of a launch that does several
  int first, parts;  // of the components: which one a warp begins with, how many it does at once
  int runs;          // and how many times so many there are in a tile
  int row_pairs;     // of a strip
  unsigned blocks;   // for each of a tile's runs
  bool roi;
  int roi_shift[kMaxComponents];
  BandStep step[kMaxComponents][kMaxBands];
};

// A lane's share of the bands, of kParts components of the same size.
template <class W, int kParts>
class BandRows {
 public:
  using T = typename W::Sample;

  // x, y: of the level's samples; pair: the lane's first one of columns.
  __device__ __forceinline__ BandRows(const TransformArgs &args, const TransformTile *tile,
                                      int component, int level, Interval x, Interval y, int pair)
      : args_(args), tile_(tile), component_(component), level_(level), x_(x), y_(y), pair_(pair) {
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
    if (lane > 0 && lane < kWarp - 1) {
      low_mine_ = which(low_half(x_));
      high_mine_ = which(high_half(x_));
    }
#pragma unroll
    for (int p = 0; p < kParts; ++p) {
      plane_[p] = args.coefficients + tile[p].plane;
      low_[p] = static_cast<T *>(args.scratch) + low_place(tile[p], level);
    }
  }

  // Rows that are low-pass (even rows) or high-pass down, number k; v: low-pass and high-pass
  // across, by turns.
  __device__ __forceinline__ void put(int k, bool high, const T (&v)[kParts][kLaneColumns]) const {
    const Interval low_x = low_half(x_), low_y = low_half(y_);
    const int row = high ? low_y.size() + k - high_half(y_).first : k - low_y.first;
    const int left = pair_ - low_x.first, right = low_x.size() + pair_ - high_half(x_).first;
    const unsigned roi_low = args_.roi ? inside(k, high, false) : 0;
    const unsigned roi_high = args_.roi ? inside(k, high, true) : 0;
#pragma unroll
    for (int p = 0; p < kParts; ++p) {
      std::int32_t *to = plane_[p] + static_cast<std::size_t>(row) * tile_[0].pitch;
      if (!high && level_ < args_.levels)
        store(
            low_[p] + static_cast<std::size_t>(row) * low_pitch(low_x) + pair_ - low_column(low_x),
            low_mine_, v[p][0], v[p][2]);
      else
        quantise(to + left, p, high ? 2 : 0, low_mine_, roi_low, v[p][0], v[p][2]);
      quantise(to + right, p, high ? 3 : 1, high_mine_, roi_high, v[p][1], v[p][3]);
    }
  }

  // Samples, if there are no levels.
  __device__ __forceinline__ void put_samples(int row, const T (&v)[kParts][kLaneColumns]) const {
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
    if (lane == 0 || lane == kWarp - 1) return;
    const Interval roi_x = tile_[0].roi_x, roi_y = tile_[0].roi_y;
#pragma unroll
    for (int p = 0; p < kParts; ++p)
#pragma unroll
      for (int i = 0; i < kLaneColumns; ++i) {
        const int x = kLanePairs * pair_ + i;
        if (!x_.contains(x)) continue;
        const bool inside = roi_x.contains(x) && roi_y.contains(y_.first + row);
        plane_[p][static_cast<std::size_t>(row) * tile_[0].pitch + x - x_.first] =
            coefficient(v[p][i], p, 0, inside);
      }
  }

 private:
  __device__ __forceinline__ unsigned which(Interval band) const {
    return (band.contains(pair_) ? 1u : 0u) | (band.contains(pair_ + 1) ? 2u : 0u);
  }

  __device__ __forceinline__ unsigned inside(int k, bool high_down, bool high_across) const {
    if (tile_[0].roi_x.empty() || tile_[0].roi_y.empty()) return 0;
    const int reach = low_pass_reach(W::kWavelet);
    const Interval down = reaching_into(tile_[0].roi_y, high_down, level_, reach);
    return down.contains(k) ? which(reaching_into(tile_[0].roi_x, high_across, level_, reach)) : 0;
  }

  __device__ __forceinline__ std::int32_t coefficient(T v, int part, int band, bool inside) const {
    const int index = band == 0 ? 0 : 3 * (args_.levels - level_) + band;
    const BandStep &step = args_.step[component_ + part][index];
    const std::int32_t c = W::coefficient(v, step.factor, step.limit);
    if (!args_.roi) return c;
    const int shift = inside ? args_.roi_shift[component_ + part] : 0;
    return without_fraction(c, W::kFractionBits) * (std::int32_t{1} << shift);
  }

  __device__ __forceinline__ void quantise(std::int32_t *to, int part, int band, unsigned mine,
                                           unsigned roi, T first, T second) const {
    store(to, mine, coefficient(first, part, band, (roi & 1) != 0),
          coefficient(second, part, band, (roi & 2) != 0));
  }

  template <class V>
  static __device__ __forceinline__ void store(V *to, unsigned mine, V first, V second) {
    struct alignas(2 * sizeof(V)) Two {
      V first, second;
    };
    if (mine == 3 && reinterpret_cast<std::uintptr_t>(to) % sizeof(Two) == 0) {
      *reinterpret_cast<Two *>(to) = {first, second};
    } else {
      if ((mine & 1) != 0) to[0] = first;
      if ((mine & 2) != 0) to[1] = second;
    }
  }

  const TransformArgs &args_;
  const TransformTile *tile_;
  int component_, level_;
  Interval x_, y_;
  int pair_;
  unsigned low_mine_ = 0, high_mine_ = 0;
  std::int32_t *plane_[kParts];
  T *low_[kParts];
};

}  // namespace coalesce::j2k
