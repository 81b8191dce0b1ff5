// SPDX-License-Identifier: LGPL-2.1-or-later
// Refusals, a scene of known depths, and examples by hand.
#include "multiview/multiview.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "../../support/random.h"
#include "../refused.h"
#include "core/thread_pool.h"
#include "multiview/multiview_job.h"
#include "multiview_scene.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The scene, or whatever a test makes of it.
struct SceneCall {
  static constexpr int kWidth = 96, kHeight = 64, kViews = 4;

  int width, height;
  MultiviewParams params;
  std::vector<std::vector<std::uint8_t>> from;
  std::vector<MultiviewView> views;
  int count, reference = 0;
  std::vector<float> to;
  std::vector<std::uint8_t> shares;
  Image depth, confidence;
  std::vector<std::uint64_t> memory;
  void *scratch;
  Queue queue = Queue::cpu();

  SceneCall() : SceneCall(MultiviewScene(kWidth, kHeight, kViews, 1)) {}
  explicit SceneCall(const MultiviewScene &scene)
      : width(scene.width), height(scene.height), count(static_cast<int>(scene.views.size())) {
    const auto pixels = static_cast<std::size_t>(width * height);
    params.depths = 64;
    params.nearest = MultiviewScene::kNearest, params.farthest = MultiviewScene::kFarthest;
    params.output = MultiviewDepth::floats;
    for (const MultiviewScene::View &of : scene.views)
      from.push_back(of.picture);
    for (std::size_t i = 0; i < scene.views.size(); ++i) {
      MultiviewView view;
      std::memcpy(view.matrix, scene.views[i].matrix, sizeof view.matrix);
      view.picture = {pixel_format("GRAY8"), width, height, false, {}};
      view.picture.plane[0] = {from[i].data(), width, height, static_cast<std::size_t>(width)};
      views.push_back(view);
    }
    to.assign(pixels, 777), shares.assign(pixels, 77);
    depth = {pixel_format("GRAY16_LE"), 2 * width, height, false, {}};
    depth.plane[0] = {reinterpret_cast<std::uint8_t *>(to.data()), 4 * width, height,
                      4 * static_cast<std::size_t>(width)};
    confidence = {pixel_format("GRAY8"), width, height, false, {}};
    confidence.plane[0] = {shares.data(), width, height, static_cast<std::size_t>(width)};
    memory.resize(multiview_scratch_bytes(params, count, width, height, false) / 8 + 32);
    scratch = reinterpret_cast<void *>((reinterpret_cast<std::uintptr_t>(memory.data()) + 255) &
                                       ~std::uintptr_t{255});
  }
  SceneCall(const SceneCall &) = delete;
  SceneCall &operator=(const SceneCall &) = delete;

  Status run() {
    return multiview(params, views.data(), count, reference, depth, &confidence, queue, scratch);
  }
};

TEST_CASE("refused") {
  using C = SceneCall;
  expect_refused<C>("method", [](C &c) { c.params.method = static_cast<MultiviewMethod>(2); });
  expect_refused<C>("2 to 16 views", [](C &c) { c.count = 1; });
  expect_refused<C>("2 to 16 views", [](C &c) { c.count = 17; });
  for (const auto spoil : {+[](C &c) { c.params.window = 1; }, +[](C &c) { c.params.window = 8; },
                           +[](C &c) { c.params.window = 23; }})
    expect_refused<C>("window must be odd", spoil);
  expect_refused<C>("depths must be from 2", [](C &c) { c.params.depths = 1; });
  expect_refused<C>("depths must be from 2", [](C &c) { c.params.depths = 257; });
  for (const auto spoil :
       {+[](C &c) { c.params.nearest = 0; }, +[](C &c) { c.params.nearest = kNan; },
        +[](C &c) { c.params.farthest = c.params.nearest; }, +[](C &c) { c.params.farthest = 2e9; },
        +[](C &c) { c.params.farthest = kNan; }})
    expect_refused<C>("nearest < farthest", spoil);
  expect_refused<C>("tolerance", [](C &c) { c.params.tolerance = -1; });
  expect_refused<C>("min-count", [](C &c) { c.params.min_count = 0; });
  expect_refused<C>("min-count", [](C &c) { c.params.min_count = 4; });
  expect_refused<C>("output", [](C &c) { c.params.output = static_cast<MultiviewDepth>(2); });
  for (const auto spoil : {+[](C &c) { c.params.scale = 0; }, +[](C &c) { c.params.scale = kNan; },
                           +[](C &c) { c.params.scale = 2e9; }})
    expect_refused<C>("scale", spoil);
  expect_refused<C>("reference", [](C &c) { c.reference = -1; });
  expect_refused<C>("reference", [](C &c) { c.reference = 4; });
  expect_refused<C>("no data", [](C &c) { c.views[2].picture.plane[0].data = nullptr; });
  expect_refused<C>("differ in size", [](C &c) {
    c.views[3].picture.height = c.views[3].picture.plane[0].height = C::kHeight - 1;
  });
  expect_refused<C>("differ in format", [](C &c) {
    c.views[1].picture.format = pixel_format("GRAY16_LE");
    c.views[1].picture.width = c.views[1].picture.plane[0].width = C::kWidth / 2;
    c.views[1].picture.plane[0].width = C::kWidth;
  });
  expect_refused<C>("too large", [](C &c) {
    for (MultiviewView &view : c.views)
      view.picture.height = view.picture.plane[0].height = kMaxMultiviewSize + 1;
  });
  expect_refused<C>("must be GRAY16_LE", [](C &c) {
    c.depth.format = pixel_format("GRAY8");
    c.depth.plane[0].width = c.depth.width;
  });
  expect_refused<C>("twice the width", [](C &c) { c.params.output = MultiviewDepth::words; });
  expect_refused<C>("confidences must be GRAY8",
                    [](C &c) { c.confidence.height = c.confidence.plane[0].height = 1; });
  expect_refused<C>("scratch", [](C &c) { c.scratch = nullptr; });
  expect_refused<C>("aligned", [](C &c) { c.scratch = static_cast<char *>(c.scratch) + 16; });
}

