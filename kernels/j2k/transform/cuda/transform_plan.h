// SPDX-License-Identifier: LGPL-2.1-or-later
// What the CUDA back end of the transform computes once for a format, and how its kernels share a
// level out: in strips of kStripPairs pairs of columns by some pairs of rows, one for each warp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../../canvas/geometry.h"
#include "../../canvas/interval.h"
#include "../band_weights.h"

namespace coalesce::j2k {

constexpr int kWarp = 32;
constexpr int kLanePairs = 2;                          // of columns
constexpr int kStripPairs = kLanePairs * (kWarp - 2);  // the outer lanes help their neighbours
constexpr int kStripWarps = 4;                         // of a block
constexpr int kMostTailWarps = 16;                     // of a block that does several levels
constexpr int kTailRowPairs = 4;                       // of a strip there
constexpr int kMaxBands = 3 * kMaxLevels + 1;          // of a component
constexpr std::size_t kTransformAlign = kWarp * sizeof(int);  // of scratch and coefficients, bytes

// A tile-component. Coordinates count from a multiple of 2^12 at or before its first sample: the
// even ones are even still, on all levels, and none is near the end of an int.
struct TransformTile {
  Interval x, y;
  Interval roi_x, roi_y;    // samples of the region of interest; empty: none
  int sample_x, sample_y;   // which one of the component the first one is
  std::uint64_t plane;      // its first coefficient
  std::uint64_t low;        // its first sample in scratch memory
  std::uint32_t pitch = 0;  // of the coefficients
};

// LL that the next level takes lies in scratch memory: a row begins with the column that is a
// multiple of 4, so that a lane finds its columns in one word of memory.
COALESCE_HOST_DEVICE int low_column(Interval x) {
  return x.first & ~3;
}
COALESCE_HOST_DEVICE std::size_t low_pitch(Interval x) {
  return x.empty() ? 0 : (static_cast<std::size_t>(x.end - low_column(x)) + 7) / 8 * 8;
}
COALESCE_HOST_DEVICE std::size_t low_samples(Interval x, Interval y) {
  return y.empty() ? 0 : low_pitch(x) * static_cast<std::size_t>(y.size());
}
// By turns in one of two places: where it is after so many levels.
COALESCE_HOST_DEVICE std::size_t low_place(const TransformTile &tile, int levels) {
  const std::size_t first = low_samples(low_half(tile.x), low_half(tile.y));
  return static_cast<std::size_t>(tile.low) + (levels % 2 == 0 ? first : 0);
}

// Strips lie row by row. Columns begin at a multiple of 4.
struct Strips {
  int across, down;

  COALESCE_HOST_DEVICE int count() const { return across * down; }
};
COALESCE_HOST_DEVICE int first_strip_pair(Interval x) {
  return low_column(x) / 2;
}
COALESCE_HOST_DEVICE Strips strips_of(Interval x, Interval y, int row_pairs) {
  if (x.empty() || y.empty()) return {0, 0};
  return {(pairs_of(x).end - first_strip_pair(x) + kStripPairs - 1) / kStripPairs,
          (pairs_of(y).size() + row_pairs - 1) / row_pairs};
}

// Of 9/7: quantiser_factor(), quantiser_limit().
struct BandStep {
  float factor, limit;
};

// How one level is shared out.
struct TransformLevel {
  int row_pairs;               // of a strip
  int strips[kMaxComponents];  // at most, of a tile-component
};

struct TransformPlan {
  Wavelet wavelet;
  int components, levels;
  bool colour;                 // the first three components have it
  int bits[kMaxComponents];    // of samples
  int widths[kMaxComponents];  // of components
  bool roi;
  int roi_shift[kMaxComponents];
  int fraction_bits;                         // that it takes away
  BandStep step[kMaxComponents][kMaxBands];  // in the order of ComponentBands
  TransformLevel level[kMaxLevels + 1];      // by number; 0: if there are no levels
  int tail;  // the first level that is done together with those behind it, or more than levels
  int tail_warps;  // of a tile-component

  std::vector<TransformTile> tiles;  // of each tile, the components
  std::size_t scratch_bytes;
};

}  // namespace coalesce::j2k
