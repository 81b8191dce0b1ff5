// SPDX-License-Identifier: LGPL-2.1-or-later
// Profiles: what check_profile() refuses, and codestreams of each. (Their levels:
// test_j2k_profile_levels.)
#include <algorithm>
#include <cstring>

#include "../../../support/doctest.h"
#include "../encoder/j2k_encode.h"
#include "../judges/j2k_stream_decoder.h"
#include "j2k_markers.h"
#include "j2k_profiles.h"

namespace coalesce::test {
namespace {

using namespace j2k;

constexpr Profile kProfiles[] = {Profile::cinema_2k,        Profile::cinema_4k,
                                 Profile::broadcast_single, Profile::broadcast_multi,
                                 Profile::imf_2k,           Profile::imf_4k};
bool is_cinema(Profile profile) {
  return profile == Profile::cinema_2k || profile == Profile::cinema_4k;
}

EncoderParams params_of(Profile profile, int width, int height) {
  EncoderParams params = picture_for_profile(width, height);
  std::uint64_t limit;
  const Status s = set_profile(profile, {24, 1, 0}, &params, &limit);
  CHECK_MESSAGE(s.ok(), s.message());
  return params;
}

// What there is to be refused: by all, or by some.
template <class Refuse>
void forbidden(Profile profile, Refuse &&refuse) {
  const bool cinema = is_cinema(profile);
  const bool broadcast =
      profile == Profile::broadcast_single || profile == Profile::broadcast_multi;
  const bool big = profile == Profile::cinema_4k || profile == Profile::imf_4k;
  refuse("begin at 0", [](EncoderParams &p) { p.coding.image.x0 = 1; });
  refuse("begin at 0", [](EncoderParams &p) { p.coding.image.y0 = p.coding.tile_y0 = 1; });
  refuse("components", [=](EncoderParams &p) { p.coding.num_components = cinema ? 1 : 5; });
  if (!broadcast) {
    refuse("too large", [=](EncoderParams &p) { p.coding.image.x1 = big ? 4097 : 2049; });
    refuse("too large", [](EncoderParams &p) { p.coding.image.y1 = 3113; });
    refuse("components", [](EncoderParams &p) { p.coding.num_components = 4; });
    refuse("code-block-width", [](EncoderParams &p) { p.coding.block_x = 6; });
    refuse("subsampling",
           [](EncoderParams &p) { p.coding.component[1].dy = p.coding.component[2].dy = 2; });
  }
  refuse("bits", [](EncoderParams &p) { p.coding.component[2].bits = 7; });
  if (cinema) refuse("bits", [](EncoderParams &p) { p.coding.component[0].bits = 10; });
  if (broadcast) refuse("bits", [](EncoderParams &p) { p.coding.component[0].bits = 13; });
  refuse("subsampling", [](EncoderParams &p) { p.coding.component[0].dx = 2; });
  refuse("subsampling", [](EncoderParams &p) { p.coding.component[2].dx = 2; });
  refuse("subsampling",
         [](EncoderParams &p) { p.coding.component[1].dx = p.coding.component[2].dx = 4; });
  refuse("tile-width", [](EncoderParams &p) { p.coding.tile_width = 20; });
  if (profile != Profile::broadcast_multi)
    refuse("tile-width", [](EncoderParams &p) {
      p.coding.tile_width = p.coding.image.x1 / 2;
      p.coding.tile_height = p.coding.image.y1 / 2;
    });
  refuse("num-resolutions", [=](EncoderParams &p) { p.coding.levels = big ? 7 : 6; });
  if (profile != Profile::cinema_2k)
    refuse("num-resolutions", [](EncoderParams &p) { p.coding.levels = 0; });
  refuse("code-block-height", [](EncoderParams &p) { p.coding.block_y = 4; });
  refuse("precincts", [](EncoderParams &p) { p.coding.precinct[0].x = 8; });
  refuse("precincts", [](EncoderParams &p) { p.coding.precinct[3].y = 7; });
  refuse("code-block-style", [](EncoderParams &p) { p.block_style = kReset; });
  refuse("progression-order", [](EncoderParams &p) { p.progression = Progression::rpcl; });
  refuse("largest resolution", [](EncoderParams &p) { p.largest_last = !p.largest_last; });
  refuse("wavelet", [](EncoderParams &p) { p.wavelet = Wavelet::reversible_53; });
  refuse("num-layers", [](EncoderParams &p) { p.layers = 2; });
  refuse("roi", [](EncoderParams &p) { p.roi = {1, 1, 2, 2}; });
  refuse("tile-parts", [](EncoderParams &p) { p.tile_parts = TileParts::one; });
  refuse("Rsiz", [](EncoderParams &p) { p.profile ^= 0x800; });
  refuse("tile-width", [](EncoderParams &p) {  // four side by side
    p.coding.tile_width = (p.coding.image.x1 + 3) / 4;
    p.coding.tile_height = p.coding.image.y1;
  });
  if (!cinema) return;
  refuse("Rsiz", [](EncoderParams &p) { p.profile ^= 7; });
  refuse("guard-bits", [](EncoderParams &p) { p.guard_bits ^= 3; });
  refuse("sop", [](EncoderParams &p) { p.sop = true; });
  refuse("eph", [](EncoderParams &p) { p.eph = true; });
  refuse("plt", [](EncoderParams &p) { p.plt = true; });
  refuse("tlm", [](EncoderParams &p) { p.tlm = false; });
}

void test_forbidden(Profile profile) {
  forbidden(profile, [&](const char *word, auto &&change) {
    EncoderParams params = params_of(profile, 150, 120);
    change(params);
    const Status s = check_profile(profile, params);
    CHECK_MESSAGE(s.code() == StatusCode::invalid_argument, name_of(profile), ", ", word,
                  ": not refused");
    CHECK_MESSAGE((std::strstr(s.message(), word) && std::strstr(s.message(), name_of(profile))),
                  name_of(profile), ", ", word, ": ", s.message());
  });
}

struct Bounds {
  Profile profile;
  int width, height;  // 0: any
  int levels[2], block[2], bits[2];
};
constexpr Bounds kBounds[] = {
    {Profile::cinema_2k, 2048, 1080, {0, 5}, {5, 5}, {12, 12}},
    {Profile::cinema_4k, 4096, 2160, {1, 6}, {5, 5}, {12, 12}},
    {Profile::broadcast_single, 0, 0, {1, 5}, {5, 7}, {8, 12}},
    {Profile::broadcast_multi, 0, 0, {1, 5}, {5, 7}, {8, 12}},
    {Profile::imf_2k, 2048, 1556, {1, 5}, {5, 5}, {8, 16}},
    {Profile::imf_4k, 4096, 3112, {1, 6}, {5, 5}, {8, 16}},
};

// As much as there may be, and as little; and one more, and less. Of resolutions the most are
// chosen, and blocks as large as can be up to 64.
void test_bounds(const Bounds &b) {
  const CodingParams chosen = params_of(b.profile, 150, 120).coding;
  CHECK_MESSAGE((chosen.levels == b.levels[1] && chosen.block_x == std::min(b.block[1], 6) &&
                 chosen.block_y == chosen.block_x),
                name_of(b.profile), ": ", chosen.levels, " levels, blocks 2^", chosen.block_x);
  const auto expect = [&b](const char *what, bool allowed, auto &&change) {
    EncoderParams params = params_of(b.profile, 150, 120);
    change(params);
    CHECK_MESSAGE(check_profile(b.profile, params).ok() == allowed, name_of(b.profile), ": ", what);
  };
  for (const int more : {0, 1}) {
    const bool fits = more == 0;
    if (b.width > 0) {
      expect("width", fits, [&](EncoderParams &p) { p.coding.image.x1 = b.width + more; });
      expect("height", fits, [&](EncoderParams &p) { p.coding.image.y1 = b.height + more; });
    }
    for (const int end : {0, 1}) {
      const int by = end == 0 ? -more : more;
      expect("num-resolutions", fits,
             [&](EncoderParams &p) { p.coding.levels = b.levels[end] + by; });
      expect("code-block-width", fits,
             [&](EncoderParams &p) { p.coding.block_x = b.block[end] + by; });
      expect("code-block-height", fits,
             [&](EncoderParams &p) { p.coding.block_y = b.block[end] + by; });
      expect("bits", fits, [&](EncoderParams &p) {
        for (Component &c : p.coding.component)
          c.bits = b.bits[end] + by;
      });
    }
  }
}

// What one profile refuses is not refused by all.
TEST_CASE("allowed") {
  EncoderParams params = params_of(Profile::broadcast_multi, 150, 120);
  params.coding.num_components = 4;
  params.coding.component[3].bits = 8;
  params.coding.component[1] = params.coding.component[2] = {2, 2, 10};
  params.coding.tile_width = 0;
  params.coding.tile_height = 30;
  params.coding.block_x = 7;
  params.coding.block_y = 5;
  params.sop = params.plt = true;
  CHECK_MESSAGE(check_profile(Profile::broadcast_multi, params).ok(),
                check_profile(Profile::broadcast_multi, params).message());
  CHECK_MESSAGE(check_profile(Profile::none, EncoderParams()).ok(), "none");
  std::uint64_t limit;
  CHECK_MESSAGE((set_profile(Profile::none, {}, &params, &limit).ok() && params.profile == 0),
                "none");
  CHECK_MESSAGE(limit == 0, "none has no limit");
}

// Two by two, the first ones not smaller.
TEST_CASE("tiles") {
  for (const int width : {150, 333}) {
    const CodingParams p = params_of(Profile::broadcast_multi, width, width + 1).coding;
    CHECK_MESSAGE((p.tile_width == (width + 1) / 2 && p.tile_height == (width + 2) / 2),
                  p.tile_width, "x", p.tile_height);
  }
}

void test_codestream(Profile profile) {
  Random random(70);
  const EncoderParams params = params_of(profile, 333, 211);
  const Picture p = picture(params.coding, random);
  const std::vector<std::uint8_t> bytes = encode(params, p, nullptr, random);
  const Decoded decoded = decode_stream(bytes);
  CHECK_MESSAGE(decoded.complaint.empty(), name_of(profile), ": ", decoded.complaint);
  const double error = mean_squared_error(p, decoded);
  CHECK_MESSAGE(error < 0.5, name_of(profile), ": ", error);
  const Stream stream = read_markers(bytes);
  CHECK_MESSAGE((stream.profile == params.profile && stream.has_tlm), hex(stream.profile));
  CHECK_MESSAGE(stream.colour == is_cinema(profile), name_of(profile), ": the component transform");
  const bool largest_last = profile == Profile::cinema_4k;
  CHECK_MESSAGE(stream.progressions.size() == (largest_last ? 2 : 1), name_of(profile), ": POC");
  CHECK_MESSAGE(stream.tiles.size() == (profile == Profile::broadcast_multi ? 4 : 1),
                name_of(profile), ": tiles");
  for (const StreamTile &tile : stream.tiles)
    CHECK_MESSAGE(tile.parts.size() == (largest_last ? 6 : 3), name_of(profile), ": tile-parts");
}

TEST_CASE("bounds") {
  for (const Bounds &bounds : kBounds)
    test_bounds(bounds);
}

TEST_CASE("forbidden") {
  for (const Profile profile : kProfiles)
    test_forbidden(profile);
}

TEST_CASE("codestreams") {
  for (const Profile profile : kProfiles)
    test_codestream(profile);
}

}  // namespace
}  // namespace coalesce::test
