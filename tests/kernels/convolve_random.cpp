// SPDX-License-Identifier: LGPL-2.1-or-later
#include "convolve_random.h"

#include <algorithm>
#include <cmath>

namespace coalesce::test {
namespace {

// Numbers of the kind that people write, and of the kind that programs write.
constexpr int kKinds = 9;
double number(Random &random, int kind) {
  switch (kind) {
    case 0:
      return 1 + random.below(9);
    case 1:
      return random.between(-20, 20);
    case 2:
      return random.between(-1000, 1000) / 64.0;
    case 3:
      return random.between(1, 99) / 10.0;
    case 4:
      return uniform(random);
    case 5:
      return uniform(random) - 0.4;
    case 6:
      return random.between(-100000, 100000);
    case 7:
      return random.below(6) == 0 ? random.between(-3, 5) : 0;
    default:
      return random.below(6) == 0 ? uniform(random) : 0;
  }
}

std::vector<double> numbers(Random &random, int kind, int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i)
    values.push_back(number(random, kind));
  const int form = random.below(6);  // a third mirrored, some of them with signs turned: sum 0
  for (std::size_t i = 0; form < 2 && i < values.size() / 2; ++i)
    values[values.size() - 1 - i] = form == 0 ? values[i] : -values[i];
  if (form == 1 && values.size() % 2 == 1) values[values.size() / 2] = 0;
  if (form == 2)
    for (double &value : values)
      value = -value;
  return values;
}

// Two lengths with a product of `most_taps` at most.
void random_lengths(Random &random, int most_taps, int most_side, int *width, int *height) {
  const int wanted = random.pick({1, 2, 3, 3, 4, 5, 5, 7, 9, 15, 31, 63});
  const bool square = random.below(2) == 0;
  int a = std::min(wanted, std::min(most_side, most_taps));
  int b = square ? a : random.between(1, most_side);
  while (square && a * b > most_taps)
    b = --a;
  b = std::min(b, most_taps / a);
  if (random.below(2) == 0) std::swap(a, b);
  *width = a;
  *height = b;
}

void random_preset(Random &random, int most_taps, int most_side, FilterSettings *s) {
  const int side = std::min(most_side, static_cast<int>(std::sqrt(most_taps)));
  const int size = random.between(1, std::min(side, kMaxMaskSize));
  const double sigma = random.below(2) == 0 ? 0 : 0.3 + 4 * uniform(random);
  std::string error;
  if (random.below(2) == 0) {
    preset_mask(static_cast<MaskPreset>(random.below(16)), size, sigma, &s->mask, &error);
    return;
  }
  Mask horizontal, vertical;
  if (!preset_rows(static_cast<RowPreset>(random.below(11)), size, sigma, &horizontal, &vertical,
                   &error))
    return;
  s->horizontal = horizontal.at;
  s->vertical = vertical.at;
}

}  // namespace

double uniform(Random &random) {
  return std::ldexp(static_cast<double>(random.bits() >> 11), -53);
}

FilterSettings random_settings(Random &random, int most_taps, int most_side) {
  FilterSettings s;
  const int kind = random.below(kKinds);
  const int form = random.below(8);
  int width = 1, height = 1;
  if (form == 0) {
    random_preset(random, most_taps, most_side, &s);
  } else if (form < 3) {
    random_lengths(random, most_taps, std::min(most_side, kMaxTaps), &width, &height);
    s.horizontal = numbers(random, kind, width);
    s.vertical = numbers(random, random.below(2) == 0 ? kind : random.below(kKinds), height);
  } else {
    random_lengths(random, most_taps, std::min(most_side, kMaxMaskSize), &width, &height);
    s.mask = {width, height, numbers(random, kind, width * height)};
    if (form == 3) {
      const std::vector<double> across = numbers(random, kind, width);
      const std::vector<double> down = numbers(random, kind, height);
      for (int i = 0; i < width * height; ++i)
        s.mask.at[static_cast<std::size_t>(i)] =
            down[static_cast<std::size_t>(i / width)] * across[static_cast<std::size_t>(i % width)];
    }
  }
  const int columns = s.horizontal.empty() ? s.mask.width : static_cast<int>(s.horizontal.size());
  const int rows = s.horizontal.empty() ? s.mask.height
                   : s.vertical.empty() ? columns
                                        : static_cast<int>(s.vertical.size());
  if (random.below(3) == 0) {
    s.anchor_x = random.between(-1, columns - 1);
    s.anchor_y = random.between(-1, rows - 1);
  }
  s.correlate = random.below(2) == 0;
  s.normalize = random.below(4) != 0;
  s.absolute = random.below(5) == 0;
  if (random.below(4) == 0)
    s.divisor = random.below(2) == 0 ? random.between(1, 200) : 0.1 + 90 * uniform(random);
  if (random.below(10) == 0 && !s.absolute) s.divisor = -s.divisor;
  if (random.below(5) == 0) s.bias = 400 * uniform(random) - 100;
  return s;
}

std::string text(const FilterSettings &s) {
  std::string mask = mask_text(s.mask);
  if (!s.horizontal.empty()) {
    const std::vector<double> &down = s.vertical.empty() ? s.horizontal : s.vertical;
    mask = mask_text({static_cast<int>(s.horizontal.size()), 1, s.horizontal}) + " across, " +
           mask_text({static_cast<int>(down.size()), 1, down}) + " down";
  }
  if (mask.size() > 600) mask = mask.substr(0, 600) + " ...";
  return "mask " + mask + "; anchor " + std::to_string(s.anchor_x) + " " +
         std::to_string(s.anchor_y) + (s.correlate ? ", correlate" : "") +
         (s.normalize ? "" : ", not normalized") + (s.absolute ? ", absolute" : "") + ", divisor " +
         std::to_string(s.divisor) +
         (s.bias == kAutomatic ? "" : ", bias " + std::to_string(s.bias));
}

std::string text(const Filter &f) {
  return std::to_string(f.width) + "x" + std::to_string(f.height) + " taps, left " +
         std::to_string(f.left) + ", above " + std::to_string(f.above) +
         (f.separable ? ", separable" : "") + (f.weights.empty() ? ", factors only" : "") +
         (f.narrow ? ", narrow" : "") + (f.separable && f.narrow_across ? ", narrow across" : "") +
         ", divisor " + std::to_string(f.divisor) + ", " + std::to_string(f.depth.bits) + " bits" +
         (f.depth.shift != 0 ? " shifted" : "");
}

}  // namespace coalesce::test
