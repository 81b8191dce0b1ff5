// SPDX-License-Identifier: LGPL-2.1-or-later
// Refusals, and examples by hand.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "../refused.h"
#include "linedetect/line_job.h"
#include "linedetect/line_links.h"
#include "linedetect/line_mask.h"
#include "linedetect/linedetect.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

constexpr int kWidth = 400, kHeight = 300;

struct GreyCall {
  std::vector<std::uint8_t> from = std::vector<std::uint8_t>(kWidth * kHeight);
  std::vector<std::uint8_t> mask = std::vector<std::uint8_t>(kWidth * kHeight);
  std::vector<std::uint64_t> memory;
  std::vector<Line> lines = std::vector<Line>(100);
  LineCount count = {77, 77};
  LineParams params = {1.5, 20, 100};
  ConstImage in = {pixel_format("GRAY8"), kWidth, kHeight, false, {}};
  ConstImage edges = {pixel_format("GRAY8"), kWidth, kHeight, false, {}};
  Line *to = lines.data();
  LineCount *counted = &count;
  void *scratch;

  GreyCall() : memory(linedetect_scratch_bytes(kWidth, kHeight) / 8 + 3) {
    in.plane[0] = {from.data(), kWidth, kHeight, kWidth};
    edges.plane[0] = {mask.data(), kWidth, kHeight, kWidth};
    scratch = reinterpret_cast<void *>((reinterpret_cast<std::uintptr_t>(memory.data()) + 15) &
                                       ~std::uintptr_t{15});
  }
  GreyCall(const GreyCall &) = delete;
  GreyCall &operator=(const GreyCall &) = delete;

  void dot(int x, int y) { mask[static_cast<std::size_t>(y * kWidth + x)] = 255; }
  Status run() { return linedetect(params, in, edges, to, counted, Queue::cpu(), scratch); }
};

TEST_CASE("refused") {
  expect_refused<GreyCall>("tolerance", [](GreyCall &c) { c.params.tolerance = -0.1; });
  expect_refused<GreyCall>("tolerance", [](GreyCall &c) { c.params.tolerance = 16.1; });
  expect_refused<GreyCall>("tolerance", [](GreyCall &c) {
    c.params.tolerance = std::numeric_limits<double>::quiet_NaN();
  });
  expect_refused<GreyCall>("least length", [](GreyCall &c) { c.params.min_length = 4; });
  expect_refused<GreyCall>("least length", [](GreyCall &c) { c.params.min_length = 32768; });
  expect_refused<GreyCall>("number of lines", [](GreyCall &c) { c.params.max_lines = 0; });
  expect_refused<GreyCall>("number of lines", [](GreyCall &c) { c.params.max_lines = 16385; });
  expect_refused<GreyCall>("scratch", [](GreyCall &c) { c.scratch = nullptr; });
  expect_refused<GreyCall>("aligned",
                           [](GreyCall &c) { c.scratch = static_cast<char *>(c.scratch) + 8; });
  expect_refused<GreyCall>("no lines", [](GreyCall &c) { c.to = nullptr; });
  expect_refused<GreyCall>("no count", [](GreyCall &c) { c.counted = nullptr; });
  expect_refused<GreyCall>("no data", [](GreyCall &c) { c.in.plane[0].data = nullptr; });
  expect_refused<GreyCall>("no data", [](GreyCall &c) { c.edges.plane[0].data = nullptr; });
  expect_refused<GreyCall>("differ in size",
                           [](GreyCall &c) { c.in.height = c.in.plane[0].height = kHeight - 1; });
  expect_refused<GreyCall>("must be GRAY8", [](GreyCall &c) {
    c.edges.format = pixel_format("RGB");
    c.edges.width = c.in.width = 100;
    c.edges.plane[0].width = 300, c.in.plane[0].width = 100;
  });
  expect_refused<GreyCall>("8 bits", [](GreyCall &c) {
    c.in.format = pixel_format("GRAY16_LE");
    c.in.width = c.edges.width = c.edges.plane[0].width = 100;
    c.in.plane[0].width = 200;
  });
  expect_refused<GreyCall>("too large", [](GreyCall &c) {
    for (auto *height :
         {&c.in.height, &c.edges.height, &c.in.plane[0].height, &c.edges.plane[0].height})
      *height = 32768;
  });
}

