// SPDX-License-Identifier: LGPL-2.1-or-later
// Refusals, and tones and lines by hand.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include "../../support/doctest.h"
#include "cartoon/cartoon.h"
#include "cartoon_reference.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

constexpr int kWidth = 40, kHeight = 24;

struct Call {
  CartoonSettings settings;
  Cartoon cartoon;
  std::vector<std::uint8_t> memory[3];
  ConstImage in;
  Image out;
  void *scratch = nullptr;

  Call() {
    const PixelFormat grey = pixel_format("GRAY8");
    for (std::vector<std::uint8_t> &m : memory)
      m.resize(kWidth * kHeight);
    in = {grey, kWidth, kHeight, false, {{memory[0].data(), kWidth, kHeight, kWidth}}};
    out = {grey, kWidth, kHeight, false, {{memory[1].data(), kWidth, kHeight, kWidth}}};
  }
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;

  Status make() {
    const Status s = make_cartoon(settings, in.format, &cartoon);
    if (!s.ok()) return s;
    memory[2].resize(cartoon_scratch_bytes(cartoon, in));
    scratch = memory[2].data();
    return s;
  }
  Status run(const Queue &queue = Queue::cpu()) {
    return coalesce::cartoon(cartoon, in, out, queue, scratch);
  }
  int at(int x, int y) const { return memory[1][static_cast<std::size_t>(y * kWidth + x)]; }
};

void expect(const char *what, const Status &s) {
  CHECK_MESSAGE(
      (s.code() == StatusCode::invalid_argument && std::strstr(s.message(), what) != nullptr), "\"",
      s.message(), "\" does not say \"", what, "\"");
}

void expect_refused(const char *what, void (*spoil)(Call &call)) {
  for (const Queue &queue : {Queue::cpu(), Queue::cuda(nullptr)}) {
    Call call;
    REQUIRE(call.make().ok());
    spoil(call);
    expect(what, call.run(queue));
  }
}

void expect_not_made(const char *what, void (*spoil)(CartoonSettings &settings)) {
  CartoonSettings settings;
  spoil(settings);
  Cartoon cartoon;
  expect(what, make_cartoon(settings, pixel_format("GRAY8"), &cartoon));
}

TEST_CASE("refused") {
  Call sound;
  REQUIRE(sound.make().ok());
  CHECK(sound.run().ok());
  expect_refused("nothing was made ready", [](Call &c) { c.cartoon = {}; });
  expect_refused("scratch", [](Call &c) { c.scratch = nullptr; });
  expect_refused("scratch", [](Call &c) { c.scratch = static_cast<char *>(c.scratch) + 8; });
  expect_refused("another format",
                 [](Call &c) { REQUIRE(make_cartoon({}, pixel_format("RGB"), &c.cartoon).ok()); });
  expect_refused("differ in size",
                 [](Call &c) { c.out.height = c.out.plane[0].height = kHeight - 1; });
  expect_refused("8 bits", [](Call &c) {
    for (auto *format : {&c.in.format, &c.out.format})
      format->component[0].bits = 7;
  });
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  static_assert(kNan != kNan);
  expect_not_made("radius", [](CartoonSettings &s) { s.areas.radius = 10; });
  expect_not_made("iterations", [](CartoonSettings &s) { s.iterations = 0; });
  expect_not_made("iterations", [](CartoonSettings &s) { s.iterations = 101; });
  expect_not_made("levels", [](CartoonSettings &s) { s.levels = 1; });
  expect_not_made("levels", [](CartoonSettings &s) { s.levels = 65; });
  expect_not_made("softness", [](CartoonSettings &s) { s.softness = -0.1; });
  expect_not_made("softness", [](CartoonSettings &s) { s.softness = kNan; });
  expect_not_made("no such lines", [](CartoonSettings &s) { s.lines = CartoonLines(3); });
  expect_not_made("sigma of lines", [](CartoonSettings &s) { s.dog_sigma = 5.1; });
  expect_not_made("threshold of lines", [](CartoonSettings &s) { s.dog_threshold = 0; });
  expect_not_made("thresholds", [](CartoonSettings &s) { s.canny.low = -1; });
  expect_not_made("aperture", [](CartoonSettings &s) { s.canny.aperture = 4; });
  expect_not_made("opacity", [](CartoonSettings &s) { s.colour.opacity = 256; });
  Cartoon cartoon;
  expect("8 bits", make_cartoon({}, pixel_format("GRAY16_LE"), &cartoon));
  expect("8 bits", make_cartoon({}, pixel_format("P010_10LE"), &cartoon));
}

Cartoon made(int levels, double softness, SampleRange range) {
  CartoonSettings settings;
  settings.levels = levels;
  settings.softness = softness;
  settings.range = range;
  Cartoon cartoon;
  REQUIRE(make_cartoon(settings, pixel_format("GRAY8"), &cartoon).ok());
  return cartoon;
}

// Four tones, 85 apart: 0, 85, 170 and 255.
TEST_CASE("hard tones") {
  const Cartoon c = made(4, 0, SampleRange::full);
  for (int y = 0; y < 256; ++y)
    CHECK(c.tone[y] == (y < 43 ? 0 : y < 128 ? 85 : y < 213 ? 170 : 255));
}

TEST_CASE("soft tones rise, from black to white, and are the reference's") {
  for (const SampleRange range : {SampleRange::full, SampleRange::limited})
    for (int levels = kMinCartoonLevels; levels <= kMaxCartoonLevels; ++levels)
      for (const double softness : {0., 0.01, 0.1, 0.4, 1.}) {
        CartoonSettings settings;
        settings.levels = levels, settings.softness = softness, settings.range = range;
        const Cartoon c = made(levels, softness, range);
        bool rises = true, same = true;
        for (int y = 0; y < 256; ++y) {
          rises = rises && (y == 0 || c.tone[y] >= c.tone[y - 1]);
          same = same && c.tone[y] == cartoon_tone(settings, y);
        }
        CHECK_MESSAGE((rises && same), "levels ", levels, ", softness ", softness);
        const int black = range == SampleRange::full ? 0 : 16;
        CHECK(c.tone[black] == black);
        CHECK(c.tone[255 - black / 4 * 5] == 255 - black / 4 * 5);
      }
}

// A step of softness 1 is nearly a ramp.
TEST_CASE("softest tones") {
  const Cartoon c = made(4, 1, SampleRange::full);
  for (int y = 0; y < 256; ++y)
    CHECK(std::abs(c.tone[y] - y) <= 5);
}

// A black stripe in white is a line along both of its edges, inside, and nothing elsewhere.
TEST_CASE("a difference of Gaussians is a line on the dark side") {
  Call call;
  call.settings.areas = {1, 1, 0.1};
  call.settings.iterations = 1;
  call.settings.lines = CartoonLines::dog;
  call.settings.levels = 2;
  call.settings.softness = 0;
  call.settings.colour.sample[0] = 77;
  for (int i = 0; i < kWidth * kHeight; ++i)
    call.memory[0][static_cast<std::size_t>(i)] = i % kWidth >= 12 && i % kWidth < 28 ? 0 : 255;
  REQUIRE(call.make().ok());
  REQUIRE(call.run().ok());
  for (int y = 0; y < kHeight; ++y) {
    CHECK(call.at(12, y) == 77);
    CHECK(call.at(27, y) == 77);
    CHECK(call.at(11, y) == 255);
    CHECK(call.at(20, y) == 0);
    CHECK(call.at(0, y) == 255);
  }
}

}  // namespace
}  // namespace coalesce::test
