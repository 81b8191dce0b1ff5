// SPDX-License-Identifier: LGPL-2.1-or-later
// What rgb2yuv refuses, and what it must not; which way its CUDA back end reaches memory.
#include <cstring>
#include <vector>

#include "../../support/doctest.h"
#include "../../support/hide_gpus.h"
#include "rgb2yuv/rgb2yuv_access.h"
#include "rgb2yuv_reference.h"

namespace coalesce::test {
namespace {

// A sound call: 7 x 5 pixels, each plane in memory of its own.
struct Call {
  Rgb2yuvParams params;
  RgbImage in;
  YuvImage out;

  Call(RgbLayout from, YuvLayout to) {
    params.in = from;
    params.out = to;
    const std::vector<PlaneSize> in_sizes = rgb_plane_sizes(from, 7, 5);
    for (std::size_t i = 0; i < in_sizes.size(); ++i)
      in.plane[i] = {memory_[i], in_sizes[i].row_bytes, in_sizes[i].height, 32};
    const std::vector<PlaneSize> out_sizes = yuv_plane_sizes(to, 7, 5, false);
    for (std::size_t i = 0; i < out_sizes.size(); ++i)
      out.plane[i] = {memory_[3 + i], out_sizes[i].row_bytes, out_sizes[i].height, 32};
  }
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;

  Status run(const Queue &queue) const { return rgb2yuv(params, in, out, queue); }

