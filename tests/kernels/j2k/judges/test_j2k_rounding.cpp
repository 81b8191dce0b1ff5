// SPDX-License-Identifier: LGPL-2.1-or-later
// Where little of the error is left, and what decoders do when they round samples counts:
// gradients, screens, pictures that are partly flat.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "../../../support/doctest.h"
#include "../encoder/j2k_plain_picture.h"
#include "../pcrd/j2k_targets.h"
#include "j2k_openjpeg.h"
#include "j2k_quality.h"
#include "j2k_stream_decoder.h"

namespace coalesce::test {
namespace {

using namespace j2k;
using Bytes = std::vector<std::uint8_t>;
using Kind = LayerBudget::Kind;

// Text, and more than half of nothing: where all is exact, the error is in the rest, and decoders
// round less of it away. Visual weighting leaves most of it in one colour.
TEST_CASE("psnr of screens") {
  for (const int components : {1, 3}) {
    Picture p = text(components);
    for (int c = 0; c < components; ++c)
      for (std::size_t i = 0; i < p.plane[c].size(); ++i)
        if (i % 320 >= 200 || i / 320 >= 140) p.plane[c][i] = 230;
    EncoderParams params = params_of(p, Wavelet::irreversible_97, {});
    for (const bool visual : {false, true})
      for (const double wanted : {56.0, 62.0, 66.0, 70.0, 74.0}) {
        params.visual_weighting = visual;
        const double got = psnr_at(params, p, wanted);
        std::printf("screen, %d components%s: %.2f dB, %.1f wanted\n", components,
                    visual ? ", visual" : "", got, wanted);
        CHECK_MESSAGE(got > wanted - 0.5, got, " dB, ", wanted, " wanted");
      }
  }
}

// Where it is hardest to tell what is left: tiles that end in blocks of one sample, which were
// taken for exact; and gradients, of which some parts are exact, and all the error is in others.
TEST_CASE("psnr of small pieces") {
  struct Case {
    const char *name;
    Picture picture;
    int tile;
    double slack;
  };
  const Case cases[] = {{"text", text(3), 16, 0},
                        {"text", text(1), 32, 0},
                        {"plane", plane(256, 192), 0, 0.5},
                        {"plane", plane(256, 192), 64, 2.2}};
  for (const Case &c : cases)
    for (const double wanted : {58.0, 70.0, 80.0}) {
      EncoderParams params = params_of(c.picture, Wavelet::irreversible_97, {});
      params.coding.tile_width = params.coding.tile_height = c.tile;
      const double got = psnr_at(params, c.picture, wanted);
      std::printf("%s, tiles of %d: %.2f dB, %.1f wanted\n", c.name, c.tile, got, wanted);
      CHECK_MESSAGE(got > wanted - c.slack, c.name, ", tiles of ", c.tile, ": ", got, " dB, ",
                    wanted, " wanted");
    }
}

// All their error is in coarse bands, where it is up to 2.5 times as large in samples as energies
// of bands say, with 5/3 six times. Near 84 dB one wrong sample of 64 x 64 is too much.
TEST_CASE("psnr of gradients") {
  struct Case {
    const char *name;
    Picture picture;
    int tile;
  };
  const Case cases[] = {{"plane of 64", plane(64, 64), 0},
                        {"plane of 192", plane(192, 160), 32},
                        {"curved", gradient(), 0},
                        {"curved", gradient(), 64}};
  const auto test = [](const Case &c, Wavelet wavelet, double wanted, double less, double more) {
    EncoderParams params = params_of(c.picture, wavelet, {});
    params.coding.tile_width = params.coding.tile_height = c.tile;
    const double got = psnr_at(params, c.picture, wanted);
    std::printf("%s, %s, tiles of %d: %.2f dB, %.1f wanted\n", c.name, name_of(wavelet), c.tile,
                got, wanted);
    CHECK_MESSAGE((got > wanted - less && got < wanted + more), c.name, ", ", name_of(wavelet),
                  ", tiles of ", c.tile, ": ", got, " dB, ", wanted, " wanted");
  };
  for (const Case &c : cases)
    for (const double wanted : {30.0, 35.0, 40.0, 45.0, 50.0, 55.0}) {
      test(c, Wavelet::irreversible_97, wanted, 0.4, 3.2);
      test(c, Wavelet::reversible_53, wanted, 0.6, 4.5);
    }
  for (const double wanted : {75.0, 80.0, 84.0})
    test(cases[0], Wavelet::irreversible_97, wanted, 0, HUGE_VAL);
}

// What makes a picture of almost nothing better before decoders round it could make it worse behind
// (docs/jpeg2000.md): more bytes are better, but for ripples, and all of them best.
TEST_CASE("gradient") {
  const Picture p = plane(640, 480);
  for (const double bits : {0.03, 0.04, 0.05})
    test_against_openjpeg({"plane", p, 0, 0}, Wavelet::irreversible_97, bits);
  EncoderParams params = params_of(p, Wavelet::irreversible_97, {});
  double best = 0, last = 0;
  for (const int bytes : {1000, 1500, 2000, 4000, 8000, 12000, 16000, 20000, 30000}) {
    params.targets = {{Kind::bytes, static_cast<std::uint64_t>(bytes)}};
    last = psnr(p, encode_to_targets(params, p, nullptr).bytes);
    std::printf("plane, 9/7: %d bytes, %.2f dB\n", bytes, last);
    CHECK_MESSAGE(last > best - 3, bytes, " bytes: ", last, " dB, with fewer ", best);
    best = std::max(best, last);
  }
  CHECK_MESSAGE((last == best && last > 72), best, " dB at best, ", last, " of all bytes");
  params.visual_weighting = true;
  params.targets = {{Kind::bytes, 12000}};
  last = psnr(p, encode_to_targets(params, p, nullptr).bytes);
  CHECK_MESSAGE(last > 64, "visual: ", last, " dB");
  params.visual_weighting = false;
  params.layers = 5;
  params.targets.assign(4, {Kind::automatic, 0});
  params.targets.push_back({Kind::bytes, 3840});
  const Targeted coded = encode_to_targets(params, p, nullptr);
  double before = 0;
  for (int layers = 1; layers <= 5; ++layers) {
    const double decibels = psnr(p, coded.bytes, layers);
    CHECK_MESSAGE(decibels > before + 1, "layer ", layers, ": ", decibels, " dB after ", before);
    before = decibels;
  }
}

// On a gradient, where layers come to what rounding did to its samples: with 9/7, each layer is
// nearer to the picture than the one before it, if not always when a decoder has rounded it; 5/3
// rounds on the way. All of them are best.
void test_layers_below_rounding(const Picture &p, Wavelet wavelet, int count) {
  EncoderParams params = params_of(p, wavelet, {});
  params.layers = count;
  params.targets.assign(static_cast<std::size_t>(count - 1), {Kind::automatic, 0});
  params.targets.push_back({Kind::everything, 0});
  const Targeted coded = encode_to_targets(params, p, nullptr);
  double exact = HUGE_VAL, rounded = HUGE_VAL, least = HUGE_VAL, worst = 1;
  for (int layers = 1; layers <= count; ++layers) {
    const auto length = [&coded](int n) { return coded.lengths[static_cast<std::size_t>(n - 1)]; };
    CHECK_MESSAGE((layers == 1 || length(layers) > length(layers - 1)), "layer ", layers,
                  " adds nothing");
    const Decoded decoded = decode_stream(coded.bytes, layers);
    const double now = error_before_rounding(p, decoded);
    CHECK_MESSAGE((wavelet == Wavelet::reversible_53 || now < exact), "layer ", layers, " of ",
                  count, ": ", now, " after ", exact);
    exact = now;
    worst = std::max(worst, mean_squared_error(p, decoded) / rounded);
    rounded = mean_squared_error(p, decoded);
    CHECK_MESSAGE((layers < count || rounded < least), rounded, " with all layers, ", least,
                  " with fewer");
    least = std::min(least, rounded);
  }
  std::printf("gradient, %s, %d layers: one has %.2f dB less than the one before, when rounded\n",
              name_of(wavelet), count, 10 * std::log10(worst));
  CHECK(10 * std::log10(worst) < 1.5);
}

// Next to a photograph, a surface with less noise than the eye sees must not have to wait until the
// last of the photograph's bits have come.
TEST_CASE("partly flat") {
  Random random(62);
  const PlainPicture photograph = made_picture(320, 240, 3, 3);
  const Picture p = made(3, [&](int x, int y, int c) {
    double noise = -6;
    for (int i = 0; i < 12; ++i)
      noise += random.below(1 << 16) / 65536.0;
    if (x >= 160) return static_cast<int>(90.5 + x * 0.2 + y * (0.1 + 0.05 * c) + noise * 0.3);
    return int{photograph.samples[static_cast<std::size_t>((c * 240 + y) * 320 + x)]};
  });
  EncoderParams params = params_of(p, Wavelet::irreversible_97, {Kind::everything, 0});
  const Bytes all = encode_to_targets(params, p, nullptr).bytes;
  params.targets = {{Kind::bytes, all.size() * 95 / 100}};
  const double most = psnr(p, encode_to_targets(params, p, nullptr).bytes), best = psnr(p, all);
  std::printf("partly flat, 9/7: %.2f dB, %.2f of 95 %% of the bytes\n", best, most);
  CHECK_MESSAGE(most > best - 3, best, " dB, ", most, " of 95 % of the bytes");
}

// Of many blocks that a pass each is left of, some fit (which encode_to_targets() expects).
TEST_CASE("small steps") {
  const Picture p = plane(640, 480);
  PlainPicture part = {200, 200, 3, {}};
  for (int c = 0; c < 3; ++c)
    for (int y = 20; y < 220; ++y)
      for (int x = 30; x < 230; ++x)
        part.samples.push_back(static_cast<std::uint8_t>(p.at(c, x, y)));
  const Picture small = picture(part);
  EncoderParams params = params_of(small, Wavelet::irreversible_97, {});
  params.plt = params.sop = params.eph = true;
  for (std::uint64_t bytes = 1000; bytes < 4400; bytes += 85) {
    params.targets = {{Kind::bytes, bytes}};
    CHECK(encode_to_targets(params, small, nullptr).bytes.size() <= bytes);
  }
}

TEST_CASE("layers below rounding") {
  for (const Picture &p : {plane(320, 240), gradient()})
    for (const Wavelet wavelet : {Wavelet::irreversible_97, Wavelet::reversible_53})
      for (const int count : {7, 20})
        test_layers_below_rounding(p, wavelet, count);
}

}  // namespace
}  // namespace coalesce::test
