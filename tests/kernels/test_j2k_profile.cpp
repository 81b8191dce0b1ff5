// SPDX-License-Identifier: LGPL-2.1-or-later
// Profiles: the numbers that come out of set_profile(), what check_profile() refuses, and
// codestreams of each.
#include <cstdio>
#include <cstring>

#include "expect.h"
#include "j2k/profile.h"
#include "j2k_encode.h"
#include "j2k_markers.h"
#include "j2k_stream_decoder.h"

namespace coalesce::test {
namespace {

using namespace j2k;

constexpr Profile kProfiles[] = {Profile::cinema_2k,        Profile::cinema_4k,
                                 Profile::broadcast_single, Profile::broadcast_multi,
                                 Profile::imf_2k,           Profile::imf_4k};
constexpr const char *kNames[] = {
    "none", "cinema-2k", "cinema-4k", "broadcast-single", "broadcast-multi", "imf-2k", "imf-4k"};

const char *name(Profile profile) {
  return kNames[static_cast<std::size_t>(profile)];
}

bool is_cinema(Profile profile) {
  return profile == Profile::cinema_2k || profile == Profile::cinema_4k;
}

EncoderParams format(int width, int height, int chroma_dx = 1) {
  EncoderParams params;
  params.coding.image = {0, 0, width, height};
  params.coding.num_components = 3;
  for (std::size_t c = 0; c < 3; ++c)
    params.coding.component[c] = {c == 0 ? 1 : chroma_dx, 1, 12};
  return params;
}

struct Example {
  Profile profile;
  int width, height, chroma_dx, fps_num, fps_den;
  double megabits;  // wanted; 0: nothing is
  unsigned rsiz;    // 0: refused, because of
  const char *word;
  std::uint64_t frame, component;
};

// Bytes of cinema are those of DCI; 0x536 is what a UHD picture of 24 Hz and 800 Mbit/s has in IMF.
constexpr Example kExamples[] = {
    {Profile::cinema_2k, 2048, 1080, 1, 24, 1, 0, 3, "", 1302083, 1041666},
    {Profile::cinema_2k, 2048, 1080, 1, 48, 1, 0, 3, "", 651041, 520833},
    {Profile::cinema_4k, 4096, 2160, 1, 24, 1, 250, 4, "", 1302083, 1041666},
    {Profile::cinema_4k, 4096, 2160, 1, 24, 1, 251, 0, "frame-size", 0, 0},
    {Profile::cinema_2k, 2048, 1080, 1, 0, 1, 0, 0, "framerate is missing", 0, 0},
    {Profile::broadcast_single, 1920, 1080, 2, 25, 1, 0, 0x102, "", 1000000, 0},
    {Profile::broadcast_single, 1920, 1080, 2, 60000, 1001, 0, 0x104, "", 834166, 0},
    {Profile::broadcast_single, 720, 576, 2, 25, 1, 150, 0x101, "", 1000000, 0},
    {Profile::broadcast_single, 720, 576, 2, 25, 1, 300, 0x104, "", 2000000, 0},
    {Profile::broadcast_multi, 3840, 2160, 2, 25, 1, 0, 0x205, "", 4000000, 0},
    {Profile::broadcast_multi, 3840, 2160, 2, 50, 1, 0, 0, "width, height and framerate", 0, 0},
    {Profile::broadcast_multi, 3840, 2160, 2, 25, 1, 801, 0, "bitrate", 0, 0},
    {Profile::imf_2k, 1920, 1080, 1, 24, 1, 0, 0x413, "", 1041666, 0},
    {Profile::imf_2k, 1920, 1080, 1, 24, 1, 201, 0x424, "", 2083333, 0},
    {Profile::imf_4k, 3840, 2160, 1, 24, 1, 800, 0x536, "", 4166666, 0},
    {Profile::imf_4k, 3840, 2160, 1, 24, 1, 0, 0x546, "", 8333333, 0},
    {Profile::imf_4k, 4096, 3112, 1, 2000, 1, 0, 0, "framerate", 0, 0},
    {Profile::imf_4k, 64, 64, 1, 24, 1, 51201, 0, "bpp", 0, 0},
    // Just what a level has, and a sample more.
    {Profile::imf_2k, 1300, 1000, 2, 25, 1, 0, 0x411, "", 1000000, 0},
    {Profile::imf_2k, 1300, 1001, 2, 25, 1, 0, 0x412, "", 1000000, 0},
};

void test_levels() {
  for (const Example &e : kExamples) {
    EncoderParams params = format(e.width, e.height, e.chroma_dx);
    ProfileRate rate = {e.fps_num, e.fps_den, 0};
    if (e.megabits > 0)
      rate.frame_bytes = static_cast<std::uint64_t>(e.megabits * 1e6 / 8 * e.fps_den / e.fps_num);
    std::uint64_t limit;
    const Status s = set_profile(e.profile, rate, &params, &limit);
    EXPECT(s.ok() == (e.rsiz != 0), "%s %dx%d: %s", name(e.profile), e.width, e.height,
           s.message());
    if (e.rsiz == 0) {
      EXPECT(std::strstr(s.message(), e.word) && std::strstr(s.message(), name(e.profile)), "%s",
             s.message());
      continue;
    }
    EXPECT(params.profile == e.rsiz, "%s %dx%d: %04x, not %04x", name(e.profile), e.width, e.height,
           params.profile, e.rsiz);
    EXPECT(limit == e.frame && params.component_bytes == e.component, "%s: %llu, %llu",
           name(e.profile), static_cast<unsigned long long>(limit),
           static_cast<unsigned long long>(params.component_bytes));
    EXPECT(params.targets.size() == 1 && params.targets[0].kind == LayerTarget::Kind::bytes &&
               params.targets[0].value == (e.megabits > 0 ? rate.frame_bytes : limit),
           "%s: target", name(e.profile));
    EXPECT(check_profile(e.profile, params).ok(), "%s", check_profile(e.profile, params).message());
  }
}

EncoderParams params_of(Profile profile, int width, int height) {
  EncoderParams params = format(width, height);
  std::uint64_t limit;
  const Status s = set_profile(profile, {24, 1, 0}, &params, &limit);
  EXPECT(s.ok(), "%s", s.message());
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
  if (!cinema) return;
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
    EXPECT(s.code() == StatusCode::invalid_argument, "%s, %s: not refused", name(profile), word);
    EXPECT(std::strstr(s.message(), word) && std::strstr(s.message(), name(profile)), "%s, %s: %s",
           name(profile), word, s.message());
  });
}

