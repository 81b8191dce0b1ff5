// SPDX-License-Identifier: LGPL-2.1-or-later
// What comes out of a decoder is as good as was asked for, and as what OpenJPEG's encoder makes of
// as many bytes. By hand: test-j2k-quality FILE, a P5 or P6 of any size.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string>

#include "expect.h"
#include "j2k/rate.h"
#include "j2k_openjpeg.h"
#include "j2k_plain_picture.h"
#include "j2k_quality.h"
#include "j2k_random_params.h"
#include "j2k_stream_decoder.h"
#include "j2k_targets.h"

namespace coalesce::test {
namespace {

using namespace j2k;
using Bytes = std::vector<std::uint8_t>;
using Kind = LayerTarget::Kind;

void test_psnr(const Subject &s, Wavelet wavelet, double wanted) {
  const double got = psnr_at(params_of(s.picture, wavelet, {}), s.picture, wanted);
  std::printf("%s, %s: %.2f dB, %.1f wanted\n", s.name.c_str(), name_of(wavelet), got, wanted);
  const double slack = wavelet == Wavelet::reversible_53 ? s.slack_53 : s.slack_97;
  EXPECT(std::abs(got - wanted) < slack, "%s, %s: %.2f dB, %.1f wanted", s.name.c_str(),
         name_of(wavelet), got, wanted);
}

void test(const Subject &s, std::initializer_list<double> bits_per_pixel,
          std::initializer_list<double> decibels) {
  for (const Wavelet wavelet : {Wavelet::irreversible_97, Wavelet::reversible_53}) {
    for (const double bits : bits_per_pixel)
      if (have_openjpeg()) test_against_openjpeg(s, wavelet, bits);
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
    EXPECT(used > 0.97 && used <= 1, "layer %zu: %f used: %s", i, used, describe(params).c_str());
    const double decibels = psnr(p, coded.bytes, static_cast<int>(i) + 1);
    EXPECT(decibels > before + 1, "layer %zu: %.2f dB after %.2f: %s", i, decibels, before,
           describe(params).c_str());
    before = decibels;
  }
}

// Visual weighting does not change what a PSNR is, tiles of a few samples hardly what comes of it,
// and what the usual step cannot reach a finer one does.
void test_psnr_by_other_ways() {
  const Picture p = picture(made_picture(400, 300, 3, 2));
  EncoderParams params = params_of(p, Wavelet::irreversible_97, {});
  for (const double wanted : {64.0, 70.0}) {
    const double got = psnr_at(params, p, wanted);
    EXPECT(got > wanted - 0.5 && got < wanted + 3, "%.2f dB, %.1f wanted", got, wanted);
  }
  const double exact = psnr_at(params, p, 120);
  EXPECT(exact > 100, "%.2f dB, 120 wanted", exact);
  params.visual_weighting = true;
  for (const double wanted : {34.0, 46.0}) {
    const double got = psnr_at(params, p, wanted);
    EXPECT(std::abs(got - wanted) < 0.6, "visual: %.2f dB, %.1f wanted", got, wanted);
  }
  params.visual_weighting = false;
  params.coding.tile_width = params.coding.tile_height = 32;
  for (const double wanted : {40.0, 58.0, 64.0}) {
    const double got = psnr_at(params, p, wanted);
    EXPECT(std::abs(got - wanted) < 1, "tiles: %.2f dB, %.1f wanted", got, wanted);
  }
}

Picture noise() {
  Random random(60);
  return made(3, [&](int, int, int) { return random.below(256); });
}

// A file among the real pictures, from some byte on; empty if it is not there.
Bytes real_bytes(const char *name, long from, std::size_t count) {
  const char *folder = std::getenv("COALESCE_TEST_DATA");
  const std::string path = std::string(folder != nullptr ? folder : "") + "/" + name;
  std::FILE *file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) {
    std::printf("SKIP: COALESCE_TEST_DATA names no folder with %s\n", name);
    return {};
  }
  Bytes bytes(count);
  const bool ok =
      std::fseek(file, from, SEEK_SET) == 0 && std::fread(bytes.data(), 1, count, file) == count;
  std::fclose(file);
  EXPECT(ok, "%s is cut short", name);
  return bytes;
}

void test_real_pictures() {
  const Bytes uyvy = real_bytes("camera_1920x1080.uyvy", 0, 1920 * 1080 * 2);
  if (!uyvy.empty()) {
    PlainPicture luma = {1920, 1080, 1, {}};
    for (std::size_t i = 1; i < uyvy.size(); i += 2)
      luma.samples.push_back(uyvy[i]);
    test({"camera", picture(luma), 0.2, 0.8}, {1}, {45, 50});
  }
  // The first frame, I420, behind two lines of text.
  const Bytes y4m = real_bytes("park_joy_480x270_i420_50fps.y4m", 0, 256 + 480 * 270 * 3 / 2);
  if (y4m.empty()) return;
  const std::string head(y4m.begin(), y4m.begin() + 256);
  const std::size_t begin = head.find('\n', head.find("FRAME")) + 1;
  Picture p;
  p.params.image = {0, 0, 480, 270};
  p.params.num_components = 3;
  p.params.component[1] = p.params.component[2] = {2, 2, 8};
  const std::uint8_t *from = y4m.data() + begin;
  for (const std::size_t c : {0, 1, 2}) {
    const std::size_t size = c == 0 ? 480 * 270 : 240 * 135;
    p.plane[c].assign(from, from + size);
    from += size;
  }
  test({"park joy", p, 0.2, 0.6}, {0.25, 1, 3}, {30, 36, 42, 48});
}

}  // namespace
}  // namespace coalesce::test

int main(int argc, char **argv) {
  using namespace coalesce::test;
  using coalesce::j2k::Progression;
  if (argc > 1) {
    test({argv[1], picture(read_pnm(argv[1])), 0.5, 1}, {0.25, 0.5, 1, 2}, {30, 36, 42, 48});
    return result();
  }
  test({"noise", noise(), 0.5, 0.6}, {0.25, 0.5, 4, 12}, {30, 42});
  test({"gradient", gradient(), 0, 0}, {0.25, 2}, {});
  test({"text", text(1), 0.6, 0.6}, {0.5, 2}, {30, 42});
  test({"made", picture(made_picture(400, 300, 3, 1)), 0.65, 0.85}, {0.25, 1}, {36, 40});
  test({"photograph", picture(read_pnm(COALESCE_TEST_DATA "/photograph_128x128.pgm")), 0.5, 0.6},
       {0.5, 2}, {30, 42});
  test({"text in colours", text(3), 0.5, 0.6}, {0.25, 2}, {30});
  test_psnr_by_other_ways();
  for (const Progression progression : {Progression::lrcp, Progression::rlcp, Progression::rpcl,
                                        Progression::pcrl, Progression::cprl})
    test_layers(progression, progression == Progression::rpcl ? 130 : 0);
  test_real_pictures();
  return result();
}
