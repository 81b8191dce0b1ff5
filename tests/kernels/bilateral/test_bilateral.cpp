// SPDX-License-Identifier: LGPL-2.1-or-later
// Refusals, the bound against real numbers, and examples by hand.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "../../support/doctest.h"
#include "../../support/random.h"
#include "bilateral/bilateral.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

constexpr int kWidth = 24, kHeight = 18;

// A picture of one plane.
struct Call {
  PixelFormat format;
  int row_bytes;
  std::vector<std::uint8_t> memory[2];
  BilateralSettings settings;
  Bilateral weights;
  BilateralParams params;
  ConstImage in;
  Image out;

  explicit Call(const char *name)
      : format(pixel_format(name)),
        row_bytes(static_cast<int>(coalesce::row_bytes(format, 0, kWidth))) {
    for (std::vector<std::uint8_t> &m : memory)
      m.resize(static_cast<std::size_t>(row_bytes) * kHeight);
    const auto pitch = static_cast<std::size_t>(row_bytes);
    in = {format, kWidth, kHeight, false, {{memory[0].data(), row_bytes, kHeight, pitch}}};
    out = {format, kWidth, kHeight, false, {{memory[1].data(), row_bytes, kHeight, pitch}}};
    params.bilateral = &weights;
  }
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;

  Status make() { return make_bilateral(settings, format, &weights); }
  Status run(const Queue &queue = Queue::cpu(), void *scratch = nullptr) {
    return bilateral(params, in, out, queue, scratch);
  }
};

void expect_refused(const char *what, void (*spoil)(Call &call)) {
  for (const Queue &queue : {Queue::cpu(), Queue::cuda(nullptr)}) {
    Call call("GRAY8");
    REQUIRE(call.make().ok());
    spoil(call);
    const Status s = call.run(queue);
    CHECK_MESSAGE(
        (s.code() == StatusCode::invalid_argument && std::strstr(s.message(), what) != nullptr),
        "\"", s.message(), "\" does not say \"", what, "\"");
  }
}

void expect_no_weights(const char *what, const BilateralSettings &settings) {
  Bilateral weights;
  const Status s = make_bilateral(settings, pixel_format("GRAY8"), &weights);
  CHECK_MESSAGE(
      (s.code() == StatusCode::invalid_argument && std::strstr(s.message(), what) != nullptr), "\"",
      s.message(), "\" does not say \"", what, "\"");
}

TEST_CASE("refused") {
  Call sound("GRAY8");
  REQUIRE(sound.make().ok());
  CHECK(sound.run().ok());
  expect_refused("no weights", [](Call &c) { c.params.bilateral = nullptr; });
  expect_refused("no weights", [](Call &c) { c.weights = {}; });
  expect_refused("another format", [](Call &c) {
    REQUIRE(make_bilateral({}, pixel_format("GRAY16_LE"), &c.weights).ok());
  });
  expect_refused("another format", [](Call &c) {
    REQUIRE(make_bilateral({}, pixel_format("RGB"), &c.weights).ok());
  });
  expect_refused("iterations", [](Call &c) { c.params.iterations = 0; });
  expect_refused("iterations", [](Call &c) { c.params.iterations = 101; });
  expect_refused("scratch", [](Call &c) { c.params.iterations = 2; });
  expect_refused("no such border", [](Call &c) { c.params.border = static_cast<Border>(5); });
  expect_refused("no sample",
                 [](Call &c) { c.params.border = Border::constant, c.params.border_value = 256; });
  expect_refused("no such format", [](Call &c) {
    for (auto *format : {&c.in.format, &c.out.format})
      format->component[0].bits = 7;
  });
  expect_refused("differ in size",
                 [](Call &c) { c.out.height = c.out.plane[0].height = kHeight - 1; });
  expect_refused("no data", [](Call &c) { c.out.plane[0].data = nullptr; });
  expect_no_weights("radius", {.radius = 0});
  expect_no_weights("radius", {.radius = 10});
  expect_no_weights("sigma", {.sigma_space = 0});
  expect_no_weights("sigma", {.sigma_range = 1001});
  expect_no_weights("sigma", {.sigma_range = std::numeric_limits<double>::quiet_NaN()});
  Bilateral weights;
  CHECK(!make_bilateral({}, PixelFormat(), &weights).ok());
}

// What differs by far more than sigma stays as it is: an edge stays one.
TEST_CASE("an edge stays") {
  Call call("GRAY8");
  call.settings = {.radius = 5, .sigma_space = 5, .sigma_range = 10};
  for (int i = 0; i < kWidth * kHeight; ++i)
    call.memory[0][static_cast<std::size_t>(i)] = i % kWidth < kWidth / 2 ? 40 : 200;
  REQUIRE(call.make().ok());
  REQUIRE(call.run().ok());
  CHECK(call.memory[0] == call.memory[1]);
}

// Without a difference to speak of it is a mean: 8 of 13 pixels, or 12 of them, of the value 100.
TEST_CASE("a mean of 13 pixels") {
  Call call("GRAY8");
  call.settings = {.radius = 2, .sigma_space = 1000, .sigma_range = 1000};
  std::fill(call.memory[0].begin(), call.memory[0].end(), 100);
  call.memory[0][9 * kWidth + 9] = 113;
  REQUIRE(call.make().ok());
  REQUIRE(call.run().ok());
  int changed = 0;
  for (const std::uint8_t sample : call.memory[1])
    changed += sample == 101 ? 1 : 0;
  CHECK(changed == 13);
  CHECK(std::count(call.memory[1].begin(), call.memory[1].end(), 100) == kWidth * kHeight - 13);
}

