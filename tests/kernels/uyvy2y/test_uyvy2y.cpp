// SPDX-License-Identifier: LGPL-2.1-or-later
// What uyvy2y refuses, and which paths it chooses.
#include <climits>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "../../support/doctest.h"
#include "../../support/hide_gpus.h"
#include "../plane_sizes.h"
#include "picture/formats.h"
#include "uyvy2y/uyvy2y.h"
#include "uyvy2y/uyvy2y_access.h"
#include "uyvy2y/uyvy2y_pixel.h"

namespace coalesce::test {
namespace {

// A sound call: 4 x 2 pixels.
struct Call {
  std::uint8_t memory[64] = {};
  ConstImage in = {pixel_format("UYVY"), 4, 2, false, {{memory, 8, 2, 8}}};
  Image out = {pixel_format("I420"),
               4,
               2,
               false,
               {{memory + 16, 4, 2, 4}, {memory + 24, 2, 1, 2}, {memory + 32, 2, 1, 2}}};
};

void expect_refused(const char *text, void (*spoil)(Call &)) {
  for (const Queue &queue : {Queue::cpu(), Queue::cuda(nullptr)}) {
    Call call;
    spoil(call);
    const Status s = uyvy2y(call.in, call.out, queue);
    CHECK_MESSAGE(s.code() == StatusCode::invalid_argument, "code ", static_cast<int>(s.code()),
                  " for \"", text, "\"");
    CHECK_MESSAGE(std::strstr(s.message(), text) != nullptr, "\"", s.message(),
                  "\" does not say \"", text, "\"");
  }
}

TEST_CASE("refusals") {
  const Call call;
  CHECK_MESSAGE(uyvy2y(call.in, call.out, Queue::cpu()).ok(), "the sound one");

  expect_refused("no data", [](Call &c) { c.in.plane[0].data = nullptr; });
  expect_refused("width", [](Call &c) { c.out.plane[2].width = 1; });
  expect_refused("height", [](Call &c) { c.in.plane[0].height = 1; });
  expect_refused("differ in size", [](Call &c) { c.out.width = c.out.plane[0].width = 3; });
  expect_refused("no pixel format", [](Call &c) { c.in.format = {}; });
}

// Every format of the table: taken as the header says, or refused.
TEST_CASE("formats") {
  alignas(8) static std::uint8_t memory[2][1024];
  const std::set<std::string> in = {"UYVY", "VYUY", "YUY2", "YVYU"};
  const std::set<std::string> out = {"GRAY8", "I420", "YV12", "NV12", "NV21", "Y42B",
                                     "Y444",  "NV16", "NV61", "NV24", "Y41B"};
  const auto picture = [](auto &&image, const char *name, std::uint8_t *data) {
    image = {pixel_format(name), 2, 2, false, {}};
    const std::vector<PlaneSize> sizes = plane_sizes(image.format, 2, 2);
    for (std::size_t p = 0; p < sizes.size(); ++p)
      image.plane[p] = {data, sizes[p].row_bytes, sizes[p].height, 128};
  };
  for (const NamedFormat &format : named_formats()) {
    ConstImage from;
    Image to;
    picture(from, format.name, memory[0]);
    picture(to, "GRAY8", memory[1]);
    CHECK_MESSAGE(uyvy2y(from, to, Queue::cpu()).ok() == in.contains(format.name), format.name);
    picture(from, "UYVY", memory[0]);
    picture(to, format.name, memory[1]);
    CHECK_MESSAGE(uyvy2y(from, to, Queue::cpu()).ok() == out.contains(format.name), format.name);
  }
}

TEST_CASE("without gpu") {
  hide_gpus();
  const Call call;
  const Status s = uyvy2y(call.in, call.out, Queue::cuda(nullptr));
  CHECK_MESSAGE(s.code() == StatusCode::unsupported, "code ", static_cast<int>(s.code()), ": ",
                s.message());
}

// The fast path is taken exactly where it may be.
TEST_CASE("access") {
  CHECK_MESSAGE(choose_access(0x1000, 4096, 0x2000, 2048) == LumaAccess::aligned,
                "a frame of a pool");
  CHECK_MESSAGE(choose_access(0x1010, 3840, 0x2030, 1920) == LumaAccess::aligned, "tight 1080p");
  for (unsigned off = 1; off < 16; ++off) {
    CHECK_MESSAGE(choose_access(0x1000 + off, 4096, 0x2000, 2048) == LumaAccess::shifted, off);
    CHECK_MESSAGE(choose_access(0x1000, 4096 + off, 0x2000, 2048) == LumaAccess::shifted, off);
    CHECK_MESSAGE(choose_access(0x1000, 4096, 0x2000 + off, 2048) == LumaAccess::shifted, off);
    CHECK_MESSAGE(choose_access(0x1000, 4096, 0x2000, 2048 + off) == LumaAccess::shifted, off);
  }
  for (int width = 1; width < 100; ++width) {
    const int aligned = kLumaChunk * luma_chunks(LumaAccess::aligned, width);
    CHECK_MESSAGE((aligned >= width && aligned < width + kLumaChunk), "width ", width);
    // The worst head is one pixel.
    const int shifted = 1 + kLumaChunk * (luma_chunks(LumaAccess::shifted, width) - 1);
    CHECK_MESSAGE(shifted >= width, "width ", width);
  }
  CHECK_MESSAGE(luma_chunks(LumaAccess::shifted, INT_MAX / 2) > 0, "the widest");
}

TEST_CASE("words") {
  CHECK_MESSAGE(luma_of_words(0x44332211, 0x88776655, 1) == 0x88664422, "the odd bytes");
  CHECK_MESSAGE(luma_of_words(0x44332211, 0x88776655, 0) == 0x77553311, "the even bytes");
  for (const char *name : {"UYVY", "VYUY"})
    CHECK_EQ(luma_offset(pixel_format(name)), 1);
  for (const char *name : {"YUY2", "YVYU"})
    CHECK_EQ(luma_offset(pixel_format(name)), 0);
}

}  // namespace
}  // namespace coalesce::test
