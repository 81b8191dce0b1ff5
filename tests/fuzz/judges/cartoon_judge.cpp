// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cartoon_judge.h"

#include <algorithm>

#include "../../check/cartoon/cartoon_reference.h"
#include "../fuzz.h"

namespace test {

// Of what all windows of a frame have together, in all iterations.
constexpr gsize kMostSamples = 1 << 24;

void check_cartoon(const Work &work, bool interlaced) {
  CartoonFilter filter;
  coalesce::CartoonSettings &s = filter.settings;
  gint edges = 0;
  g_object_get(work.element, "levels", &s.levels, "softness", &s.softness, "radius",
               &s.areas.radius, "sigma-space", &s.areas.sigma_space, "sigma-range",
               &s.areas.sigma_range, "iterations", &s.iterations, "edges", &edges, "edge-color",
               &filter.edge_color, "low-threshold", &s.canny.low, "high-threshold", &s.canny.high,
               "dog-sigma", &s.dog_sigma, "dog-threshold", &s.dog_threshold, nullptr);
  const int square = (2 * s.areas.radius + 1) * (2 * s.areas.radius + 1);
  if (static_cast<gsize>(square * s.iterations) * work.in_info.size > kMostSamples) return;
  s.lines = static_cast<coalesce::CartoonLines>(edges);
  // GObject takes -1e-100 for 0.
  for (double *number : {&s.softness, &s.canny.low, &s.canny.high})
    *number = std::max(*number, 0.);
  const std::string difference =
      cartoon_difference(work.in, work.out, work.in_info, filter, interlaced, true);
  DEMAND(difference.empty(), "%s", difference.c_str());
}

}  // namespace test
