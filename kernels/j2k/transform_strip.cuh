// SPDX-License-Identifier: LGPL-2.1-or-later
// A warp at a strip: it goes down the rows, and what the lifting steps need of the rows before
// stays in registers. Results go across the lanes and from there to their bands, so each level
// reads and writes a sample once (but for some rows and columns that strips share).
#pragma once

#include "transform_bands.cuh"
#include "transform_source.cuh"

namespace coalesce::j2k {

template <class W, class Source>
class Strip {
 public:
  using T = typename W::Sample;
  static constexpr int kParts = Source::kParts;
  using Values = T[kParts][kLaneColumns];

  __device__ __forceinline__ Strip(const Source &source, const BandRows<W, kParts> &bands,
                                   Interval x, Interval y)
      : source_(source), bands_(bands), x_(x), y_(y) {}

  // Pairs of rows.
  __device__ __forceinline__ void run(Interval pairs) {
    if (y_.size() == 1) return run_single();
    const int end = pairs.end + W::kDelay;
    int n = pairs.first - W::kWarmUp;
    source_.values(fetch(2 * n), even_);
    typename Source::Row odd = fetch(2 * n + 1), next = fetch(2 * n + 2);
    for (; n < end; ++n) {
      Values low, high;
      source_.values(odd, low);
      source_.values(next, high);
      if (n + 1 < end) {
        odd = fetch(2 * n + 3);
        next = fetch(2 * n + 4);
      }
      down(low, high);
      const int k = n - W::kDelay;
      if (k < pairs.first) continue;
      if (y_.contains(2 * k)) across(k, false, low);
      if (y_.contains(2 * k + 1)) across(k, true, high);
    }
  }

  // No levels.
  __device__ __forceinline__ void run_samples(Interval pairs) {
    for (int y = max(2 * pairs.first, y_.first); y < min(2 * pairs.end, y_.end); ++y) {
      Values v;
      source_.values(fetch(y), v);
      bands_.put_samples(y - y_.first, v);
    }
  }

 private:
  // Mirrored, at any distance.
  __device__ __forceinline__ typename Source::Row fetch(int y) const {
    return source_.fetch(border_position(Border::reflect_101, y - y_.first, y_.size()));
  }

  // An odd and the next even row become a low-pass and a high-pass one.
  __device__ __forceinline__ void down(Values &odd, Values &next) {
#pragma unroll
    for (int p = 0; p < kParts; ++p)
#pragma unroll
      for (int i = 0; i < kLaneColumns; ++i) {
        T low, high;
        W::down(even_[p][i], odd[p][i], next[p][i], state_[p][i], low, high);
        even_[p][i] = next[p][i];
        odd[p][i] = low;
        next[p][i] = high;
      }
  }

  __device__ __forceinline__ void across(int k, bool high, Values &v) const {
#pragma unroll
    for (int p = 0; p < kParts; ++p) {
      if (x_.size() == 1) {  // F.4.6, as below
        v[p][1] = 2 * v[p][1];
        v[p][3] = 2 * v[p][3];
      } else {
        W::across(v[p]);
      }
    }
    bands_.put(k, high, v);
  }

  // F.4.6: a single row is low-pass as it is, or high-pass and doubled.
  __device__ __forceinline__ void run_single() const {
    const bool odd = y_.first % 2 != 0;
    Values v;
    source_.values(fetch(y_.first), v);
#pragma unroll
    for (int p = 0; p < kParts; ++p)
#pragma unroll
      for (int i = 0; i < kLaneColumns; ++i)
        v[p][i] = odd ? 2 * v[p][i] : v[p][i];
    across(y_.first / 2, odd, v);
  }

  Source source_;
  BandRows<W, kParts> bands_;
  Interval x_, y_;
  T even_[kParts][kLaneColumns];
  typename W::State state_[kParts][kLaneColumns] = {};  // what comes of it first is not used
};

// A warp's part of a level of a tile-component.
struct StripPlace {
  Interval rows;  // pairs
  int column;     // the lane's first

  __device__ __forceinline__ StripPlace(Interval x, Interval y, Strips strips, int strip,
                                        int row_pairs) {
    const Interval pairs = pairs_of(y);
    const int first = pairs.first + strip / strips.across * row_pairs;
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
    rows = {first, min(first + row_pairs, pairs.end)};
    column =
        kLaneColumns * (lane - 1) + 2 * (first_strip_pair(x) + strip % strips.across * kStripPairs);
  }
};

}  // namespace coalesce::j2k
