// SPDX-License-Identifier: LGPL-2.1-or-later
// Masks as text, and the presets.
#include <stdlib.h>

#include <clocale>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <locale>
#include <sstream>
#include <string>
#include <string_view>

#include "../../support/doctest.h"
#include "../../support/random.h"
#include "convolve/mask/mask.h"

namespace coalesce::test {
namespace {

void expect_read(std::string_view text, const Mask &expected) {
  Mask mask{0, 0, {}};
  std::string error;
  const bool good = parse_mask(text, 5, 5, &mask, &error);
  CHECK_MESSAGE(good, "\"", std::string(text), "\": ", error);
  CHECK_MESSAGE((good && mask.width == expected.width && mask.height == expected.height &&
                 mask.at == expected.at),
                "\"", std::string(text), "\" became \"", mask_text(mask), "\"");
}

TEST_CASE("numbers") {
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
  CHECK_MESSAGE((!good && error == expected), "\"", std::string(text),
                "\": ", good ? mask_text(mask).c_str() : error, "\ninstead of ", expected);
  CHECK_MESSAGE((mask.width == 1 && mask.height == 1 && mask.at == std::vector<double>{42}), "\"",
                std::string(text), "\" changed the mask");
}

TEST_CASE("errors") {
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

// The decimal comma of a locale changes nothing.
void expect_points() {
  expect_read("0.5 1,5", {3, 1, {0.5, 1, 5}});
  CHECK(mask_text({2, 1, {0.5, 12345.5}}) == "0.5 12345.5");
}

TEST_CASE("locale of C++") {
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Comma));
  std::ostringstream stream;
  stream << 12345.5;
  CHECK(stream.str() == "12.345,5");
  expect_points();
  std::locale::global(before);
}

// One of our own, for a machine may have none but "C".
TEST_CASE("locale of C") {
  char folder[] = "/tmp/coalesce-locale-XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  const std::string path = folder;
  std::ofstream(path + "/charmap") << "<code_set_name> ASCII\nCHARMAP\n<U0000>..<U007F> \\x00\n"
                                      "END CHARMAP\n";
  std::ofstream(path + "/source") << "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\n"
                                     "grouping 3;3\nEND LC_NUMERIC\n";
  // (-c: with warnings of other categories, which there are not, and an exit status of 1.)
  const std::string command = "cd " + path +
                              " && localedef -c -f ./charmap -i ./source --no-archive ./comma"
                              " >log 2>&1";
  const int status = std::system(command.c_str());
  setenv("LOCPATH", folder, 1);
  const bool there = std::setlocale(LC_NUMERIC, "comma") != nullptr;
  std::filesystem::remove_all(path);
  unsetenv("LOCPATH");
  if (!there) return skip("localedef makes no locale: status " + std::to_string(status));
  char half[8];
  std::snprintf(half, sizeof half, "%.1f", 0.5);
  CHECK(std::string(half) == "0,5");
  expect_points();
  std::setlocale(LC_NUMERIC, "C");
}

void expect_round_trip(const Mask &mask) {
  const std::string text = mask_text(mask);
  Mask read;
  std::string error;
  const bool good = parse_mask(text, kMaxTaps, kMaxTaps, &read, &error);
  CHECK_MESSAGE((good && read.width == mask.width && read.height == mask.height &&
                 read.at.size() == mask.at.size() &&
                 std::memcmp(read.at.data(), mask.at.data(), mask.at.size() * sizeof(double)) == 0),
                text, ": ", error);
}

TEST_CASE("text") {
  CHECK(mask_text({3, 2, {1, 0.5, -2, 0.1, 1e300, -0.0}}) == "1 0.5 -2; 0.1 1e+300 -0");
  Random random = random_of_run(1);
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
  CHECK_MESSAGE(mask.at.size() == static_cast<std::size_t>(mask.width * mask.height), "size");
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
  CHECK_MESSAGE(text == expected, text, "\ninstead of ", expected);
}

TEST_CASE("presets") {
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
TEST_CASE("gaussians") {
  const double e = std::exp(-0.5), g0 = 1 / (1 + 2 * e), g1 = e * g0;
  Mask h, v, m;
  std::string error;
  CHECK_MESSAGE(preset_rows(RowPreset::gaussian, 3, 1, &h, &v, &error), error);
  CHECK_MESSAGE((h.width == 3 && h.height == 1 && near(h.at[0], g1) && near(h.at[1], g0) &&
                 h.at[0] == h.at[2] && h.at == v.at),
                mask_text(h));
  CHECK_MESSAGE(preset_rows(RowPreset::gaussian_x, 3, 2, &h, &v, &error), error);
  const double f = std::exp(-0.125), f1 = f / (1 + 2 * f);
  CHECK_MESSAGE((near(h.at[0], f1 / 4) && h.at[1] == 0 && h.at[2] == -h.at[0] && near(v.at[0], f1)),
                mask_text(h));
  CHECK_MESSAGE(preset_mask(MaskPreset::unsharp, 3, 1, &m, &error), error);
  CHECK_MESSAGE((near(m(0, 0), -g1 * g1) && near(m(1, 0), -g1 * g0) && near(m(1, 1), 2 - g0 * g0)),
                mask_text(m));
  CHECK_MESSAGE(preset_mask(MaskPreset::laplacian_of_gaussian, 3, 1, &m, &error), error);
  const double mean = (-2 * g0 * g0 - 4 * g0 * g1) / 9;  // 0 in the corners, -1 beside them
  CHECK_MESSAGE((near(m(0, 0), -mean) && near(m(0, 1), -g0 * g1 - mean) &&
                 near(m(1, 1), -2 * g0 * g0 - mean)),
                mask_text(m));

  // Which size goes with which sigma, and the reverse: 0.3 * ((5 - 1) / 2 - 1) + 0.8 = 1.1.
  CHECK_MESSAGE(preset(MaskPreset::gaussian) == preset(MaskPreset::gaussian, 7, 1), "neither");
  CHECK_MESSAGE(preset(MaskPreset::gaussian, 0, 1.1) == preset(MaskPreset::gaussian, 9, 1.1),
                "sigma");
  CHECK_MESSAGE(preset(MaskPreset::gaussian, 5) == preset(MaskPreset::gaussian, 5, 0.3 + 0.8),
                "size");
  CHECK_MESSAGE(preset(MaskPreset::gaussian, 0, 100) == preset(MaskPreset::gaussian, 31, 100),
                "largest");
  CHECK_MESSAGE(rows(RowPreset::gaussian_y, 0, 100) == rows(RowPreset::gaussian_y, 63, 100),
                "largest");

  for (int size = 1; size <= kMaxTaps; ++size)
    for (double sigma : {0.0, kMinSigma, 0.5, 3.0, kMaxSigma}) {
      CHECK_MESSAGE(preset_rows(RowPreset::gaussian, size, sigma, &h, &v, &error), error);
      double sum = 0;
      for (int i = 0; i < size; ++i) {
        sum += h(0, i);
        CHECK_MESSAGE(h(0, i) == h(0, size - 1 - i), "size ", size, ", sigma ", sigma,
                      ": not symmetric");
      }
      CHECK_MESSAGE(near(sum, 1), "size ", size, ", sigma ", sigma, ": the sum is ", sum);
    }
  CHECK_MESSAGE(preset_rows(RowPreset::binomial, 63, 0, &h, &v, &error), error);
  CHECK(h(0, 31) == 465428353255261088.0);
}

TEST_CASE("preset errors") {
  using P = MaskPreset;
  expect_text(preset(P::box, 32), "size=32: this preset requires 0 or 1 to 31");
  expect_text(preset(P::box, -1), "size=-1: this preset requires 0 or 1 to 31");
  expect_text(preset(P::sobel_x, 1),
              "size=1: this preset requires 0 or an odd number from 3 to 31");
  expect_text(preset(P::unsharp, 4),
              "size=4: this preset requires 0 or an odd number from 1 to 31");
  expect_text(preset(P::gaussian, INT32_MIN),
              "size=-2147483648: this preset requires 0 or 1 to 31");
  expect_text(preset(P::gaussian, 3, 100.5), "sigma=100.5: this preset requires 0 or 0.1 to 100");
  expect_text(preset(P::gaussian, 3, -1), "sigma=-1: this preset requires 0 or 0.1 to 100");
  expect_text(preset(P::gaussian, 3, std::nan("")),
              "sigma=nan: this preset requires 0 or 0.1 to 100");
  expect_text(rows(RowPreset::gaussian_x, 64),
              "size=64: this preset requires 0 or an odd number from 1 to 63");
  expect_text(rows(static_cast<RowPreset>(99)), "there is no such preset");
  expect_text(preset(static_cast<MaskPreset>(99)), "there is no such preset");
}

}  // namespace
}  // namespace coalesce::test
