// SPDX-License-Identifier: LGPL-2.1-or-later
#include "roi.h"

#include <algorithm>

#include "../canvas/interval.h"
#include "roi_sample.h"

namespace coalesce::j2k {

Rect roi_in_band(Wavelet wavelet, const Rect &tile_component, const Rect &region, Band band,
                 int level) {
  const Rect tc = tile_component;
  const Interval x = {std::max(region.x0, tc.x0), std::min(region.x1, tc.x1)};
  const Interval y = {std::max(region.y0, tc.y0), std::min(region.y1, tc.y1)};
  if (x.first >= x.end || y.first >= y.end) return {};
  const int reach = low_pass_reach(wavelet);
  const Interval across = reaching_into(x, high_across(band), level, reach);
  const Interval down = reaching_into(y, high_down(band), level, reach);
  const Rect all = band_rect(tc, band, level);
  const Rect rect = {std::max(across.first, all.x0), std::max(down.first, all.y0),
                     std::min(across.end, all.x1), std::min(down.end, all.y1)};
  return rect.empty() ? Rect{} : rect;
}

Status check_max_shift(int max_planes) {
  if (max_planes + max_shift_of(max_planes) > 31)
    return invalid_argument("j2k: too many bit-planes for a region of interest (roi)");
  return {};
}

Status max_shift(const Plane<std::int32_t> &band, const Rect &inside, int shift, int fraction_bits,
                 ThreadPool *pool) {
  if (Status s = check_plane(band); !s.ok()) return s;
  if (!inside.empty() &&
      (inside.x0 < 0 || inside.y0 < 0 || inside.x1 > band.width || inside.y1 > band.height))
    return invalid_argument("j2k: the region of interest is not inside of its band");
  if (shift < 0 || shift > 30 || fraction_bits < 0 || fraction_bits > 30)
    return invalid_argument("j2k: the shift of a region of interest is not 0 to 30");
  const std::int32_t factor = std::int32_t{1} << shift;
  const int grain = std::max(1, (1 << 14) / band.width);
  for_ranges(pool, band.height, grain, [&](int first, int last) {
    for (int y = first; y < last; ++y) {
      std::int32_t *row = band.row(y);
      for (int x = 0; x < band.width; ++x)
        row[x] = without_fraction(row[x], fraction_bits);
      if (inside.empty() || y < inside.y0 || y >= inside.y1) continue;
      for (int x = inside.x0; x < inside.x1; ++x)
        row[x] *= factor;
    }
  });
  return {};
}

}  // namespace coalesce::j2k
