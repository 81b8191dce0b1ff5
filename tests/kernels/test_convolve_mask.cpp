// SPDX-License-Identifier: LGPL-2.1-or-later
// Masks as text, and the presets.
#include <clocale>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include "../support/random.h"
#include "convolve/mask.h"
#include "expect.h"

namespace coalesce::test {
namespace {

void expect_read(std::string_view text, const Mask &expected) {
  Mask mask{0, 0, {}};
  std::string error;
  const bool good = parse_mask(text, 5, 5, &mask, &error);
  EXPECT(good, "\"%s\": %s", std::string(text).c_str(), error.c_str());
  EXPECT(good && mask.width == expected.width && mask.height == expected.height &&
             mask.at == expected.at,
         "\"%s\" became \"%s\"", std::string(text).c_str(), mask_text(mask).c_str());
}

void test_numbers() {
  expect_read("1 2 1; 2 4 2; 1 2 1", {3, 3, {1, 2, 1, 2, 4, 2, 1, 2, 1}});
  expect_read("1,2 , 3;4,\n5\t6", {3, 2, {1, 2, 3, 4, 5, 6}});
  expect_read(" \t\r\n\v\f1", {1, 1, {1}});
  expect_read("1\v2\f3 ;4 5 6 ", {3, 2, {1, 2, 3, 4, 5, 6}});
  expect_read("+1 -2 +.5 -.25 3.", {5, 1, {1, -2, 0.5, -0.25, 3}});
  expect_read("1e3 1E3 1e+3 1e-3 12.5e-1", {5, 1, {1000, 1000, 1000, 0.001, 1.25}});
  expect_read("1.7976931348623157e308 2.2250738585072014e-308 4.9406564584124654e-324 0e999 0e-999",
              {5,
               1,
               {std::numeric_limits<double>::max(), std::numeric_limits<double>::min(),
                std::numeric_limits<double>::denorm_min(), 0, 0}});
  // The nearest double, not one beside it.
  expect_read("0.1 9007199254740993 0.30000000000000004", {3, 1, {0.1, 0x1p53, 0.1 + 0.2}});
}

void expect_refused(std::string_view text, const char *expected, int max_width = 3,
                    int max_height = 3) {
  Mask mask{1, 1, {42}};
  std::string error;
  const bool good = parse_mask(text, max_width, max_height, &mask, &error);
  EXPECT(!good && error == expected, "\"%s\": %s\ninstead of %s", std::string(text).c_str(),
         good ? mask_text(mask).c_str() : error.c_str(), expected);
  EXPECT(mask.width == 1 && mask.height == 1 && mask.at == std::vector<double>{42},
         "\"%s\" changed the mask", std::string(text).c_str());
}

void test_errors() {
  expect_refused("", "row 1, column 1: found the end, expected a number");
  expect_refused(" \n", "row 1, column 1: found the end, expected a number");
  expect_refused(";", "row 1, column 1: found \";\", expected a number");
  expect_refused(",", "row 1, column 1: found \",\", expected a number");
  expect_refused(",1", "row 1, column 1: found \",\", expected a number");
  expect_refused("1 , ,2", "row 1, column 2: found \",\", expected a number");
  expect_refused("1,", "row 1, column 2: found the end, expected a number");
  expect_refused("1;2,;3", "row 2, column 2: found \";\", expected a number");
  expect_refused("1;", "row 2, column 1: found the end, expected a number");
  expect_refused("1; ;2", "row 2, column 1: found \";\", expected a number");
  expect_refused("1 2 3; 1 2", "row 2 has 2 numbers, row 1 has 3");
  expect_refused("1 2; 3 4; 5", "row 3 has 1 number, row 1 has 2");
  expect_refused("1;2 3", "row 2 has 2 numbers, row 1 has 1");
  expect_refused("1 2 3 4", "row 1, column 4: found \"4\", expected at most 3 numbers in a row");
  expect_refused("1;2;3;4", "row 4, column 1: found \"4\", expected at most 3 rows");
  expect_refused("1;2", "row 2, column 1: found \"2\", expected one row only", 63, 1);
  expect_refused("1 x", "row 1, column 2: found \"x\", expected a number");
  expect_refused("1-2", "row 1, column 1: found \"1-2\", expected a number");
  for (const char *junk : {"-", "+", ".", "e5", "1e", "1e+", "+-1", "-+1", "++1", "--1", "1_0",
                           "1.2.3", "1f", "i", "in", "infinit", "0x"})
    expect_refused(
        junk, ("row 1, column 1: found \"" + std::string(junk) + "\", expected a number").c_str());
  for (const char *text : {"nan", "-NaN", "inf", "+Inf", "-infinity"})
    expect_refused(
        text,
        ("row 1, column 1: found \"" + std::string(text) + "\", expected a finite number").c_str());
  for (const char *text : {"0x10", "-0X1p3", "+0xg"})
    expect_refused(
        text, ("row 1, column 1: found \"" + std::string(text) + "\", expected a decimal number")
                  .c_str());
  for (const char *text : {"1e309", "-1e99999", "1e-400", "-0.1e-99999"})
    expect_refused(text, ("row 1, column 1: found \"" + std::string(text) +
                          "\", expected a number within the range of double precision")
                             .c_str());
  // What the message quotes is short and printable.
  expect_refused(std::string_view("1\0", 2),
                 "row 1, column 1: found \"1\\x00\", expected a number");
  expect_refused(
      "\xe2\x88\x92\x31\x1b[2J\"\\\x7f",
      "row 1, column 1: found \"\\xe2\\x88\\x921\\x1b[2J\\\"\\\\\\x7f\", expected a number");
  expect_refused("123456789012345678901234x",
                 "row 1, column 1: found \"123456789012345678901234...\", expected a number");
}

// A locale with a decimal comma, where there is one, changes nothing.
void test_locale() {
  for (const char *name : {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "C"}) {
    if (std::setlocale(LC_ALL, name) == nullptr) continue;
    expect_read("0.5 1,5", {3, 1, {0.5, 1, 5}});
    EXPECT(mask_text({1, 1, {0.5}}) == "0.5", "%s", mask_text({1, 1, {0.5}}).c_str());
  }
  std::setlocale(LC_ALL, "C");
}

void expect_round_trip(const Mask &mask) {
  const std::string text = mask_text(mask);
  Mask read;
  std::string error;
  const bool good = parse_mask(text, kMaxTaps, kMaxTaps, &read, &error);
  EXPECT(good && read.width == mask.width && read.height == mask.height &&
             read.at.size() == mask.at.size() &&
             std::memcmp(read.at.data(), mask.at.data(), mask.at.size() * sizeof(double)) == 0,
         "%s: %s", text.c_str(), error.c_str());
}

void test_text() {
  EXPECT(mask_text({3, 2, {1, 0.5, -2, 0.1, 1e300, -0.0}}) == "1 0.5 -2; 0.1 1e+300 -0", "%s",
         mask_text({3, 2, {1, 0.5, -2, 0.1, 1e300, -0.0}}).c_str());
  Random random(1);
  for (int i = 0; i < 3000; ++i) {
    Mask mask{random.between(1, 7), random.between(1, 7), {}};
    while (mask.at.size() < static_cast<std::size_t>(mask.width * mask.height)) {
      double value = 0;  // any pattern of bits
      const std::uint64_t bits = random.bits();
      std::memcpy(&value, &bits, sizeof value);
      if (std::isfinite(value)) mask.at.push_back(value);
    }
    expect_round_trip(mask);
  }
}

std::string preset(MaskPreset which, int size = 0, double sigma = 0) {
  Mask mask;
  std::string error;
  if (!preset_mask(which, size, sigma, &mask, &error)) return error;
  EXPECT(mask.at.size() == static_cast<std::size_t>(mask.width * mask.height), "size");
  expect_round_trip(mask);
  return mask_text(mask);
}

std::string rows(RowPreset which, int size = 0, double sigma = 0) {
  Mask horizontal, vertical;
  std::string error;
  if (!preset_rows(which, size, sigma, &horizontal, &vertical, &error)) return error;
  return mask_text(horizontal) + " | " + mask_text(vertical);
}

void expect_text(const std::string &text, const char *expected) {
  EXPECT(text == expected, "%s\ninstead of %s", text.c_str(), expected);
}

void test_presets() {
  using P = MaskPreset;
  expect_text(preset(P::none), "1");
  expect_text(preset(P::identity, 99, -1), "1");
  expect_text(preset(P::box), "1 1 1; 1 1 1; 1 1 1");
  expect_text(preset(P::box, 2), "1 1; 1 1");
  expect_text(preset(P::binomial), "1 2 1; 2 4 2; 1 2 1");
  expect_text(preset(P::binomial, 4), "1 3 3 1; 3 9 9 3; 3 9 9 3; 1 3 3 1");
  expect_text(preset(P::sharpen), "0 -1 0; -1 5 -1; 0 -1 0");
  expect_text(preset(P::laplacian), "0 1 0; 1 -4 1; 0 1 0");
  expect_text(preset(P::sobel_x), "1 0 -1; 2 0 -2; 1 0 -1");
  expect_text(preset(P::sobel_y), "1 2 1; 0 0 0; -1 -2 -1");
  expect_text(preset(P::sobel_x, 5),
              "1 2 0 -2 -1; 4 8 0 -8 -4; 6 12 0 -12 -6; 4 8 0 -8 -4; 1 2 0 -2 -1");
  expect_text(preset(P::prewitt_x), "1 0 -1; 1 0 -1; 1 0 -1");
  expect_text(preset(P::prewitt_y), "1 1 1; 0 0 0; -1 -1 -1");
  expect_text(preset(P::scharr_x), "3 0 -3; 10 0 -10; 3 0 -3");
  expect_text(preset(P::scharr_y), "3 10 3; 0 0 0; -3 -10 -3");
  expect_text(preset(P::emboss), "2 1 0; 1 1 -1; 0 -1 -2");

  using R = RowPreset;
  expect_text(rows(R::none), "1 | 1");
  expect_text(rows(R::identity), "1 | 1");
  expect_text(rows(R::box), "1 1 1 | 1 1 1");
  expect_text(rows(R::binomial, 5), "1 4 6 4 1 | 1 4 6 4 1");
  expect_text(rows(R::derivative_x), "1 0 -1 | 1");
  expect_text(rows(R::derivative_y), "1 | 1 0 -1");
  expect_text(rows(R::sobel_x), "1 0 -1 | 1 2 1");
  expect_text(rows(R::sobel_y, 5), "1 4 6 4 1 | 1 2 0 -2 -1");
}

bool near(double a, double b) {
  return std::abs(a - b) <= 1e-15 + 1e-14 * std::abs(b);
}

// Of 3 elements with sigma 1: exp(-1/2) beside 1.
void test_gaussians() {
  const double e = std::exp(-0.5), g0 = 1 / (1 + 2 * e), g1 = e * g0;
  Mask h, v, m;
  std::string error;
  EXPECT(preset_rows(RowPreset::gaussian, 3, 1, &h, &v, &error), "%s", error.c_str());
  EXPECT(h.width == 3 && h.height == 1 && near(h.at[0], g1) && near(h.at[1], g0) &&
             h.at[0] == h.at[2] && h.at == v.at,
         "%s", mask_text(h).c_str());
  EXPECT(preset_rows(RowPreset::gaussian_x, 3, 2, &h, &v, &error), "%s", error.c_str());
  const double f = std::exp(-0.125), f1 = f / (1 + 2 * f);
  EXPECT(near(h.at[0], f1 / 4) && h.at[1] == 0 && h.at[2] == -h.at[0] && near(v.at[0], f1), "%s",
         mask_text(h).c_str());
  EXPECT(preset_mask(MaskPreset::unsharp, 3, 1, &m, &error), "%s", error.c_str());
  EXPECT(near(m(0, 0), -g1 * g1) && near(m(1, 0), -g1 * g0) && near(m(1, 1), 2 - g0 * g0), "%s",
         mask_text(m).c_str());
  EXPECT(preset_mask(MaskPreset::laplacian_of_gaussian, 3, 1, &m, &error), "%s", error.c_str());
  const double mean = (-2 * g0 * g0 - 4 * g0 * g1) / 9;  // 0 in the corners, -1 beside them
  EXPECT(
      near(m(0, 0), -mean) && near(m(0, 1), -g0 * g1 - mean) && near(m(1, 1), -2 * g0 * g0 - mean),
      "%s", mask_text(m).c_str());

  // Which size goes with which sigma, and the reverse: 0.3 * ((5 - 1) / 2 - 1) + 0.8 = 1.1.
  EXPECT(preset(MaskPreset::gaussian) == preset(MaskPreset::gaussian, 7, 1), "neither");
  EXPECT(preset(MaskPreset::gaussian, 0, 1.1) == preset(MaskPreset::gaussian, 9, 1.1), "sigma");
  EXPECT(preset(MaskPreset::gaussian, 5) == preset(MaskPreset::gaussian, 5, 0.3 + 0.8), "size");
  EXPECT(preset(MaskPreset::gaussian, 0, 100) == preset(MaskPreset::gaussian, 31, 100), "largest");
  EXPECT(rows(RowPreset::gaussian_y, 0, 100) == rows(RowPreset::gaussian_y, 63, 100), "largest");

  for (int size = 1; size <= kMaxTaps; ++size)
    for (double sigma : {0.0, kMinSigma, 0.5, 3.0, kMaxSigma}) {
      EXPECT(preset_rows(RowPreset::gaussian, size, sigma, &h, &v, &error), "%s", error.c_str());
      double sum = 0;
      for (int i = 0; i < size; ++i) {
        sum += h(0, i);
        EXPECT(h(0, i) == h(0, size - 1 - i), "size %d, sigma %g: not symmetric", size, sigma);
      }
      EXPECT(near(sum, 1), "size %d, sigma %g: the sum is %g", size, sigma, sum);
    }
  EXPECT(preset_rows(RowPreset::binomial, 63, 0, &h, &v, &error), "%s", error.c_str());
  EXPECT(h(0, 31) == 465428353255261088.0, "%.17g", h(0, 31));
}

void test_preset_errors() {
  using P = MaskPreset;
  expect_text(preset(P::box, 32), "size 32: this preset requires 0 or 1 to 31");
  expect_text(preset(P::box, -1), "size -1: this preset requires 0 or 1 to 31");
  expect_text(preset(P::sobel_x, 1),
              "size 1: this preset requires 0 or an odd number from 3 to 31");
  expect_text(preset(P::unsharp, 4),
              "size 4: this preset requires 0 or an odd number from 1 to 31");
  expect_text(preset(P::gaussian, INT32_MIN),
              "size -2147483648: this preset requires 0 or 1 to 31");
  expect_text(preset(P::gaussian, 3, 100.5), "sigma 100.5: this preset requires 0 or 0.1 to 100");
  expect_text(preset(P::gaussian, 3, -1), "sigma -1: this preset requires 0 or 0.1 to 100");
  expect_text(preset(P::gaussian, 3, std::nan("")),
              "sigma nan: this preset requires 0 or 0.1 to 100");
  expect_text(rows(RowPreset::gaussian_x, 64),
              "size 64: this preset requires 0 or an odd number from 1 to 63");
  expect_text(rows(static_cast<RowPreset>(99)), "there is no such preset");
  expect_text(preset(static_cast<MaskPreset>(99)), "there is no such preset");
}

}  // namespace
}  // namespace coalesce::test

int main() {
  using namespace coalesce::test;
  test_numbers();
  test_errors();
  test_locale();
  test_text();
  test_presets();
  test_gaussians();
  test_preset_errors();
  return result();
}
