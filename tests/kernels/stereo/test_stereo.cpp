// SPDX-License-Identifier: LGPL-2.1-or-later
// Refusals, and examples by hand.
#include "stereo/stereo.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "../../support/random.h"
#include "../refused.h"
#include "core/thread_pool.h"
#include "picture/formats.h"
#include "stereo/stereo_job.h"

namespace coalesce::test {
namespace {

constexpr int kWidth = 120, kHeight = 60;

// Noise, of which the right picture has columns 10 further left.
struct GreyCall {
  std::vector<std::uint8_t> from[2];
  std::vector<std::uint16_t> to = std::vector<std::uint16_t>(kWidth * kHeight, 777);
  std::vector<std::uint64_t> memory;
  StereoParams params;
  ConstImage left = {pixel_format("GRAY8"), kWidth, kHeight, false, {}}, right = left;
  Image out = {pixel_format("GRAY16_LE"), kWidth, kHeight, false, {}};
  void *scratch;
  Queue queue = Queue::cpu();

  explicit GreyCall(StereoMethod method = StereoMethod::sgm) {
    params.method = method;
    params.disparities = 32;
    params.window = 21;  // whose memory is enough for any
    Random random(1);
    for (auto &bytes : from)
      bytes.resize(kWidth * kHeight);
    std::generate(from[0].begin(), from[0].end(),
                  [&] { return static_cast<std::uint8_t>(random.bits()); });
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x)
        sample(1, x, y) = sample(0, std::min(x + 10, kWidth - 1), y);
    left.plane[0] = {from[0].data(), kWidth, kHeight, kWidth};
    right.plane[0] = {from[1].data(), kWidth, kHeight, kWidth};
    out.plane[0] = {reinterpret_cast<std::uint8_t *>(to.data()), 2 * kWidth, kHeight, 2 * kWidth};
    memory.resize(stereo_scratch_bytes(params, kWidth, kHeight, false) / 8 + 32);
    scratch = reinterpret_cast<void *>((reinterpret_cast<std::uintptr_t>(memory.data()) + 255) &
                                       ~std::uintptr_t{255});
  }
  GreyCall(const GreyCall &) = delete;
  GreyCall &operator=(const GreyCall &) = delete;