// ---- The bound ----------------------------------------------------------------------------------

// Components of real numbers, a row after the other.
struct RealPicture {
  int width = 0, height = 0;
  std::vector<std::vector<double>> component;
};

// The definition without a rounding; sigma_range is of these numbers, the border is replicated.
RealPicture bilateral_in_reals(int radius, double sigma_space, double sigma_range,
                               const RealPicture &in) {
  RealPicture out = in;
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x) {
      double weights = 0;
      std::vector<double> sums(in.component.size());
      for (int j = -radius; j <= radius; ++j)
        for (int i = -radius; i <= radius; ++i) {
          if (i * i + j * j > radius * radius) continue;
          const auto place = [&](int column, int row) {
            return static_cast<std::size_t>(std::clamp(row, 0, in.height - 1) * in.width +
                                            std::clamp(column, 0, in.width - 1));
          };
          double distance = 0;
          for (const std::vector<double> &c : in.component)
            distance += std::abs(c[place(x + i, y + j)] - c[place(x, y)]);
          const double w = std::exp(-(i * i + j * j) / (2 * sigma_space * sigma_space) -
                                    distance * distance / (2 * sigma_range * sigma_range));
          weights += w;
          for (std::size_t c = 0; c < sums.size(); ++c)
            sums[c] += w * in.component[c][place(x + i, y + j)];
        }
      for (std::size_t c = 0; c < sums.size(); ++c)
        out.component[c][static_cast<std::size_t>(y * in.width + x)] = sums[c] / weights;
    }
  return out;
}

struct Depth {
  const char *format;
  int bits, components;
};

// The largest distance of a result from the real number, less the last rounding, in 255ths of the
// range.
double worst_error(const Depth &depth, const BilateralSettings &settings, int contrast,
                   std::uint64_t seed) {
  Call call(depth.format);
  call.settings = settings;
  const int max = (1 << depth.bits) - 1, n = depth.components;
  RealPicture picture = {kWidth, kHeight,
                         std::vector<std::vector<double>>(static_cast<std::size_t>(n))};
  Random random(seed);
  const auto at = [&](int which, int i) {
    std::uint16_t sample = 0;
    const std::size_t bytes = depth.bits > 8 ? 2 : 1;
    std::memcpy(&sample, &call.memory[which][static_cast<std::size_t>(i) * bytes], bytes);
    return sample;
  };
  for (int i = 0; i < kWidth * kHeight * n; ++i) {
    // Noise of this contrast on a ramp, or a few black pixels in white.
    const int ramp = i / n % kWidth * max / (2 * kWidth);
    const int noise =
        static_cast<int>(random.bits() % static_cast<unsigned>(contrast * max / 255 + 1));
    const auto sample = static_cast<std::uint16_t>(
        contrast == 255 ? (random.below(30) == 0 ? 0 : max) : ramp + noise);
    const std::size_t bytes = depth.bits > 8 ? 2 : 1;
    std::memcpy(&call.memory[0][static_cast<std::size_t>(i) * bytes], &sample, bytes);
    picture.component[static_cast<std::size_t>(i % n)].push_back(sample);
  }
  REQUIRE(call.make().ok());
  REQUIRE(call.run().ok());
  const RealPicture real = bilateral_in_reals(settings.radius, settings.sigma_space,
                                              settings.sigma_range * max / 255, picture);
  double worst = 0;
  for (int i = 0; i < kWidth * kHeight * n; ++i) {
    const double exact =
        real.component[static_cast<std::size_t>(i % n)][static_cast<std::size_t>(i / n)];
    worst = std::max(worst, std::abs(at(1, i) - exact) - 0.5);
  }
  return worst * 255 / max;
}

// docs/numerics.md: (pixels - 1) / 256, and 0.04 sigma where distances are not told apart.
TEST_CASE("against real numbers") {
  for (const Depth &depth : {Depth{"GRAY8", 8, 1}, Depth{"RGB", 8, 3}, Depth{"GRAY16_LE", 16, 1}})
    for (const int radius : {1, 2, 5, kMaxBilateralRadius})
      for (const double sigma_space : {1., 3., 1000.})
        for (const double sigma_range : {5., 25., 52.4, 60., 200.})
          for (const int contrast : {20, 100, 255}) {
            const BilateralSettings settings = {radius, sigma_space, sigma_range};
            const int pixels = radius == 1 ? 5 : radius == 2 ? 13 : radius == 5 ? 81 : 253;
            const double bound = (pixels - 1) / 256. + (depth.bits > 12 ? 0.04 * sigma_range : 0);
            const double error = worst_error(depth, settings, contrast, 1);
            CHECK_MESSAGE(error < bound, depth.format, ", radius ", radius, ", sigmas ",
                          sigma_space, " ", sigma_range, ", contrast ", contrast, ": ", error,
                          " off, not below ", bound);
          }
}

}  // namespace
}  // namespace coalesce::test
