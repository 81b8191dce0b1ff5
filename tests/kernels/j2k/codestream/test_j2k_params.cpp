// SPDX-License-Identifier: LGPL-2.1-or-later
// Which parameters an encoder can have without being made anew: targets, and nothing else.
#include "../../../support/doctest.h"
#include "j2k/params/encoder_params.h"

namespace coalesce::test {
namespace {

using namespace j2k;
using Kind = LayerBudget::Kind;

EncoderParams with_targets() {
  EncoderParams p;
  p.coding.image = {0, 0, 100, 90};
  p.layers = 2;
  p.targets = {{Kind::automatic, 0}, {Kind::bytes, 5000}};
  return p;
}

TEST_CASE("targets only") {
  EncoderParams p = with_targets();
  CHECK_MESSAGE(differ_in_targets_only(p, p), "the same");
  p.targets = {{Kind::bytes, 100}, {Kind::error, 5}};
  CHECK_MESSAGE(differ_in_targets_only(with_targets(), p), "other targets");
  p.targets.clear();
  CHECK_MESSAGE(!differ_in_targets_only(with_targets(), p), "none");
  CHECK_MESSAGE(!differ_in_targets_only(p, with_targets()), "some, and none before");
  CHECK_MESSAGE(!differ_in_targets_only(p, p), "none at all");
}

template <class Change>
void differs(const char *what, Change change) {
  EncoderParams p = with_targets();
  change(&p);
  CHECK_MESSAGE(!differ_in_targets_only(with_targets(), p), what);
  CHECK_MESSAGE(!differ_in_targets_only(p, with_targets()), what);
}

TEST_CASE("anything else") {
  using P = EncoderParams;
  differs("image", [](P *p) { p->coding.image.y1++; });
  differs("tile_x0", [](P *p) { p->coding.tile_x0 = -1; });
  differs("tile_y0", [](P *p) { p->coding.tile_y0 = -1; });
  differs("tile_width", [](P *p) { p->coding.tile_width = 64; });
  differs("tile_height", [](P *p) { p->coding.tile_height = 64; });
  differs("num_components", [](P *p) { p->coding.num_components = 2; });
  differs("dx", [](P *p) { p->coding.component[1].dx = 2; });
  differs("dy", [](P *p) { p->coding.component[1].dy = 2; });
  differs("bits", [](P *p) { p->coding.component[0].bits = 10; });
  differs("levels", [](P *p) { p->coding.levels = 3; });
  differs("block_x", [](P *p) { p->coding.block_x = 5; });
  differs("block_y", [](P *p) { p->coding.block_y = 5; });
  differs("precincts across", [](P *p) { p->coding.precinct[2].x = 7; });
  differs("precincts down", [](P *p) { p->coding.precinct[2].y = 7; });
  differs("wavelet", [](P *p) { p->wavelet = Wavelet::irreversible_97; });
  differs("colour_transform", [](P *p) { p->colour_transform = true; });
  differs("guard_bits", [](P *p) { p->guard_bits = 3; });
  differs("base_step", [](P *p) { p->base_step = 0.25; });
  differs("derived", [](P *p) { p->derived = true; });
  differs("visual_weighting", [](P *p) { p->visual_weighting = true; });
  differs("block_style", [](P *p) { p->block_style = kReset; });
  differs("progression", [](P *p) { p->progression = Progression::rlcp; });
  differs("largest_last", [](P *p) { p->largest_last = true; });
  differs("tile_parts", [](P *p) { p->tile_parts = TileParts::layer; });
  differs("layers", [](P *p) {
    p->layers = 3;
    p->targets.insert(p->targets.begin(), {Kind::automatic, 0});
  });
  differs("component_bytes", [](P *p) { p->component_bytes = 1000; });
  differs("roi", [](P *p) { p->roi = {0, 0, 5, 5}; });
  differs("sop", [](P *p) { p->sop = true; });
  differs("eph", [](P *p) { p->eph = true; });
  differs("plt", [](P *p) { p->plt = true; });
  differs("tlm", [](P *p) { p->tlm = true; });
  differs("profile", [](P *p) { p->profile = 3; });
  differs("comment", [](P *p) { p->comment.assign(1, 'x'); });
}

}  // namespace
}  // namespace coalesce::test
