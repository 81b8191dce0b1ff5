// SPDX-License-Identifier: LGPL-2.1-or-later
// Refusals, and what must hold of every blurred picture.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "../../support/doctest.h"
#include "../../support/random.h"
#include "../refused.h"
#include "blur/blur.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

struct GreyCall {
  int width, height;
  std::vector<std::uint8_t> from, to;
  Blur made;
  BlurParams params;
  ConstImage in;
  Image out;
  std::vector<std::uint64_t> memory;
  void *scratch = nullptr;

  explicit GreyCall(double sigma = 10, int w = 40, int h = 30) : width(w), height(h) {
    const auto bytes = static_cast<std::size_t>(w) * static_cast<std::size_t>(h);
    from.resize(bytes), to.resize(bytes);
    REQUIRE(make_blur(sigma, {8, 0}, &made).ok());
    params.blur = &made;
    in = {pixel_format("GRAY8"), w, h, false, {}};
    out = {pixel_format("GRAY8"), w, h, false, {}};
    const auto pitch = static_cast<std::size_t>(w);
    in.plane[0] = {from.data(), w, h, pitch};
    out.plane[0] = {to.data(), w, h, pitch};
    memory.resize(blur_scratch_bytes(made, in) / 8 + 2);
    scratch = reinterpret_cast<void *>((reinterpret_cast<std::uintptr_t>(memory.data()) + 15) &
                                       ~std::uintptr_t{15});
  }
  GreyCall(const GreyCall &) = delete;
  GreyCall &operator=(const GreyCall &) = delete;

  Status run() { return blur(params, in, out, Queue::cpu(), scratch); }
};

TEST_CASE("refused") {
  expect_refused<GreyCall>("no sigma", [](GreyCall &c) { c.params.blur = nullptr; });
  expect_refused<GreyCall>("another depth", [](GreyCall &c) { c.made.depth = {10, 0}; });
  expect_refused<GreyCall>("no such border",
                           [](GreyCall &c) { c.params.border = static_cast<Border>(5); });
  expect_refused<GreyCall>("no sample", [](GreyCall &c) {
    c.params.border = Border::constant, c.params.border_value = 256;
  });
  expect_refused<GreyCall>("differ in size",
                           [](GreyCall &c) { c.in.height = c.in.plane[0].height = c.height - 1; });
  expect_refused<GreyCall>("scratch", [](GreyCall &c) { c.scratch = nullptr; });
  expect_refused<GreyCall>("aligned",
                           [](GreyCall &c) { c.scratch = static_cast<char *>(c.scratch) + 8; });
  expect_refused<GreyCall>("no such format", [](GreyCall &c) {
    PixelFormat words = pixel_format("RGB");
    for (PixelComponent &component : words.component)
      component.container = Container::u16, component.bits = 16;
    c.in.format = c.out.format = words;
    c.in.width = c.out.width = 6;  // pixels
    c.in.plane[0].width = c.out.plane[0].width = 36;
    c.made.depth = {16, 0};
  });
  Blur made;
  for (double sigma : {0.0, 7.99, 100.01, std::nan("")})
    CHECK(make_blur(sigma, {8, 0}, &made).code() == StatusCode::invalid_argument);
}

TEST_CASE("the factor is at most half of sigma") {
  const struct {
    double sigma;
    int factor;
  } kFactors[] = {{8, 4},   {15.99, 4}, {16, 8},  {31.9, 8},
                  {32, 16}, {63.9, 16}, {64, 32}, {100, 32}};
  for (const auto &each : kFactors) {
    Blur made;
    REQUIRE(make_blur(each.sigma, {8, 0}, &made).ok());
    CHECK((1 << made.log2_factor) == each.factor);
    int sum = 0;
    for (int i = 0; i < made.reach; ++i) {
      CHECK(made.tap[i] == made.tap[2 * made.reach - 1 - i]);
      CHECK((i == 0 || made.tap[i] >= made.tap[i - 1]));
      sum += made.tap[i];
    }
    CHECK(sum == 1 << 14);
  }
}

// A sigma that changes while pictures flow requires no other memory within a factor.
TEST_CASE("scratch memory depends on the factor") {
  const ConstImage image = {pixel_format("GRAY8"), 640, 360, false, {{nullptr, 640, 360, 640}}};
  const auto bytes = [&](double sigma) {
    Blur made;
    REQUIRE(make_blur(sigma, {8, 0}, &made).ok());
    return blur_scratch_bytes(made, image);
  };
  for (const std::pair<double, double> &sigma :
       {std::pair(8.0, 15.99), {16.0, 31.9}, {32.0, 63.9}, {64.0, 100.0}})
    CHECK_MESSAGE(bytes(sigma.first) == bytes(sigma.second), "sigma ", sigma.first, " to ",
                  sigma.second);
  CHECK(bytes(16) < bytes(8));
}

