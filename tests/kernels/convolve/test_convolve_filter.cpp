// SPDX-License-Identifier: LGPL-2.1-or-later
// From settings to Filters: by hand, and what holds for all of them.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "../../support/doctest.h"
#include "../../support/random.h"
#include "convolve_filter.h"
#include "convolve_ideal.h"
#include "convolve_settings.h"

namespace coalesce::test {
namespace {

TEST_CASE("exact") {
  const Filter binomial = make(masked("1 2 1; 2 4 2; 1 2 1"));
  CHECK_MESSAGE((binomial.exact && binomial.separable && binomial.divisor == 16 && binomial.narrow),
                binomial.separable);
  CHECK_MESSAGE((binomial.across == Integers{1, 2, 1} && binomial.down == Integers{1, 2, 1} &&
                 binomial.weights == Integers{1, 2, 1, 2, 4, 2, 1, 2, 1}),
                "weights");
  CHECK_MESSAGE((binomial.level.after == 8 && binomial.chroma.before == -2048 &&
                 binomial.chroma.after == 2056),
                "offsets");
  for (const char *text : {"0.5 1 0.5; 1 2 1; 0.5 1 0.5", "100 200 100; 200 400 200; 100 200 100",
                           "1e300 2e300 1e300; 2e300 4e300 2e300; 1e300 2e300 1e300"})
    CHECK_MESSAGE(same(make(masked(text)), binomial), text);
  CHECK_MESSAGE(same(make(rows({1, 2, 1}, {})), binomial), "rows");
  CHECK_MESSAGE(same(make(rows({-3, -6, -3}, {-0.25, -0.5, -0.25})), binomial), "rows, scaled");

  const Filter box = make(masked("7 7 7"));
  CHECK_MESSAGE((box.divisor == 3 && (box.weights == Integers{1, 1, 1}) && box.level.after == 1),
                "box");
  const Filter sharpen = make(masked("0 -1 0; -1 5 -1; 0 -1 0"));
  CHECK_MESSAGE((sharpen.exact && !sharpen.separable && sharpen.divisor == 1), "sharpen");
  // Turned round: a mask to convolve with.
  CHECK_MESSAGE((make(masked("1 2 3; 4 5 7")).weights == Integers{7, 5, 4, 3, 2, 1}), "not turned");

  // Up to 2^20, up to 31 bits.
  FilterSettings fine = masked("1 0");
  for (int bits : {20, 21}) {
    fine.mask.at = {1, std::ldexp(1, -bits)};
    CHECK_MESSAGE(make(fine).exact == (bits == 20), "2^-", bits);
  }
  fine.mask.at = {0x7fffffff, 1};
  CHECK_MESSAGE(make(fine).exact, "31 bits");
  fine.mask.at = {0x80000000, 1};
  CHECK_MESSAGE(!make(fine).exact, "32 bits");
}

// Decimal fractions are the integers that they are short for, in whichever way they were computed.
TEST_CASE("decimals") {
  CHECK_MESSAGE(same(make(masked("0.1 0.2 0.7")), make(masked("1 2 7"))), "0.1 0.2 0.7");
  CHECK_MESSAGE(same(make(masked("0.1 0.3; 0.2 0.7")), make(masked("1 3; 2 7"))), "2 x 2");
  CHECK_MESSAGE(
      same(make(rows({0.1, 0.8, 0.1}, {0.05, 0.9, 0.05})), make(rows({1, 8, 1}, {1, 18, 1}))),
      "rows");
  CHECK_MESSAGE(
      same(make(rows({0.1, 0.8, 0.1}, {1 / 3.0, 1})), make(rows({1, 8, 1}, {1 / 3.0, 1}))),
      "a row alone");
  FilterSettings s = masked("0 0 0"), whole = masked("1 2 -3");
  s.mask.at = {0.1, 0.2, -(0.1 + 0.2)};  // 0.30000000000000004
  whole.divisor = 10;
  CHECK_MESSAGE(same(make(s), make(whole)), "no sum");
  s = masked("0.123456 0.004096");
  s.normalize = false;
  CHECK_MESSAGE(
      (make(s).exact && (make(s).weights == Integers{64, 1929}) && make(s).divisor == 15625),
      "six digits");
  s = whole = masked("1 2 3");
  s.divisor = 0.3;
  CHECK_MESSAGE(((make(s).weights == Integers{30, 20, 10}) && make(s).divisor == 3), "/ 0.3");
  s = masked("0.1 0.3; 0.2 0.7");
  s.divisor = -0.03;
  CHECK_MESSAGE(((make(s).weights == Integers{-70, -20, -30, -10}) && make(s).divisor == 3),
                "/ -0.03");
  // Nothing is recognised that is not there: a seventh digit, a last digit that differs.
  CHECK_MESSAGE(!make(masked("0.1234567 1")).exact, "seven digits");
  CHECK_MESSAGE(!make(masked("0.10000000001 0.2")).exact, "10^-11 off");
  // Weights of 16 bits, or else rounded ones.
  CHECK_MESSAGE((make(masked("0.65535 0.00001")).exact && !make(masked("0.65537 0.00001")).exact),
                "16 bits");
  s = masked("0.00001 0.5; 0.5 0.32767");
  CHECK_MESSAGE((make(s).exact && make(s, {16, 0}).exact), "16 bits");
}

TEST_CASE("divisor") {
  FilterSettings s = masked("1 2 3");
  s.divisor = 2.5;
  CHECK_MESSAGE(((make(s).weights == Integers{6, 4, 2}) && make(s).divisor == 5 && make(s).exact),
                "2.5");
  s.divisor = -3;
  CHECK_MESSAGE(((make(s).weights == Integers{-3, -2, -1}) && make(s).divisor == 3), "-3");
  s.divisor = 0.75;
  CHECK_MESSAGE(((make(s).weights == Integers{12, 8, 4}) && make(s).divisor == 3), "0.75");
  s.divisor = 0x1p50;
  CHECK_MESSAGE(((make(s).weights == Integers{3, 2, 1}) && make(s).divisor == 1LL << 50), "2^50");
  s.divisor = 1 / 3.0;
  CHECK_MESSAGE((!make(s).exact && make(s).divisor > 1), "1/3");
  s.divisor = 1e30;  // All is 0 then; the bias stays.
  s.bias = 3;
  const Filter nothing = make(s);
  CHECK_MESSAGE(
      (nothing.weights == Integers{0} && nothing.divisor == 1 && nothing.level.after == 3),
      nothing.level.after);
  s = masked("1 2 3");
  s.divisor = 1e-9;
  expect_error(s, "divisor",
               "beyond the fixed-point range: divided by 1e-09, the weights are too large for "
               "8-bit samples; use a larger divisor");
}

// after = floor(divisor * (bias + 1/2)), with the bias k / 2^j.
TEST_CASE("bias") {
  Random random = random_of_run(2);
  for (int i = 0; i < 2000; ++i) {
    FilterSettings s = masked("1 1");
    s.divisor = random.between(1, 1 << random.between(0, 30));
    const int j = random.between(0, 30);
    const Wide k = random.between(-(1 << 29), 1 << 29);
    s.bias = std::ldexp(static_cast<double>(k), -j);
    const Filter filter = make(s);
    Wide twice = filter.divisor * (2 * k + (Wide{1} << j));  // times 2^j
    CHECK_MESSAGE(filter.level.after == static_cast<std::int64_t>(twice >> (j + 1)), "bias ",
                  s.bias);
  }
  const auto after = [](double divisor, double bias) {
    FilterSettings s = masked("1");
    s.divisor = divisor;
    s.bias = bias;
    return make(s).level.after;
  };
  CHECK_MESSAGE((after(3, 0.25) == 2 && after(3, -0.25) == 0 && after(3, -0.75) == -1), "quarters");
  CHECK_MESSAGE((after(1, 1e-320) == 0 && after(1, -1e-320) == 0), "tiny");
  CHECK_MESSAGE((after(2, 1e-320) == 1 && after(2, -1e-320) == 0), "tiny, at an integer");
  CHECK_MESSAGE(after(1, 0x1p61) == 1LL << 61, "large");
  FilterSettings s = masked("1");
  s.bias = 1e300;
  expect_error(s, "bias", "1e+300 is beyond the fixed-point range; -255 to 255 always fits");
  s.bias = -0x1p63;
  expect_error(s, "bias",
               "-9223372036854775808 is beyond the fixed-point range; -255 to 255 always fits");
}

// What is accepted at least, as docs/convolve.md has it: with every mask a bias of -max to max, and
// with n elements in up to 31 rows and columns a quotient of each by the divisor of up to
// 2^31 / (n * max).
TEST_CASE("ranges") {
  Random random = random_of_run(6);
  const auto any = [&random] { return std::ldexp(static_cast<double>(random.bits()), -63) - 1; };
  for (int i = 0; i < 3000; ++i) {
    FilterSettings s;
    int n = 0;
    double most = 0;
    const auto fill = [&](std::vector<double> *values, int count) {
      double largest = 0;
      for (int k = 0; k < count; ++k) {
        values->push_back(any());
        largest = std::max(largest, std::abs(values->back()));
      }
      n = n == 0 ? count : n * count;
      most = most == 0 ? largest : most * largest;
    };
    const int limit = i % 4 == 0 ? kMaxMaskSize : 6;
    if (i % 3 == 0) {
      fill(&s.horizontal, random.between(1, limit));
      fill(&s.vertical, random.between(1, limit));
    } else {
      s.mask.width = random.between(1, limit);
      s.mask.height = random.between(1, limit);
      s.mask.at.clear();
      fill(&s.mask.at, s.mask.width * s.mask.height);
    }
    for (SampleDepth depth : kDepths) {
      const int max = depth.max();
      s.divisor = most / (0x1p31 / n / max);
      s.bias = i % 2 == 0 ? max : -max;
      Filter filter;
      FilterError error;
      CHECK_MESSAGE(make_filter(s, depth, &filter, &error), depth.bits, " bits: ", error.property,
                    " ", error.text);
    }
  }
}

// The table of docs/numerics.md: what normalize and absolute make of the sum.
TEST_CASE("normalize") {
  const auto expect = [](const char *text, bool normalize, bool absolute, std::int64_t divisor,
                         double bias8, double bias16) {
    FilterSettings s = masked(text);
    s.normalize = normalize;
    s.absolute = absolute;
    const Filter narrow = make(s), wide = make(s, {16, 0});
    CHECK_MESSAGE((narrow.divisor == divisor && narrow.absolute == absolute &&
                   narrow.level.after == std::floor(static_cast<double>(divisor) * (bias8 + 0.5)) &&
                   wide.level.after == std::floor(static_cast<double>(divisor) * (bias16 + 0.5))),
                  text, ": / ", narrow.divisor, ", + ", narrow.level.after);
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
  CHECK_MESSAGE(
      make(masked("0.1 0.2 -0.3")).level.after == make(masked("0.1 0.2 -0.3")).divisor * 257 / 2,
      "0.1 + 0.2 - 0.3");
  FilterSettings s = masked("1 0 -1");
  s.divisor = 2;
  CHECK_MESSAGE((make(s).level.after == 257 && make(s).divisor == 2),
                "a divisor leaves the bias alone");
  s.bias = 0;
  CHECK_MESSAGE(make(s).level.after == 1, "a bias counts");
}

// Rims of zeros, anchors anywhere, both directions: every weight stands where it must.
TEST_CASE("places") {
  FilterSettings s = masked("0 0 0 5; 0 0 0 0");
  s.normalize = false;
  CHECK_MESSAGE((make(s).left == 2 && make(s).above == 0), make(s).left, " ", make(s).above);
  s.correlate = true;
  CHECK_MESSAGE((make(s).left == -2 && make(s).above == 0 && make(s).width == 1), make(s).left);
  s.anchor_x = 3;
  s.anchor_y = 1;
  CHECK_MESSAGE((make(s).left == 0 && make(s).above == 1), make(s).left, " ", make(s).above);
  CHECK_MESSAGE(make(masked("0 0; 0 0; 0 0")).level.after == 128, "zeros");
  CHECK_MESSAGE(make(rows({0, 0}, {1, 2, 3})).level.after == 128, "a row of zeros");

  Random random = random_of_run(3);
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
    CHECK_MESSAGE((equal && filter.exact), mask_text(mask), ", anchor ", s.anchor_x, " ",
                  s.anchor_y);
  }
}

TEST_CASE("rank") {
  CHECK_MESSAGE(!make(masked("1 2; 2 5")).separable, "1 2; 2 5");
  CHECK_MESSAGE(make(masked("2 4 6; -3 -6 -9; 0 0 0; 1 2 3")).separable, "of integers");
  // Equal to a product to a millionth of a millionth, and not equal.
  CHECK_MESSAGE(!make(masked("1000000 999999; 1000001 1000000")).separable, "integers, nearly");
  CHECK_MESSAGE(make(masked("0.1 0.3; 0.2 0.6")).separable, "of reals");
  CHECK_MESSAGE(!make(masked("0.1 0.3; 0.2 0.600001")).separable, "of reals, not quite");
  FilterSettings s = masked("0.1 0.3; 0.2 0.6");
  s.mask.at[3] *= 1 + 1e-13;
  CHECK_MESSAGE(make(s).separable, "10^-13 off");
  s.mask.at[3] *= 1 + 1e-11;
  CHECK_MESSAGE(!make(s).separable, "10^-11 off");
}

// Rows that are not integers, by hand.
TEST_CASE("rounded rows") {
  // 1/6 of 2^18 is 43690.67; of six equals, the first and the last make up for the excess of 2.
  const Filter six = make(rows({1, 1, 1, 1, 1, 1}, {0.1 / 3, 0.23 / 3}));
  CHECK_MESSAGE((six.across == Integers{43690, 43691, 43691, 43691, 43691, 43690}), six.across[0]);
  // 10/33 and 23/33 of 2^17, turned round: 0.7 takes 17 bits.
  CHECK_MESSAGE(((six.down == Integers{91353, 39719}) && six.divisor == 1LL << 35), six.down[0]);
  CHECK_MESSAGE((!six.narrow && six.narrow_across && !six.exact), "flags");
  const Filter wide = make(rows({1, 1, 1, 1, 1, 1}, {0.1 / 3, 0.23 / 3}), {16, 0});
  CHECK_MESSAGE((wide.divisor == 1LL << 44 && wide.across[0] == 699050), wide.across[0]);
  // An exact row leaves the column 30 bits: 0.3 and 0.7 of them.
  const Filter half = make(rows({1, 2, 1}, {0.3 / 7, 0.7 / 7}), {16, 0});
  CHECK_MESSAGE(((half.across == Integers{1, 2, 1}) && half.divisor == 1LL << 32 &&
                 (half.down == Integers{751619277, 322122547})),
                half.down[0]);
  // What rows cannot do to within 1, a mask does.
  FilterSettings s = rows({4.2, -3.5, 2.3, -1.1, 7.2, 8.1}, {1.4, -3.8, -7.3});
  s.horizontal[0] += 1e-9;  // no decimals
  s.vertical[0] += 1e-9;
  s.normalize = false;
  CHECK_MESSAGE((make(s).separable && !make(s, {16, 0}).separable), "both");
}

// The largest weight whose sums fit 32 bits, and the next.
TEST_CASE("narrow") {
  for (bool absolute : {false, true})
    for (int sign : {1, -1}) {
      FilterSettings s = masked("1");
      s.normalize = false;
      s.absolute = absolute;
      s.mask.at = {sign * 8421504.0};
      CHECK_MESSAGE((make(s).narrow && make(s).narrow_across), s.mask.at[0]);
      s.mask.at = {sign * 8421505.0};
      CHECK_MESSAGE((!make(s).narrow && make(s).narrow_across), s.mask.at[0]);
      s.mask.at = {sign * 8400000.0};
      s.bias = 20000000;
      CHECK_MESSAGE(make(s).narrow == (sign < 0 && !absolute), "with a bias");
    }
  FilterSettings s = rows({1000000, 1, 1}, {9, 9});
  s.normalize = false;
  CHECK_MESSAGE((!make(s).narrow && make(s).narrow_across), "across alone");
  s = masked("1");
  s.divisor = 8388607;
  CHECK_MESSAGE(make(s).narrow, "divisor");
  s.divisor = 8388609;
  CHECK_MESSAGE(!make(s).narrow, "divisor");
}

TEST_CASE("errors") {
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
  expect_error(s, "divisor", "-1 is negative; absolute=true allows no negative divisor");
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

}  // namespace
}  // namespace coalesce::test
