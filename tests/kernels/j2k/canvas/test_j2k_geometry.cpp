// SPDX-License-Identifier: LGPL-2.1-or-later
// How a picture is divided, over sizes and by chance; what is refused.
#include <cstring>

#include "../../../support/doctest.h"
#include "../../../support/random.h"
#include "j2k_geometry_check.h"

namespace coalesce::test {
namespace {

using namespace j2k;

TEST_CASE("sizes") {
  for (int height : {1, 2, 3, 17, 33})
    for (int width = 1; width <= 33; ++width)
      for (int levels : {0, 1, 5, 10}) {
        CodingParams p;
        p.image = {0, 0, width, height};
        p.levels = levels;
        p.block_x = p.block_y = 2;
        check_geometry(p);
      }
}

CodingParams random_params(Random &random) {
  CodingParams p;
  p.image = {random.between(0, 20), random.between(0, 20), 0, 0};
  p.image.x1 = p.image.x0 + random.between(1, 70);
  p.image.y1 = p.image.y0 + random.between(1, 70);
  if (random.between(0, 2) > 0) {
    p.tile_x0 = random.between(0, p.image.x0);
    p.tile_y0 = random.between(0, p.image.y0);
    p.tile_width = p.image.x0 - p.tile_x0 + random.between(1, 40);
    p.tile_height = p.image.y0 - p.tile_y0 + random.between(1, 40);
  }
  p.num_components = random.between(1, 3);
  for (Component &c : p.component)
    c = {random.between(1, 3), random.between(1, 3), 8};
  p.levels = random.between(0, random.between(0, 1) ? 3 : 10);
  p.block_x = random.between(2, 5);
  p.block_y = random.between(2, 5);
  for (std::size_t r = 0; r < kMaxResolutions && random.between(0, 3) > 0; ++r)
    p.precinct[r] = {static_cast<std::uint8_t>(random.between(r > 0, 6)),
                     static_cast<std::uint8_t>(random.between(r > 0, 6))};
  return p;
}

TEST_CASE("random") {
  Random random = random_of_run(6);
  int checked = 0;
  for (int i = 0; i < 400; ++i) {
    const CodingParams p = random_params(random);
    bool samples = true;  // subsampling may leave none
    for (int c = 0; c < p.num_components; ++c)
      samples = samples && !component_rect(p, c).empty();
    if (samples) {
      check_geometry(p);
      ++checked;
    } else {
      CHECK_MESSAGE(!check_params(p).ok(), text(p));
    }
  }
  CHECK(checked > 300);
}

// Known numbers: blocks of 64 x 64 of a UHD picture, five levels; the largest coordinates.
TEST_CASE("known") {
  CodingParams p;
  p.image = {0, 0, 3840, 2160};
  TileGeometry tile = tile_geometry(p, 0);
  CHECK(tile.blocks.size() == 2107);
  CHECK(tile.precincts.size() == 6);
  CHECK(tile.bands.size() == 16);
  p.image = {INT32_MAX - 3, INT32_MAX - 2, INT32_MAX, INT32_MAX};
  p.tile_x0 = p.tile_y0 = INT32_MAX - 40;
  p.tile_width = p.tile_height = 39;
  p.levels = 10;
  CHECK_MESSAGE(check_params(p).ok(), check_params(p).message());
  for (int t = 0, samples = 0; t < tile_count(p); ++t) {
    tile = tile_geometry(p, t);
    for (const BlockPlace &block : tile.blocks)
      samples += block.rect.width() * block.rect.height();
    if (t == tile_count(p) - 1) CHECK(samples == 6);
  }
}

void expect_refused(const char *what, void (*spoil)(CodingParams &)) {
  CodingParams p;
  p.image = {0, 0, 100, 80};
  CHECK_MESSAGE(check_params(p).ok(), check_params(p).message());
  spoil(p);
  const Status s = check_params(p);
  CHECK_MESSAGE(
      (s.code() == StatusCode::invalid_argument && std::strstr(s.message(), what) != nullptr), "\"",
      s.message(), "\" does not say \"", what, "\"");
}

TEST_CASE("refused") {
  expect_refused("image offset", [](CodingParams &p) { p.image.x0 = -1; });
  expect_refused("image is empty", [](CodingParams &p) { p.image.y1 = 0; });
  expect_refused("number of components", [](CodingParams &p) { p.num_components = 0; });
  expect_refused("number of components", [](CodingParams &p) { p.num_components = 5; });
  expect_refused("subsampling", [](CodingParams &p) { p.component[0].dx = 0; });
  expect_refused("subsampling", [](CodingParams &p) { p.component[0].dy = 256; });
  expect_refused("bits", [](CodingParams &p) { p.component[0].bits = 17; });
  expect_refused("bits", [](CodingParams &p) { p.component[0].bits = 0; });
  expect_refused("no samples", [](CodingParams &p) {
    p.image = {1, 0, 3, 80};
    p.component[0].dx = 4;
  });
  expect_refused("tile size", [](CodingParams &p) { p.tile_width = -1; });
  expect_refused("tile offset", [](CodingParams &p) { p.tile_x0 = 1; });
  expect_refused("first tile", [](CodingParams &p) {
    p.image.x0 = 10;
    p.tile_width = 10;
  });
  expect_refused("65535 tiles", [](CodingParams &p) {
    p.image = {0, 0, 256, 256};
    p.tile_width = p.tile_height = 1;
  });
  expect_refused("resolutions", [](CodingParams &p) { p.levels = 11; });
  expect_refused("resolutions", [](CodingParams &p) { p.levels = -1; });
  expect_refused("width or height of code-blocks", [](CodingParams &p) { p.block_x = 1; });
  expect_refused("width or height of code-blocks", [](CodingParams &p) { p.block_y = 11; });
  expect_refused("4096", [](CodingParams &p) { p.block_x = 7; });
  expect_refused("32768", [](CodingParams &p) { p.precinct[0].y = 16; });
  expect_refused("smaller than 2", [](CodingParams &p) { p.precinct[3].x = 0; });
  expect_refused("2^24 code-blocks", [](CodingParams &p) {
    p.image = {0, 0, 1 << 15, 1 << 15};
    p.block_x = p.block_y = 2;
  });
}

}  // namespace
}  // namespace coalesce::test
