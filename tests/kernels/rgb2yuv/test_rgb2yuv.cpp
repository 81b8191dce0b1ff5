// SPDX-License-Identifier: LGPL-2.1-or-later
// What rgb2yuv refuses, and what it must not; which way its CUDA back end reaches memory.
#include <cstring>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "../../support/doctest.h"
#include "../../support/hide_gpus.h"
#include "../plane_sizes.h"
#include "picture/formats.h"
#include "rgb2yuv/rgb2yuv_access.h"
#include "rgb2yuv_reference.h"

namespace coalesce::test {
namespace {

// A sound call: 7 x 5 pixels, each plane in memory of its own.
struct Call {
  Rgb2yuvParams params;
  ConstImage in;
  Image out;

  Call(const char *from, const char *to) {
    in = {pixel_format(from), 7, 5, false, {}};
    const std::vector<PlaneSize> in_sizes = plane_sizes(in.format, 7, 5);
    for (std::size_t i = 0; i < in_sizes.size(); ++i)
      in.plane[i] = {memory_[i], in_sizes[i].row_bytes, in_sizes[i].height, 32};
    out = {pixel_format(to), 7, 5, false, {}};
    const std::vector<PlaneSize> out_sizes = plane_sizes(out.format, 7, 5);
    for (std::size_t i = 0; i < out_sizes.size(); ++i)
      out.plane[i] = {memory_[3 + i], out_sizes[i].row_bytes, out_sizes[i].height, 32};
  }
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;

  Status run(const Queue &queue) const { return rgb2yuv(params, in, out, queue); }

 private:
  alignas(16) std::uint8_t memory_[6][32 * 8] = {};
};

void expect_refused(
    const char *text, const char *from, const char *to,
    const std::function<void(Call &)> &spoil = [](Call &) {}) {
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

// Every format of the table: taken as the header says, or refused.
TEST_CASE("formats") {
  const std::set<std::string> in = {"RGB",  "BGR",  "RGBx", "BGRx", "xRGB", "xBGR", "RGBA",
                                    "BGRA", "ARGB", "ABGR", "RBGA", "RGBP", "BGRP", "GBR"};
  const std::set<std::string> out = {"GRAY8", "Y444", "Y42B", "I420", "YV12", "NV12",
                                     "NV21",  "AYUV", "VUYA", "YUY2", "UYVY"};
  for (const NamedFormat &format : named_formats()) {
    const bool in_bytes = format.format.in_bytes();
    if (in.contains(format.name))
      for (const std::string &to : out)
        CHECK_MESSAGE(Call(format.name, to.c_str()).run(Queue::cpu()).ok(), format.name, to);
    else if (in_bytes)
      expect_refused("the input must be RGB", format.name, "I420");
    if (!out.contains(format.name) && in_bytes)
      expect_refused("the output must be", "RGB", format.name);
  }
  expect_refused("the input must be RGB", "GBR_10LE", "I420");
  expect_refused("the output must be", "RGB", "P010_10LE");
}

TEST_CASE("planes that a format lacks") {
  for (const char *to : {"GRAY8", "NV12", "I420"}) {
    Call call("RGB", to);
    for (int p = 1; p < 3; ++p) {
      call.in.plane[p] = {nullptr, -1, 0, 3};
      if (p >= call.out.format.planes) call.out.plane[p] = {nullptr, -1, 0, 3};
    }
    CHECK_MESSAGE(call.run(Queue::cpu()).ok(), to);
  }
}

TEST_CASE("refusals") {
  expect_refused("matrix", "RGB", "I420",
                 [](Call &c) { c.params.matrix = static_cast<YuvMatrix>(5); });
  expect_refused("range", "RGB", "I420",
                 [](Call &c) { c.params.in_range = static_cast<SampleRange>(2); });
  expect_refused("range", "RGB", "I420",
                 [](Call &c) { c.params.out_range = static_cast<SampleRange>(2); });
  expect_refused("no data", "RGBP", "I420", [](Call &c) { c.in.plane[2].data = nullptr; });
  expect_refused("width", "RGB", "NV12", [](Call &c) { ++c.out.plane[1].width; });
  expect_refused("differ in size or interlacing", "RGB", "GRAY8", [](Call &c) {
    --c.in.height;
    --c.in.plane[0].height;
  });
  expect_refused("differ in size or interlacing", "RGB", "GRAY8",
                 [](Call &c) { c.in.interlaced = true; });
}

// The row more of interlaced chroma is written if both planes have it.
TEST_CASE("spare row") {
  for (const int planes : {0, 1, 2}) {
    Call call("RGB", "I420");
    call.in.interlaced = call.out.interlaced = true;
    for (int p = 1; p <= planes; ++p)
      call.out.plane[p].height++;
    CHECK(call.run(Queue::cpu()).ok());
    for (int p = 1; p <= 2; ++p)
      CHECK_EQ(call.out.plane[p].row(3)[0], planes == 2 ? 128 : 0);
  }
  Call pairs("RGB", "NV12");
  pairs.in.interlaced = pairs.out.interlaced = true;
  pairs.out.plane[1].height++;
  CHECK(pairs.run(Queue::cpu()).ok());
  CHECK_EQ(pairs.out.plane[1].row(3)[7], 128);
}

// Which way the CUDA back end takes: the fast one wherever every row that counts starts on 16
// bytes.
TEST_CASE("access") {
  const auto access = [](const char *from, const char *to, void (*change)(Call &)) {
    Call call(from, to);
    change(call);
    Rgb2yuvJob job;
    CHECK(make_job(call.params, call.in, call.out, &job).ok());
    return choose_access(job);
  };
  for (const char *to : {"GRAY8", "Y444", "I420", "NV12", "AYUV"}) {
    const auto nothing = [](Call &) {};
    CHECK_MESSAGE(access("RGB", to, nothing) == RgbAccess::aligned, to);
    CHECK_MESSAGE(access("RGBP", to, nothing) == RgbAccess::aligned, to);
    const auto cropped = [](Call &c) { c.in.plane[0].data += 3; };
    CHECK_MESSAGE(access("RGB", to, cropped) == RgbAccess::shifted, to);
    const auto odd_pitch = [](Call &c) { c.out.plane[0].pitch = 40; };
    CHECK_MESSAGE(access("RGB", to, odd_pitch) == RgbAccess::shifted, to);
  }
  CHECK_MESSAGE(
      access("RGBP", "NV12", [](Call &c) { c.in.plane[2].data += 8; }) == RgbAccess::shifted,
      "the last plane counts");
  CHECK_MESSAGE(
      access("RGB", "NV12", [](Call &c) { c.out.plane[1].pitch = 40; }) == RgbAccess::shifted,
      "chroma counts");
  CHECK_MESSAGE(access("RGB", "NV12",
                       [](Call &c) {
                         c.in.plane[1].data = c.in.plane[0].data + 1;
                         c.out.plane[2].data = c.out.plane[0].data + 1;
                       }) == RgbAccess::aligned,
                "planes that the formats lack do not");
}

TEST_CASE("without gpu") {
  hide_gpus();
  const Call call("RGB", "I420");
  const Status s = call.run(Queue::cuda(nullptr));
  CHECK_MESSAGE(s.code() == StatusCode::unsupported, "code ", static_cast<int>(s.code()), ": ",
                s.message());
}

}  // namespace
}  // namespace coalesce::test