// What one profile refuses is not refused by all.
void test_allowed() {
  EncoderParams params = params_of(Profile::broadcast_multi, 150, 120);
  params.coding.num_components = 4;
  params.coding.component[3].bits = 8;
  params.coding.component[1] = params.coding.component[2] = {2, 2, 10};
  params.coding.tile_width = 0;
  params.coding.tile_height = 30;
  params.coding.block_x = 7;
  params.coding.block_y = 5;
  params.sop = params.plt = true;
  EXPECT(check_profile(Profile::broadcast_multi, params).ok(), "%s",
         check_profile(Profile::broadcast_multi, params).message());
  EXPECT(check_profile(Profile::none, EncoderParams()).ok(), "none");
  std::uint64_t limit;
  EXPECT(set_profile(Profile::none, {}, &params, &limit).ok() && params.profile == 0, "none");
  EXPECT(limit == 0, "none has no limit");
}

void test_codestream(Profile profile) {
  Random random(70);
  const EncoderParams params = params_of(profile, 333, 211);
  const Picture p = picture(params.coding, random);
  const std::vector<std::uint8_t> bytes = encode(params, p, nullptr, random);
  const Decoded decoded = decode_stream(bytes);
  EXPECT(decoded.complaint.empty(), "%s: %s", name(profile), decoded.complaint.c_str());
  const double error = mean_squared_error(p, decoded);
  EXPECT(error < 0.5, "%s: %g", name(profile), error);
  const Stream stream = read_markers(bytes);
  EXPECT(stream.profile == params.profile && stream.has_tlm, "%04x", stream.profile);
  const bool largest_last = profile == Profile::cinema_4k;
  EXPECT(stream.progressions.size() == (largest_last ? 2 : 1), "%s: POC", name(profile));
  EXPECT(stream.tiles.size() == (profile == Profile::broadcast_multi ? 4 : 1), "%s: tiles",
         name(profile));
  for (const StreamTile &tile : stream.tiles)
    EXPECT(tile.parts.size() == (largest_last ? 6 : 3), "%s: tile-parts", name(profile));
}

}  // namespace
}  // namespace coalesce::test

int main() {
  using namespace coalesce::test;
  test_levels();
  test_allowed();
  for (const coalesce::j2k::Profile profile : kProfiles) {
    test_forbidden(profile);
    test_codestream(profile);
  }
  return result();
}
