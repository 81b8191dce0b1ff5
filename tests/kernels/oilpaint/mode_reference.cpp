// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>
#include <map>

#include "oilpaint_reference.h"

namespace coalesce::test {
namespace {

// nearbyint() rounds halves to even.
int nearest_even(double value) {
  return static_cast<int>(std::nearbyint(value));
}

}  // namespace

OilPixels mode_reference(const OilpaintParams &params, const OilPixels &in) {
  OilPixels out = in;
  const int radius = params.mode_radius;
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x) {
      std::map<int, std::vector<std::array<int, 3>>> bins;
      for (int j = std::max(y - radius, 0); j <= std::min(y + radius, in.height - 1); ++j)
        for (int i = std::max(x - radius, 0); i <= std::min(x + radius, in.width - 1); ++i)
          bins[nearest_even(in.intensity(i, j) / static_cast<double>(params.mode_ratio))].push_back(
              in.at(i, j));
      // The first of the largest ones.
      const auto &fullest =
          std::max_element(bins.begin(), bins.end(), [](const auto &a, const auto &b) {
            return a.second.size() < b.second.size();
          })->second;
      for (std::size_t c = 0; c < 3; ++c) {
        double sum = 0;
        for (const std::array<int, 3> &pixel : fullest)
          sum += pixel[c];
        out.at(x, y)[c] = nearest_even(sum / static_cast<double>(fullest.size()));
      }
    }
  return out;
}

}  // namespace coalesce::test