TEST_CASE("matrices that are refused") {
  using C = SceneCall;
  for (const auto spoil :
       {+[](C &c) { c.views[1].matrix[0][3] = kNan; },
        +[](C &c) { c.views[1].matrix[2][1] = HUGE_VAL; },
        // An affine camera; two rows alike.
        +[](C &c) { std::fill_n(c.views[0].matrix[2], 3, 0.0); },
        +[](C &c) { std::copy_n(c.views[2].matrix[0], 4, c.views[2].matrix[1]); }})
    expect_refused<C>("not that of a camera", spoil);
  expect_refused<C>("where that of the reference is", [](C &c) {
    // Turned about, but not moved.
    std::copy_n(&c.views[0].matrix[0][0], 12, &c.views[3].matrix[0][0]);
    for (int i = 0; i < 4; ++i)
      c.views[3].matrix[0][i] += 300 * c.views[3].matrix[2][i];
  });
  expect_refused<C>("differ too much", [](C &c) {
    for (double &number : c.views[2].matrix[0])
      number *= 1e30;
  });
}

TEST_CASE("formats that are refused") {
  CHECK(multiview_takes(pixel_format("GRAY8")));
  CHECK(multiview_takes(pixel_format("I420_10LE")));
  CHECK(!multiview_takes(pixel_format("RGB")));
  CHECK(!multiview_takes(pixel_format("v210")));
}

TEST_CASE("scratch memory of what is refused") {
  MultiviewParams params;
  CHECK(multiview_scratch_bytes(params, 3, 10, 10, false) > 0);
  CHECK(multiview_scratch_bytes(params, 17, 10, 10, false) == 0);
  CHECK(multiview_scratch_bytes(params, 3, 0, 10, false) == 0);
  CHECK(multiview_scratch_bytes(params, 3, 10, kMaxMultiviewSize + 1, true) == 0);
  params.window = 4;
  CHECK(multiview_scratch_bytes(params, 3, 10, 10, true) == 0);
}

TEST_CASE("the depths of a scene are found") {
  const MultiviewScene scene(320, 200, 5, 2);
  SceneCall call(scene);
  for (const MultiviewMethod method : {MultiviewMethod::sad, MultiviewMethod::ncc}) {
    call.params.method = method;
    REQUIRE(call.run().ok());
    const MultiviewErrors two = multiview_errors(scene, call.to, call.params);
    CHECK(two.known > 0.96);
    CHECK(two.bad < 0.04);
    CHECK(two.missed < 0.06);
    CHECK(two.error < 0.12);
    // Who wants more neighbours to agree knows less, and is wrong less often.
    call.params.min_count = 4;
    REQUIRE(call.run().ok());
    const MultiviewErrors four = multiview_errors(scene, call.to, call.params);
    CHECK(four.known < two.known);
    CHECK(four.bad < 0.01);
    CHECK(four.bad < two.bad / 2);
    call.params.min_count = 2;
  }
}

TEST_CASE("scale and sign of matrices do not matter") {
  SceneCall one, other;
  for (std::size_t i = 0; i < other.views.size(); ++i)
    for (auto &row : other.views[i].matrix)
      for (double &number : row)
        number *= i % 2 == 0 ? -8 : 0.25;
  REQUIRE(one.run().ok());
  REQUIRE(other.run().ok());
  CHECK(one.to == other.to);
  CHECK(one.shares == other.shares);
}

TEST_CASE("words are depths in units of the scale") {
  SceneCall floats, words;
  words.params.output = MultiviewDepth::words;
  words.params.scale = 10;
  words.depth.width = words.width, words.depth.plane[0].width = 2 * words.width;
  REQUIRE(floats.run().ok());
  REQUIRE(words.run().ok());
  CHECK(words.shares == floats.shares);
  for (int y = 0; y < words.height; ++y)
    for (int x = 0; x < words.width; ++x) {
      std::uint16_t word;
      std::memcpy(&word, words.depth.plane[0].row(y) + 2 * x, 2);
      const float depth = floats.to[static_cast<std::size_t>(y * words.width + x)];
      REQUIRE(word == static_cast<std::uint16_t>(std::min(depth * 10 + 0.5f, 65535.0f)));
    }
}

