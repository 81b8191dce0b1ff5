// SPDX-License-Identifier: LGPL-2.1-or-later
// Refusals, and examples by hand.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "../refused.h"
#include "canny/canny.h"
#include "canny/canny_job.h"
#include "canny/edge_overlay.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

constexpr int kWidth = 40, kHeight = 30;

struct GreyCall {
  std::vector<std::uint8_t> from = std::vector<std::uint8_t>(kWidth * kHeight);
  std::vector<std::uint8_t> to = std::vector<std::uint8_t>(kWidth * kHeight, 77);
  std::vector<std::uint64_t> memory;
  CannyParams params;
  ConstImage in = {pixel_format("GRAY8"), kWidth, kHeight, false, {}};
  Image out = {pixel_format("GRAY8"), kWidth, kHeight, false, {}};
  void *scratch;

  GreyCall() : memory(canny_scratch_bytes(kWidth, kHeight) / 8 + 3) {
    in.plane[0] = {from.data(), kWidth, kHeight, kWidth};
    out.plane[0] = {to.data(), kWidth, kHeight, kWidth};
    scratch = reinterpret_cast<void *>((reinterpret_cast<std::uintptr_t>(memory.data()) + 15) &
                                       ~std::uintptr_t{15});
  }
  GreyCall(const GreyCall &) = delete;
  GreyCall &operator=(const GreyCall &) = delete;

  std::uint8_t &sample(int x, int y) { return from[static_cast<std::size_t>(y * kWidth + x)]; }
  int result(int x, int y) const { return to[static_cast<std::size_t>(y * kWidth + x)]; }
  int edges() const { return static_cast<int>(std::count(to.begin(), to.end(), 255)); }
  Status run() { return canny(params, in, out, Queue::cpu(), scratch); }
};

TEST_CASE("refused") {
  const auto nan = [](GreyCall &c) { c.params.low = std::numeric_limits<double>::quiet_NaN(); };
  expect_refused<GreyCall>("thresholds", nan);
  expect_refused<GreyCall>("thresholds", [](GreyCall &c) { c.params.low = -1; });
  expect_refused<GreyCall>("thresholds", [](GreyCall &c) { c.params.high = 1e6 + 1; });
  expect_refused<GreyCall>("aperture", [](GreyCall &c) { c.params.aperture = 4; });
  expect_refused<GreyCall>("aperture", [](GreyCall &c) { c.params.aperture = 9; });
  expect_refused<GreyCall>("scratch", [](GreyCall &c) { c.scratch = nullptr; });
  expect_refused<GreyCall>("aligned",
                           [](GreyCall &c) { c.scratch = static_cast<char *>(c.scratch) + 8; });
  expect_refused<GreyCall>("differ in size",
                           [](GreyCall &c) { c.in.height = c.in.plane[0].height = kHeight - 1; });
  expect_refused<GreyCall>("no data", [](GreyCall &c) { c.in.plane[0].data = nullptr; });
  expect_refused<GreyCall>("too large", [](GreyCall &c) {
    for (auto *height :
         {&c.in.height, &c.out.height, &c.in.plane[0].height, &c.out.plane[0].height})
      *height = (1 << 25) + 1;
  });
}

// Of every format that is not of 8 bits, by its name.
TEST_CASE("formats that are refused") {
  alignas(16) std::uint8_t memory[4096] = {};
  int refused = 0;
  for (const NamedFormat &each : named_formats()) {
    if (each.format.in_bytes()) continue;
    GreyCall call;
    call.in = {each.format, kWidth, 1, false, {}};
    call.out.height = call.out.plane[0].height = 1;
    for (int p = 0; p < each.format.planes; ++p) {
      const auto bytes = static_cast<int>(row_bytes(each.format, p, kWidth));
      call.in.plane[p] = {memory, bytes, plane_rows(each.format, p, 1),
                          (static_cast<std::size_t>(bytes) + 15) / 16 * 16};
    }
    const Status s = call.run();
    CHECK(s.code() == StatusCode::invalid_argument);
    // (Some formats have two names.)
    bool named = false;
    for (const NamedFormat &other : named_formats())
      named =
          named || (other.format == each.format && std::strstr(s.message(), other.name) != nullptr);
    CHECK_MESSAGE(named, s.message());
    ++refused;
  }
  CHECK(refused > 10);
  GreyCall call;
  call.out.format = pixel_format("NV12");
  call.out.plane[1] = {call.to.data(), kWidth, kHeight / 2, kWidth};
  CHECK(std::strstr(call.run().message(), "GRAY8") != nullptr);
}

TEST_CASE("a step is an edge of one pixel, on its lower side") {
  for (const int aperture : {3, 5, 7})
    for (const bool l2 : {false, true}) {
      GreyCall call;
      call.params = {1, 2, aperture, l2};
      for (int y = 0; y < kHeight; ++y)
        std::fill_n(&call.sample(17, y), kWidth - 17, std::uint8_t{200});
      REQUIRE(call.run().ok());
      CHECK(call.edges() == kHeight);
      for (int y = 0; y < kHeight; ++y)
        CHECK(call.result(16, y) == 255);  // of two equal gradients the first
    }
}