TEST_CASE("one line, its ends, width and strength") {
  GreyCall call;
  for (int y = 0; y < kHeight; ++y)
    std::fill_n(&call.from[static_cast<std::size_t>(y * kWidth + 200)], 200, std::uint8_t{60});
  for (int y = 10; y <= 290; ++y)
    call.dot(200, y);
  REQUIRE(call.run().ok());
  REQUIRE(call.count.lines == 1);
  CHECK(call.count.found == 1);
  const Line line = call.lines[0];
  CHECK(line.x0 == 200 * 256);
  CHECK(line.y0 == 10 * 256);
  CHECK(line.x1 == 200 * 256);
  CHECK(line.y1 == 290 * 256);
  CHECK(line.width == 256);
  CHECK(line.strength == 60 * 256);
}

TEST_CASE("a slope of one third, across windows") {
  GreyCall call;
  for (int x = 0; x < kWidth; ++x)
    call.dot(x, 20 + x / 3);
  REQUIRE(call.run().ok());
  REQUIRE(call.count.lines == 1);
  const Line line = call.lines[0];
  CHECK(std::abs(line.y0 - 20 * 256) < 128);
  CHECK(std::abs(line.x1 - 399 * 256) < 128);
  CHECK(std::abs((line.y1 - line.y0) * 3 - (line.x1 - line.x0)) < 16);
  CHECK(line.width < 2 * 256);
}

TEST_CASE("the longest lines come first, of equal ones the upper, then the left one") {
  GreyCall call;
  for (int x = 0; x <= 60; ++x)
    call.dot(220 + x, 40), call.dot(20 + x, 80), call.dot(120 + x, 40), call.dot(20 + x, 120);
  call.dot(81, 120);
  REQUIRE(call.run().ok());
  REQUIRE(call.count.lines == 4);
  const std::pair<int, int> begins[] = {{20, 120}, {120, 40}, {220, 40}, {20, 80}};
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(call.lines[i].x0 == 256 * begins[i].first);
    CHECK(call.lines[i].y0 == 256 * begins[i].second);
  }
  call.params.max_lines = 3;
  call.lines[3].x0 = 12345;
  REQUIRE(call.run().ok());
  CHECK(call.count.lines == 3);
  CHECK(call.count.found == 4);
  CHECK(call.lines[3].x0 == 12345);
}

TEST_CASE("a rectangle is a loop that has four sides") {
  GreyCall call;
  for (int x = 50; x <= 150; ++x)
    call.dot(x, 40), call.dot(x, 80);
  for (int y = 40; y <= 80; ++y)
    call.dot(50, y), call.dot(150, y);
  REQUIRE(call.run().ok());
  REQUIRE(call.count.lines == 4);
  for (const std::size_t i : {0, 1})
    CHECK(std::abs(call.lines[i].y1 - call.lines[i].y0) < 64);
  for (const std::size_t i : {2, 3})
    CHECK(std::abs(call.lines[i].x1 - call.lines[i].x0) < 64);
}

TEST_CASE("a crossing cuts one line of two") {
  GreyCall call;
  for (int i = 0; i <= 100; ++i)
    call.dot(100 + i, 150), call.dot(150, 100 + i);
  REQUIRE(call.run().ok());
  CHECK(call.count.lines == 3);
  CHECK(call.lines[0].x1 - call.lines[0].x0 == 100 * 256);
}

TEST_CASE("a picture full of edges, and one without") {
  GreyCall call;
  REQUIRE(call.run().ok());
  CHECK(call.count.found == 0);
  std::fill(call.mask.begin(), call.mask.end(), std::uint8_t{1});
  REQUIRE(call.run().ok());
  CHECK(call.count.found > 100);
  CHECK(call.count.lines == 100);
}

TEST_CASE("directions") {
  for (int d = 0; d < kDirections; ++d) {
    CHECK(step_x(opposite(d)) == -step_x(d));
    CHECK(step_y(opposite(d)) == -step_y(d));
  }
  CHECK((step_x(1) == 1 && step_y(1) == 1));   // south-east
  CHECK((step_x(6) == 0 && step_y(6) == -1));  // north
}

