// SPDX-License-Identifier: LGPL-2.1-or-later
// Where the results of a level go: to the coefficients, quantised, and LL to the next level.
#pragma once

#include <cstdint>

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
  BandStep step[kMaxComponents][kMaxBands];

  __device__ __forceinline__ const BandStep &step_of(int component, int level, int band) const {
    return step[component][band == 0 ? 0 : 3 * (levels - level) + band];
  }
};

// A lane's share of the bands, of kParts components of the same size.
template <class W, int kParts>
class BandRows {
 public:
  using T = typename W::Sample;

  // x, y: of the level's samples; pair: the lane's first one of columns.
  __device__ __forceinline__ BandRows(const TransformArgs &args, const TransformTile *tile,
                                      int component, int level, Interval x, Interval y, int pair)
      : args_(args), component_(component), level_(level), pitch_(tile[0].pitch) {
    const Interval low_x = low_half(x), high_x = high_half(x), low_y = low_half(y);
    const int left = pair - low_x.first, right = low_x.size() + pair - high_x.first;
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
    if (lane > 0 && lane < kWarp - 1) {
      low_ = share(low_x, pair, left);
      high_ = share(high_x, pair, right);
      next_share_ = share(low_x, pair, 0);
    }
    const bool idle = low_ == 0 && high_ == 0;
    whole_ = __all_sync(0xffffffffu, idle || (low_ == kAll && high_ == kAll));
    to_high_ = right - left;
    low_row_ = low_y.first;
    high_row_ = high_half(y).first - low_y.size();
    next_pitch_ = static_cast<unsigned>(low_pitch(low_x));
#pragma unroll
    for (int p = 0; p < kParts; ++p) {
      out_[p] = args.coefficients + tile[p].plane + left;
      next_[p] =
          static_cast<T *>(args.scratch) + low_place(tile[p], level) + pair - low_column(low_x);
    }
  }

  // Rows that are low-pass (even rows) or high-pass down, number k; v: low-pass and high-pass
  // across, by turns.
  __device__ __forceinline__ void put(int k, bool high, const T (&v)[kParts][kLaneColumns]) const {
    const std::size_t row = static_cast<unsigned>(k - (high ? high_row_ : low_row_));
    if (!whole_)
      put_row<false>(row, high, v);
    else if (low_ != 0)
      put_row<true>(row, high, v);
  }

 private:
  // Which of two coefficients a lane writes: the first, the second; both at once, where they lie
  // so.
  static constexpr unsigned kFirst = 1, kSecond = 2, kTogether = 4;
  static constexpr unsigned kAll = kFirst | kSecond | kTogether;

  static __device__ __forceinline__ unsigned share(Interval band, int pair, int column) {
    const unsigned mine =
        (band.contains(pair) ? kFirst : 0) | (band.contains(pair + 1) ? kSecond : 0);
    return mine == (kFirst | kSecond) && column % 2 == 0 ? kAll : mine;
  }

  template <bool kWhole>
  __device__ __forceinline__ void put_row(std::size_t row, bool high,
                                          const T (&v)[kParts][kLaneColumns]) const {
    if (!high && level_ < args_.levels) {
#pragma unroll
      for (int p = 0; p < kParts; ++p)
        store<kWhole>(next_[p] + row * next_pitch_, next_share_, v[p][0], v[p][2]);
    } else {
#pragma unroll
      for (int p = 0; p < kParts; ++p)
        quantise<kWhole>(out_[p] + row * pitch_, p, high ? 2 : 0, low_, v[p][0], v[p][2]);
    }
#pragma unroll
    for (int p = 0; p < kParts; ++p)
      quantise<kWhole>(out_[p] + row * pitch_ + to_high_, p, high ? 3 : 1, high_, v[p][1], v[p][3]);
  }

  template <bool kWhole>
  __device__ __forceinline__ void quantise(std::int32_t *to, int part, int band, unsigned mine,
                                           T first, T second) const {
    const BandStep &step = args_.step_of(component_ + part, level_, band);
    store<kWhole>(to, mine, W::coefficient(first, step.factor, step.limit),
                  W::coefficient(second, step.factor, step.limit));
  }

  template <bool kWhole, class V>
  static __device__ __forceinline__ void store(V *to, unsigned mine, V first, V second) {
    struct alignas(2 * sizeof(V)) Two {
      V first, second;
    };
    if (kWhole || (mine & kTogether) != 0) {
      *reinterpret_cast<Two *>(to) = {first, second};
    } else {
      if ((mine & kFirst) != 0) to[0] = first;
      if ((mine & kSecond) != 0) to[1] = second;
    }
  }

  const TransformArgs &args_;
  int component_, level_;
  unsigned pitch_, next_pitch_;
  unsigned low_ = 0, high_ = 0;  // the lane's share of the bands that are so across
  unsigned next_share_ = 0;      // of LL in scratch memory
  bool whole_;                   // every lane of the warp writes all it could, or nothing
  int to_high_;                  // from a coefficient on the left to that on the right
  int low_row_, high_row_;       // numbers of rows less their places in the plane
  std::int32_t *out_[kParts];
  T *next_[kParts];
};

}  // namespace coalesce::j2k
