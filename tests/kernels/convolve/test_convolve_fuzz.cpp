// SPDX-License-Identifier: LGPL-2.1-or-later
// Random and spoiled text, through the parser and into Filters. Made for the sanitizers.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "../../support/doctest.h"
#include "../../support/random.h"
#include "../../support/small_run.h"
#include "convolve_filter.h"

namespace coalesce::test {
namespace {

constexpr int kTexts = 60000;

std::string random_text(Random &random) {
  static constexpr char kUseful[] = "0123456789000111 \t\n   ,,;;;..--++eExinfa";
  std::string text(static_cast<std::size_t>(random.below(random.below(20) == 0 ? 200 : 12)), ' ');
  const bool any = random.below(4) == 0;
  for (char &c : text)
    c = any ? static_cast<char>(random.bits()) : kUseful[random.below(sizeof kUseful - 1)];
  return text;
}

std::string number(Random &random) {
  switch (random.below(8)) {
    case 0:
      return std::to_string(-random.below(1000)) + "e" + std::to_string(random.between(-330, 310));
    case 1:
      return std::to_string(random.below(100000)) + "." + std::to_string(random.below(1000));
    case 2:
      return std::string(1, '.') += std::to_string(random.bits());
    case 3:
      return "0";
    default:
      return std::to_string(random.between(-20, 20));
  }
}

std::string mask_like(Random &random) {
  const int width = random.between(1, random.below(30) == 0 ? 64 : 5);
  const int height = random.between(1, random.below(30) == 0 ? 33 : 4);
  std::string text;
  for (int row = 0; row < height; ++row)
    for (int column = 0; column < width; ++column)
      text += (column > 0 ? (random.below(2) == 0 ? " " : ", ")
               : row > 0  ? "; "
                          : "") +
              number(random);
  return text;
}

void spoil(std::string *text, Random &random) {
  for (int i = random.below(4); i > 0 && !text->empty(); --i) {
    const auto at = static_cast<std::size_t>(random.bits() % text->size());
    switch (random.below(4)) {
      case 0:
        (*text)[at] = static_cast<char>(random.bits());
        break;
      case 1:
        text->erase(at, 1);
        break;
      case 2:
        text->insert(at, 1, ";,.e- +0"[random.below(8)]);
        break;
      default:
        text->insert(at, text->substr(0, static_cast<std::size_t>(random.below(9))));
    }
  }
}

bool is_readable(std::string_view text) {
  return !text.empty() && text.size() < 200 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

void expect_sound(const Mask &mask, int max_width, int max_height) {
  CHECK_MESSAGE(
      (mask.width >= 1 && mask.width <= max_width && mask.height >= 1 &&
       mask.height <= max_height &&
       mask.at.size() == static_cast<std::size_t>(mask.width * mask.height) &&
       std::all_of(mask.at.begin(), mask.at.end(), [](double x) { return std::isfinite(x); })),
      mask.width, " x ", mask.height, ", ", mask.at.size(), " numbers");
  Mask again;
  std::string error;
  CHECK_MESSAGE(
      (parse_mask(mask_text(mask), max_width, max_height, &again, &error) &&
       again.at.size() == mask.at.size() && again.width == mask.width &&
       std::memcmp(again.at.data(), mask.at.data(), mask.at.size() * sizeof(double)) == 0),
      mask_text(mask), ": ", error);
}

void expect_filter_or_error(FilterSettings settings, Random &random) {
  constexpr SampleDepth kDepths[] = {{8, 0}, {10, 0}, {10, 6}, {12, 0}, {12, 4}, {16, 0}};
  constexpr double kNumbers[] = {0, 0, 0, 1, -1, 3, 0.1, 1e-300, 1e300, 256, kAutomatic, -0.5};
  constexpr const char *kProperties[] = {"mask",     "horizontal", "vertical", "anchor-x",
                                         "anchor-y", "divisor",    "bias"};
  settings.anchor_x = random.between(-2, 4);
  settings.anchor_y = random.between(-2, 4);
  settings.correlate = random.below(2) == 0;
  settings.normalize = random.below(3) != 0;
  settings.absolute = random.below(3) == 0;
  settings.divisor = random.pick(kNumbers);
  settings.bias = random.pick(kNumbers);
  Filter filter;
  FilterError error;
  if (make_filter(settings, random.pick(kDepths), &filter, &error))
    CHECK_MESSAGE(flaw(filter).empty(), mask_text(settings.mask), ": ", flaw(filter));
  else
    CHECK_MESSAGE(
        (is_readable(error.text) && std::find(std::begin(kProperties), std::end(kProperties),
                                              error.property) != std::end(kProperties)),
        error.property, ": ", error.text);
}

// True for a mask.
bool try_text(const std::string &text, Random &random) {
  const bool is_row = random.below(3) == 0;
  const int max_width = is_row ? kMaxTaps : kMaxMaskSize, max_height = is_row ? 1 : kMaxMaskSize;
  // A copy of its own without a terminator, so that reading beyond the end is noticed.
  const std::vector<char> bytes(text.begin(), text.end());
  Mask mask;
  std::string error;
  if (!parse_mask({bytes.data(), bytes.size()}, max_width, max_height, &mask, &error)) {
    CHECK_MESSAGE(is_readable(error), error);
    CHECK_MESSAGE(mask.at == std::vector<double>{1}, "the mask was changed");
    return false;
  }
  expect_sound(mask, max_width, max_height);
  FilterSettings settings;
  if (is_row) {
    settings.horizontal = mask.at;
    if (random.below(2) == 0) settings.vertical = {3, mask.at[0]};
  } else {
    settings.mask = mask;
  }
  expect_filter_or_error(settings, random);
  return true;
}

TEST_CASE("texts") {
  Random random = random_of_run(10);
  const int texts = few_of(all() ? 10 * kTexts : kTexts);
  int parsed = 0;
  for (int i = 0; i < texts; ++i) {
    std::string text = random.below(2) == 0 ? random_text(random) : mask_like(random);
    if (random.below(2) == 0) spoil(&text, random);
    INFO("text ", i, ": ", text);
    parsed += try_text(text, random);
  }
  std::printf("%d texts, %d of them masks\n", texts, parsed);
  CHECK(parsed > texts / 20);
  CHECK(parsed < texts / 2 + texts / 3);
}

}  // namespace
}  // namespace coalesce::test