// No format of GStreamer has this. The byte behind each row stays as it is.
TEST_CASE("luma and alpha in pixels") {
  constexpr Container u8 = Container::u8;
  const PixelFormat format = {3,
                              4,
                              {{0, u8, 0, 8, 0, 2, 0, 0, Role::y},
                               {1, u8, 0, 8, 0, 1, 0, 0, Role::u},
                               {2, u8, 0, 8, 0, 1, 0, 0, Role::v},
                               {0, u8, 0, 8, 1, 2, 0, 0, Role::alpha}}};
  constexpr int kWidth = 5, kHeight = 3, kPitch = 2 * kWidth + 1;
  std::vector<std::uint8_t> from(kHeight * kPitch, 200), to[3];
  ConstImage in = {format, kWidth, kHeight, false, {}};
  Image out = {format, kWidth, kHeight, false, {}};
  for (int p = 0; p < 3; ++p) {
    to[p].assign(kHeight * kPitch, 7);
    const int bytes = p == 0 ? 2 * kWidth : kWidth;
    in.plane[p] = {from.data(), bytes, kHeight, kPitch};
    out.plane[p] = {to[p].data(), bytes, kHeight, kPitch};
  }
  Blur made;
  REQUIRE(make_blur(8, sample_depth(format), &made).ok());
  alignas(16) static std::uint8_t scratch[1 << 14];
  REQUIRE(blur_scratch_bytes(made, in) <= sizeof scratch);
  BlurParams params;
  params.blur = &made;
  REQUIRE(blur(params, in, out, Queue::cpu(), scratch).ok());
  for (const Plane<std::uint8_t> &plane : {out.plane[0], out.plane[1], out.plane[2]})
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kPitch; ++x)
        CHECK(int{plane.row(y)[x]} == (x < plane.width ? 200 : 7));
}

// The weights of everything add up, so a flat area stays flat at every depth.
TEST_CASE("flat stays flat") {
  for (const char *name : {"GRAY8", "I420_10LE", "P010_10LE", "I422_12LE", "GRAY16_LE"})
    for (double sigma : {8.0, 15.9, 16.0, 40.0, 100.0}) {
      const PixelFormat format = pixel_format(name);
      const SampleDepth depth = sample_depth(format);
      for (int sample : {0, 1, depth.middle() - 1, depth.max() - 1, depth.max()}) {
        ConstImage in = {format, 34, 10, false, {}};
        std::vector<std::uint16_t> planes[2][3];
        Image out = {format, 34, 10, false, {}};
        for (int p = 0; p < format.planes; ++p) {
          const auto bytes = static_cast<int>(row_bytes(format, p, 34));
          const int rows = plane_rows(format, p, 10);
          const auto all = static_cast<std::size_t>(bytes) * static_cast<std::size_t>(rows);
          for (auto &memory : planes)
            memory[p].assign(all, 0);
          const auto stored = static_cast<std::uint16_t>(sample << depth.shift);
          if (depth.bytes() == 1)
            std::memset(planes[0][p].data(), sample, all);
          else
            std::fill(planes[0][p].begin(), planes[0][p].end(), stored);
          const auto pitch = static_cast<std::size_t>(bytes);
          in.plane[p] = {reinterpret_cast<std::uint8_t *>(planes[0][p].data()), bytes, rows, pitch};
          out.plane[p] = {reinterpret_cast<std::uint8_t *>(planes[1][p].data()), bytes, rows,
                          pitch};
        }
        Blur made;
        REQUIRE(make_blur(sigma, depth, &made).ok());
        alignas(16) static std::uint8_t scratch[1 << 16];
        REQUIRE(blur_scratch_bytes(made, in) <= sizeof scratch);
        BlurParams params;
        params.blur = &made;
        REQUIRE(blur(params, in, out, Queue::cpu(), scratch).ok());
        for (int p = 0; p < format.planes; ++p) {
          const auto bytes = in.plane[p].pitch * static_cast<std::size_t>(in.plane[p].height);
          const bool same = std::memcmp(in.plane[p].data, out.plane[p].data, bytes) == 0;
          CHECK_MESSAGE(same, name, ", sigma ", sigma, ": ", sample);
        }
      }
    }
}

// The Gaussian itself, in double precision, over the replicated picture.
std::vector<double> ideal(const GreyCall &c, double sigma) {
  const int reach = static_cast<int>(std::ceil(6 * sigma));
  std::vector<double> weight;
  double sum = 0;
  for (int i = -reach; i <= reach; ++i)
    sum += weight.emplace_back(std::exp(-i * i / (2 * sigma * sigma)));
  const auto filter = [&](const std::vector<double> &from, int size, int step, int lines,
                          int line_step) {
    std::vector<double> to(from.size());
    for (int line = 0; line < lines; ++line)
      for (int x = 0; x < size; ++x) {
        double value = 0;
        for (int i = -reach; i <= reach; ++i)
          value += weight[static_cast<std::size_t>(i + reach)] *
                   from[static_cast<std::size_t>(line * line_step +
                                                 std::clamp(x + i, 0, size - 1) * step)];
        to[static_cast<std::size_t>(line * line_step + x * step)] = value / sum;
      }
    return to;
  };
  std::vector<double> samples(c.from.begin(), c.from.end());
  samples = filter(samples, c.width, 1, c.height, c.width);
  return filter(samples, c.height, c.width, c.width, 1);
}

// docs/numerics.md has photographs; noise, and a rectangle on black, are here.
TEST_CASE("a Gaussian, to one unit") {
  for (double sigma : {8.0, 10.0, 15.9, 16.0, 31.0, 50.0, 100.0})
    for (bool noise : {false, true}) {
      GreyCall call(sigma, 200, 150);
      Random random = random_of_run(5);
      for (int y = 0; y < call.height; ++y)
        for (int x = 0; x < call.width; ++x)
          call.from[static_cast<std::size_t>(y * call.width + x)] =
              static_cast<std::uint8_t>(noise ? random.below(256)
                                        : x >= 60 && x < 131 && y >= 50 && y < 93 ? 255
                                                                                  : 0);
      REQUIRE(call.run().ok());
      const std::vector<double> wanted = ideal(call, sigma);
      double most = 0;
      for (std::size_t i = 0; i < wanted.size(); ++i)
        most = std::max(most, std::abs(call.to[i] - wanted[i]));
      CHECK_MESSAGE(most < 1, "sigma ", sigma, noise ? ", noise: " : ": ", most);
    }
}

}  // namespace
}  // namespace coalesce::test
