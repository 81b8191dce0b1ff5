// SPDX-License-Identifier: LGPL-2.1-or-later
// Filters against the formula in real numbers: never more than 1 off, at 8 bits nearly always
// equal.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <numeric>
#include <string>
#include <vector>

#include "../../support/doctest.h"
#include "../../support/random.h"
#include "convolve/mask/quantize.h"
#include "convolve_filter.h"
#include "convolve_ideal.h"
#include "convolve_settings.h"

namespace coalesce::test {
namespace {

// 0 to less than 1.
double uniform(Random &random) {
  return std::ldexp(static_cast<double>(random.bits() >> 11), -53);
}

// One filter on samples of its own choice.
struct Trial {
  const FilterSettings &settings;
  Filter filter;
  Taps taps;
  std::vector<int> samples;

  Trial(const FilterSettings &s, SampleDepth depth) : settings(s) {
    FilterError error;
    made = make_filter(s, depth, &filter, &error);
    if (!made) return;
    CHECK_MESSAGE(flaw(filter).empty(), text_of(s), ": ", flaw(filter));
    taps = taps_of(s, filter);
    CHECK_MESSAGE(taps.inside, text_of(s), ": a tap is outside the mask");
    samples.resize(taps.size());
  }
  bool made = false;

  // Is the result the rounded one? (Within 10^-9 of a half, either way: there, float64 errs.)
  bool equal(bool chroma) {
    const long double exact = ideal(taps, filter, samples.data(), chroma);
    const int expected = rounded(exact, filter.depth);
    const int result = by_filter(taps, filter, samples.data(), chroma);
    CHECK_MESSAGE(std::abs(result - expected) <= 1, text_of(settings), ", ", filter.depth.bits,
                  " bits, divisor ", settings.divisor, ", chroma ", chroma, ": ", result, ", not ",
                  expected);
    return result == expected || std::abs(exact - std::floor(exact) - 0.5L) < 1e-9L;
  }

  template <class Sample>
  bool equal_with(bool chroma, Sample sample) {
    for (std::size_t i = 0; i < samples.size(); ++i)
      samples[i] = sample(i);
    return equal(chroma);
  }

