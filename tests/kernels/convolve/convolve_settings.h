// SPDX-License-Identifier: LGPL-2.1-or-later
// Settings made by hand, and the filters that come of them.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../support/doctest.h"
#include "convolve_filter.h"

namespace coalesce::test {

using Integers = std::vector<std::int32_t>;
using Reals = std::vector<double>;

inline constexpr SampleDepth kDepths[] = {{8, 0}, {10, 0}, {10, 6}, {12, 0}, {12, 4}, {16, 0}};
inline constexpr SampleDepth k8 = {8, 0};

inline FilterSettings masked(const char *text) {
  FilterSettings settings;
  std::string error;
  CHECK_MESSAGE(parse_mask(text, kMaxMaskSize, kMaxMaskSize, &settings.mask, &error), error);
  return settings;
}

inline FilterSettings rows(Reals horizontal, Reals vertical) {
  FilterSettings settings;
  settings.horizontal = std::move(horizontal);
  settings.vertical = std::move(vertical);
  return settings;
}

// A preset with default settings, but for Sobel's, the large ones of which would be beyond the
// range if nothing divided them. Nothing if the preset does not come in this size.
inline std::optional<FilterSettings> preset_settings(MaskPreset preset, int size) {
  FilterSettings settings;
  std::string error;
  if (!preset_mask(preset, size, 0, &settings.mask, &error)) return {};
  if (preset == MaskPreset::sobel_x || preset == MaskPreset::sobel_y)
    settings.divisor = std::ldexp(1, 2 * size);
  return settings;
}

inline std::optional<FilterSettings> preset_settings(RowPreset preset, int size) {
  Mask horizontal, vertical;
  std::string error;
  if (!preset_rows(preset, size, 0, &horizontal, &vertical, &error)) return {};
  FilterSettings settings = rows(horizontal.at, vertical.at);
  if (preset == RowPreset::sobel_x || preset == RowPreset::sobel_y)
    settings.divisor = std::ldexp(1, 2 * size);
  return settings;
}

// The outer product as a mask.
inline FilterSettings outer(const FilterSettings &rows) {
  FilterSettings settings = rows;
  settings.mask = {
      static_cast<int>(rows.horizontal.size()), static_cast<int>(rows.vertical.size()), {}};
  for (double v : rows.vertical)
    for (double u : rows.horizontal)
      settings.mask.at.push_back(v * u);
  settings.horizontal.clear();
  settings.vertical.clear();
  return settings;
}

inline std::string text_of(const FilterSettings &s) {
  const auto row_text = [](const Reals &row) {
    return mask_text({static_cast<int>(row.size()), 1, row});
  };
  if (s.horizontal.empty()) return mask_text(s.mask);
  return row_text(s.horizontal) + " | " + row_text(s.vertical);
}

inline Filter make(const FilterSettings &settings, SampleDepth depth = k8) {
  Filter filter;
  FilterError error;
  const bool good = make_filter(settings, depth, &filter, &error);
  CHECK_MESSAGE(good, text_of(settings), ": ", error.property, " ", error.text);
  CHECK_MESSAGE((!good || flaw(filter).empty()), text_of(settings), ": ", flaw(filter));
  return filter;
}

// An error, and a filter that is left alone.
inline void expect_error(const FilterSettings &settings, const char *property, const char *text,
                         SampleDepth depth = k8) {
  Filter filter;
  filter.left = 77;
  FilterError error;
  const bool good = make_filter(settings, depth, &filter, &error);
  CHECK_MESSAGE((!good && error.property == property && error.text == text), error.property, " ",
                error.text, "\ninstead of ", property, " ", text);
  Filter untouched;
  untouched.left = 77;
  CHECK_MESSAGE(same(filter, untouched), property, ": the filter was changed");
}

}  // namespace coalesce::test