TEST_CASE("thresholds are exceeded, not reached") {
  const auto edges = [](double low, double high) {
    GreyCall call;
    call.params = {low, high, 3, false};
    for (int y = 0; y < kHeight; ++y)
      std::fill_n(&call.sample(20, y), 20, std::uint8_t{10});
    REQUIRE(call.run().ok());
    return call.edges();
  };
  CHECK(edges(39, 39) == kHeight);  // a gradient of 4 * 10
  CHECK(edges(39, 39.9) == kHeight);
  CHECK(edges(39, 40) == 0);
  CHECK(edges(40, 39) == 0);
  CHECK(edges(0, 0) == kHeight);
}

TEST_CASE("seven taps are rounded to even") {
  CHECK(scaled_gradient<7>(8) == 0);
  CHECK(scaled_gradient<7>(24) == 2);
  CHECK(scaled_gradient<7>(25) == 2);
  CHECK(scaled_gradient<7>(23) == 1);
  CHECK(scaled_gradient<7>(-8) == 0);
  CHECK(scaled_gradient<7>(-24) == -2);
  CHECK(scaled_gradient<7>(-23) == -1);
  CHECK(scaled_gradient<3>(8) == 8);
}

// For all gradients there are: the limits are those of exact tangents.
TEST_CASE("directions") {
  for (int x = 1; x <= 12240; ++x) {
    const auto limit = static_cast<int>(flat_limit(static_cast<unsigned>(x)));
    REQUIRE(limit * 32768 < 13573 * x);
    REQUIRE((limit + 1) * 32768 > 13573 * x);
  }
}

struct OverlayCall {
  std::vector<std::uint8_t> mask = std::vector<std::uint8_t>(kWidth * kHeight);
  std::vector<std::uint8_t> from = std::vector<std::uint8_t>(3 * kWidth * kHeight, 100);
  std::vector<std::uint8_t> to = std::vector<std::uint8_t>(3 * kWidth * kHeight);
  EdgeColour colour = {{10, 20, 30, 40}, 255};
  ConstImage edges = {pixel_format("GRAY8"), kWidth, kHeight, false, {}};
  ConstImage in = {pixel_format("RGB"), kWidth, kHeight, false, {}};
  Image out = {pixel_format("RGB"), kWidth, kHeight, false, {}};

  OverlayCall() {
    edges.plane[0] = {mask.data(), kWidth, kHeight, kWidth};
    in.plane[0] = {from.data(), 3 * kWidth, kHeight, 3 * kWidth};
    out.plane[0] = {to.data(), 3 * kWidth, kHeight, 3 * kWidth};
  }
  OverlayCall(const OverlayCall &) = delete;
  OverlayCall &operator=(const OverlayCall &) = delete;

  Status run() { return draw_edges(colour, edges, in, out, Queue::cpu()); }
};

TEST_CASE("overlays that are refused") {
  expect_refused<OverlayCall>("opacity", [](OverlayCall &c) { c.colour.opacity = 256; });
  expect_refused<OverlayCall>("opacity", [](OverlayCall &c) { c.colour.opacity = -1; });
  expect_refused<OverlayCall>("no data", [](OverlayCall &c) { c.edges.plane[0].data = nullptr; });
  expect_refused<OverlayCall>("differ in format",
                              [](OverlayCall &c) { c.out.format = pixel_format("BGR"); });
  expect_refused<OverlayCall>("differ in size",
                              [](OverlayCall &c) { c.edges.height = c.edges.plane[0].height = 3; });
  expect_refused<OverlayCall>("must be GRAY8", [](OverlayCall &c) {
    c.edges.format = pixel_format("RGB");
    c.edges.plane[0] = c.in.plane[0];
  });
  expect_refused<OverlayCall>("8 bits", [](OverlayCall &c) {
    c.in.format = c.out.format = pixel_format("GRAY16_LE");
    c.in.plane[0].width = c.out.plane[0].width = 2 * kWidth;
  });
}

TEST_CASE("an edge has the colour, half of it, or none") {
  for (const auto &[opacity, red] : {std::pair{255, 10}, {128, 55}, {0, 100}}) {
    OverlayCall call;
    call.colour.opacity = opacity;
    call.mask[kWidth + 5] = 255;
    REQUIRE(call.run().ok());
    CHECK(call.to[3 * (kWidth + 5)] == red);  // 100 - 90 * 128 / 255 is 54.8
    call.to[3 * (kWidth + 5)] = call.to[3 * (kWidth + 5) + 1] = call.to[3 * (kWidth + 5) + 2] = 100;
    CHECK(call.to == call.from);
  }
}

}  // namespace
}  // namespace coalesce::test
