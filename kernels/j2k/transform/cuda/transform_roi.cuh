// SPDX-License-Identifier: LGPL-2.1-or-later
// A region of interest: all coefficients once more, when they are complete.
#pragma once

#include <cstdint>

#include "../roi_sample.h"
#include "transform_bands.cuh"

namespace coalesce::j2k {

constexpr int kRegionThreads = 128;
constexpr unsigned kRegionSlices = 64;  // of the rows of a band, at most

struct RegionShift {
  int shift[kMaxComponents];
  int fraction_bits;
  int reach;  // low_pass_reach()
};

struct BandInterval {
  Interval all, inside;  // coefficients; of them, those that depend on the region
  int place;             // in the plane, of the first one

  __device__ __forceinline__ BandInterval(Interval samples, Interval region, bool high, int level,
                                          int reach)
      : inside(reaching_into(region, high, level, reach)) {
    const Interval before = low_after(samples, max(level - 1, 0));
    all = level == 0 ? samples : high ? high_half(before) : low_half(before);
    place = high ? low_half(before).size() : 0;
  }
};

// A block has rows of the bands of one level of a tile-component.
static __global__ void __launch_bounds__(kRegionThreads)
    shift_region(TransformArgs args, RegionShift region) {
  const unsigned levels = static_cast<unsigned>(max(args.levels, 1));
  const unsigned index = blockIdx.x / levels;
  const TransformTile &tile = args.tiles[index];
  const int component = static_cast<int>(index % static_cast<unsigned>(args.components));
  const int level = min(static_cast<int>(blockIdx.x % levels) + 1, args.levels);
  const bool meets = !tile.roi_x.empty() && !tile.roi_y.empty();
  for (int band = level == args.levels ? 0 : 1; band < (level > 0 ? 4 : 1); ++band) {
    const BandInterval x(tile.x, tile.roi_x, band % 2 != 0, level, region.reach);
    const BandInterval y(tile.y, tile.roi_y, band / 2 != 0, level, region.reach);
    for (int j = static_cast<int>(blockIdx.y); j < y.all.size(); j += static_cast<int>(gridDim.y)) {
      std::int32_t *row = args.coefficients + tile.plane +
                          static_cast<std::size_t>(y.place + j) * tile.pitch + x.place;
      for (int i = static_cast<int>(threadIdx.x); i < x.all.size(); i += kRegionThreads) {
        const bool inside =
            meets && x.inside.contains(x.all.first + i) && y.inside.contains(y.all.first + j);
        row[i] = without_fraction(row[i], region.fraction_bits) *
                 (std::int32_t{1} << (inside ? region.shift[component] : 0));
      }
    }
  }
}

}  // namespace coalesce::j2k
