// SPDX-License-Identifier: LGPL-2.1-or-later
// The levels of profiles, and the other numbers that come out of set_profile().
#include <array>
#include <cstring>

#include "../../../support/doctest.h"
#include "j2k_profiles.h"

namespace coalesce::test {
namespace {

using namespace j2k;

struct Example {
  Profile profile;
  int width, height, chroma_dx, fps_num, fps_den;
  double megabits;  // wanted; 0: nothing is
  unsigned rsiz;    // 0: refused, because of
  const char *word;
  std::uint64_t frame, component;
};

// With an error of bytes, those that are allowed. Bytes of cinema are those of DCI; 0x536 is what a
// UHD picture of 24 Hz and 800 Mbit/s has in IMF.
constexpr Example kExamples[] = {
    {Profile::cinema_2k, 2048, 1080, 1, 24, 1, 0, 3, "", 1302083, 1041666},
    {Profile::cinema_2k, 2048, 1080, 1, 48, 1, 0, 3, "", 651041, 520833},
    {Profile::cinema_4k, 4096, 2160, 1, 24, 1, 250, 4, "", 1302083, 1041666},
    {Profile::cinema_4k, 4096, 2160, 1, 24, 1, 251, 0, "frame-size", 1302083, 0},
    {Profile::cinema_2k, 2048, 1080, 1, 0, 1, 0, 0, "framerate is missing", 0, 0},
    {Profile::broadcast_single, 1920, 1080, 2, 25, 1, 0, 0x102, "", 1000000, 0},
    {Profile::broadcast_single, 1920, 1080, 2, 60000, 1001, 0, 0x104, "", 834166, 0},
    {Profile::broadcast_single, 720, 576, 2, 25, 1, 150, 0x101, "", 1000000, 0},
    {Profile::broadcast_single, 720, 576, 2, 25, 1, 300, 0x104, "", 2000000, 0},
    {Profile::broadcast_multi, 3840, 2160, 2, 25, 1, 0, 0x205, "", 4000000, 0},
    {Profile::broadcast_multi, 3840, 2160, 2, 50, 1, 0, 0, "width, height and framerate", 0, 0},
    {Profile::broadcast_multi, 3840, 2160, 2, 25, 1, 801, 0, "bitrate", 4000000, 0},
    {Profile::imf_2k, 1920, 1080, 1, 24, 1, 0, 0x413, "", 1041666, 0},
    {Profile::imf_2k, 1920, 1080, 1, 24, 1, 201, 0x424, "", 2083333, 0},
    {Profile::imf_4k, 3840, 2160, 1, 24, 1, 800, 0x536, "", 4166666, 0},
    {Profile::imf_4k, 3840, 2160, 1, 24, 1, 0, 0x546, "", 8333333, 0},
    {Profile::imf_4k, 4096, 3112, 1, 2000, 1, 0, 0, "framerate", 0, 0},
    {Profile::imf_4k, 64, 64, 1, 24, 1, 51201, 0, "bpp", 266666666, 0},
    // Just what a level has, and a sample more.
    {Profile::imf_2k, 1300, 1000, 2, 25, 1, 0, 0x411, "", 1000000, 0},
    {Profile::imf_2k, 1300, 1001, 2, 25, 1, 0, 0x412, "", 1000000, 0},
};

TEST_CASE("levels") {
  for (const Example &e : kExamples) {
    EncoderParams params = picture_for_profile(e.width, e.height, e.chroma_dx);
    ProfileRate rate = {e.fps_num, e.fps_den, 0};
    if (e.megabits > 0)
      rate.frame_bytes = static_cast<std::uint64_t>(e.megabits * 1e6 / 8 * e.fps_den / e.fps_num);
    std::uint64_t limit;
    const Status s = set_profile(e.profile, rate, &params, &limit);
    CHECK_MESSAGE(s.ok() == (e.rsiz != 0), name_of(e.profile), " ", e.width, "x", e.height, ": ",
                  s.message());
    if (e.rsiz == 0) {
      CHECK_MESSAGE(
          (std::strstr(s.message(), e.word) && std::strstr(s.message(), name_of(e.profile))),
          s.message());
      CHECK_MESSAGE(limit == e.frame, name_of(e.profile), ": ", limit, " bytes are allowed");
      continue;
    }
    CHECK_MESSAGE(params.profile == e.rsiz, name_of(e.profile), " ", e.width, "x", e.height, ": ",
                  hex(params.profile), ", not ", hex(e.rsiz));
    CHECK_MESSAGE((limit == e.frame && params.component_bytes == e.component), name_of(e.profile),
                  ": ", limit, ", ", params.component_bytes);
    CHECK_MESSAGE(
        (params.targets.size() == 1 && params.targets[0].kind == LayerBudget::Kind::bytes &&
         params.targets[0].value == (e.megabits > 0 ? rate.frame_bytes : limit)),
        name_of(e.profile), ": target");
    CHECK_MESSAGE(check_profile(e.profile, params).ok(),
                  check_profile(e.profile, params).message());
  }
}

// Levels, by name as they stand in Rsiz; 0: refused.
unsigned levels_of(Profile profile, const EncoderParams &picture, int fps, std::uint64_t bytes) {
  EncoderParams params = picture;
  std::uint64_t limit;
  if (!set_profile(profile, {fps, 1, bytes}, &params, &limit).ok()) return 0;
  CHECK_MESSAGE(limit >= bytes, name_of(profile), ": ", limit, " bytes");
  return params.profile & 0xFFu;
}

// A million samples, so many times a second: as many as each main level has, and more.
TEST_CASE("samples of levels") {
  constexpr int kMillions[] = {65, 130, 195, 260, 520, 1200, 2400, 4800, 9600, 19200, 38400};
  EncoderParams picture = picture_for_profile(1000, 1000);
  picture.coding.num_components = 1;
  const auto level = [&picture](Profile profile, int fps) {
    return levels_of(profile, picture, fps, 1) & 0xFu;
  };
  for (unsigned i = 0; i < 11; ++i) {
    const int fps = kMillions[i];
    CHECK_MESSAGE(level(Profile::imf_4k, fps) == i + 1, fps);
    CHECK_MESSAGE(level(Profile::imf_4k, fps + 1) == (i < 10 ? i + 2 : 0), fps, " and more");
    if (i > 4) continue;
    CHECK_MESSAGE(level(Profile::broadcast_single, fps) == i + 1, fps);
    CHECK_MESSAGE(level(Profile::broadcast_single, fps + 1) == (i < 4 ? i + 2 : 0), fps,
                  " and more");
  }
  // 200 Mbit/s are what the third level of broadcast has, and 260 are more.
  CHECK_MESSAGE(levels_of(Profile::broadcast_multi, picture, 195, 25000000 / 195) == 3,
                "200 Mbit/s");
  CHECK_MESSAGE(levels_of(Profile::broadcast_multi, picture, 195, 25000000 / 150) == 4,
                "260 Mbit/s");
}

// Of a small picture: the bytes of each sub-level, or level of broadcast, and one more.
TEST_CASE("bytes of levels") {
  const EncoderParams picture = picture_for_profile(64, 64);
  constexpr int kFps = 25;
  const auto levels = [&picture](Profile profile, unsigned megabits, unsigned more) {
    return levels_of(profile, picture, kFps, std::uint64_t{1000000 / 8 / kFps} * megabits + more);
  };
  const auto imf = [](unsigned sub) { return sub << 4 | (sub == 1 ? 1 : sub + 2); };
  for (unsigned sub = 1, megabits = 200; sub <= 9; ++sub, megabits *= 2) {
    CHECK_MESSAGE(levels(Profile::imf_2k, megabits, 0) == imf(sub), megabits);
    CHECK_MESSAGE(levels(Profile::imf_2k, megabits, 1) == (sub < 9 ? imf(sub + 1) : 0), megabits,
                  " and more");
  }
  for (const auto &row : {std::array{200u, 1u, 4u}, {400, 4, 5}, {800, 5, 0}}) {
    const auto megabits = row[0], level = row[1], next = row[2];
    CHECK_MESSAGE(levels(Profile::broadcast_single, megabits, 0) == level, megabits);
    CHECK_MESSAGE(levels(Profile::broadcast_single, megabits, 1) == next, megabits, " and more");
  }
}

}  // namespace
}  // namespace coalesce::test
