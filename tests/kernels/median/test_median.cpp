// SPDX-License-Identifier: LGPL-2.1-or-later
// Refusals, ranks, and examples by hand.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "../../support/doctest.h"
#include "../../support/random.h"
#include "median/median.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

constexpr int kWidth = 8, kHeight = 6;

struct GreyCall {
  std::uint8_t memory[2][kWidth * kHeight] = {};
  MedianParams params;
  ConstImage in = {
      pixel_format("GRAY8"), kWidth, kHeight, false, {{memory[0], kWidth, kHeight, kWidth}}};
  Image out = {
      pixel_format("GRAY8"), kWidth, kHeight, false, {{memory[1], kWidth, kHeight, kWidth}}};

  GreyCall() = default;
  GreyCall(const GreyCall &) = delete;
  GreyCall &operator=(const GreyCall &) = delete;

  std::uint8_t &from(int x, int y) { return memory[0][y * kWidth + x]; }
  int at(int x, int y) const { return memory[1][y * kWidth + x]; }
  Status run(const Queue &queue = Queue::cpu()) { return median(params, in, out, queue); }
};

void expect_refused(const char *what, void (*spoil)(GreyCall &call)) {
  for (const Queue &queue : {Queue::cpu(), Queue::cuda(nullptr)}) {
    GreyCall call;
    spoil(call);
    const Status s = call.run(queue);
    CHECK_MESSAGE(
        (s.code() == StatusCode::invalid_argument && std::strstr(s.message(), what) != nullptr),
        "\"", s.message(), "\" does not say \"", what, "\"");
  }
}

TEST_CASE("refused") {
  GreyCall sound;
  CHECK(sound.run().ok());
  expect_refused("must be odd", [](GreyCall &c) { c.params.width = 4; });
  expect_refused("must be odd", [](GreyCall &c) { c.params.height = 77; });
  expect_refused("must be odd", [](GreyCall &c) { c.params.height = -1; });
  expect_refused("percentile", [](GreyCall &c) { c.params.percentile = 100.1; });
  expect_refused("percentile", [](GreyCall &c) { c.params.percentile = -0.1; });
  expect_refused("percentile", [](GreyCall &c) {
    c.params.percentile = std::numeric_limits<double>::quiet_NaN();
  });
  expect_refused("no such border", [](GreyCall &c) { c.params.border = static_cast<Border>(5); });
  expect_refused("no sample", [](GreyCall &c) {
    c.params.border = Border::constant, c.params.border_value = 256;
  });
  expect_refused("no such format", [](GreyCall &c) {
    for (auto *format : {&c.in.format, &c.out.format})
      format->component[0].bits = 7;
  });
  expect_refused("differ in size",
                 [](GreyCall &c) { c.out.height = c.out.plane[0].height = kHeight - 1; });
  expect_refused("no data", [](GreyCall &c) { c.out.plane[0].data = nullptr; });
}

TEST_CASE("ranks") {
  for (int size = 1; size <= kMaxMedianSize; size += 2) {
    const int count = size * size;
    CHECK(median_rank(count, 0) == 0);
    CHECK(median_rank(count, 50) == (count - 1) / 2);
    CHECK(median_rank(count, 100) == count - 1);
    for (int n = 0; n < count; ++n)
      REQUIRE(median_rank(count, count == 1 ? 0 : 100.0 * n / (count - 1)) == n);
  }
  CHECK(median_rank(9, 6.25) == 1);  // a half is rounded up
  CHECK(median_rank(9, 6.2499) == 0);
}

TEST_CASE("a speck goes, a line of two pixels stays") {
  GreyCall call;
  call.from(2, 2) = 255;
  for (int y = 0; y < kHeight; ++y)
    call.from(5, y) = call.from(6, y) = 200;
  REQUIRE(call.run().ok());
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      CHECK(call.at(x, y) == (x == 5 || x == 6 ? 200 : 0));
}

TEST_CASE("the least and the largest sample of a row") {
  GreyCall call;
  call.from(3, 3) = 9;
  call.params.width = 5, call.params.height = 1, call.params.percentile = 100;
  REQUIRE(call.run().ok());
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      CHECK(call.at(x, y) == (y == 3 && x >= 1 && x <= 5 ? 9 : 0));
  call.params.percentile = 0;
  REQUIRE(call.run().ok());
  CHECK(*std::max_element(call.memory[1], call.memory[1] + kWidth * kHeight) == 0);
}

// What a network gives is what counting gives: erosion of 3 x 3 after 5 x 5 is that of 7 x 7, and
// of 9 x 9 that of 5 x 5 twice.
TEST_CASE("erosions add up") {
  for (const auto &[first, second, both] : {std::array{3, 5, 7}, std::array{5, 5, 9}}) {
    GreyCall twice, once;
    Random random(1);
    for (int i = 0; i < kWidth * kHeight; ++i)
      twice.memory[0][i] = once.memory[0][i] = static_cast<std::uint8_t>(random.bits());
    const auto erode = [](GreyCall &call, int size) {
      call.params.width = call.params.height = size;
      call.params.percentile = 0;
      REQUIRE(call.run().ok());
    };
    erode(twice, first);
    std::memcpy(twice.memory[0], twice.memory[1], sizeof twice.memory[0]);
    erode(twice, second);
    erode(once, both);
    CHECK(std::memcmp(twice.memory[1], once.memory[1], sizeof once.memory[1]) == 0);
  }
}

}  // namespace
}  // namespace coalesce::test