TEST_CASE("what is the same everywhere is unknown") {
  for (const MultiviewMethod method : {MultiviewMethod::sad, MultiviewMethod::ncc}) {
    SceneCall call;
    call.params.method = method, call.params.min_count = 1;
    for (auto &bytes : call.from)
      std::fill(bytes.begin(), bytes.end(), std::uint8_t{99});
    REQUIRE(call.run().ok());
    for (int y = 16; y < call.height - 16; ++y)
      for (int x = 24; x < call.width - 24; ++x) {
        REQUIRE(call.to[static_cast<std::size_t>(y * call.width + x)] == 0);
        REQUIRE(call.shares[static_cast<std::size_t>(y * call.width + x)] == 0);
      }
  }
}

TEST_CASE("a neighbour that looks the other way says nothing") {
  SceneCall call;
  call.params.min_count = 1;
  REQUIRE(call.run().ok());
  const std::vector<std::uint8_t> all = call.shares;
  // About the y axis: the first and the last row change their signs, but for the middle of the
  // picture.
  auto &m = call.views[2].matrix;
  for (int i = 0; i < 4; ++i) {
    const double middle = (call.width - 1) / 2.0;
    m[0][i] = -m[0][i] + 2 * middle * m[2][i];
    const double forwards = m[2][i];
    m[0][i] -= 2 * middle * forwards, m[1][i] -= (call.height - 1) * forwards, m[2][i] = -forwards;
  }
  REQUIRE(is_camera_matrix(m));
  REQUIRE(call.run().ok());
  CHECK(*std::max_element(all.begin(), all.end()) == 255);
  CHECK(*std::max_element(call.shares.begin(), call.shares.end()) <= (255 * 2 + 1) / 3);
}

TEST_CASE("who agrees") {
  const auto agreed = [](std::vector<std::uint32_t> given, int tolerance) {
    std::uint32_t matches[kMaxNeighbours] = {};
    std::copy(given.begin(), given.end(), matches);
    return find_agreement(matches, static_cast<int>(given.size()), tolerance);
  };
  CHECK(agreed({kNoMatch, kNoMatch}, 1).count == 0);
  // Two of three, though the third is cheaper.
  Agreement a = agreed({make_match(50, 10, 2), make_match(1, 20, 0), make_match(60, 11, -3)}, 1);
  CHECK(a.count == 2);
  CHECK(a.sixteenths == 16 * 10 + 2 + 16 * 11 - 3);
  // Of equally many those that cost least, then the first candidate.
  a = agreed({make_match(50, 10, 0), make_match(40, 20, 0)}, 1);
  CHECK(a.sixteenths == 16 * 20);
  a = agreed({make_match(50, 20, 0), make_match(50, 10, 0)}, 1);
  CHECK(a.sixteenths == 16 * 10);
  // Both ends of a chain agree with the middle alone.
  a = agreed({make_match(1, 9, 0), make_match(1, 10, 0), make_match(1, 11, 0)}, 1);
  CHECK(a.count == 3);
  CHECK(agreed({make_match(1, 9, 0), make_match(1, 11, 0)}, 1).count == 1);
}

TEST_CASE("samples between four pixels") {
  const std::uint32_t quad = 0u | 100u << 8 | 200u << 16 | 255u << 24;
  CHECK(blend_quad(quad, 0, 0) == 0);
  CHECK(blend_quad(quad, 16, 0) == 50);
  CHECK(blend_quad(quad, 0, 16) == 100);
  CHECK(blend_quad(quad, 16, 16) == 139);  // 138.75
  for (std::uint32_t right = 0; right < 32; ++right)
    for (std::uint32_t down = 0; down < 32; ++down) {
      CHECK(blend_quad(0xFFFFFFFF, right, down) == 255);
      const std::uint32_t upper = 100 * right, lower = 200 * (32 - right) + 255 * right;
      CHECK(blend_quad(quad, right, down) == (upper * (32 - down) + lower * down + 512) / 1024);
    }
  CHECK(rounded_position(2.5f) == 2);
  CHECK(rounded_position(3.5f) == 4);
  CHECK(rounded_position(524287.0f) == 524287);
}

TEST_CASE("any number of threads") {
  const MultiviewScene scene(150, 300, 3, 2);
  SceneCall one(scene);
  REQUIRE(one.run().ok());
  for (const int threads : {2, 3, 8}) {
    ThreadPool pool(threads);
    SceneCall call(scene);
    call.queue = Queue::cpu(&pool);
    REQUIRE(call.run().ok());
    REQUIRE(call.to == one.to);
  }
}

}  // namespace
}  // namespace coalesce::test
