// SPDX-License-Identifier: LGPL-2.1-or-later
// remap() and make_map(): refusals, and examples whose numbers are OpenCV's.
#include "remap/remap.h"

#include <vector>

#include "../refused.h"
#include "picture/formats.h"
#include "remap/rectification.h"

namespace coalesce::test {
namespace {

// Of one row.
struct RemapCall {
  std::vector<std::uint16_t> from{0, 1000, 65535, 7, 30000, 30001}, to;
  std::vector<MapPoint> points;
  std::vector<std::uint16_t> fractions;
  RemapMap map;
  ConstImage in;
  Image out;

  explicit RemapCall(std::vector<MapPoint> p = {{0, 0}, {1, 1}},
                     std::vector<std::uint16_t> f = {0, 0}, const char *format = "GRAY16_LE",
                     const char *out_format = "GRAY16_LE")
      : to(p.size(), 77), points(std::move(p)), fractions(std::move(f)) {
    const int width = static_cast<int>(points.size());
    map = {{points.data(), width, 1, 4 * points.size()},
           {fractions.data(), width, 1, 2 * points.size()}};
    // Three columns and two rows.
    const int bytes = pixel_format(format).in_bytes() ? 1 : 2;
    in = {pixel_format(format), 3, 2, false, {}};
    in.plane[0] = {reinterpret_cast<const std::uint8_t *>(from.data()), 3 * bytes, 2, 6};
    out = {pixel_format(out_format), width, 1, false, {}};
    out.plane[0] = {reinterpret_cast<std::uint8_t *>(to.data()),
                    static_cast<int>(row_bytes(out.format, 0, width)), 1, 2 * to.size()};
  }
  RemapCall(const RemapCall &) = delete;
  RemapCall &operator=(const RemapCall &) = delete;
  Status run() const { return remap(map, in, out, Queue::cpu()); }
};

}  // namespace

// OpenCV's remap() of these six samples.
TEST_CASE("remap: words") {
  RemapCall call({{0, 0}, {1, 0}, {0, 0}, {0, 0}, {1, 1}, {2, 1}, {-1, 0}, {1, -1}, {3, 0}},
                 {0, 1, 16, 32 * 16, 32 * 31 + 31, 0, 8, 32 * 24 + 4, 0});
  REQUIRE(call.run().ok());
  CHECK(call.to == std::vector<std::uint16_t>{0, 3017, 500, 4, 938, 30001, 0, 6800, 0});
}

TEST_CASE("remap: bytes") {
  RemapCall call({{0, 0}, {1, 0}, {0, 0}, {1, 1}, {2, 1}, {-1, 0}},
                 {0, 1, 16, 32 * 31 + 31, 16, 32 * 8 + 8}, "GRAY8", "GRAY8");
  const std::uint8_t samples[] = {10, 200, 255, 0, 0, 0, 60, 61, 90};
  call.in.plane[0] = {samples, 3, 2, 6};
  REQUIRE(call.run().ok());
  const auto *to = reinterpret_cast<const std::uint8_t *>(call.to.data());
  const std::uint8_t expected[] = {10, 202, 105, 3, 45, 6};
  for (std::size_t i = 0; i < 6; ++i)
    CHECK(to[i] == expected[i]);
}

// Samples of ten bits, wherever they are in the word: 65535 is 1023, and other bits are ignored.
TEST_CASE("remap: samples in words") {
  RemapCall low({{2, 0}, {0, 1}}, {0, 0}, "GRAY16_LE");
  low.in.format.component[0].bits = 10;
  REQUIRE(low.run().ok());
  CHECK(low.to == std::vector<std::uint16_t>{1023 * 64, 7 * 64});
  RemapCall high({{2, 0}, {1, 1}}, {0, 0}, "GRAY16_LE");
  high.in.format.component[0].bits = 10, high.in.format.component[0].shift = 6;
  REQUIRE(high.run().ok());
  CHECK(high.to == std::vector<std::uint16_t>{1023 * 64, 30000 / 64 * 64});
}

// OpenCV's initUndistortRectifyMap() of this camera, at corners and near the middle.
TEST_CASE("maps") {
  const RectifiedCamera camera = {
      {300, 0, 160.5, 0, 301, 99.2, 0, 0, 1},
      {-0.3, 0.1, 0.001, -0.002, 0.05, 0.02, -0.01, 0.03, 0.001, 0.0005, -0.002, 0.0004, 0.03,
       -0.02},
      {0.99935, 0.030093, 0.019845, -0.029893, 0.9995, -0.010298, -0.020145, 0.009698, 0.99975},
      {280, 0, 150, 0, 0, 280, 100, 0, 0, 0, 1, 0}};
  constexpr int kWidth = 320, kHeight = 200;
  REQUIRE(can_rectify(camera));
  std::vector<MapPoint> points(kWidth * kHeight);
  std::vector<std::uint16_t> fractions(kWidth * kHeight);
  make_map(camera, {points.data(), kWidth, kHeight, 4 * kWidth},
           {fractions.data(), kWidth, kHeight, 2 * kWidth});
  const struct {
    int x, y, map_x, map_y, fraction;
  } expected[] = {{0, 0, 17, 3, 266},       {319, 0, 314, 13, 283},    {0, 199, 8, 192, 616},
                  {319, 199, 312, 201, 57}, {160, 100, 165, 102, 453}, {75, 31, 80, 29, 178}};
  for (const auto &e : expected) {
    const auto i = static_cast<std::size_t>(e.y * kWidth + e.x);
    CHECK(points[i].x == e.map_x);
    CHECK(points[i].y == e.map_y);
    CHECK(fractions[i] == e.fraction);
  }
}

// What is infinitely far, or no number, is as far outside as a map goes.
TEST_CASE("maps: places that there are not") {
  RectifiedCamera camera = {{1, 0, 0, 0, 1, 0, 0, 0, 1},
                            {},
                            {1, 0, 0, 0, 1, 0, 1, 0, 0},
                            {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
  CHECK_FALSE(can_rectify(camera));
  camera.matrix[0] = 1e300, camera.matrix[4] = -1e300;
  camera.rotation[6] = 0, camera.rotation[8] = 1;
  MapPoint points[2];
  std::uint16_t fractions[2];
  make_map(camera, {points, 2, 1, 8}, {fractions, 2, 1, 4});
  CHECK(points[0].x == 0);
  CHECK(points[1].x == 32767);
  CHECK(fractions[1] % 32 == 31);
}

TEST_CASE("remap: refusals") {
  using Call = RemapCall;
  expect_refused<Call>("no data", [](Call &c) { c.map.point.data = nullptr; });
  expect_refused<Call>("no data", [](Call &c) { c.map.fraction.data = nullptr; });
  expect_refused<Call>("differ in size", [](Call &c) { c.map.point.width = 1; });
  expect_refused<Call>("differ in size", [](Call &c) { c.map.fraction.width = 1; });
  expect_refused<Call>("GRAY8 for bytes", [](Call &c) {
    c.out.format = pixel_format("GRAY8"), c.out.plane[0].width = 2;
  });
  expect_refused<Call>("luma or grey", [](Call &c) {
    c.in.format = pixel_format("BGRA"), c.in.width = 1, c.in.plane[0].width = 4;
  });
  expect_refused<Call>("32767", [](Call &c) {
    c.in.width = 32768, c.in.plane[0].width = 65536, c.in.plane[0].pitch = 65536;
  });
}

}  // namespace coalesce::test
