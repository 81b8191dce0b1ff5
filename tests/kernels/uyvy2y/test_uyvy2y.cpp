// SPDX-License-Identifier: LGPL-2.1-or-later
// What uyvy2y refuses, and which paths it chooses.
#include <climits>
#include <cstring>

#include "../../support/doctest.h"
#include "../../support/hide_gpus.h"
#include "uyvy2y/uyvy2y.h"
#include "uyvy2y/uyvy2y_access.h"
#include "uyvy2y/uyvy2y_pixel.h"

namespace coalesce::test {
namespace {

struct Planes {
  std::uint8_t memory[64] = {};
  Uyvy2yParams params;
  Plane<const std::uint8_t> packed = {memory, 8, 2, 8};
  LumaImage out = {{memory + 16, 4, 2, 4}, {{memory + 24, 2, 1, 2}, {memory + 32, 2, 1, 2}}};
};

void expect_refused(const char *text, void (*spoil)(Planes &)) {
  for (const Queue &queue : {Queue::cpu(), Queue::cuda(nullptr)}) {
    Planes planes;
    spoil(planes);
    const Status s = uyvy2y(planes.params, planes.packed, planes.out, queue);
    CHECK_MESSAGE(s.code() == StatusCode::invalid_argument, "code ", static_cast<int>(s.code()),
                  " for \"", text, "\"");
    CHECK_MESSAGE(std::strstr(s.message(), text) != nullptr, "\"", s.message(),
                  "\" does not say \"", text, "\"");
  }
}

TEST_CASE("refusals") {
  Planes planes;
  CHECK_MESSAGE(uyvy2y(planes.params, planes.packed, planes.out, Queue::cpu()).ok(),
                "the sound one");

  expect_refused("no data", [](Planes &p) { p.packed.data = nullptr; });
  expect_refused("no data", [](Planes &p) { p.out.luma.data = nullptr; });
  expect_refused("empty", [](Planes &p) { p.packed.width = 0; });
  expect_refused("empty", [](Planes &p) { p.out.luma.height = -1; });
  expect_refused("empty", [](Planes &p) { p.out.chroma[1].width = 0; });
  expect_refused("pitch", [](Planes &p) { p.packed.pitch = 7; });
  expect_refused("pitch", [](Planes &p) { p.out.luma.pitch = 3; });
  expect_refused("pitch", [](Planes &p) { p.out.chroma[0].pitch = 1; });
  expect_refused("two bytes for each", [](Planes &p) { p.out.luma.width = 3; });
  expect_refused("two bytes for each", [](Planes &p) { p.packed.width = 7; });
  expect_refused("height", [](Planes &p) { p.packed.height = 1; });
  expect_refused("layout", [](Planes &p) { p.params.layout = static_cast<Packed422>(4); });
}

TEST_CASE("without gpu") {
  hide_gpus();
  Planes planes;
  const Status s = uyvy2y(planes.params, planes.packed, planes.out, Queue::cuda(nullptr));
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
  CHECK_MESSAGE((luma_offset(Packed422::uyvy) == 1 && luma_offset(Packed422::vyuy) == 1),
                "chroma first");
  CHECK_MESSAGE((luma_offset(Packed422::yuy2) == 0 && luma_offset(Packed422::yvyu) == 0),
                "luma first");
}

}  // namespace
}  // namespace coalesce::test