  // All that makes rounding errors add up, and noise.
  void torment(Random &random) {
    const int max = filter.depth.max();
    for (bool chroma : {false, true}) {
      equal_with(chroma, [](std::size_t) { return 0; });
      equal_with(chroma, [max](std::size_t) { return max; });
      for (int up : {0, max}) {
        equal_with(chroma, [&](std::size_t i) {
          const long double w = static_cast<long double>(taps.weights[i]) / filter.divisor;
          return w > taps.real[i] ? up : max - up;
        });
        equal_with(chroma, [&](std::size_t i) { return taps.real[i] > 0 ? up : max - up; });
      }
      for (int i = 0; i < 3; ++i)
        equal_with(chroma, [&](std::size_t) { return random.between(0, max); });
      const int level = random.between(0, max);
      equal_with(chroma, [&](std::size_t) { return std::min(level + random.below(4), max); });
    }
  }
};

// Numbers of the kind that people write, and of the kind that programs write.
double any_number(Random &random, int kind) {
  switch (kind) {
    case 0:
      return random.between(-20, 20);
    case 1:
      return random.between(0, 9);
    case 2:
      return random.between(-1000, 1000) / 64.0;
    case 3:
      return random.between(-99, 99) / 10.0;
    case 4:
      return uniform(random);
    default:
      return uniform(random) - (kind == 5 ? 0.25 : 0.5);
  }
}

FilterSettings any_settings(Random &random) {
  FilterSettings s;
  const int kind = random.below(7);
  const int most = random.below(8) == 0 ? 31 : 7;
  const auto fill = [&](std::vector<double> *values, int count) {
    for (int i = 0; i < count; ++i)
      values->push_back(any_number(random, kind));
  };
  if (random.below(3) == 0) {
    fill(&s.horizontal, random.between(1, most));
    fill(&s.vertical, random.between(1, most));
  } else {
    s.mask = {random.between(1, most), random.between(1, most), {}};
    fill(&s.mask.at, s.mask.width * s.mask.height);
  }
  if (random.below(4) == 0)  // S = 0
    for (auto *values : {&s.horizontal, &s.mask.at})
      for (std::size_t i = 0; 2 * i < values->size(); ++i)
        (*values)[values->size() - 1 - i] = -(*values)[i];
  s.normalize = random.below(4) != 0;
  s.absolute = random.below(5) == 0;
  s.correlate = random.below(2) == 0;
  if (random.below(3) == 0) s.divisor = 1 + 20 * uniform(random);
  if (!s.absolute && s.divisor != 0 && random.below(3) == 0) s.divisor = -s.divisor;
  if (random.below(4) == 0) s.bias = 300 * uniform(random) - 20;
  return s;
}

TEST_CASE("never far") {
  Random random = random_of_run(7);
  int refused = 0;
  constexpr int kMasks = 3000;
  for (int i = 0; i < kMasks; ++i) {
    const FilterSettings settings = any_settings(random);
    for (SampleDepth depth : kDepths) {
      Trial trial(settings, depth);
      if (trial.made)
        trial.torment(random);
      else
        ++refused;
    }
  }
  CHECK_MESSAGE(refused < kMasks * 4 / 100, refused, " of ", kMasks * 4, " refused");
  std::printf("random masks: %d of %d beyond the fixed-point range\n", refused, kMasks * 4);
}

// Of white noise of 8 bits, which share of the results is expected to round differently because the
// weights are these.
double share_off(const std::vector<long double> &errors) {
  long double squares = 0;
  for (long double e : errors)
    squares += e * e;
  return static_cast<double>(59 * std::sqrt(squares));
}

double share_off(const Taps &taps, const Filter &filter) {
  std::vector<long double> errors;
  for (std::size_t i = 0; i < taps.size(); ++i)
    errors.push_back(static_cast<long double>(taps.weights[i]) / filter.divisor - taps.real[i]);
  return share_off(errors);
}

// Weights with 2^q for a divisor, by docs/numerics.md: rounded, then the furthest moved ones make
// up for the sum. Which of equals do, makes no difference here.
struct Rounded {
  std::vector<long double> weights, errors;  // errors in units of 2^-q
};

Rounded rounded_weights(const std::vector<long double> &real, int q) {
  Rounded result;
  long double sum = 0, whole = 0;
  for (long double r : real) {
    const long double exact = std::ldexp(r, q), weight = std::floor(exact + 0.5L);
    sum += exact;
    whole += weight;
    result.weights.push_back(weight);
    result.errors.push_back(weight - exact);
  }
  const long double excess = whole - std::floor(sum + 0.5L);
  const int step = excess > 0 ? 1 : -1;
  std::vector<std::size_t> order(real.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return result.errors[a] * step > result.errors[b] * step;
  });
  for (std::size_t i = 0; static_cast<long double>(i) < std::abs(excess); ++i) {
    result.weights[order[i]] -= step;
    result.errors[order[i]] -= step;
  }
  return result;
}

struct Rules {
  int q;
  bool narrow;
};

constexpr Rules kUnknown = {-1, false};

// Is `value` at most `limit`? Neither yes nor no where it is nearer than `margin`.
enum class Answer { no, yes, unknown };

Answer at_most(long double value, long double limit, long double margin) {
  if (std::abs(value - limit) < margin) return Answer::unknown;
  return value < limit ? Answer::yes : Answer::no;
}

Answer all_of(std::initializer_list<Answer> answers) {
  Answer all = Answer::yes;
  for (Answer a : answers)
    if (a == Answer::no || all == Answer::no)
      all = Answer::no;
    else if (a == Answer::unknown)
      all = Answer::unknown;
  return all;
}

// What the rules ask of a q.
//
// Margins: moves are compared in steps of 2^-12. So another weight may have been moved, by 2^-12
// less. It has an error of 1/2 or more then, whose square is 1/4 or more, and changes by 2^-11 at
// most. So the noise, a root, changes by 2^-10 of itself. A sum of weights of one sign changes by
// their number, a weight by 1; a sum of errors by 2^-12 for each weight.
struct Qualities {
  Answer fits_31_bits, fits_16_bits, is_quiet, fits_62_bits, is_near;

