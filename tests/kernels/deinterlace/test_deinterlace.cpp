// SPDX-License-Identifier: LGPL-2.1-or-later
// Refusals, and examples by hand.
#include <cstring>

#include "../../support/doctest.h"
#include "../refused.h"
#include "deinterlace_reference.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

constexpr int kWidth = 8, kHeight = 6;

struct GreyCall {
  std::uint8_t memory[5][kWidth * kHeight] = {};
  DeinterlaceParams params;
  ConstImage frame[3];
  FieldPicture picture[2];
  int pictures = 1;

  GreyCall() {
    const auto image = [this](int i) {
      Image grey = {pixel_format("GRAY8"), kWidth, kHeight, false, {}};
      grey.plane[0] = {memory[i], kWidth, kHeight, kWidth};
      return grey;
    };
    for (int i = 0; i < 3; ++i)
      frame[i] = image(i);
    for (int i = 0; i < 2; ++i)
      picture[i] = {image(3 + i), i, i == 1, false};
  }
  GreyCall(const GreyCall &) = delete;
  GreyCall &operator=(const GreyCall &) = delete;

  void fill(int image, int row, std::uint8_t value) {
    std::memset(memory[image] + row * kWidth, value, kWidth);
  }
  int at(int image, int row) const { return memory[image][row * kWidth + 3]; }
  Status run() {
    return deinterlace(params, frame[0], frame[1], frame[2], picture, pictures, Queue::cpu());
  }
};

TEST_CASE("refused") {
  expect_refused<GreyCall>("one or two", [](GreyCall &c) { c.pictures = 0; });
  expect_refused<GreyCall>(
      "no such method", [](GreyCall &c) { c.params.method = static_cast<DeinterlaceMethod>(8); });
  expect_refused<GreyCall>("3, 5 or 7", [](GreyCall &c) { c.params.ela_window = 4; });
  expect_refused<GreyCall>("frames differ in format", [](GreyCall &c) {
    c.frame[0].format = pixel_format("GRAY16_LE"), c.frame[0].plane[0].width = 2 * kWidth,
    c.frame[0].plane[0].pitch = 2 * kWidth;
  });
  expect_refused<GreyCall>("frames differ in size",
                           [](GreyCall &c) { c.frame[2].height = c.frame[2].plane[0].height = 4; });
  expect_refused<GreyCall>("size is not", [](GreyCall &c) {
    c.picture[0].out.height = c.picture[0].out.plane[0].height = 4;
  });
  expect_refused<GreyCall>("field must be", [](GreyCall &c) { c.picture[0].field = 2; });
  expect_refused<GreyCall>("no data",
                           [](GreyCall &c) { c.picture[0].out.plane[0].data = nullptr; });
}

// Two fields of different times, in one frame: rows of 10 and of 200.
TEST_CASE("a combed frame") {
  const struct {
    DeinterlaceMethod method;
    int kept, made;  // of the picture that keeps the rows of 10
  } cases[] = {{DeinterlaceMethod::weave, 10, 200},
               {DeinterlaceMethod::line, 10, 10},
               {DeinterlaceMethod::linear, 10, 10},
               {DeinterlaceMethod::ela, 10, 10}};
  for (const auto &[method, kept, made] : cases) {
    GreyCall call;
    call.params.method = method;
    call.pictures = 2;
    for (int y = 0; y < kHeight; ++y)
      call.fill(1, y, y % 2 == 0 ? 10 : 200);
    REQUIRE(call.run().ok());
    CHECK(call.at(3, 2) == kept);
    CHECK(call.at(3, 3) == made);
    CHECK(call.at(4, 3) == 200);
    CHECK(call.at(4, 2) == (method == DeinterlaceMethod::weave ? 10 : 200));
  }
}

// bwdif weaves what does not move.
TEST_CASE("still pictures stay as they are") {
  GreyCall call;
  call.pictures = 2;
  for (int frame = 0; frame < 3; ++frame)
    for (int i = 0; i < kWidth * kHeight; ++i)
      call.memory[frame][i] = static_cast<std::uint8_t>(i * 37);
  REQUIRE(call.run().ok());
  for (int picture : {3, 4})
    CHECK(std::memcmp(call.memory[1], call.memory[picture], sizeof call.memory[1]) == 0);
}

TEST_CASE("numbers are rounded as numerics.md says") {
  GreyCall call;
  call.fill(1, 0, 10), call.fill(1, 2, 13);
  call.params.method = DeinterlaceMethod::linear;
  REQUIRE(call.run().ok());
  CHECK(call.at(3, 1) == 12);
  CHECK(call.at(3, 5) == call.at(1, 4));  // nothing is below
}

}  // namespace
}  // namespace coalesce::test