TEST_CASE("picked neighbours") {
  CHECK(picked_of(0) == 0);
  CHECK(picked_of(0b00000010) == 0b00000010);  // one diagonal
  CHECK(picked_of(0b00000011) == 0b00000001);  // beside a straight one
  CHECK(picked_of(0b01010101) == 0b00010001);  // a cross: east and west
  CHECK(picked_of(0b01000101) == 0b01000100);  // east, south, north: the last two
  CHECK(picked_of(0b00100101) == 0b00100001);  // east, south, north-west: 135 degrees, the first
  for (unsigned all = 0; all < 256; ++all)
    CHECK((picked_of(all) & ~all) == 0);
}

TEST_CASE("a bar of two rows is thinned to one") {
  std::uint32_t rows[6][3] = {};
  rows[2][1] = rows[3][1] = 0x00fff000;
  for (int step = 0; step < 2 * kThinningRounds; ++step) {
    std::uint32_t next[6] = {};
    for (int y = 1; y < 5; ++y)
      next[y] = thinned(rows[y][1], words_around(rows[y - 1], rows[y], rows[y + 1]), step % 2 != 0);
    for (int y = 0; y < 6; ++y)
      rows[y][1] = next[y];
  }
  int left = 0;
  for (int x = 12; x < 24; ++x) {
    const auto column = (rows[2][1] >> x & 1) + (rows[3][1] >> x & 1);
    CHECK(column <= 1);
    left += static_cast<int>(column);
  }
  CHECK(left >= 10);
}

struct MaskCall {
  std::vector<std::uint8_t> to = std::vector<std::uint8_t>(20 * 10, 77);
  Line line = {2 * 256, 3 * 256, 9 * 256, 3 * 256, 256, 0};
  LineCount count = {1, 1};
  int max_lines = 10, thickness = 1;
  const Line *lines = &line;
  const LineCount *counted = &count;
  Image mask = {pixel_format("GRAY8"), 20, 10, false, {}};

  MaskCall() { mask.plane[0] = {to.data(), 20, 10, 20}; }
  MaskCall(const MaskCall &) = delete;
  MaskCall &operator=(const MaskCall &) = delete;

  Status run() { return draw_line_mask(lines, counted, max_lines, thickness, mask, Queue::cpu()); }
  std::ptrdiff_t drawn() const { return std::count(to.begin(), to.end(), 255); }
};

TEST_CASE("masks that are refused") {
  expect_refused<MaskCall>("no data", [](MaskCall &c) { c.mask.plane[0].data = nullptr; });
  expect_refused<MaskCall>("there are none", [](MaskCall &c) { c.lines = nullptr; });
  expect_refused<MaskCall>("there are none", [](MaskCall &c) { c.counted = nullptr; });
  expect_refused<MaskCall>("number", [](MaskCall &c) { c.max_lines = 0; });
  expect_refused<MaskCall>("number", [](MaskCall &c) { c.max_lines = 16385; });
  expect_refused<MaskCall>("thickness", [](MaskCall &c) { c.thickness = 0; });
  expect_refused<MaskCall>("thickness", [](MaskCall &c) { c.thickness = 16; });
  expect_refused<MaskCall>("GRAY8", [](MaskCall &c) {
    c.mask.format = pixel_format("RGB");
    c.mask.width = 6, c.mask.plane[0].width = 18;
  });
}

TEST_CASE("a mask has both ends, and is three pixels thick around the line") {
  MaskCall call;
  REQUIRE(call.run().ok());
  CHECK(call.drawn() == 8);
  CHECK((call.to[3 * 20 + 2] == 255 && call.to[3 * 20 + 9] == 255));
  call.thickness = 3;
  REQUIRE(call.run().ok());
  CHECK(call.drawn() == 24);
  CHECK((call.to[2 * 20 + 5] == 255 && call.to[4 * 20 + 5] == 255));
  call.count.lines = 0;
  REQUIRE(call.run().ok());
  CHECK(call.drawn() == 0);
}

TEST_CASE("distances are those to a chord, not to the line through it") {
  const Chord chord(line_pixel(10, 10), line_pixel(20, 10));
  CHECK(chord.deviation(line_pixel(15, 13)) == 9 * 100);
  CHECK(chord.deviation(line_pixel(7, 14)) == 25 * 100);
  CHECK(chord.deviation(line_pixel(23, 6)) == 25 * 100);
  CHECK(chord.limit(squared(16 * 3)) == 9 * 100);
}

}  // namespace
}  // namespace coalesce::test
