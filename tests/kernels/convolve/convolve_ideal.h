// SPDX-License-Identifier: LGPL-2.1-or-later
// The formula of docs/numerics.md in real numbers, and what a Filter makes of it, both tap by tap:
// no border, no picture, only the samples under the mask.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "convolve_filter.h"

namespace coalesce::test {

struct Taps {
  int x = 0, y = 0;  // of the first tap, from the sample
  int width = 0, height = 0;
  std::vector<long double> real;  // h / d
  long double bias = 0;
  std::vector<Wide> weights;
  bool inside = true;  // the filter's taps are some of these

  std::size_t size() const { return real.size(); }
};

// h(i, j), in the order in which it stands in the settings.
inline std::vector<long double> elements(const FilterSettings &settings, int *width, int *height) {
  std::vector<long double> h;
  if (settings.horizontal.empty()) {
    *width = settings.mask.width;
    *height = settings.mask.height;
    h.assign(settings.mask.at.begin(), settings.mask.at.end());
    return h;
  }
  const auto &down = settings.vertical.empty() ? settings.horizontal : settings.vertical;
  *width = static_cast<int>(settings.horizontal.size());
  *height = static_cast<int>(down.size());
  for (long double v : down)
    for (long double u : settings.horizontal)
      h.push_back(v * u);
  return h;
}

inline Taps taps_of(const FilterSettings &settings, const Filter &filter) {
  Taps taps;
  std::vector<long double> h = elements(settings, &taps.width, &taps.height);
  const int ax = settings.anchor_x < 0 ? (taps.width - 1) / 2 : settings.anchor_x;
  const int ay = settings.anchor_y < 0 ? (taps.height - 1) / 2 : settings.anchor_y;
  taps.x = settings.correlate ? -ax : ax - (taps.width - 1);
  taps.y = settings.correlate ? -ay : ay - (taps.height - 1);

  long double sum = 0, absolute = 0;
  for (long double x : h) {
    sum += x;
    absolute += std::abs(x);
  }
  if (std::abs(sum) < 1e-12L * absolute) sum = 0;
  long double d = 1;
  if (settings.normalize && !settings.absolute) {
    if (sum > 0)
      d = sum;
    else
      taps.bias = sum < 0 ? filter.depth.max() : filter.depth.middle();
  }
  if (settings.divisor != 0) d = settings.divisor;
  if (settings.bias != kAutomatic) taps.bias = settings.bias;
  for (std::size_t i = 0; i < h.size(); ++i)
    taps.real.push_back(h[settings.correlate ? i : h.size() - 1 - i] / d);

  taps.weights.resize(h.size());
  for (int r = 0; r < filter.height; ++r)
    for (int c = 0; c < filter.width; ++c) {
      const int column = c - filter.left - taps.x, row = r - filter.above - taps.y;
      if (column >= 0 && column < taps.width && row >= 0 && row < taps.height)
        taps.weights[static_cast<std::size_t>(row * taps.width + column)] = weight(filter, r, c);
      else
        taps.inside = false;
    }
  return taps;
}

// Of the samples under the taps.
inline long double ideal(const Taps &taps, const Filter &filter, const int *samples, bool chroma) {
  const int middle = chroma ? filter.depth.middle() : 0;
  long double sum = 0;
  for (std::size_t i = 0; i < taps.size(); ++i)
    sum += taps.real[i] * (samples[i] - middle);
  return (filter.absolute ? std::abs(sum) : sum) + (chroma ? middle : taps.bias);
}

inline int rounded(long double value, SampleDepth depth) {
  const long double whole = std::floor(value + 0.5L);
  return whole < 0 ? 0 : whole > depth.max() ? depth.max() : static_cast<int>(whole);
}

inline int by_filter(const Taps &taps, const Filter &filter, const int *samples, bool chroma) {
  const Filter::Offsets &add = chroma ? filter.chroma : filter.level;
  Wide sum = add.before;
  for (std::size_t i = 0; i < taps.size(); ++i)
    sum += taps.weights[i] * samples[i];
  if (filter.absolute && sum < 0) sum = -sum;
  sum += add.after;
  const Wide divisor = filter.divisor;
  Wide result = sum / divisor;
  if (sum % divisor < 0) --result;
  return result < 0                    ? 0
         : result > filter.depth.max() ? filter.depth.max()
                                       : static_cast<int>(result);
}

}  // namespace coalesce::test