  Qualities(const std::vector<long double> &real, int q, SampleDepth depth) {
    const Rounded rounded = rounded_weights(real, q);
    const long double divisor = std::ldexp(1.0L, q), range = depth.max() + 1;
    const auto count = static_cast<long double>(real.size());
    long double up = 0, down = 0, most = 0, least = 0, squares = 0, errors_up = 0, errors_down = 0;
    for (std::size_t i = 0; i < real.size(); ++i) {
      const long double w = rounded.weights[i], e = rounded.errors[i];
      (w > 0 ? up : down) += std::abs(w);
      most = std::max(most, w);
      least = std::min(least, w);
      squares += e * e;
      (e > 0 ? errors_up : errors_down) += std::abs(e);
    }
    // If all are positive, their sum is known.
    const long double moved = least < 0 ? count : 0;
    fits_31_bits = at_most((std::max(up, down) + divisor) * range, 0x1p31L - 0.5L,
                           std::max(moved * range, 0.25L));
    const bool is_signed = least < 0;
    fits_16_bits = all_of({at_most(most, is_signed ? 32767.5L : 65535.5L, 1.4L),
                           is_signed ? at_most(-least, 32768.5L, 1.4L) : Answer::yes});
    is_quiet = at_most(59 * std::sqrt(squares) / divisor, 0.001L, 0.001L * 0x1p-9L);
    fits_62_bits = all_of({at_most(std::max(most, -least), 0x1p31L - 1.5L, 1.4L),
                           at_most((up + down) * range, 0x1p62L, count * range),
                           at_most(divisor * range, 0x1p62L + 0.5L, 0)});
    is_near = at_most(std::max(errors_up, errors_down) / divisor * depth.max(), 0.999L,
                      count * 0x1p-12L / divisor * depth.max());
  }
};

// What the rules of docs/numerics.md give, told from the real numbers alone; kUnknown where
// something is so near to a limit that rounding matters.
Rules expected_rules(const Taps &taps, SampleDepth depth) {
  constexpr int kMost = 30;
  std::vector<Qualities> at;
  for (int q = 0; q <= kMost; ++q)
    at.emplace_back(taps.real, q, depth);
  // The largest q that is good; -1: none, -2: unknown.
  const auto largest = [&](int least, auto good) {
    for (int q = kMost; q >= least; --q) {
      const Answer answer = good(at[static_cast<std::size_t>(q)]);
      if (answer == Answer::unknown) return -2;
      if (answer == Answer::yes) return q;
    }
    return -1;
  };
  if (depth.bits <= 12) {
    int q = largest(17, [](const Qualities &x) {
      return all_of({x.fits_31_bits, x.fits_16_bits, x.is_quiet});
    });
    if (q == -1) q = largest(0, [](const Qualities &x) { return x.fits_31_bits; });
    if (q == -2) return kUnknown;
    if (q >= 0) {
      const Qualities &x = at[static_cast<std::size_t>(q)];
      const Answer good = all_of({depth.bits > 8 ? Answer::yes : x.is_quiet, x.is_near});
      if (good == Answer::unknown) return kUnknown;
      if (good == Answer::yes) return {q, true};
    }
  }
  const int q = largest(0, [](const Qualities &x) { return x.fits_62_bits; });
  return q >= 0 ? Rules{q, false} : kUnknown;
}

// Of masks that are neither integer nor of rank 1: q is what the rules say, the sum is the nearest
// integer, and no weight has been moved that should not.
TEST_CASE("rules") {
  Random random = random_of_run(11);
  int known = 0, wide = 0;
  for (int i = 0; i < 1000; ++i) {
    FilterSettings s;
    s.mask = {random.between(2, 12), random.between(2, 12), {}};
    for (int k = 0; k < s.mask.width * s.mask.height; ++k)
      s.mask.at.push_back(uniform(random) - (i % 3 == 0 ? 0.4 : 0));
    if (i % 2 == 0) s.mask.at[s.mask.at.size() / 2] += random.below(40);
    s.divisor = i % 5 == 0   ? 1000 * uniform(random) + 3
                : i % 5 == 1 ? absolute_sum(s.mask.at) / (7 + 200 * uniform(random))
                             : 0;
    for (SampleDepth depth : kDepths) {
      Trial trial(s, depth);
      const Filter &filter = trial.filter;
      CHECK_MESSAGE((trial.made && !filter.separable && !filter.exact), text_of(s));
      const int q = std::ilogb(static_cast<double>(filter.divisor));
      const Rules expected = expected_rules(trial.taps, depth);
      known += expected.q >= 0;
      wide += expected.q >= 0 && depth.bits == 8 && !expected.narrow;
      CHECK_MESSAGE((expected.q < 0 || (q == expected.q && filter.narrow == expected.narrow)),
                    depth.bits, " bits: q = ", q, ", not ", expected.q, ": ", text_of(s));
      long double sum = 0, most = -1, least = 1;
      for (std::size_t k = 0; k < trial.taps.size(); ++k) {
        const long double error =
            static_cast<long double>(trial.taps.weights[k]) - std::ldexp(trial.taps.real[k], q);
        sum += error;
        most = std::max(most, error);
        least = std::min(least, error);
      }
      CHECK_MESSAGE((std::abs(sum) <= 0.5001L && most - least <= 1.001L), "the errors are ", least,
                    " to ", most, ": ", text_of(s));
    }
  }
  CHECK_MESSAGE(known > 3950, known, " of 4000");  // of 36 seeds: 3992 to 4000
  CHECK(wide > 50);
}

// Equal elements beside another: what rounding does to them nearly cancels in the first n already,
// for each n, wherever the picture has its edge.
TEST_CASE("spread") {
  Random random = random_of_run(12);
  for (int size : {7, 15, 31})
    for (int i = 0; i < 50; ++i) {
      FilterSettings s;
      const int count = size * size;
      s.mask = {size, size, Reals(static_cast<std::size_t>(count), 0.1 + uniform(random))};
      s.mask.at[static_cast<std::size_t>(count / 2)] += 3;
      s.divisor = s.mask.at[0] * count;
      const Trial trial(s, k8);
      CHECK_MESSAGE((trial.made && !trial.filter.separable), text_of(s));
      const int q = std::ilogb(static_cast<double>(trial.filter.divisor));
      long double sum = 0, most = 0;
      for (int k = 0; k < count; ++k) {
        const auto at = static_cast<std::size_t>(k);
        sum +=
            static_cast<long double>(trial.taps.weights[at]) - std::ldexp(trial.taps.real[at], q);
        if (k != count / 2) most = std::max(most, std::abs(sum));
      }
      CHECK_MESSAGE(most < 4, size, " x ", size, ": errors of ", most, " add up");
    }
}

// How often results equal the rounded ones, on noise and on gradients.
class Tally {
 public:
  void add(const FilterSettings &settings, Random &random, int noise, int gradients) {
    Trial trial(settings, {8, 0});
    CHECK_MESSAGE(trial.made, text_of(settings));
    if (!trial.made) return;
    const double share = share_off(trial.taps, trial.filter);
    CHECK_MESSAGE(share <= 0.001, share, " of noise off: ", text_of(settings));
    for (int i = 0; i < noise; ++i)
      noise_.count(trial.equal_with(false, [&](std::size_t) { return random.below(256); }));
    const int width = trial.taps.width, height = trial.taps.height;
    for (int i = 0; i < gradients; ++i) {
      // The whole of the range across the mask at most.
      const double limit = i % 2 == 0 ? 1.5 : 128.0 / (width + height);
      const double dx = limit * (2 * uniform(random) - 1), dy = limit * (2 * uniform(random) - 1);
      const double middle = random.between(32, 223);
      gradient_.count(trial.equal_with(false, [&](std::size_t at) {
        const int x = static_cast<int>(at) % width, y = static_cast<int>(at) / width;
        const double value = middle + dx * (x - width / 2) + dy * (y - height / 2);
        return static_cast<int>(std::min(std::max(value + 0.5, 0.0), 255.0));
      }));
    }
  }

