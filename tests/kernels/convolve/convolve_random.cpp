// SPDX-License-Identifier: LGPL-2.1-or-later
#include "convolve_random.h"

#include <algorithm>
#include <cmath>
#include <numeric>

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

// `total` dealt out to `taps` places, one each to the first and the last if they are two.
std::vector<double> dealt(Random &random, int taps, int total) {
  std::vector<double> row(static_cast<std::size_t>(taps));
  for (int i = 0; i < total; ++i)
    ++row[static_cast<std::size_t>(i == 0 ? 0 : i == 1 ? taps - 1 : random.below(taps))];
  return row;
}

// One of `every` becomes negative, and the middle one, but neither end: of rows, make_filter() may
// turn all the signs by those.
void turn_signs(Random &random, int every, std::vector<double> *row) {
  for (double &value : *row)
    if (random.below(every) == 0) value = -value;
  row->front() = std::abs(row->front());
  row->back() = std::abs(row->back());
  double &middle = (*row)[row->size() / 2];
  middle = -std::abs(middle);
}

// Reals, half of them on a bell; or integers of 16 bits whose sum is a multiple of 2^13, so that
// chroma's offset is none of small numbers.
std::vector<double> long_row(Random &random, int taps, bool real, bool with_signs) {
  constexpr int kStep = 1 << 13;
  const int most = (with_signs ? 32767 : 65535) - kStep;
  const bool bell = random.below(2) == 0;
  std::vector<double> row;
  for (int i = 0; i < taps; ++i)
    row.push_back(!real  ? random.between(1, most)
                  : bell ? std::exp(-8 * std::pow((i - taps / 2) / (taps + 1.0), 2))
                         : 0.01 + uniform(random));
  if (with_signs) turn_signs(random, 4, &row);
  const double sum = std::accumulate(row.begin(), row.end(), 0.0);
  if (!real) row.back() += kStep * std::ceil(sum / kStep) - sum;
  return row;
}

// Of the kinds that the matrix units have ways for (numbers.h), and of all lengths.
FilterSettings row_settings(Random &random, int most_taps, int most_side) {
  enum { packed, divided, shifted, wide, wide_across, wide_down };
  int across = random.between(1, random.pick({6, 17, 33, 63}));
  int down = random.between(1, random.pick({17, 33, 63, 63}));
  across = std::min({across, most_side, most_taps});
  down = std::min({down, most_side, most_taps});
  if (random.below(3) == 0)
    down = std::min(down, most_taps / across);
  else
    across = std::min(across, most_taps / down);
  FilterSettings s;
  const int way = random.pick(
      {packed, divided, divided, shifted, wide, wide_across, wide_across, wide_down, wide_down});
  if (way == packed) {
    s.horizontal = dealt(random, across, 1 << random.between(6, 8));
    s.vertical = dealt(random, down, 1 << random.between(6, 8));
  } else if (way == divided) {
    s.horizontal = dealt(random, across, random.between(2, 257));
    s.vertical = dealt(random, down, random.between(2, 257));
  } else if (way == shifted) {
    s.horizontal = dealt(random, across, random.between(2, 128));
    s.vertical = dealt(random, down, random.between(2, 128));
    if (random.below(3) != 0) turn_signs(random, 2, &s.horizontal);
    if (random.below(3) != 0) turn_signs(random, 2, &s.vertical);
    s.divisor = 1 << random.below(15);
  } else {
    const bool real = random.below(2) == 0;
    s.horizontal = long_row(random, across, real, way == wide_across);
    s.vertical = long_row(random, down, real, way == wide_down);
    if (!real) s.divisor = std::ldexp(1, random.between(33, 42));
  }
  return s;
}

