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
        T low = even_[p][i], high = 2 * low;  // F.4.6: of a single row, one or the other
        if (y_.size() > 1) W::down(low, odd[p][i], next[p][i], state_[p][i], low, high);
        even_[p][i] = next[p][i];
        odd[p][i] = low;
        next[p][i] = high;
      }
  }

  __device__ __forceinline__ void across(int k, bool high, Values &v) const {
#pragma unroll
    for (int p = 0; p < kParts; ++p) {
      if (x_.size() == 1) {  // of a single column, too
        v[p][1] = 2 * v[p][1];
        v[p][3] = 2 * v[p][3];
      } else {
        W::across(v[p]);
      }
    }
    bands_.put(k, high, v);
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
