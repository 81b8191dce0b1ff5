// SPDX-License-Identifier: LGPL-2.1-or-later
// What comes out of a decoder is as good as was asked for, and as what OpenJPEG's encoder makes of
// as many bytes.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <initializer_list>
#include <string>

#include "../../../support/data.h"
#include "../../../support/doctest.h"
#include "../encoder/j2k_plain_picture.h"
#include "../encoder/j2k_random_params.h"
#include "../pcrd/j2k_targets.h"
#include "j2k/pcrd/rate.h"
#include "j2k_openjpeg.h"
#include "j2k_quality.h"
#include "j2k_stream_decoder.h"

namespace coalesce::test {
namespace {

using namespace j2k;
using Bytes = std::vector<std::uint8_t>;
using Kind = LayerBudget::Kind;

void test_psnr(const Subject &s, Wavelet wavelet, double wanted) {
  const double got = psnr_at(params_of(s.picture, wavelet, {}), s.picture, wanted);
  std::printf("%s, %s: %.2f dB, %.1f wanted\n", s.name.c_str(), name_of(wavelet), got, wanted);
  const double slack = wavelet == Wavelet::reversible_53 ? s.slack_53 : s.slack_97;
  CHECK_MESSAGE(std::abs(got - wanted) < slack, s.name, ", ", name_of(wavelet), ": ", got, " dB, ",
                wanted, " wanted");
}

void test(const Subject &s, std::initializer_list<double> bits_per_pixel,
          std::initializer_list<double> decibels) {
  for (const Wavelet wavelet : {Wavelet::irreversible_97, Wavelet::reversible_53}) {
    for (const double bits : bits_per_pixel)
      test_against_openjpeg(s, wavelet, bits);
    for (const double wanted : decibels)
      test_psnr(s, wavelet, wanted);
  }
}

// Each layer has the bytes that it is to have, and is better than those before.
void test_layers(Progression progression, int tile) {
  const Picture p = picture(made_picture(400, 300, 3, 2));
  EncoderParams params = params_of(p, Wavelet::irreversible_97, {});
  params.progression = progression;
  params.coding.tile_width = params.coding.tile_height = tile;
  params.plt = params.tlm = params.sop = params.eph = true;
  params.layers = 4;
  params.targets.clear();
  for (const std::uint64_t bytes : {5000, 9000, 20000, 45000})
    params.targets.push_back({Kind::bytes, bytes});
  const Targeted coded = encode_to_targets(params, p, nullptr);
  double before = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto length = static_cast<double>(coded.lengths[i]);
    const double used = length / static_cast<double>(params.targets[i].value);
    CHECK_MESSAGE((used > 0.97 && used <= 1), "layer ", i, ": ", used, " used: ", describe(params));
    const double decibels = psnr(p, coded.bytes, static_cast<int>(i) + 1);
    CHECK_MESSAGE(decibels > before + 1, "layer ", i, ": ", decibels, " dB after ", before, ": ",
                  describe(params));
    before = decibels;
  }
}

// Visual weighting does not change what a PSNR is, tiles of a few samples hardly what comes of it,
// and what the usual step cannot reach a finer one does.
TEST_CASE("psnr by other ways") {
  const Picture p = picture(made_picture(400, 300, 3, 2));
  EncoderParams params = params_of(p, Wavelet::irreversible_97, {});
  for (const double wanted : {64.0, 70.0}) {
    const double got = psnr_at(params, p, wanted);
    CHECK_MESSAGE((got > wanted - 0.5 && got < wanted + 3), got, " dB, ", wanted, " wanted");
  }
  const double exact = psnr_at(params, p, 120);
  CHECK_MESSAGE(exact > 100, exact, " dB, 120 wanted");
  params.visual_weighting = true;
  for (const double wanted : {34.0, 46.0}) {
    const double got = psnr_at(params, p, wanted);
    CHECK_MESSAGE(std::abs(got - wanted) < 0.6, "visual: ", got, " dB, ", wanted, " wanted");
  }
  params.visual_weighting = false;
  params.coding.tile_width = params.coding.tile_height = 32;
  for (const double wanted : {40.0, 58.0, 64.0}) {
    const double got = psnr_at(params, p, wanted);
    CHECK_MESSAGE(std::abs(got - wanted) < 1, "tiles: ", got, " dB, ", wanted, " wanted");
  }
}

Picture noise() {
  Random random(60);
  return made(3, [&](int, int, int) { return random.below(256); });
}

// The luma of UYVY.
Picture camera() {
  const std::string name = test_data("camera_320x180.uyvy");
  std::ifstream file(name, std::ios::binary);
  PlainPicture luma = {320, 180, 1, {}};
  for (char pair[2]; file.read(pair, 2);)
    luma.samples.push_back(static_cast<std::uint8_t>(pair[1]));
  REQUIRE_MESSAGE(luma.samples.size() == 320 * 180, "cannot read ", name);
  return picture(luma);
}

// The frame of tests/data/park_joy_240x136.y4m: I420, after two lines of text.
Picture park_joy() {
  constexpr std::size_t kWidth = 240, kHeight = 136;
  const std::string name = test_data("park_joy_240x136.y4m");
  std::ifstream file(name, std::ios::binary);
  std::string line;
  std::getline(file, line);
  std::getline(file, line);
  Picture p;
  p.params.image = {0, 0, kWidth, kHeight};
  p.params.num_components = 3;
  p.params.component[1] = p.params.component[2] = {2, 2, 8};
  for (const std::size_t c : {0, 1, 2}) {
    Bytes samples(c == 0 ? kWidth * kHeight : kWidth * kHeight / 4);
    file.read(reinterpret_cast<char *>(samples.data()), static_cast<long>(samples.size()));
    p.plane[c].assign(samples.begin(), samples.end());
  }
  REQUIRE_MESSAGE(file.good(), "cannot read ", name);
  return p;
}

Picture read_picture(const std::string &file) {
  const PlainPicture plain = read_pnm(file.c_str());
  REQUIRE_MESSAGE(!plain.samples.empty(), "cannot read ", file);
  return picture(plain);
}

// With --picture=FILE, a P5 or P6 of any size, it alone.
TEST_CASE("psnr and rates") {
  const char *named = option("picture");
  if (named != nullptr)
    return test({named, read_picture(named), 0.5, 1}, {0.25, 0.5, 1, 2}, {30, 36, 42, 48});
  test({"noise", noise(), 0.5, 0.6}, {0.25, 0.5, 4, 12}, {30, 42});
  test({"gradient", gradient(), 0, 0}, {0.25, 2}, {});
  test({"text", text(1), 0.6, 0.6}, {0.5, 2}, {30, 42});
  test({"made", picture(made_picture(400, 300, 3, 1)), 0.65, 0.85}, {0.25, 1}, {36, 40});
  test({"photograph", read_picture(test_data("photograph_128x128.pgm")), 0.5, 0.6}, {0.5, 2},
       {30, 42});
  test({"text in colours", text(3), 0.5, 0.6}, {0.25, 2}, {30});
}

TEST_CASE("real pictures") {
  test({"camera", camera(), 0.2, 0.4}, {1}, {45, 50});
  test({"park joy", park_joy(), 0.2, 0.7}, {0.25, 1, 3}, {30, 36, 42, 48});
}

TEST_CASE("layers") {
  for (const Progression progression : {Progression::lrcp, Progression::rlcp, Progression::rpcl,
                                        Progression::pcrl, Progression::cprl})
    test_layers(progression, progression == Progression::rpcl ? 130 : 0);
}

}  // namespace
}  // namespace coalesce::test