 private:
  alignas(16) std::uint8_t memory_[6][32 * 8] = {};
};

constexpr RgbLayout kRgb = RgbLayout::rgb;
constexpr RgbLayout kPlanar = RgbLayout::planar;
constexpr YuvLayout kI420 = YuvLayout::planar420;
constexpr YuvLayout kNv12 = YuvLayout::nv12;

void expect_refused(const char *text, RgbLayout from, YuvLayout to, void (*spoil)(Call &)) {
  for (const Queue &queue : {Queue::cpu(), Queue::cuda(nullptr)}) {
    Call call(from, to);
    spoil(call);
    const Status s = call.run(queue);
    CHECK_MESSAGE(s.code() == StatusCode::invalid_argument, "code ", static_cast<int>(s.code()),
                  " for \"", text, "\"");
    CHECK_MESSAGE(std::strstr(s.message(), text) != nullptr, "\"", s.message(),
                  "\" does not say \"", text, "\"");
  }
}

void expect_taken(const char *what, RgbLayout from, YuvLayout to, void (*change)(Call &)) {
  Call call(from, to);
  change(call);
  const Status s = call.run(Queue::cpu());
  CHECK_MESSAGE(s.ok(), what, ": ", s.message());
}

TEST_CASE("layouts") {
  for (int from = 0; from < 7; ++from) {
    for (int to = 0; to < 10; ++to) {
      const Call call(static_cast<RgbLayout>(from), static_cast<YuvLayout>(to));
      const Status s = call.run(Queue::cpu());
      CHECK_MESSAGE(s.ok(), from, " to ", to, ": ", s.message());
    }
  }
  expect_taken("planes that gray lacks", kRgb, YuvLayout::gray, [](Call &c) {
    c.out.plane[1] = c.out.plane[2] = {nullptr, -1, 0, 3};
  });
  expect_taken("a plane that nv12 lacks", kRgb, kNv12, [](Call &c) {
    c.out.plane[2] = {nullptr, -1, 0, 3};
  });
  expect_taken("planes that rgb lacks", kRgb, kI420, [](Call &c) {
    c.in.plane[1] = c.in.plane[2] = {nullptr, -1, 0, 3};
  });
  expect_taken("alpha that nothing takes", RgbLayout::bgrx, kI420,
               [](Call &c) { c.params.alpha = true; });
}

TEST_CASE("params") {
  expect_refused("RGB layout", kRgb, kI420,
                 [](Call &c) { c.params.in = static_cast<RgbLayout>(7); });
  expect_refused("YUV layout", kRgb, kI420,
                 [](Call &c) { c.params.out = static_cast<YuvLayout>(10); });
  expect_refused("matrix", kRgb, kI420,
                 [](Call &c) { c.params.matrix = static_cast<YuvMatrix>(5); });
  expect_refused("range", kRgb, kI420,
                 [](Call &c) { c.params.in_range = static_cast<SampleRange>(2); });
  expect_refused("range", kRgb, kI420,
                 [](Call &c) { c.params.out_range = static_cast<SampleRange>(2); });
  for (RgbLayout layout : {RgbLayout::rgb, RgbLayout::bgr, RgbLayout::planar})
    expect_refused("alpha", layout, YuvLayout::ayuv, [](Call &c) { c.params.alpha = true; });
}

TEST_CASE("planes") {
  expect_refused("no data", kRgb, kI420, [](Call &c) { c.in.plane[0].data = nullptr; });
  expect_refused("no data", kPlanar, kI420, [](Call &c) { c.in.plane[2].data = nullptr; });
  expect_refused("no data", kRgb, kI420, [](Call &c) { c.out.plane[0].data = nullptr; });
  expect_refused("no data", kRgb, kI420, [](Call &c) { c.out.plane[2].data = nullptr; });
  expect_refused("no data", kRgb, kNv12, [](Call &c) { c.out.plane[1].data = nullptr; });
  expect_refused("empty", kRgb, kI420, [](Call &c) { c.in.plane[0].width = 0; });
  expect_refused("empty", kRgb, kI420, [](Call &c) { c.out.plane[1].height = -1; });
  expect_refused("pitch", kRgb, kI420, [](Call &c) { c.in.plane[0].pitch = 20; });
  expect_refused("pitch", kPlanar, kI420, [](Call &c) { c.in.plane[1].pitch = 6; });
  expect_refused("pitch", kRgb, kI420, [](Call &c) { c.out.plane[0].pitch = 6; });
  expect_refused("pitch", kRgb, kNv12, [](Call &c) { c.out.plane[1].pitch = 7; });
}

TEST_CASE("sizes") {
  expect_refused("whole number of pixels", kRgb, kI420, [](Call &c) { ++c.in.plane[0].width; });
  expect_refused("whole number of pixels", RgbLayout::bgrx, kI420,
                 [](Call &c) { --c.in.plane[0].width; });
  expect_refused("too wide", kPlanar, kI420, [](Call &c) {
    c.in.plane[0].width = (1 << 28) + 1;
    c.in.plane[0].pitch = std::size_t{1} << 29;
  });
  expect_refused("RGB planes", kPlanar, kI420, [](Call &c) { ++c.in.plane[1].width; });
  expect_refused("RGB planes", kPlanar, kI420, [](Call &c) { --c.in.plane[2].height; });
  for (YuvLayout layout : {YuvLayout::gray, kI420, kNv12, YuvLayout::vuya, YuvLayout::yuy2}) {
    expect_refused("first YUV plane", kRgb, layout, [](Call &c) { --c.out.plane[0].width; });
    expect_refused("first YUV plane", kRgb, layout, [](Call &c) { ++c.out.plane[0].width; });
    expect_refused("first YUV plane", kRgb, layout, [](Call &c) { --c.out.plane[0].height; });
    expect_refused("first YUV plane", kRgb, layout, [](Call &c) { ++c.out.plane[0].height; });
  }
  for (YuvLayout layout : {YuvLayout::planar444, YuvLayout::planar422, kI420, kNv12}) {
    expect_refused("chroma plane", kRgb, layout, [](Call &c) { --c.out.plane[1].width; });
    expect_refused("chroma plane", kRgb, layout, [](Call &c) { ++c.out.plane[1].width; });
    expect_refused("chroma plane", kRgb, layout, [](Call &c) { --c.out.plane[1].height; });
    expect_refused("chroma plane", kRgb, layout, [](Call &c) { ++c.out.plane[1].height; });
  }
  expect_refused("chroma plane", kRgb, kI420, [](Call &c) { ++c.out.plane[2].height; });
}

void set_height(Call &c, int height, int chroma_height) {
  c.params.interlaced = true;
  c.in.plane[0].height = c.out.plane[0].height = height;
  c.out.plane[1].height = c.out.plane[2].height = chroma_height;
}

// The spare row of interlaced chroma: 5 or 6 rows of luma have 3 of chroma or 4; 4 and 7 have 2 and
// 4.
TEST_CASE("spare row") {
  for (YuvLayout layout : {kI420, kNv12}) {
    expect_taken("5 and 3", kRgb, layout, [](Call &c) { set_height(c, 5, 3); });
    expect_taken("5 and 4", kRgb, layout, [](Call &c) { set_height(c, 5, 4); });
    expect_taken("6 and 4", kRgb, layout, [](Call &c) { set_height(c, 6, 4); });
    expect_taken("7 and 4", kRgb, layout, [](Call &c) { set_height(c, 7, 4); });
    expect_taken("1 and 2", kRgb, layout, [](Call &c) { set_height(c, 1, 2); });
    expect_refused("chroma plane", kRgb, layout, [](Call &c) { set_height(c, 5, 5); });
    expect_refused("chroma plane", kRgb, layout, [](Call &c) { set_height(c, 5, 2); });
    expect_refused("chroma plane", kRgb, layout, [](Call &c) { set_height(c, 4, 3); });
    expect_refused("chroma plane", kRgb, layout, [](Call &c) { set_height(c, 7, 5); });
  }
  expect_refused("chroma planes differ", kRgb, kI420, [](Call &c) {
    set_height(c, 6, 4);
    c.out.plane[2].height = 3;
  });
  expect_refused("chroma plane", kRgb, YuvLayout::planar422, [](Call &c) { set_height(c, 5, 6); });
  expect_refused("chroma plane", kRgb, YuvLayout::planar444, [](Call &c) { set_height(c, 5, 6); });
}

// Which way the CUDA back end takes: the fast one wherever every row that counts starts on 16
// bytes.
TEST_CASE("access") {
  const auto access = [](RgbLayout from, YuvLayout to, void (*change)(Call &)) {
    Call call(from, to);
    change(call);
    return choose_access(call.params, call.in, call.out);
  };
  for (YuvLayout to : {YuvLayout::gray, YuvLayout::planar444, kI420, kNv12, YuvLayout::ayuv}) {
    const auto nothing = [](Call &) {};
    CHECK_MESSAGE(access(kRgb, to, nothing) == RgbAccess::aligned, "layout ", static_cast<int>(to));
    CHECK_MESSAGE(access(kPlanar, to, nothing) == RgbAccess::aligned, "planar, ",
                  static_cast<int>(to));
    const auto cropped = [](Call &c) { c.in.plane[0].data += 3; };
    CHECK_MESSAGE(access(kRgb, to, cropped) == RgbAccess::shifted, "layout ", static_cast<int>(to));
    const auto odd_pitch = [](Call &c) { c.out.plane[0].pitch = 24; };
    CHECK_MESSAGE(access(kRgb, to, odd_pitch) == RgbAccess::shifted, "layout ",
                  static_cast<int>(to));
  }
  CHECK_MESSAGE(
      access(kPlanar, kNv12, [](Call &c) { c.in.plane[2].data += 8; }) == RgbAccess::shifted,
      "the last plane counts");
  CHECK_MESSAGE(
      access(kRgb, kNv12, [](Call &c) { c.out.plane[1].pitch = 40; }) == RgbAccess::shifted,
      "chroma counts");
  CHECK_MESSAGE(access(kRgb, kNv12,
                       [](Call &c) {
                         c.in.plane[1].data += 1;
                         c.out.plane[2].data += 1;
                       }) == RgbAccess::aligned,
                "planes that the layouts lack do not");
}

TEST_CASE("without gpu") {
  hide_gpus();
  const Call call(kRgb, kI420);
  const Status s = call.run(Queue::cuda(nullptr));
  CHECK_MESSAGE(s.code() == StatusCode::unsupported, "code ", static_cast<int>(s.code()), ": ",
                s.message());
}

}  // namespace
}  // namespace coalesce::test
