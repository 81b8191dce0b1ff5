// SPDX-License-Identifier: LGPL-2.1-or-later
// What must hold of Filters whatever the mask: hostile numbers, products of rows, multiples, sums.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "../../support/doctest.h"
#include "../../support/random.h"
#include "convolve_filter.h"
#include "convolve_settings.h"

namespace coalesce::test {
namespace {

// Numbers at the ends of the range of doubles: a sound filter, or an error that names the culprit.
TEST_CASE("hostile") {
  const auto beyond = [](const char *by) {
    return std::string("beyond the fixed-point range: divided by ") + by +
           ", the weights are too large for 8-bit samples; use a larger divisor";
  };
  CHECK_MESSAGE(make(rows(Reals(63, 1e300), {})).divisor == 63 * 63, "the sum is beyond doubles");
  Reals large(63, 1e308);
  large[3] = 1.5e308;
  CHECK_MESSAGE(make(rows(large, {1e-308})).left == 31, "rows of opposite scale");
  CHECK_MESSAGE(make(masked("1e308 1.7e308; 1e308 -1.1e308")).divisor > 1, "large");
  CHECK_MESSAGE(make(masked("5e-324 5e-324 1e-323")).divisor > 1, "denormal");
  CHECK_MESSAGE(make(masked("1e308 1e-308")).width == 1, "all of the range");
  CHECK_MESSAGE(make(rows({1e-308, 1.1e-308}, {1e308, 1.3e308})).divisor > 1,
                "products in the middle");
  FilterSettings s = masked("1e308 1.7e308");
  s.normalize = false;
  expect_error(s, "mask", beyond("1").c_str());
  s.divisor = 1e-308;
  expect_error(s, "mask", beyond("1e-308").c_str());
  s.divisor = 1.6e308;
  CHECK_MESSAGE(make(s).divisor > 1, "divided by as much");
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
  Random random = random_of_run(4);
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
      CHECK_MESSAGE(flaw(filter).empty(), text_of(t), ": ", flaw(filter));
    } else {
      CHECK_MESSAGE((!error.property.empty() && error.text.size() > 10), error.text);
    }
  }
  CHECK_MESSAGE((good > 2000 && good < 18000), good, " of 20000 are possible");
}

// convolve's outer product and sepconvolve's rows give the same Filter.
TEST_CASE("products") {
  Random random = random_of_run(5);
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
    CHECK_MESSAGE(parse_mask(mask_text(product.mask), 31, 31, &product.mask, &error), error);
    for (SampleDepth depth : kDepths) {
      Filter a, b;
      FilterError e;
      const bool made = make_filter(s, depth, &a, &e);
      CHECK_MESSAGE(make_filter(product, depth, &b, &e) == made, text_of(s));
      CHECK_MESSAGE((!made || same(a, b)), depth.bits, " bits: ", text_of(s));
      CHECK_MESSAGE((!made || flaw(a).empty()), text_of(s), ": ", flaw(a));
    }
  }
  for (int size = 1; size <= kMaxMaskSize; ++size)
    for (RowPreset preset : {RowPreset::gaussian, RowPreset::binomial, RowPreset::box})
      for (SampleDepth depth : kDepths) {
        FilterSettings s;
        Mask horizontal, vertical;
        std::string error;
        CHECK_MESSAGE(preset_rows(preset, size, 0, &horizontal, &vertical, &error), error);
        s.horizontal = horizontal.at;
        s.vertical = vertical.at;
        CHECK_MESSAGE(same(make(s, depth), make(outer(s), depth)), "size ", size, ", ", depth.bits,
                      " bits");
      }
}

// A normalised mask and its multiples; the sum is kept to the last unit.
TEST_CASE("sums") {
  Random random = random_of_run(6);
  for (int i = 0; i < 1000; ++i) {
    FilterSettings s;
    s.mask = {random.between(1, 9), random.between(1, 9), {}};
    for (int k = 0; k < s.mask.width * s.mask.height; ++k)
      s.mask.at.push_back(i % 2 == 0 ? random.between(0, 50) + 1
                                     : std::ldexp(static_cast<double>(random.bits() >> 12), -52));
    for (SampleDepth depth : kDepths) {
      const Filter filter = make(s, depth);
      CHECK_MESSAGE(sums(filter).up == filter.divisor,
                    "a flat area does not stay flat: ", mask_text(s.mask));
      for (double factor : {2.0, 3.0}) {
        FilterSettings t = s;
        for (double &x : t.mask.at)
          x *= factor;
        CHECK_MESSAGE(same(make(t, depth), filter), factor, " times ", mask_text(s.mask));
      }
    }
  }
  // Rows of even size stay symmetrical.
  for (int size = 2; size <= kMaxTaps; size += 2)
    for (double sigma : {0.0, 0.7, 2.0, 9.9}) {
      Mask horizontal, vertical;
      std::string error;
      CHECK_MESSAGE(preset_rows(RowPreset::gaussian, size, sigma, &horizontal, &vertical, &error),
                    error);
      for (SampleDepth depth : kDepths) {
        const Filter filter = make(rows(horizontal.at, {1}), depth);
        CHECK_MESSAGE(
            std::equal(filter.across.begin(), filter.across.end(), filter.across.rbegin()), "size ",
            size, ", sigma ", sigma, ", ", depth.bits, " bits");
      }
    }
  const Filter identity = make(masked("1"));
  CHECK_MESSAGE((identity.width == 1 && identity.weights == Integers{1} && identity.divisor == 1 &&
                 identity.level.after == 0 && identity.chroma.before + identity.chroma.after == 0),
                "the identity");
  for (Filter scaled : {make(masked("0.30000001")), make(rows({0.7}, {0.123456789}))}) {
    CHECK_MESSAGE(!scaled.exact, "it is not what the text says");
    scaled.exact = true;
    CHECK_MESSAGE(same(scaled, identity), "the identity, scaled");
  }
}

}  // namespace
}  // namespace coalesce::test
