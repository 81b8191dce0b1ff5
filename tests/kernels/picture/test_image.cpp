// SPDX-License-Identifier: LGPL-2.1-or-later
// What every operation refuses of a picture. (Where samples are, and how long rows: the test
// pixelformat of the simulated suite compares with GStreamer.)
#include <cstring>
#include <functional>

#include "../../support/doctest.h"
#include "../plane_sizes.h"
#include "picture/formats.h"
#include "picture/image.h"

namespace coalesce::test {
namespace {

alignas(8) std::uint8_t memory[4][4096];

Image sound(const char *name, int width = 7, int height = 5) {
  Image image = {pixel_format(name), width, height, false, {}};
  const std::vector<PlaneSize> sizes = plane_sizes(image.format, width, height);
  for (std::size_t p = 0; p < sizes.size(); ++p)
    image.plane[p] = {memory[p], sizes[p].row_bytes, sizes[p].height, 256};
  return image;
}

void expect_refused(const char *text, Image image, const std::function<void(Image &)> &spoil) {
  spoil(image);
  const Status s = check_image(image);
  CHECK_MESSAGE(s.code() == StatusCode::invalid_argument, "code ", static_cast<int>(s.code()),
                " for \"", text, "\"");
  CHECK_MESSAGE(std::strstr(s.message(), text) != nullptr, "\"", s.message(), "\" does not say \"",
                text, "\"");
}

TEST_CASE("sound ones") {
  for (const NamedFormat &format : named_formats()) {
    for (const int width : {1, 2, 7, 15}) {
      const Status s = check_image(sound(format.name, width));
      CHECK_MESSAGE(s.ok(), format.name, ": ", s.message());
    }
  }
  Image other = sound("GRAY8");
  other.plane[1] = {nullptr, -1, 0, 3};
  CHECK_MESSAGE(check_image(other).ok(), "planes that the format lacks");
}

TEST_CASE("every plane") {
  for (const NamedFormat &format : named_formats()) {
    const Image image = sound(format.name);
    for (int p = 0; p < image.format.planes; ++p) {
      const auto plane = [p](Image &i) -> Plane<std::uint8_t> & { return i.plane[p]; };
      expect_refused("no data", image, [&](Image &i) { plane(i).data = nullptr; });
      expect_refused("empty", image, [&](Image &i) { plane(i).width = 0; });
      expect_refused("empty", image, [&](Image &i) { plane(i).height = -1; });
      expect_refused("width in bytes", image, [&](Image &i) { plane(i).width++; });
      expect_refused("width in bytes", image, [&](Image &i) { plane(i).width--; });
      expect_refused("height", image, [&](Image &i) { plane(i).height++; });
      expect_refused("height", image, [&](Image &i) { plane(i).height--; });
      expect_refused("pitch", image, [&](Image &i) {
        plane(i).pitch = static_cast<std::size_t>(plane(i).width - 1);
      });
    }
  }
}

TEST_CASE("alignment") {
  for (const char *name : {"P010_10LE", "GRAY16_LE", "v210", "RGB10x2_LE"}) {
    expect_refused("aligned", sound(name), [](Image &i) { i.plane[0].data++; });
    expect_refused("aligned", sound(name), [](Image &i) { i.plane[0].pitch++; });
  }
  Image odd = sound("NV12");
  odd.plane[1].data++;
  odd.plane[1].pitch++;
  CHECK(check_image(odd).ok());
}

TEST_CASE("sizes") {
  expect_refused("empty", sound("RGB"), [](Image &i) { i.width = 0; });
  expect_refused("empty", sound("RGB"), [](Image &i) { i.height = -5; });
  const auto widen = [](Image &i) {
    i.width = i.plane[0].width = (1 << 28) + 1;
    i.plane[0].pitch = std::size_t{1} << 29;
  };
  expect_refused("too wide", sound("GRAY8"), widen);
  // Its rows have 2^31 bytes.
  expect_refused("width in bytes", sound("ARGB64"), [](Image &i) {
    i.width = 1 << 28;
    i.plane[0].width = INT32_MAX;
    i.plane[0].pitch = std::size_t{1} << 31;
  });
}

// 5 or 6 rows of luma have 3 of chroma or 4; 4 and 7 have 2 and 4.
TEST_CASE("spare row") {
  for (const char *name : {"I420", "NV12"}) {
    for (const auto &[rows, chroma] : {std::pair{5, 4}, {6, 4}, {9, 6}}) {
      Image image = sound(name, 7, rows);
      image.plane[1].height = chroma;
      expect_refused("height", image, [](Image &) {});
      image.interlaced = true;
      CHECK(check_image(image).ok());
      expect_refused("height", image, [](Image &i) { i.plane[1].height++; });
      expect_refused("height", image, [](Image &i) { i.plane[1].height -= 2; });
    }
    for (const int rows : {4, 7}) {
      Image image = sound(name, 7, rows);
      image.interlaced = true;
      CHECK(check_image(image).ok());
      expect_refused("height", image, [](Image &i) { i.plane[1].height++; });
    }
  }
  for (const char *name : {"Y42B", "Y444"})
    expect_refused("height", sound(name), [](Image &i) {
      i.interlaced = true;
      i.plane[1].height++;
    });
}

// The place of a component, and a plane's bytes a row and rows of 7 x 5 pixels.
struct Literal {
  const char *format;
  int component;
  PixelComponent place;
  int plane, row_bytes, rows;
};
constexpr Container u8 = Container::u8, u16 = Container::u16;
const Literal kLiterals[] = {
    {"GRAY8", 0, {0, u8, 0, 8, 0, 1, 0, 0, Role::grey}, 0, 7, 5},
    {"GRAY16_LE", 0, {0, u16, 0, 16, 0, 1, 0, 0, Role::grey}, 0, 14, 5},
    {"BGRx", 0, {0, u8, 0, 8, 2, 4, 0, 0, Role::r}, 0, 28, 5},
    {"xBGR", 2, {0, u8, 0, 8, 1, 4, 0, 0, Role::b}, 0, 28, 5},
    {"BGR", 1, {0, u8, 0, 8, 1, 3, 0, 0, Role::g}, 0, 21, 5},
    {"ARGB", 3, {0, u8, 0, 8, 0, 4, 0, 0, Role::alpha}, 0, 28, 5},
    {"GBR", 0, {2, u8, 0, 8, 0, 1, 0, 0, Role::r}, 2, 7, 5},
    {"VUYA", 1, {0, u8, 0, 8, 1, 4, 0, 0, Role::u}, 0, 28, 5},
    {"UYVY", 0, {0, u8, 0, 8, 1, 2, 0, 0, Role::y}, 0, 16, 5},
    {"UYVY", 2, {0, u8, 0, 8, 2, 4, 1, 0, Role::v}, 0, 16, 5},
    {"YUY2", 1, {0, u8, 0, 8, 1, 4, 1, 0, Role::u}, 0, 16, 5},
    {"YVYU", 1, {0, u8, 0, 8, 3, 4, 1, 0, Role::u}, 0, 16, 5},
    {"I420", 2, {2, u8, 0, 8, 0, 1, 1, 1, Role::v}, 2, 4, 3},
    {"YV12", 2, {1, u8, 0, 8, 0, 1, 1, 1, Role::v}, 1, 4, 3},
    {"Y41B", 1, {1, u8, 0, 8, 0, 1, 2, 0, Role::u}, 1, 2, 5},
    {"NV21", 1, {1, u8, 0, 8, 1, 2, 1, 1, Role::u}, 1, 8, 3},
    {"P010_10LE", 2, {1, u16, 6, 10, 1, 2, 1, 1, Role::v}, 1, 16, 3},
    {"P012_LE", 0, {0, u16, 4, 12, 0, 1, 0, 0, Role::y}, 0, 14, 5},
    {"I422_10LE", 1, {1, u16, 0, 10, 0, 1, 1, 0, Role::u}, 1, 8, 5},
    {"ARGB64", 1, {0, u16, 0, 16, 2, 4, 0, 0, Role::g}, 0, 56, 5},
    {"v210", 2, {0, Container::v210, 0, 10, 2, 4, 1, 0, Role::v}, 0, 128, 5},
    {"UYVP", 1, {0, Container::be10, 0, 10, 0, 4, 1, 0, Role::u}, 0, 20, 5},
    {"BGR10x2_LE", 0, {0, Container::u32, 20, 10, 0, 1, 0, 0, Role::r}, 0, 28, 5},
};

TEST_CASE("places") {
  for (const Literal &l : kLiterals) {
    const PixelFormat format = pixel_format(l.format);
    CHECK_MESSAGE(format.component[l.component] == l.place, l.format, ", ", l.component);
    CHECK_MESSAGE(row_bytes(format, l.plane, 7) == l.row_bytes, l.format);
    CHECK_MESSAGE(plane_rows(format, l.plane, 5) == l.rows, l.format);
  }
}

TEST_CASE("formats") {
  CHECK_EQ(pixel_format("NV12x").planes, 0);
  CHECK_EQ(pixel_format("").planes, 0);
  const std::function<void(Image &)> spoilers[] = {
      [](Image &i) { i.format = {}; },
      [](Image &i) { i.format.planes = 5; },
      [](Image &i) { i.format.components = 5; },
      [](Image &i) { i.format.component[2].plane = 3; },
      [](Image &i) { i.format.component[1].step = 0; },
      [](Image &i) { i.format.component[1].step = 5; },
      [](Image &i) { i.format.component[1].first = 1; },
      [](Image &i) { i.format.component[1].first = -1; },
      [](Image &i) { i.format.component[0].bits = 0; },
      [](Image &i) { i.format.component[0].bits = 9; },
      [](Image &i) { i.format.component[0].log2_width = 1; },
      [](Image &i) { i.format.component[0].log2_height = 1; },
      [](Image &i) { i.format.component[1].log2_width = 1; },
      [](Image &i) { i.format.component[1].log2_width = i.format.component[2].log2_width = 3; },
      [](Image &i) { i.format.component[0].container = static_cast<Container>(5); },
      [](Image &i) { i.format.component[0].shift = 1; },
      [](Image &i) { i.format.components = 1; },
      [](Image &i) { i.format.components = 2; },
      [](Image &i) { i.format.planes = 4; },
      [](Image &i) { i.format.component[2].plane = 1; },
      [](Image &i) { i.format.component[1].role = Role::v; },
      [](Image &i) { i.format.component[0].role = Role::r; },
      [](Image &i) {
        i.format.component[3] = i.format.component[2];
        i.format.components = 4;
      },
  };
  for (const auto &spoil : spoilers)
    expect_refused("no pixel format", sound("Y444"), spoil);
}

}  // namespace
}  // namespace coalesce::test
