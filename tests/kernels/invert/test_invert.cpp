// SPDX-License-Identifier: LGPL-2.1-or-later
// What invert refuses, and which bits it flips.
#include <cstring>

#include "../../support/doctest.h"
#include "../../support/hide_gpus.h"
#include "invert/invert.h"
#include "invert/invert_pixel.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

// A sound call: 4 x 2 pixels.
struct Call {
  std::uint8_t memory[64] = {};
  ConstImage in = {pixel_format("NV12"), 4, 2, false, {{memory, 4, 2, 4}, {memory + 8, 4, 1, 4}}};
  Image out = {pixel_format("NV12"), 4, 2, false, {{memory + 16, 4, 2, 4}, {memory + 24, 4, 1, 4}}};
};

void expect_refused(const char *text, void (*spoil)(Call &)) {
  for (const Queue &queue : {Queue::cpu(), Queue::cuda(nullptr)}) {
    Call call;
    spoil(call);
    const Status s = invert(call.in, call.out, queue);
    CHECK_MESSAGE(s.code() == StatusCode::invalid_argument, "code ", static_cast<int>(s.code()),
                  " for \"", text, "\"");
    CHECK_MESSAGE(std::strstr(s.message(), text) != nullptr, "\"", s.message(),
                  "\" does not say \"", text, "\"");
  }
}

TEST_CASE("refusals") {
  const Call call;
  CHECK_MESSAGE(invert(call.in, call.out, Queue::cpu()).ok(), "the sound one");

  expect_refused("no data", [](Call &c) { c.in.plane[0].data = nullptr; });
  expect_refused("width", [](Call &c) { c.out.plane[1].width = 1; });
  expect_refused("no pixel format", [](Call &c) { c.in.format = {}; });
  expect_refused("differ in format", [](Call &c) { c.out.format = pixel_format("NV21"); });
  expect_refused("size or interlacing", [](Call &c) { c.out.interlaced = true; });
  expect_refused("size or interlacing", [](Call &c) { c.out.width = c.out.plane[0].width = 3; });
  // Three bytes of which one is padding: such pixels do not repeat in 8 bytes.
  expect_refused("no such format", [](Call &c) {
    PixelFormat format = pixel_format("RGB");
    format.components = 2;
    c.in.format = c.out.format = format;
    c.in.width = c.out.width = 1;
    c.in.plane[0].width = c.out.plane[0].width = 3;
  });
}

TEST_CASE("without gpu") {
  hide_gpus();
  const Call call;
  const Status s = invert(call.in, call.out, Queue::cuda(nullptr));
  CHECK_MESSAGE(s.code() == StatusCode::unsupported, "code ", static_cast<int>(s.code()), ": ",
                s.message());
}

TEST_CASE("bits") {
  const auto bits = [](const char *name, int plane = 0) {
    return invert_bits(pixel_format(name)).of_plane[plane];
  };
  CHECK_EQ(bits("RGB"), ~std::uint64_t{0});
  CHECK_EQ(bits("UYVY"), ~std::uint64_t{0});
  CHECK_EQ(bits("RGBA"), 0x00ffffff00ffffffu);
  CHECK_EQ(bits("xRGB"), 0xffffff00ffffff00u);
  CHECK_EQ(bits("ARGB64"), 0xffffffffffff0000u);
  CHECK_EQ(bits("P010_10LE", 1), 0xffc0ffc0ffc0ffc0u);
  CHECK_EQ(bits("I420_10LE", 2), 0x03ff03ff03ff03ffu);
  CHECK_EQ(bits("RGB10x2_LE"), 0x3fffffff3fffffffu);
  CHECK_EQ(bits("v210"), 0x3fffffff3fffffffu);
  CHECK_EQ(bits("A444", 2), ~std::uint64_t{0});
  CHECK_EQ(bits("A444", 3), 0);
}

}  // namespace
}  // namespace coalesce::test
