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
#include "j2k_random_params.h"
#include "j2k_stream_decoder.h"
#include "j2k_targets.h"

namespace coalesce::test {
namespace {

using namespace j2k;
using Bytes = std::vector<std::uint8_t>;
using Kind = LayerTarget::Kind;

struct Subject {
  std::string name;
  Picture picture;
  double slack_97, slack_53;  // of a PSNR
};

const char *name_of(Wavelet wavelet) {
  return wavelet == Wavelet::reversible_53 ? "5/3" : "9/7";
}

// By OpenJPEG and the tests' own decoder, which agree. Infinite for no error.
double psnr(const Picture &p, const Bytes &bytes, int layers = 0) {
  const Decoded own = decode_stream(bytes, layers);
  EXPECT(own.complaint.empty(), "%s", own.complaint.c_str());
  if (have_openjpeg()) {
    const Decoded decoded = decode_with_openjpeg(bytes, layers);
    EXPECT(decoded.complaint.empty(), "%s", decoded.complaint.c_str());
    EXPECT(largest_difference(decoded, own) <= 1, "%d", largest_difference(decoded, own));
  }
  return 10 * std::log10(255 * 255 / mean_squared_error(p, own));
}

EncoderParams params_of(const Picture &p, Wavelet wavelet, const LayerTarget &target) {
  EncoderParams params;
  params.coding = p.params;
  params.wavelet = wavelet;
  params.colour_transform = p.params.num_components == 3 && p.params.component[1].dx == 1;
  params.base_step = fine_base_step(params.colour_transform);
  params.targets = {target};
  return params;
}

void test_against_openjpeg(const Subject &s, Wavelet wavelet, double bits_per_pixel) {
  const Rect &image = s.picture.params.image;
  const double pixels = static_cast<double>(image.width()) * image.height();
  const Bytes theirs = encode_with_openjpeg(
      s.picture, wavelet, static_cast<std::uint64_t>(bits_per_pixel / 8 * pixels));
  EXPECT(!theirs.empty(), "OpenJPEG did not encode");
  if (theirs.empty()) return;
  const EncoderParams params = params_of(s.picture, wavelet, {Kind::bytes, theirs.size()});
  const Bytes ours = encode_to_targets(params, s.picture, nullptr).bytes;
  const double decibels = psnr(s.picture, ours), more = decibels - psnr(s.picture, theirs);
  std::printf("%s, %s: %zu bytes, %.2f dB, %+.2f dB against OpenJPEG\n", s.name.c_str(),
              name_of(wavelet), ours.size(), decibels, more);
  EXPECT(more > -0.3, "%s, %s, %zu bytes: %+.2f dB", s.name.c_str(), name_of(wavelet),
         theirs.size(), more);
}

double psnr_at(EncoderParams params, const Picture &p, double wanted) {
  params.base_step = base_step_at_psnr(params, wanted);
  params.targets = {target_at_psnr(params, wanted)};
  return psnr(p, encode_to_targets(params, p, nullptr).bytes);
}

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

template <class Sample>
Picture made(int components, Sample &&sample) {
  PlainPicture plain = {320, 240, components, {}};
  for (int c = 0; c < components; ++c)
    for (int y = 0; y < plain.height; ++y)
      for (int x = 0; x < plain.width; ++x)
        plain.samples.push_back(static_cast<std::uint8_t>(sample(x, y, c)));
  return picture(plain);
}

Picture noise() {
  Random random(60);
  return made(3, [&](int, int, int) { return random.below(256); });
}

Picture gradient() {
  return made(3, [](int x, int y, int c) {
    return static_cast<int>(255 * std::pow((x + (0.5 + c / 4.0) * y) / 640, 1.4 + c / 5.0));
  });
}

Picture plane(int width, int height) {
  PlainPicture plain = {width, height, 3, {}};
  for (int c = 0; c < 3; ++c)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        const int value = c == 0   ? x * 255 / (width - 1)
                          : c == 1 ? y * 255 / (height - 1)
                                   : (x + y) * 255 / (width + height - 2);
        plain.samples.push_back(static_cast<std::uint8_t>(value));
      }
  return picture(plain);
}

// Letters of five by seven dots, each of 2 x 2 samples.
Picture text(int components) {
  Random random(61);
  std::uint64_t letters[40];
  for (std::uint64_t &letter : letters)
    letter = random.bits();
  const int paper[3] = {240, 235, 220};
  const int ink[3][3] = {{16, 16, 16}, {200, 30, 40}, {20, 60, 180}};
  return made(components, [&](int x, int y, int c) {
    const int column = x / 2 % 7, row = y / 2 % 10;
    const std::uint64_t letter = letters[(x / 14 * 7 + y / 20 * 13) % 40];
    const bool is_ink = column < 5 && row < 7 && (letter >> (row * 5 + column) & 1) != 0;
    return is_ink ? ink[components == 1 ? 0 : y / 20 % 3][c] : paper[c];
  });
}

// Text, and more than half of nothing: where all is exact, the error is in the rest, and decoders
// round less of it away. Visual weighting leaves most of it in one colour.
void test_psnr_of_screens() {
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
        EXPECT(got > wanted - 1, "%.2f dB, %.1f wanted", got, wanted);
      }
  }
}

