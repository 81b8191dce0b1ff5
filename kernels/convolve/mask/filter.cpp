// SPDX-License-Identifier: LGPL-2.1-or-later
#include "filter.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <utility>

#include "quantize.h"
#include "weights.h"

namespace coalesce {
namespace {

// floor(divisor * (bias + 1/2)), exactly; nothing if it does not fit 62 bits and sign.
std::optional<std::int64_t> rounding(std::int64_t divisor, double bias) {
  constexpr Int128 kLimit = Int128{1} << 62;
  Int128 twice = 0;  // floor(2 * divisor * bias)
  if (bias != 0) {
    const Primitive b = *primitive({bias});
    const Int128 product = Int128{divisor} * b.odd * b.integers[0];
    const int shift = b.exponent + 1;
    if (shift > 62 || (shift > 0 && (product > kLimit || product < -kLimit))) return {};
    twice = shift > 0 ? product * (Int128{1} << shift) : product >> std::min(-shift, 127);
  }
  const Int128 after = (twice + divisor) >> 1;
  if (after > kLimit || after < -kLimit) return {};
  return static_cast<std::int64_t>(after);
}

bool fail(FilterError *error, const char *property, std::string text) {
  *error = {property, std::move(text)};
  return false;
}

bool are_finite(const std::vector<double> &values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

std::string number(double value) {
  return mask_text({1, 1, {value}});
}

bool check_row(const std::vector<double> &row, const char *property, FilterError *error) {
  if (row.size() > kMaxTaps)
    return fail(error, property,
                "has " + std::to_string(row.size()) + " numbers; at most " +
                    std::to_string(kMaxTaps) + " are possible");
  if (!are_finite(row)) return fail(error, property, "holds a number that is not finite");
  return true;
}

bool check_mask(const Mask &mask, FilterError *error) {
  if (mask.width < 1 || mask.height < 1 || mask.width > kMaxMaskSize ||
      mask.height > kMaxMaskSize ||
      mask.at.size() != static_cast<std::size_t>(mask.width * mask.height))
    return fail(error, "mask",
                "is " + std::to_string(mask.width) + " wide and " + std::to_string(mask.height) +
                    " high with " + std::to_string(mask.at.size()) +
                    " numbers; at most 31 x 31 are possible");
  if (!are_finite(mask.at)) return fail(error, "mask", "holds a number that is not finite");
  return true;
}

bool read_source(const FilterSettings &settings, WeightsSource *source, FilterError *error) {
  if (settings.horizontal.empty()) {
    if (!check_mask(settings.mask, error)) return false;
    *source = {settings.mask.width, settings.mask.height, settings.mask.at, {}, {}};
    return true;
  }
  if (!check_row(settings.horizontal, "horizontal", error) ||
      !check_row(settings.vertical, "vertical", error))
    return false;
  source->across = settings.horizontal;
  source->down = settings.vertical.empty() ? settings.horizontal : settings.vertical;
  source->width = static_cast<int>(source->across.size());
  source->height = static_cast<int>(source->down.size());
  return true;
}

bool check_anchor(int anchor, int size, const char *property, FilterError *error) {
  if (anchor >= -1 && anchor < size) return true;
  return fail(error, property,
              std::to_string(anchor) + " lies outside the mask: possible are 0 to " +
                  std::to_string(size - 1) + ", and -1 for the middle");
}

bool check_numbers(const FilterSettings &settings, const WeightsSource &source,
                   FilterError *error) {
  if (!check_anchor(settings.anchor_x, source.width, "anchor-x", error) ||
      !check_anchor(settings.anchor_y, source.height, "anchor-y", error))
    return false;
  if (!std::isfinite(settings.divisor)) return fail(error, "divisor", "is not a finite number");
  if (settings.absolute && settings.divisor < 0)
    return fail(
        error, "divisor",
        number(settings.divisor) + " is negative; absolute=true allows no negative divisor");
  if (!std::isfinite(settings.bias)) return fail(error, "bias", "is not a finite number");
  return true;
}

// Which property is to blame for weights beyond the range.
const char *culprit(const FilterSettings &settings, const WeightsSource &source,
                    const Divisor &divisor, SampleDepth depth) {
  Weights weights;
  if (settings.divisor != 0 && make_weights(source, {}, depth, &weights)) return "divisor";
  if (!source.mask.empty()) return "mask";
  if (settings.vertical.empty()) return "horizontal";
  // Of the rows, the one with the larger values; or where the sum divides, with the lesser sum.
  const auto share = [](const std::vector<double> &row) {
    const SourceSums sums = sums_of({static_cast<int>(row.size()), 1, row, {}, {}});
    return std::abs(sums.sum) / sums.absolute;
  };
  const bool across = divisor.sum ? share(source.across) <= share(source.down)
                                  : largest(source.across) >= largest(source.down);
  return across ? "horizontal" : "vertical";
}

// Removes zeros at the ends; `before` counts what stands before the sample. Not all are zero.
void trim(std::vector<std::int32_t> *row, int *before) {
  while (row->back() == 0)
    row->pop_back();
  const auto first = std::find_if(row->begin(), row->end(), [](std::int32_t w) { return w != 0; });
  *before -= static_cast<int>(first - row->begin());
  row->erase(row->begin(), first);
}

// The same for a mask.
void trim(Filter *filter) {
  int first_row = filter->height, last_row = 0, first = filter->width, last = 0;
  for (int row = 0; row < filter->height; ++row)
    for (int column = 0; column < filter->width; ++column)
      if (filter->weights[static_cast<std::size_t>(row * filter->width + column)] != 0) {
        first_row = std::min(first_row, row);
        last_row = row;
        first = std::min(first, column);
        last = std::max(last, column);
      }
  std::vector<std::int32_t> kept;
  for (int row = first_row; row <= last_row; ++row) {
    const auto start = filter->weights.begin() + row * filter->width;
    kept.insert(kept.end(), start + first, start + last + 1);
  }
  filter->weights = std::move(kept);
  filter->width = last + 1 - first;
  filter->height = last_row + 1 - first_row;
  filter->left -= first;
  filter->above -= first_row;
}

// The products, where they fit and are not too many for anybody to want them.
void multiply_out(Filter *filter) {
  if (filter->width > kMaxMaskSize || filter->height > kMaxMaskSize) return;
  for (std::int32_t v : filter->down)
    for (std::int32_t u : filter->across) {
      const std::int64_t product = std::int64_t{v} * u;
      if (std::abs(product) > INT32_MAX) {
        filter->weights.clear();
        return;
      }
      filter->weights.push_back(static_cast<std::int32_t>(product));
    }
}

// Turns the weights round, unless `correlate`, and puts them where they belong.
void place(const FilterSettings &settings, const WeightsSource &source, Weights weights,
           Filter *filter) {
  if (weights.extent().absolute() == 0) {
    weights = {{}, {1}, {0}, 1, weights.exact};
    filter->left = filter->above = 0;
  } else {
    const int x = settings.anchor_x < 0 ? (source.width - 1) / 2 : settings.anchor_x;
    const int y = settings.anchor_y < 0 ? (source.height - 1) / 2 : settings.anchor_y;
    filter->left = settings.correlate ? x : source.width - 1 - x;
    filter->above = settings.correlate ? y : source.height - 1 - y;
    if (!settings.correlate)
      for (auto *values : {&weights.mask, &weights.across, &weights.down})
        std::reverse(values->begin(), values->end());
  }
  filter->divisor = weights.divisor;
  filter->exact = weights.exact;
  filter->separable = weights.mask.empty();
  if (filter->separable) {
    filter->across = std::move(weights.across);
    filter->down = std::move(weights.down);
    if (filter->down != std::vector<std::int32_t>{0}) {
      trim(&filter->across, &filter->left);
      trim(&filter->down, &filter->above);
    }
    filter->width = static_cast<int>(filter->across.size());
    filter->height = static_cast<int>(filter->down.size());
    multiply_out(filter);
  } else {
    filter->weights = std::move(weights.mask);
    filter->width = source.width;
    filter->height = source.height;
    trim(filter);
  }
}

double automatic_bias(const FilterSettings &settings, double sum, SampleDepth depth) {
  if (!settings.normalize || settings.absolute || sum > 0) return 0;
  return sum < 0 ? depth.max() : depth.middle();
}

bool is_narrow(const Filter &filter, const Extent &weights) {
  const auto fits = [](Int128 x) { return x >= -INT32_MAX && x <= INT32_MAX; };
  const int max = filter.depth.max();
  if (!fits(Int128{filter.divisor} * (max + 1))) return false;
  for (const Filter::Offsets &add : {filter.level, filter.chroma})
    for (Int128 sum : {-weights.negative * max, Int128{0}, weights.positive * max}) {
      const Int128 moved = sum + add.before;
      const Int128 used = filter.absolute && moved < 0 ? -moved : moved;
      // `moved` is no larger than the largest sum, since `before` takes back half of it.
      if (!fits(sum) || !fits(used + add.after) || !fits(add.after)) return false;
    }
  return true;
}

}  // namespace

bool make_filter(const FilterSettings &settings, SampleDepth depth, Filter *filter,
                 FilterError *error) {
  WeightsSource source;
  if (!read_source(settings, &source, error) || !check_numbers(settings, source, error))
    return false;

  const SourceSums sums = sums_of(source);
  Divisor divisor;
  if (settings.divisor != 0)
    divisor.value = settings.divisor;
  else
    divisor.sum = settings.normalize && !settings.absolute && sums.sum > 0;
  Weights weights = {{}, {0}, {0}};
  if (sums.absolute > 0 && !make_weights(source, divisor, depth, &weights))
    return fail(error, culprit(settings, source, divisor, depth),
                "beyond the fixed-point range: divided by " +
                    (divisor.sum ? "their sum" : number(divisor.value)) +
                    ", the weights are too large for " + std::to_string(depth.bits) +
                    "-bit samples; use a larger divisor");

  Filter made;
  made.depth = depth;
  made.absolute = settings.absolute;
  place(settings, source, weights, &made);
  const double bias =
      settings.bias != kAutomatic ? settings.bias : automatic_bias(settings, sums.sum, depth);
  const auto level = rounding(made.divisor, bias);
  if (!level)
    return fail(error, "bias",
                number(bias) + " is beyond the fixed-point range; -" + number(depth.max()) +
                    " to " + number(depth.max()) + " always fits");
  const Extent extent = weights.extent();
  made.level = {0, *level};
  made.chroma = {static_cast<std::int64_t>(-extent.sum() * depth.middle()),
                 *rounding(made.divisor, depth.middle())};
  made.narrow = is_narrow(made, extent);
  const Extent across = extent_of(made.across);
  made.narrow_across = std::max(across.positive, across.negative) * depth.max() <= INT32_MAX;
  *filter = std::move(made);
  return true;
}

}  // namespace coalesce