  std::uint8_t &sample(int picture, int x, int y) {
    return from[picture][static_cast<std::size_t>(y * kWidth + x)];
  }
  int result(int x, int y) const { return to[static_cast<std::size_t>(y * kWidth + x)]; }
  Status run() { return stereo(params, left, right, out, queue, scratch); }
};

TEST_CASE("refused") {
  using C = GreyCall;
  expect_refused<C>("method", [](C &c) { c.params.method = static_cast<StereoMethod>(4); });
  expect_refused<C>("least disparity", [](C &c) { c.params.min_disparity = -1; });
  expect_refused<C>("least disparity", [](C &c) { c.params.min_disparity = 1025; });
  for (const auto spoil :
       {+[](C &c) { c.params.disparities = 0; }, +[](C &c) { c.params.disparities = 24; },
        +[](C &c) { c.params.disparities = 272; }})
    expect_refused<C>("multiple of 16", spoil);
  for (const auto spoil :
       {+[](C &c) { c.params.method = StereoMethod::sad, c.params.window = 1; },
        +[](C &c) { c.params.method = StereoMethod::ncc, c.params.window = 8; },
        +[](C &c) { c.params.method = StereoMethod::census, c.params.window = 23; }})
    expect_refused<C>("window must be odd", spoil);
  expect_refused<C>("paths", [](C &c) { c.params.paths = 5; });
  for (const auto spoil :
       {+[](C &c) { c.params.p1 = 0; }, +[](C &c) { c.params.p1 = c.params.p2 + 1; },
        +[](C &c) { c.params.p2 = 97; }})
    expect_refused<C>("penalties", spoil);
  expect_refused<C>("uniqueness", [](C &c) { c.params.uniqueness = 100; });
  expect_refused<C>("uniqueness", [](C &c) { c.params.uniqueness = -1; });
  expect_refused<C>("left-right", [](C &c) { c.params.left_right = -2; });
  expect_refused<C>("median", [](C &c) { c.params.median = 4; });
  expect_refused<C>("speckles", [](C &c) { c.params.speckle_size = -1; });
  expect_refused<C>("speckles", [](C &c) { c.params.speckle_range = -1; });
  expect_refused<C>("scratch", [](C &c) { c.scratch = nullptr; });
  expect_refused<C>("aligned", [](C &c) { c.scratch = static_cast<char *>(c.scratch) + 16; });
  expect_refused<C>("no data", [](C &c) { c.right.plane[0].data = nullptr; });
  expect_refused<C>("differ in size",
                    [](C &c) { c.right.height = c.right.plane[0].height = kHeight - 1; });
  expect_refused<C>("differ in format", [](C &c) {
    c.right.format = pixel_format("NV12");
    c.right.plane[1] = c.right.plane[0];
    c.right.plane[1].height = kHeight / 2;
  });
  expect_refused<C>("GRAY16_LE", [](C &c) {
    c.out.format = pixel_format("GRAY8");
    c.out.plane[0].width = kWidth;
  });
  expect_refused<C>("too large", [](C &c) {
    for (auto *height : {&c.left.height, &c.right.height, &c.out.height, &c.left.plane[0].height,
                         &c.right.plane[0].height, &c.out.plane[0].height})
      *height = kMaxStereoSize + 1;
  });
}

TEST_CASE("formats that are refused") {
  for (const char *name : {"RGB", "v210", "UYVP", "Y410"}) {
    GreyCall call;
    const PixelFormat format = pixel_format(name);
    std::vector<std::uint64_t> memory(4096);
    for (ConstImage *image : {&call.left, &call.right}) {
      image->format = format;
      image->height = 1;
      const auto bytes = static_cast<int>(row_bytes(format, 0, kWidth));
      image->plane[0] = {reinterpret_cast<const std::uint8_t *>(memory.data()), bytes, 1,
                         (static_cast<std::size_t>(bytes) + 15) / 16 * 16};
    }
    call.out.height = call.out.plane[0].height = 1;
    const Status s = call.run();
    CHECK(s.code() == StatusCode::invalid_argument);
    CHECK_MESSAGE(std::strstr(s.message(), "luma or grey") != nullptr, name, ": ", s.message());
  }
}

TEST_CASE("scratch memory of what is refused") {
  StereoParams params;
  CHECK(stereo_scratch_bytes(params, 10, 10, false) > 0);
  CHECK(stereo_scratch_bytes(params, 0, 10, false) == 0);
  CHECK(stereo_scratch_bytes(params, 10, kMaxStereoSize + 1, true) == 0);
  params.disparities = 17;
  CHECK(stereo_scratch_bytes(params, 10, 10, true) == 0);
}

TEST_CASE("columns that are moved are found by every method") {
  for (const StereoMethod method :
       {StereoMethod::sad, StereoMethod::ncc, StereoMethod::census, StereoMethod::sgm}) {
    GreyCall call(method);
    call.params.window = 9;
    REQUIRE(call.run().ok());
    int found = 0;
    for (int y = 6; y < kHeight - 6; ++y)
      for (int x = 20; x < kWidth - 6; ++x)
        found += std::abs(call.result(x, y) - 160) <= 4;
    // (At the ends of rows and columns windows look at what is not there.)
    CHECK(found >= (kHeight - 12) * (kWidth - 26) * 98 / 100);
    if (method != StereoMethod::sgm)
      for (int y = 0; y < kHeight; ++y)
        CHECK(call.result(0, y) == 0);
  }
}

// (Paths carry the costs of the left edge on.)
TEST_CASE("what is the same everywhere is unknown to windows") {
  for (const StereoMethod method : {StereoMethod::sad, StereoMethod::ncc, StereoMethod::census}) {
    GreyCall call(method);
    for (auto &bytes : call.from)
      std::fill(bytes.begin(), bytes.end(), std::uint8_t{99});
    REQUIRE(call.run().ok());
    // (At the left edge there are no others.)
    for (int y = 0; y < kHeight; ++y)
      for (int x = 2; x < kWidth; ++x)
        REQUIRE(call.result(x, y) == 0);
  }
}

TEST_CASE("a disparity of nothing is not unknown") {
  GreyCall call(StereoMethod::sad);
  call.from[1] = call.from[0];
  REQUIRE(call.run().ok());
  CHECK(call.result(60, 30) == 1);
  call.params.subpixel = false;
  REQUIRE(call.run().ok());
  CHECK(call.result(60, 30) == 1);
}

TEST_CASE("offsets are rounded to nearest, halves up") {
  CHECK(subpixel_offset(20, 10, 20) == 0);
  CHECK(subpixel_offset(11, 10, 10) == 8);
  CHECK(subpixel_offset(11, 10, 1000) == -8);
  CHECK(subpixel_offset(26, 10, 25) == 1);   // 8 / 16
  CHECK(subpixel_offset(25, 10, 26) == 0);   // -8 / 16
  CHECK(subpixel_offset(25, 10, 27) == -1);  // -16 / 17
}

TEST_CASE("bytes of deeper samples are rounded, the largest ones cut off") {
  CHECK(byte_of(200, 8) == 200);
  CHECK(byte_of(1, 10) == 0);
  CHECK(byte_of(2, 10) == 1);
  CHECK(byte_of(1023, 10) == 255);
  CHECK(byte_of(65535, 16) == 255);
  CHECK(byte_of(127, 16) == 0);
  CHECK(byte_of(128, 16) == 1);
}

// Rows of sgm depend on each other, whatever thread has them.
TEST_CASE("any number of threads") {
  GreyCall one;
  REQUIRE(one.run().ok());
  for (const int threads : {2, 3, 8}) {
    ThreadPool pool(threads);
    GreyCall call;
    call.queue = Queue::cpu(&pool);
    for (int i = 0; i < 20; ++i) {
      REQUIRE(call.run().ok());
      REQUIRE(call.to == one.to);
    }
  }
}

}  // namespace
}  // namespace coalesce::test
