// SPDX-License-Identifier: LGPL-2.1-or-later
// depths() and colours(): refusals, and examples by hand.
#include "stereo/view.h"

#include <vector>

#include "../refused.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

struct ViewCall {
  std::vector<std::uint16_t> from;
  std::vector<std::uint8_t> to;
  ConstImage in;
  Image out;
  std::uint32_t scale = 1000;
  ColourMap map = ColourMap::turbo;
  ColourRange range = {16, 271};

  explicit ViewCall(std::vector<std::uint16_t> numbers, const char *format = "GRAY16_LE")
      : from(std::move(numbers)), to(4 * from.size(), 77) {
    const int width = static_cast<int>(from.size());
    in = {pixel_format("GRAY16_LE"), width, 1, false, {}};
    in.plane[0] = {reinterpret_cast<const std::uint8_t *>(from.data()), 2 * width, 1,
                   2 * from.size()};
    out = {pixel_format(format), width, 1, false, {}};
    const auto bytes = row_bytes(out.format, 0, width);
    out.plane[0] = {to.data(), static_cast<int>(bytes), 1, 4 * from.size()};
  }
  ViewCall(const ViewCall &) = delete;
  ViewCall &operator=(const ViewCall &) = delete;

  Status find_depths() { return depths(scale, in, out, Queue::cpu()); }
  Status colour() { return colours(map, range, in, out, Queue::cpu()); }
  int depth(std::size_t i) const { return to[2 * i] | to[2 * i + 1] << 8; }
};

bool is_refused(const Status &s) {
  return s.code() == StatusCode::invalid_argument;
}

}  // namespace

TEST_CASE("depths") {
  ViewCall call({0, 1, 3, 16, 1999, 2000, 2001, 20000});
  REQUIRE(call.find_depths().ok());
  const int expected[] = {0, 1000, 333, 63, 1, 1, 1, 1};
  for (std::size_t i = 0; i < std::size(expected); ++i)
    CHECK(call.depth(i) == expected[i]);
  call.scale = kMaxDepthScale;
  REQUIRE(call.find_depths().ok());
  CHECK(call.depth(0) == 0);
  CHECK(call.depth(7) == 0xFFFF);
}

TEST_CASE("depths in place") {
  ViewCall call({0, 10, 20, 1000});
  call.out.plane[0].data = reinterpret_cast<std::uint8_t *>(call.from.data());
  REQUIRE(call.find_depths().ok());
  CHECK(call.from == std::vector<std::uint16_t>{0, 100, 50, 1});
}

TEST_CASE("colours of both ends, of what is outside, and of nothing") {
  ViewCall call({0, 1, 16, 271, 65535}, "RGB");
  REQUIRE(call.colour().ok());
  const std::uint8_t turbo[] = {0,    0,    0, 0x30, 0x12, 0x3b, 0x30, 0x12,
                                0x3b, 0x7a, 4, 3,    0x7a, 4,    3};
  for (std::size_t i = 0; i < std::size(turbo); ++i)
    CHECK(call.to[i] == turbo[i]);
  ViewCall other({0, 16, 271}, "BGRx");
  other.map = ColourMap::viridis;
  REQUIRE(other.colour().ok());
  const std::uint8_t viridis[] = {0, 0, 0, 255, 0x54, 1, 0x44, 255, 0x25, 0xe7, 0xfd, 255};
  for (std::size_t i = 0; i < std::size(viridis); ++i)
    CHECK(other.to[i] == viridis[i]);
}

TEST_CASE("views: refusals") {
  {
    ViewCall call({1, 2});
    call.scale = 0;
    CHECK(is_refused(call.find_depths()));
    call.scale = kMaxDepthScale + 1;
    CHECK(is_refused(call.find_depths()));
  }
  {
    ViewCall call({1, 2}, "RGB");
    CHECK(is_refused(call.find_depths()));
    for (const ColourRange range : {ColourRange{-1, 5}, {5, 5}, {6, 5}, {0, 0x10000}}) {
      call.range = range;
      CHECK(is_refused(call.colour()));
    }
    call.range = {0, 5};
    call.map = static_cast<ColourMap>(2);
    CHECK(is_refused(call.colour()));
    call.map = ColourMap::turbo;
    CHECK(call.colour().ok());
    call.in.width = 1, call.in.plane[0].width = 2;
    CHECK(is_refused(call.colour()));
  }
  for (const char *format : {"GRAY8", "I420", "GRAY16_LE", "Y444"}) {
    ViewCall call({1, 2}, format);
    CHECK_FALSE(colours_make(call.out.format));
  }
  CHECK(is_refused(ViewCall({1, 2}, "GRAY16_LE").colour()));
  ViewCall large(std::vector<std::uint16_t>(kMaxStereoSize + 1, 5));
  CHECK(is_refused(large.find_depths()));
}

}  // namespace coalesce::test