  void expect(const char *what) const {
    std::printf("%s: %.4f %% of noise, %.4f %% of gradients as in real numbers\n", what,
                noise_.percent(), gradient_.percent());
    CHECK_MESSAGE(noise_.percent() >= 99.9, what);
    CHECK_MESSAGE(gradient_.percent() >= 99.9, what);
  }

 private:
  struct Count {
    int equal = 0, all = 0;
    void count(bool is_equal) {
      equal += is_equal;
      ++all;
    }
    double percent() const { return 100.0 * equal / all; }
  };
  Count noise_, gradient_;
};

TEST_CASE("presets equal") {
  Random random = random_of_run(8);
  Tally masks, rows;
  for (int size = 0; size <= kMaxMaskSize; ++size)
    for (int preset = 0; preset <= static_cast<int>(MaskPreset::emboss); ++preset)
      if (const auto s = preset_settings(static_cast<MaskPreset>(preset), size))
        masks.add(*s, random, 300, 300);
  for (int size = 0; size <= kMaxTaps; size += size < 16 ? 1 : 5)
    for (int preset = 0; preset <= static_cast<int>(RowPreset::gaussian_y); ++preset)
      if (const auto s = preset_settings(static_cast<RowPreset>(preset), size))
        rows.add(*s, random, 100, 100);
  masks.expect("presets of convolve");
  rows.expect("presets of sepconvolve");
}

// The large ones have many small weights beside one of nearly 2.
TEST_CASE("unsharp equal") {
  Random random = random_of_run(10);
  for (double sigma : {0.0, 5.0}) {
    Tally tally;
    FilterSettings s;
    std::string error;
    CHECK_MESSAGE(preset_mask(MaskPreset::unsharp, kMaxMaskSize, sigma, &s.mask, &error), error);
    tally.add(s, random, 20000, 2000);
    tally.expect("unsharp, 31 x 31");
  }
}

TEST_CASE("random equal") {
  Random random = random_of_run(9);
  Tally positive, mixed;
  for (int i = 0; i < 600; ++i) {
    FilterSettings s;
    const int most = i % 8 == 0 ? 31 : 9;
    s.mask = {random.between(1, most), random.between(1, most), {}};
    double sum = 0;
    for (int k = 0; k < s.mask.width * s.mask.height; ++k) {
      s.mask.at.push_back(uniform(random) - (i % 2 == 0 ? 0 : 0.5));
      sum += s.mask.at.back();
    }
    for (double &x : s.mask.at)
      x = sum < 0 ? -x : x;
    (i % 2 == 0 ? positive : mixed).add(s, random, 200, 200);
  }
  Tally rows;
  for (int i = 0; i < 300; ++i) {
    FilterSettings s;
    const int most = i % 4 == 0 ? kMaxTaps : 9;
    for (auto *row : {&s.horizontal, &s.vertical})
      for (int k = random.between(1, most); k > 0; --k)
        row->push_back(uniform(random) - (i % 3 == 0 ? 0.2 : 0));
    rows.add(s, random, 50, 50);
  }
  // They amplify, some of them a thousand times.
  Tally loud;
  for (int i = 0; i < 300; ++i) {
    FilterSettings s;
    s.mask = {random.between(2, 9), random.between(2, 9), {}};
    double sum = 0;
    for (int k = 0; k < s.mask.width * s.mask.height; ++k) {
      s.mask.at.push_back(uniform(random) - 0.5);
      sum += std::abs(s.mask.at.back());
    }
    if (i % 2 == 0) {
      for (std::vector<double> *row : {&s.horizontal, &s.vertical})
        row->assign(s.mask.at.begin(), s.mask.at.begin() + random.between(2, 4));
      s.mask = {};
      sum = 1;
    }
    s.divisor = sum * std::pow(10.0, -3 * uniform(random));
    s.bias = 128;
    loud.add(s, random, 100, 100);
  }
  positive.expect("random masks");
  rows.expect("random rows");
  mixed.expect("random masks with negative weights");
  loud.expect("random masks that amplify");
}

}  // namespace
}  // namespace coalesce::test
