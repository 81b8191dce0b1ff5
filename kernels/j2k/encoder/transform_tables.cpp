// SPDX-License-Identifier: LGPL-2.1-or-later
#include "transform_tables.h"

#include <algorithm>

#include "../transform/quantiser_sample.h"

namespace coalesce::j2k {
namespace {

// Small enough for one block of threads, which does this level and all behind it: a large one where
// there are few.
constexpr std::int64_t kTailSamples = 1 << 12;
constexpr std::size_t kManyTiles = 256;
// So many strips keep all of a large GPU at work. Below, strips are as small as makes sense.
constexpr std::int64_t kManyStrips = 4096;
constexpr int kLeastRowPairs = 4;

int most_row_pairs(Wavelet wavelet) {
  return wavelet == Wavelet::reversible_53 ? 4 : 8;  // 9/7 has more rows to warm up with
}

Interval interval(int first, int end, int origin) {
  return {first - origin, end - origin};
}

// The tile-component's share of the region, on the grid of the component.
Interval region(int first, int end, int step, Interval rect, int origin) {
  const auto up = [step](int v) { return static_cast<int>((std::int64_t{v} + step - 1) / step); };
  return {std::max(up(first) - origin, rect.first), std::min(up(end) - origin, rect.end)};
}

TransformTile tile_of(const EncoderPlan &plan, const TilePlan &tile, int c) {
  const auto i = static_cast<std::size_t>(c);
  const Rect &rect = tile.geometry.components[i].rect;
  if (rect.empty()) return {};
  constexpr int kOrigin = ~((4 << kMaxLevels) - 1);
  const int x0 = rect.x0 & kOrigin, y0 = rect.y0 & kOrigin;
  const Component &component = plan.params.coding.component[i];
  const Rect &roi = plan.params.roi, whole = component_rect(plan.params.coding, c);
  TransformTile t = {};
  t.x = interval(rect.x0, rect.x1, x0);
  t.y = interval(rect.y0, rect.y1, y0);
  if (!roi.empty()) {
    t.roi_x = region(roi.x0, roi.x1, component.dx, t.x, x0);
    t.roi_y = region(roi.y0, roi.y1, component.dy, t.y, y0);
  }
  t.sample_x = rect.x0 - whole.x0;
  t.sample_y = rect.y0 - whole.y0;
  t.plane = tile.plane[c].first;
  t.pitch = static_cast<std::uint32_t>(tile.plane[c].pitch);
  return t;
}

// (LL of the last level is not scratch.)
std::size_t scratch_samples(const TransformTile &t, int levels) {
  std::size_t samples = 0;
  for (int i = 1; i < std::min(levels, 3); ++i)
    samples += low_samples(low_after(t.x, i), low_after(t.y, i));
  return (samples + kWarp - 1) / kWarp * kWarp;
}

// Short strips read more rows than they have, tall ones are few. (Without levels, rows are
// counted.)
void share_out(TransformPlan *p, int level) {
  TransformLevel *l = &p->level[level];
  const auto strips = [&](std::size_t i) {
    const TransformTile &t = p->tiles[i];
    if (level == 0) return t.y.size();
    return strips_of(low_after(t.x, level - 1), low_after(t.y, level - 1), l->row_pairs).count();
  };
  for (l->row_pairs = most_row_pairs(p->wavelet); l->row_pairs > kLeastRowPairs;
       l->row_pairs /= 2) {
    std::int64_t all = 0;
    for (std::size_t i = 0; i < p->tiles.size(); ++i)
      all += strips(i);
    if (all >= kManyStrips) break;
  }
  for (std::size_t i = 0; i < p->tiles.size(); ++i) {
    int *most = &l->strips[i % static_cast<std::size_t>(p->components)];
    *most = std::max(*most, strips(i));
  }
}

int first_of_tail(const TransformPlan &p) {
  for (int level = 2; level <= p.levels; ++level)
    if (std::all_of(p.tiles.begin(), p.tiles.end(), [level](const TransformTile &t) {
          return std::int64_t{low_after(t.x, level - 1).size()} *
                     low_after(t.y, level - 1).size() <=
                 kTailSamples;
        }))
      return level;
  return p.levels + 1;
}

}  // namespace

TransformPlan transform_plan(const EncoderPlan &plan) {
  TransformPlan p = {};
  p.wavelet = plan.params.wavelet;
  p.components = plan.components();
  p.levels = plan.params.coding.levels;
  p.colour = plan.params.colour_transform;
  p.roi = !plan.params.roi.empty();
  p.fraction_bits = p.wavelet == Wavelet::irreversible_97 ? kFractionBitsOf97 : 0;
  for (int c = 0; c < p.components; ++c) {
    const ComponentBands &bands = plan.bands[static_cast<std::size_t>(c)];
    p.bits[c] = plan.params.coding.component[static_cast<std::size_t>(c)].bits;
    p.widths[c] = component_rect(plan.params.coding, c).width();
    p.roi_shift[c] = bands.roi_shift;
    for (std::size_t b = 0; b < bands.bands.size(); ++b)
      p.step[c][b] = {quantiser_factor(bands.bands[b].step),
                      quantiser_limit(bands.bands[b].planes)};
  }
  std::size_t samples = 0;
  for (const TilePlan &tile : plan.tiles)
    for (int c = 0; c < p.components; ++c) {
      p.tiles.push_back(tile_of(plan, tile, c));
      p.tiles.back().low = samples;
      samples += scratch_samples(p.tiles.back(), p.levels);
    }
  p.scratch_bytes = samples * sizeof(std::int32_t);
  for (int level = std::min(p.levels, 1); level <= p.levels; ++level)
    share_out(&p, level);
  p.tail = first_of_tail(p);
  p.tail_warps = p.tiles.size() < kManyTiles ? kMostTailWarps : kMostTailWarps / 4;
  return p;
}

}  // namespace coalesce::j2k