// What makes a picture of almost nothing better before decoders round it could make it worse behind
// (docs/jpeg2000.md): more bytes are better, but for ripples, and all of them best.
void test_gradient() {
  const Picture p = plane(640, 480);
  for (const double bits : {0.03, 0.04, 0.05})
    if (have_openjpeg()) test_against_openjpeg({"plane", p, 0, 0}, Wavelet::irreversible_97, bits);
  EncoderParams params = params_of(p, Wavelet::irreversible_97, {});
  double best = 0, last = 0;
  for (const int bytes : {1000, 1500, 2000, 4000, 8000, 12000, 16000, 20000, 30000}) {
    params.targets = {{Kind::bytes, static_cast<std::uint64_t>(bytes)}};
    last = psnr(p, encode_to_targets(params, p, nullptr).bytes);
    std::printf("plane, 9/7: %d bytes, %.2f dB\n", bytes, last);
    EXPECT(last > best - 3, "%d bytes: %.2f dB, with fewer %.2f", bytes, last, best);
    best = std::max(best, last);
  }
  EXPECT(last == best && last > 72, "%.2f dB at best, %.2f of all bytes", best, last);
  params.visual_weighting = true;
  params.targets = {{Kind::bytes, 12000}};
  last = psnr(p, encode_to_targets(params, p, nullptr).bytes);
  EXPECT(last > 64, "visual: %.2f dB", last);
  params.visual_weighting = false;
  params.layers = 5;
  params.targets.assign(4, {Kind::automatic, 0});
  params.targets.push_back({Kind::bytes, 3840});
  const Targeted coded = encode_to_targets(params, p, nullptr);
  double before = 0;
  for (int layers = 1; layers <= 5; ++layers) {
    const double decibels = psnr(p, coded.bytes, layers);
    EXPECT(decibels > before + 1, "layer %d: %.2f dB after %.2f", layers, decibels, before);
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
    EXPECT(layers == 1 || length(layers) > length(layers - 1), "layer %d adds nothing", layers);
    const Decoded decoded = decode_stream(coded.bytes, layers);
    const double now = error_before_rounding(p, decoded);
    EXPECT(wavelet == Wavelet::reversible_53 || now < exact, "layer %d of %d: %f after %f", layers,
           count, now, exact);
    exact = now;
    worst = std::max(worst, mean_squared_error(p, decoded) / rounded);
    rounded = mean_squared_error(p, decoded);
    EXPECT(layers < count || rounded < least, "%f with all layers, %f with fewer", rounded, least);
    least = std::min(least, rounded);
  }
  std::printf("gradient, %s, %d layers: one has %.2f dB less than the one before, when rounded\n",
              name_of(wavelet), count, 10 * std::log10(worst));
  EXPECT(10 * std::log10(worst) < 1.5, "%.2f dB", 10 * std::log10(worst));
}

// Next to a photograph, a surface with less noise than the eye sees must not have to wait until the
// last of the photograph's bits have come.
void test_partly_flat() {
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
  EXPECT(most > best - 3, "%.2f dB, %.2f of 95 %% of the bytes", best, most);
}

// Of many blocks that a pass each is left of, some fit (which encode_to_targets() expects).
void test_small_steps() {
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
    encode_to_targets(params, small, nullptr);
  }
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
  test({"text", text(1), 0.5, 0.6}, {0.5, 2}, {30, 42});
  test({"made", picture(made_picture(400, 300, 3, 1)), 0.65, 0.85}, {0.25, 1}, {36, 40});
  test({"photograph", picture(read_pnm(COALESCE_TEST_DATA "/photograph_128x128.pgm")), 0.5, 0.6},
       {0.5, 2}, {30, 42});
  test({"text in colours", text(3), 0.5, 0.6}, {0.25, 2}, {30});
  test_gradient();
  for (const Picture &p : {plane(320, 240), gradient()})
    for (const Wavelet wavelet : {Wavelet::irreversible_97, Wavelet::reversible_53})
      for (const int count : {7, 20})
        test_layers_below_rounding(p, wavelet, count);
  test_partly_flat();
  test_small_steps();
  test_psnr_by_other_ways();
  test_psnr_of_screens();
  for (const Progression progression : {Progression::lrcp, Progression::rlcp, Progression::rpcl,
                                        Progression::pcrl, Progression::cprl})
    test_layers(progression, progression == Progression::rpcl ? 130 : 0);
  test_real_pictures();
  return result();
}