// Integers that fit 8 bits and 16, with sign and without; sums that fit 31.
FilterSettings integer_settings(Random &random, int a, int b) {
  enum { bytes, few, words, extremes, unsigned_words };
  const int kind = random.pick({bytes, few, words, extremes, unsigned_words, unsigned_words});
  FilterSettings s;
  s.mask = {a, b, {}};
  const int most = std::min(32767, (8 << 20) / (a * b));
  for (int i = 0; i < a * b; ++i)
    s.mask.at.push_back(kind == bytes      ? random.between(-128, 127)
                        : kind == few      ? random.between(-3, 9)
                        : kind == words    ? random.between(-most, most)
                        : kind == extremes ? random.pick({-most, most})
                                           : random.below(2 * most + 1));
  double &one = s.mask.at[static_cast<std::size_t>(random.below(a * b))];
  if (kind == words) one = random.pick({-32767, 32767});
  if (kind == unsigned_words) one = random.between(32768, 65535);
  return s;
}

FilterSettings weight_settings(Random &random, int most_taps, int most_side) {
  const int side = std::min(most_side, kMaxMaskSize);
  const int b = std::min({random.between(1, random.pick({5, 9, 9, 15, 15, 31})), side, most_taps});
  const int a =
      std::min({random.between(1, random.pick({2, 3, 5, 8, 15, 31})), side, most_taps / b});
  return integer_settings(random, a, b);
}

// Squares whose sums divide by a power of two or by another number, or that are absolute.
FilterSettings square_settings(Random &random, int most_taps, int most_side) {
  const int side =
      std::min({random.pick({3, 5}), most_side, static_cast<int>(std::sqrt(most_taps))});
  FilterSettings s;
  s.mask = {side, side, {}};
  for (int i = 0; i < side * side; ++i)
    s.mask.at.push_back(random.between(-3, 9));
  const int form = random.below(5);
  s.divisor = form < 2 ? 1 << random.pick({0, 5, 6, 7, 8}) : random.between(1, 300);
  s.absolute = form > 2;
  return s;
}

// Divisors for which there are ways of their own, biases beyond all samples.
void choose_numbers(Random &random, FilterSettings *s) {
  if (random.below(2) == 0)
    s->divisor = random.pick({1 << random.below(24), random.between(1, 300),
                              random.between(1, 30000), random.between(1, 8000000)});
  if (random.below(3) == 0)
    s->bias =
        random.pick({0, 1, -1, 127, 128, 255, 256, -255, -256, 1000, -1000, 100000, -100000}) *
        (random.below(2) == 0 ? 1 : uniform(random));
  s->normalize = random.below(4) != 0;
  s->absolute = random.below(6) == 0;
}

void choose_place(Random &random, FilterSettings *s) {
  const auto count = [](const std::vector<double> &row) { return static_cast<int>(row.size()); };
  const int columns = s->horizontal.empty() ? s->mask.width : count(s->horizontal);
  const int rows = s->horizontal.empty() ? s->mask.height
                   : s->vertical.empty() ? columns
                                         : count(s->vertical);
  if (random.below(3) == 0) {
    s->anchor_x = random.between(-1, columns - 1);
    s->anchor_y = random.between(-1, rows - 1);
  }
  s->correlate = random.below(2) == 0;
}

}  // namespace

double uniform(Random &random) {
  return std::ldexp(static_cast<double>(random.bits() >> 11), -53);
}

FilterSettings matrix_settings(Random &random, int most_taps, int most_side) {
  using Make = FilterSettings (*)(Random &, int, int);
  const Make make =
      random.pick<Make>({row_settings, row_settings, weight_settings, square_settings});
  FilterSettings s = make(random, most_taps, most_side);
  if (random.below(make == weight_settings ? 1 : 6) == 0) choose_numbers(random, &s);
  choose_place(random, &s);
  return s;
}

FilterSettings wide_settings(Random &random, int most_taps, int most_side) {
  const int side = std::min(most_side, kMaxMaskSize);
  const int a =
      std::min({random.between(random.pick({9, 9, 17, 25}), kMaxMaskSize), side, most_taps});
  const int b = std::min({random.between(1, random.pick({5, 15, 31})), side, most_taps / a});
  FilterSettings s = integer_settings(random, a, b);
  choose_numbers(random, &s);
  choose_place(random, &s);
  return s;
}

FilterSettings random_settings(Random &random, int most_taps, int most_side) {
  if (random.below(3) == 0) return matrix_settings(random, most_taps, most_side);
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
  choose_place(random, &s);
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
