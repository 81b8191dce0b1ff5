// SPDX-License-Identifier: LGPL-2.1-or-later
// From settings to Filters: by hand, and what holds for all of them.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "../support/expect.h"
#include "../support/random.h"
#include "convolve_filter.h"
#include "convolve_ideal.h"

namespace coalesce::test {
namespace {

using Integers = std::vector<std::int32_t>;
using Reals = std::vector<double>;

constexpr SampleDepth kDepths[] = {{8, 0}, {10, 0}, {10, 6}, {16, 0}};
constexpr SampleDepth k8 = {8, 0};

FilterSettings masked(const char *text) {
  FilterSettings settings;
  std::string error;
  EXPECT(parse_mask(text, kMaxMaskSize, kMaxMaskSize, &settings.mask, &error), "%s", error.c_str());
  return settings;
}

FilterSettings rows(Reals horizontal, Reals vertical) {
  FilterSettings settings;
  settings.horizontal = std::move(horizontal);
  settings.vertical = std::move(vertical);
  return settings;
}

// The outer product as a mask.
FilterSettings outer(const FilterSettings &rows) {
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

std::string text_of(const FilterSettings &s) {
  return s.horizontal.empty() ? mask_text(s.mask)
                              : mask_text({static_cast<int>(s.horizontal.size()), 1, s.horizontal});
}

Filter make(const FilterSettings &settings, SampleDepth depth = k8) {
  Filter filter;
  FilterError error;
  const bool good = make_filter(settings, depth, &filter, &error);
  EXPECT(good, "%s: %s %s", text_of(settings).c_str(), error.property.c_str(), error.text.c_str());
  EXPECT(!good || flaw(filter).empty(), "%s: %s", text_of(settings).c_str(), flaw(filter).c_str());
  return filter;
}

void expect_error(const FilterSettings &settings, const char *property, const char *text,
                  SampleDepth depth = k8) {
  Filter filter;
  filter.left = 77;
  FilterError error;
  const bool good = make_filter(settings, depth, &filter, &error);
  EXPECT(!good && error.property == property && error.text == text, "%s %s\ninstead of %s %s",
         error.property.c_str(), error.text.c_str(), property, text);
  EXPECT(same(filter,
              [] {
                Filter untouched;
                untouched.left = 77;
                return untouched;
              }()),
         "%s: the filter was changed", property);
}

void test_exact() {
  const Filter binomial = make(masked("1 2 1; 2 4 2; 1 2 1"));
  EXPECT(binomial.exact && binomial.separable && binomial.divisor == 16 && binomial.narrow, "%d",
         binomial.separable);
  EXPECT((binomial.across == Integers{1, 2, 1} && binomial.down == Integers{1, 2, 1} &&
          binomial.weights == Integers{1, 2, 1, 2, 4, 2, 1, 2, 1}),
         "weights");
  EXPECT(
      binomial.level.after == 8 && binomial.chroma.before == -2048 && binomial.chroma.after == 2056,
      "offsets");
  for (const char *text : {"0.5 1 0.5; 1 2 1; 0.5 1 0.5", "100 200 100; 200 400 200; 100 200 100",
                           "1e300 2e300 1e300; 2e300 4e300 2e300; 1e300 2e300 1e300"})
    EXPECT(same(make(masked(text)), binomial), "%s", text);
  EXPECT(same(make(rows({1, 2, 1}, {})), binomial), "rows");
  EXPECT(same(make(rows({-3, -6, -3}, {-0.25, -0.5, -0.25})), binomial), "rows, scaled");

  const Filter box = make(masked("7 7 7"));
  EXPECT(box.divisor == 3 && (box.weights == Integers{1, 1, 1}) && box.level.after == 1, "box");
  const Filter sharpen = make(masked("0 -1 0; -1 5 -1; 0 -1 0"));
  EXPECT(sharpen.exact && !sharpen.separable && sharpen.divisor == 1, "sharpen");
  // Turned round: a mask to convolve with.
  EXPECT((make(masked("1 2 3; 4 5 7")).weights == Integers{7, 5, 4, 3, 2, 1}), "not turned");

  // Up to 2^20, up to 31 bits.
  FilterSettings fine = masked("1 0");
  for (int bits : {20, 21}) {
    fine.mask.at = {1, std::ldexp(1, -bits)};
    EXPECT(make(fine).exact == (bits == 20), "2^-%d", bits);
  }
  fine.mask.at = {0x7fffffff, 1};
  EXPECT(make(fine).exact, "31 bits");
  fine.mask.at = {0x80000000, 1};
  EXPECT(!make(fine).exact, "32 bits");
}

void test_divisor() {
  FilterSettings s = masked("1 2 3");
  s.divisor = 2.5;
  EXPECT((make(s).weights == Integers{6, 4, 2}) && make(s).divisor == 5 && make(s).exact, "2.5");
  s.divisor = -3;
  EXPECT((make(s).weights == Integers{-3, -2, -1}) && make(s).divisor == 3, "-3");
  s.divisor = 0.75;
  EXPECT((make(s).weights == Integers{12, 8, 4}) && make(s).divisor == 3, "0.75");
  s.divisor = 0x1p50;
  EXPECT((make(s).weights == Integers{3, 2, 1}) && make(s).divisor == 1LL << 50, "2^50");
  s.divisor = 0.1;
  EXPECT(!make(s).exact && make(s).divisor > 1, "0.1");
  s.divisor = 1e30;  // All is 0 then; the bias stays.
  s.bias = 3;
  const Filter nothing = make(s);
  EXPECT(nothing.weights == Integers{0} && nothing.divisor == 1 && nothing.level.after == 3, "%lld",
         static_cast<long long>(nothing.level.after));
  s = masked("1 2 3");
  s.divisor = 1e-9;
  expect_error(s, "divisor",
               "beyond the fixed-point range: divided by 1e-09, the weights are too large for "
               "8-bit samples");
}

// after = floor(divisor * (bias + 1/2)), with the bias k / 2^j.
void test_bias() {
  Random random(2);
  for (int i = 0; i < 2000; ++i) {
    FilterSettings s = masked("1 1");
    s.divisor = random.between(1, 1 << random.between(0, 30));
    const int j = random.between(0, 30);
    const Wide k = random.between(-(1 << 29), 1 << 29);
    s.bias = std::ldexp(static_cast<double>(k), -j);
    const Filter filter = make(s);
    Wide twice = filter.divisor * (2 * k + (Wide{1} << j));  // times 2^j
    EXPECT(filter.level.after == static_cast<std::int64_t>(twice >> (j + 1)), "bias %.17g", s.bias);
  }
  const auto after = [](double divisor, double bias) {
    FilterSettings s = masked("1");
    s.divisor = divisor;
    s.bias = bias;
    return make(s).level.after;
  };
  EXPECT(after(3, 0.25) == 2 && after(3, -0.25) == 0 && after(3, -0.75) == -1, "quarters");
  EXPECT(after(1, 1e-320) == 0 && after(1, -1e-320) == 0, "tiny");
  EXPECT(after(2, 1e-320) == 1 && after(2, -1e-320) == 0, "tiny, at an integer");
  EXPECT(after(1, 0x1p61) == 1LL << 61, "large");
  FilterSettings s = masked("1");
  s.bias = 1e300;
  expect_error(s, "bias", "1e+300 is beyond the fixed-point range");
  s.bias = -0x1p63;
  expect_error(s, "bias", "-9223372036854775808 is beyond the fixed-point range");
}

// The table of docs/numerics.md: what normalize and absolute make of the sum.
void test_normalize() {
  const auto expect = [](const char *text, bool normalize, bool absolute, std::int64_t divisor,
                         double bias8, double bias16) {
    FilterSettings s = masked(text);
    s.normalize = normalize;
    s.absolute = absolute;
    const Filter narrow = make(s), wide = make(s, {16, 0});
    EXPECT(narrow.divisor == divisor && narrow.absolute == absolute &&
               narrow.level.after == std::floor(static_cast<double>(divisor) * (bias8 + 0.5)) &&
               wide.level.after == std::floor(static_cast<double>(divisor) * (bias16 + 0.5)),
           "%s: / %lld, + %lld", text, static_cast<long long>(narrow.divisor),
           static_cast<long long>(narrow.level.after));
  };
  expect("1 2 1", true, false, 4, 0, 0);
  expect("1 0 -1", true, false, 1, 128, 32768);
  expect("1 -4 2", true, false, 1, 255, 65535);
  for (const char *text : {"1 2 1", "1 0 -1", "1 -4 2"}) {
    expect(text, false, false, 1, 0, 0);
    expect(text, true, true, 1, 0, 0);
    expect(text, false, true, 1, 0, 0);
  }
  // A sum within 10^-12 of nothing is nothing.
  EXPECT(make(masked("0.1 0.2 -0.3")).level.after == make(masked("0.1 0.2 -0.3")).divisor * 257 / 2,
         "0.1 + 0.2 - 0.3");
  FilterSettings s = masked("1 0 -1");
  s.divisor = 2;
  EXPECT(make(s).level.after == 257 && make(s).divisor == 2, "a divisor leaves the bias alone");
  s.bias = 0;
  EXPECT(make(s).level.after == 1, "a bias counts");
}

// Rims of zeros, anchors anywhere, both directions: every weight stands where it must.
void test_places() {
  FilterSettings s = masked("0 0 0 5; 0 0 0 0");
  s.normalize = false;
  EXPECT(make(s).left == 2 && make(s).above == 0, "%d %d", make(s).left, make(s).above);
  s.correlate = true;
  EXPECT(make(s).left == -2 && make(s).above == 0 && make(s).width == 1, "%d", make(s).left);
  s.anchor_x = 3;
  s.anchor_y = 1;
  EXPECT(make(s).left == 0 && make(s).above == 1, "%d %d", make(s).left, make(s).above);
  EXPECT(make(masked("0 0; 0 0; 0 0")).level.after == 128, "zeros");
  EXPECT(make(rows({0, 0}, {1, 2, 3})).level.after == 128, "a row of zeros");

  Random random(3);
  for (int i = 0; i < 3000; ++i) {
    Mask mask{random.between(1, 6), random.between(1, 6), {}};
    for (int k = 0; k < mask.width * mask.height; ++k)
      mask.at.push_back(random.below(3) == 0 ? random.between(-9, 9) : 0);
    s = {};
    s.mask = mask;
    s.anchor_x = random.between(-1, mask.width - 1);
    s.anchor_y = random.between(-1, mask.height - 1);
    s.correlate = random.below(2) == 0;
    if (random.below(2) == 0) s.divisor = random.between(1, 20);
    const Filter filter = make(s);
    const Taps taps = taps_of(s, filter);
    bool equal = taps.inside;
    for (std::size_t k = 0; k < taps.size(); ++k)
      equal = equal && std::abs(static_cast<long double>(taps.weights[k]) / filter.divisor -
                                taps.real[k]) < 1e-15L;
    EXPECT(equal && filter.exact, "%s, anchor %d %d", mask_text(mask).c_str(), s.anchor_x,
           s.anchor_y);
  }
}

void test_rank() {
  EXPECT(!make(masked("1 2; 2 5")).separable, "1 2; 2 5");
  EXPECT(make(masked("2 4 6; -3 -6 -9; 0 0 0; 1 2 3")).separable, "of integers");
  // Equal to a product to a millionth of a millionth, and not equal.
  EXPECT(!make(masked("1000000 999999; 1000001 1000000")).separable, "integers, nearly");
  EXPECT(make(masked("0.1 0.3; 0.2 0.6")).separable, "of reals");
  EXPECT(!make(masked("0.1 0.3; 0.2 0.600001")).separable, "of reals, not quite");
  FilterSettings s = masked("0.1 0.3; 0.2 0.6");
  s.mask.at[3] *= 1 + 1e-13;
  EXPECT(make(s).separable, "10^-13 off");
  s.mask.at[3] *= 1 + 1e-11;
  EXPECT(!make(s).separable, "10^-11 off");
}

// The largest weight whose sums fit 32 bits, and the next.
void test_narrow() {
  for (bool absolute : {false, true})
    for (int sign : {1, -1}) {
      FilterSettings s = masked("1");
      s.normalize = false;
      s.absolute = absolute;
      s.mask.at = {sign * 8421504.0};
      EXPECT(make(s).narrow && make(s).narrow_across, "%g", s.mask.at[0]);
      s.mask.at = {sign * 8421505.0};
      EXPECT(!make(s).narrow && make(s).narrow_across, "%g", s.mask.at[0]);
      s.mask.at = {sign * 8400000.0};
      s.bias = 20000000;
      EXPECT(make(s).narrow == (sign < 0 && !absolute), "with a bias");
    }
  FilterSettings s = rows({1000000, 1, 1}, {9, 9});
  s.normalize = false;
  EXPECT(!make(s).narrow && make(s).narrow_across, "across alone");
  s = masked("1");
  s.divisor = 8388607;
  EXPECT(make(s).narrow, "divisor");
  s.divisor = 8388609;
  EXPECT(!make(s).narrow, "divisor");
}

void test_errors() {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::nan("");
  FilterSettings s = masked("1 2 3; 4 5 6");
  s.anchor_x = 3;
  expect_error(s, "anchor-x",
               "3 lies outside the mask: possible are 0 to 2, and -1 for the middle");
  s.anchor_x = -2;
  expect_error(s, "anchor-x",
               "-2 lies outside the mask: possible are 0 to 2, and -1 for the middle");
  s.anchor_x = 2;
  s.anchor_y = 2;
  expect_error(s, "anchor-y",
               "2 lies outside the mask: possible are 0 to 1, and -1 for the middle");
  s = masked("1");
  s.divisor = nan;
  expect_error(s, "divisor", "is not a finite number");
  s.divisor = -1;
  s.absolute = true;
  expect_error(s, "divisor", "-1 is negative, which makes no sense with absolute");
  s = masked("1");
  s.bias = infinity;
  expect_error(s, "bias", "is not a finite number");
  s = masked("1");
  s.mask.at = {nan};
  expect_error(s, "mask", "holds a number that is not finite");
  s.mask = {2, 2, {1, 2, 3}};
  expect_error(s, "mask", "is 2 wide and 2 high with 3 numbers; at most 31 x 31 are possible");
  s.mask = {32, 1, Reals(32, 1.0)};
  expect_error(s, "mask", "is 32 wide and 1 high with 32 numbers; at most 31 x 31 are possible");
  expect_error(rows({infinity}, {1}), "horizontal", "holds a number that is not finite");
  expect_error(rows({1}, {-infinity}), "vertical", "holds a number that is not finite");
  expect_error(rows({1}, Reals(64, 1.0)), "vertical", "has 64 numbers; at most 63 are possible");
}

// Numbers at the ends of the range of doubles: a sound filter, or an error that names the culprit.
void test_hostile() {
  const auto beyond = [](const char *by) {
    return std::string("beyond the fixed-point range: divided by ") + by +
           ", the weights are too large for 8-bit samples";
  };
  EXPECT(make(rows(Reals(63, 1e300), {})).divisor == 63 * 63, "the sum is beyond doubles");
  Reals large(63, 1e308);
  large[3] = 1.5e308;
  EXPECT(make(rows(large, {1e-308})).left == 31, "rows of opposite scale");
  EXPECT(make(masked("1e308 1.7e308; 1e308 -1.1e308")).divisor > 1, "large");
  EXPECT(make(masked("5e-324 5e-324 1e-323")).divisor > 1, "denormal");
  EXPECT(make(masked("1e308 1e-308")).width == 1, "all of the range");
  EXPECT(make(rows({1e-308, 1.1e-308}, {1e308, 1.3e308})).divisor > 1, "products in the middle");
  FilterSettings s = masked("1e308 1.7e308");
  s.normalize = false;
  expect_error(s, "mask", beyond("1").c_str());
  s.divisor = 1e-308;
  expect_error(s, "mask", beyond("1e-308").c_str());
  s.divisor = 1.6e308;
  EXPECT(make(s).divisor > 1, "divided by as much");
  s = masked("1 1; 1 0.9");
  s.divisor = 5e-324;
  expect_error(s, "divisor", beyond("5e-324").c_str());
  // The sum is little, but not nothing.
  expect_error(masked("1000 -999.99999999; 1000 -1000"), "mask", beyond("their sum").c_str());
  expect_error(rows({1, -0.99999999}, {1, 2}), "horizontal", beyond("their sum").c_str());
  expect_error(rows({1, 2}, {1, -0.99999999}), "vertical", beyond("their sum").c_str());
  s = rows({1e9, 3.3}, {1, 2.2});
  s.normalize = false;
  expect_error(s, "horizontal", beyond("1").c_str());
  s.vertical.swap(s.horizontal);
  expect_error(s, "vertical", beyond("1").c_str());
  s.horizontal = s.vertical;
  s.vertical.clear();
  expect_error(s, "horizontal", beyond("1").c_str());

  const double numbers[] = {0,       1,      -1,     1e308,  -1.7976931348623157e308, 5e-324,
                            -1e-310, 1e-300, 1e-154, 1e154,  3.3333333333333333e-5,   65535.5,
                            1e12,    -1e12,  0.1,    1 / 3.0};
  Random random(4);
  int good = 0;
  for (int i = 0; i < 20000; ++i) {
    FilterSettings t;
    if (random.below(2) == 0) {
      t.horizontal = Reals(static_cast<std::size_t>(random.between(1, 5)));
      t.vertical = Reals(static_cast<std::size_t>(random.between(0, 5)));
    } else {
      t.mask = {random.between(1, 4), random.between(1, 4), {}};
      t.mask.at.resize(static_cast<std::size_t>(t.mask.width * t.mask.height));
    }
    for (Reals *values : {&t.horizontal, &t.vertical, &t.mask.at})
      for (double &x : *values)
        x = random.pick(numbers);
    if (random.below(2) == 0) t.divisor = random.pick(numbers);
    if (random.below(2) == 0) t.bias = random.pick(numbers);
    t.normalize = random.below(2) == 0;
    t.absolute = random.below(3) == 0;
    Filter filter;
    FilterError error;
    if (make_filter(t, random.pick(kDepths), &filter, &error)) {
      ++good;
      EXPECT(flaw(filter).empty(), "%s: %s", text_of(t).c_str(), flaw(filter).c_str());
    } else {
      EXPECT(!error.property.empty() && error.text.size() > 10, "%s", error.text.c_str());
    }
  }
  EXPECT(good > 2000 && good < 18000, "%d of 20000 are possible", good);
}

// convolve's outer product and sepconvolve's rows give the same Filter.
void test_products() {
  Random random(5);
  for (int i = 0; i < 2000; ++i) {
    const bool real = i % 2 == 0;
    FilterSettings s;
    s.horizontal.resize(static_cast<std::size_t>(random.between(1, i % 20 == 0 ? 31 : 7)));
    s.vertical.resize(static_cast<std::size_t>(random.between(1, i % 20 == 0 ? 31 : 7)));
    for (Reals *row : {&s.horizontal, &s.vertical})
      for (double &x : *row)
        x = real ? std::ldexp(static_cast<double>(random.bits() >> 12), -50) - (i % 4) / 2
                 : random.between(-20, 20);
    s.normalize = random.below(2) == 0;
    s.correlate = random.below(2) == 0;
    if (random.below(4) == 0) s.divisor = random.between(1, 1000);
    FilterSettings product = outer(s);
    std::string error;
    EXPECT(parse_mask(mask_text(product.mask), 31, 31, &product.mask, &error), "%s", error.c_str());
    for (SampleDepth depth : kDepths) {
      Filter a, b;
      FilterError e;
      const bool made = make_filter(s, depth, &a, &e);
      EXPECT(make_filter(product, depth, &b, &e) == made, "%s", text_of(s).c_str());
      EXPECT(!made || same(a, b), "%d bits: %s, %s", depth.bits, text_of(s).c_str(),
             mask_text({static_cast<int>(s.vertical.size()), 1, s.vertical}).c_str());
      EXPECT(!made || flaw(a).empty(), "%s: %s", text_of(s).c_str(), flaw(a).c_str());
    }
  }
  for (int size = 1; size <= kMaxMaskSize; ++size)
    for (RowPreset preset : {RowPreset::gaussian, RowPreset::binomial, RowPreset::box})
      for (SampleDepth depth : kDepths) {
        FilterSettings s;
        Mask horizontal, vertical;
        std::string error;
        EXPECT(preset_rows(preset, size, 0, &horizontal, &vertical, &error), "%s", error.c_str());
        s.horizontal = horizontal.at;
        s.vertical = vertical.at;
        EXPECT(same(make(s, depth), make(outer(s), depth)), "size %d, %d bits", size, depth.bits);
      }
}

// A normalised mask and its multiples; the sum is kept to the last unit.
void test_sums() {
  Random random(6);
  for (int i = 0; i < 1000; ++i) {
    FilterSettings s;
    s.mask = {random.between(1, 9), random.between(1, 9), {}};
    for (int k = 0; k < s.mask.width * s.mask.height; ++k)
      s.mask.at.push_back(i % 2 == 0 ? random.between(0, 50) + 1
                                     : std::ldexp(static_cast<double>(random.bits() >> 12), -52));
    for (SampleDepth depth : kDepths) {
      const Filter filter = make(s, depth);
      EXPECT(sums(filter).up == filter.divisor, "a flat area does not stay flat: %s",
             mask_text(s.mask).c_str());
      for (double factor : {2.0, 3.0}) {
        FilterSettings t = s;
        for (double &x : t.mask.at)
          x *= factor;
        EXPECT(same(make(t, depth), filter), "%g times %s", factor, mask_text(s.mask).c_str());
      }
    }
  }
  // Rows of even size stay symmetrical.
  for (int size = 2; size <= kMaxTaps; size += 2)
    for (double sigma : {0.0, 0.7, 2.0, 9.9}) {
      Mask horizontal, vertical;
      std::string error;
      EXPECT(preset_rows(RowPreset::gaussian, size, sigma, &horizontal, &vertical, &error), "%s",
             error.c_str());
      for (SampleDepth depth : kDepths) {
        const Filter filter = make(rows(horizontal.at, {1}), depth);
        EXPECT(std::equal(filter.across.begin(), filter.across.end(), filter.across.rbegin()),
               "size %d, sigma %g, %d bits", size, sigma, depth.bits);
      }
    }
  const Filter identity = make(masked("1"));
  EXPECT(identity.width == 1 && identity.weights == Integers{1} && identity.divisor == 1 &&
             identity.level.after == 0 && identity.chroma.before + identity.chroma.after == 0,
         "the identity");
  for (Filter scaled : {make(masked("0.3")), make(rows({0.7}, {0.1}))}) {
    EXPECT(!scaled.exact, "0.3 is not what the text says");
    scaled.exact = true;
    EXPECT(same(scaled, identity), "the identity, scaled");
  }
}

}  // namespace
}  // namespace coalesce::test

int main() {
  using namespace coalesce::test;
  test_exact();
  test_divisor();
  test_bias();
  test_normalize();
  test_places();
  test_rank();
  test_narrow();
  test_errors();
  test_hostile();
  test_products();
  test_sums();
  return result();
}
