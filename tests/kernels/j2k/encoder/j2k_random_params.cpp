// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k_random_params.h"

#include <cstdio>

#include "j2k/canvas/progression.h"

namespace coalesce::test {
namespace {

using namespace j2k;

struct Size {
  int width, height;
};
constexpr Size kSizes[] = {{1, 1},   {2, 3},     {1, 50},    {64, 1},   {17, 33},
                           {31, 31}, {127, 61},  {128, 128}, {97, 211}, {257, 64},
                           {37, 29}, {181, 113}, {5, 300},   {640, 357}};

constexpr double kSteps[] = {0.25, 0.5, 1.0, 3.0};

bool once_in(int n, Random &random) {
  return random.below(n) == 0;
}

void set_size(CodingParams *p, Random &random, int at_most) {
  Size size;
  do {
    size = random.pick(kSizes);
  } while (size.width * size.height > at_most);
  if (once_in(3, random)) p->image = {random.below(70), random.below(70), 0, 0};
  p->image.x1 = p->image.x0 + size.width;
  p->image.y1 = p->image.y0 + size.height;
  if (!once_in(3, random)) return;
  p->tile_x0 = random.between(0, p->image.x0);
  p->tile_y0 = random.between(0, p->image.y0);
  // At least what is before the image, and no more than some hundred tiles.
  p->tile_width = p->image.x0 - p->tile_x0 + random.between(size.width / 12 + 1, size.width + 5);
  p->tile_height = p->image.y0 - p->tile_y0 + random.between(size.height / 12 + 1, size.height + 5);
}

// A component of a few samples at an offset may have none, if it is subsampled.
void set_components(EncoderParams *e, Random &random) {
  CodingParams &p = e->coding;
  p.num_components = random.between(1, 4);
  const int bits = once_in(2, random) ? 8 : random.between(1, 16);
  const bool same = !once_in(5, random);
  const int dx = random.between(1, 2), dy = dx == 1 ? 1 : random.between(1, 2);
  e->colour_transform = p.num_components >= 3 && once_in(2, random);
  for (int i = 0; i < p.num_components; ++i) {
    Component &c = p.component[static_cast<std::size_t>(i)];
    c.bits = same || (e->colour_transform && i < 3) ? bits : random.between(1, 16);
    const bool chroma = (i == 1 || i == 2) && p.num_components >= 3 && !e->colour_transform;
    c.dx = chroma ? dx : 1;
    c.dy = chroma ? dy : 1;
    if (component_rect(p, i).empty()) c.dx = c.dy = 1;
  }
}

void set_blocks(EncoderParams *e, Random &random) {
  CodingParams &p = e->coding;
  p.levels = random.between(0, once_in(6, random) ? 10 : 6);
  p.block_x = random.between(2, once_in(3, random) ? 10 : 6);
  p.block_y = random.between(2, once_in(3, random) ? 10 : 6);
  while (p.block_x + p.block_y > 12)
    --(p.block_x > p.block_y ? p.block_x : p.block_y);
  if (!once_in(3, random)) return;
  const int least = random.between(1, 7);
  for (PrecinctSize &size : p.precinct) {
    size.x = static_cast<std::uint8_t>(least + random.below(3));
    size.y = static_cast<std::uint8_t>(least + random.below(3));
  }
}

// (A region of interest needs bit-planes: not of many bits, and not with fine steps.)
void set_wavelet(EncoderParams *e, Random &random) {
  if (once_in(3, random)) {
    e->wavelet = Wavelet::irreversible_97;
    e->base_step = random.pick(kSteps);
    e->derived = once_in(4, random);
    return;
  }
  const Rect &image = e->coding.image;
  if (!once_in(6, random)) return;
  for (const Component &c : e->coding.component)
    if (c.bits > 8) return;
  e->roi.x0 = random.between(image.x0, image.x1 - 1);
  e->roi.y0 = random.between(image.y0, image.y1 - 1);
  e->roi.x1 = random.between(e->roi.x0 + 1, image.x1);
  e->roi.y1 = random.between(e->roi.y0 + 1, image.y1);
}

bool has_too_many_parts(const EncoderParams &e) {
  for (int i = 0; i < tile_count(e.coding); ++i) {
    const TileGeometry tile = tile_geometry(e.coding, i);
    if (tile_part_ends(tile, e.tile_parts, packet_order(tile, e)).size() > kMaxTileParts)
      return true;
  }
  return false;
}

void set_parts(EncoderParams *e, Random &random) {
  e->largest_last = e->coding.levels > 0 && once_in(4, random);
  if (once_in(2, random)) e->tile_parts = static_cast<TileParts>(random.between(1, 3));
  if (has_too_many_parts(*e)) e->tile_parts = TileParts::one;
}

}  // namespace

EncoderParams random_params(Random &random, int at_most) {
  EncoderParams e;
  set_size(&e.coding, random, at_most);
  set_components(&e, random);
  set_blocks(&e, random);
  set_wavelet(&e, random);
  e.guard_bits = once_in(3, random) ? random.between(1, 4) : 2;
  e.block_style = once_in(2, random) ? 0u : static_cast<unsigned>(random.below(64));
  e.progression = static_cast<Progression>(random.below(5));
  e.layers = once_in(2, random) ? 1 : random.between(2, 9);
  e.sop = once_in(3, random);
  e.eph = once_in(3, random);
  e.plt = once_in(3, random);
  e.tlm = once_in(3, random);
  if (once_in(4, random)) e.comment = "A comment.";
  Random parts = random;  // a copy: a seed's pictures are what they were
  set_parts(&e, parts);
  return e;
}

std::string describe(const EncoderParams &e) {
  const CodingParams &p = e.coding;
  char text[512];
  std::snprintf(
      text, sizeof text,
      "image %d,%d-%d,%d tiles %dx%d at %d,%d, %d components (%d bits, chroma %dx%d) "
      "colour %d, wavelet %d, levels %d, blocks 2^%d x 2^%d, precinct 2^%d x 2^%d, style "
      "%u, order %d largest last %d, tile-parts %d, layers %d, guard %d, sop %d eph %d plt %d "
      "tlm %d, "
      "step %g derived %d, roi %d,%d-%d,%d",
      p.image.x0, p.image.y0, p.image.x1, p.image.y1, p.tile_width, p.tile_height, p.tile_x0,
      p.tile_y0, p.num_components, p.component[0].bits, p.component[1].dx, p.component[1].dy,
      e.colour_transform, static_cast<int>(e.wavelet), p.levels, p.block_x, p.block_y,
      p.precinct[0].x, p.precinct[0].y, e.block_style, static_cast<int>(e.progression),
      e.largest_last, static_cast<int>(e.tile_parts), e.layers, e.guard_bits, e.sop, e.eph, e.plt,
      e.tlm, e.base_step, e.derived, e.roi.x0, e.roi.y0, e.roi.x1, e.roi.y1);
  return text;
}

}  // namespace coalesce::test
