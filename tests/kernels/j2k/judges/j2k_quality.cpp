// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k_quality.h"

#include <cmath>
#include <cstdio>

#include "../../../support/doctest.h"
#include "../pcrd/j2k_targets.h"
#include "j2k/pcrd/rate.h"
#include "j2k_openjpeg.h"
#include "j2k_stream_decoder.h"

namespace coalesce::test {

using namespace j2k;
using Bytes = std::vector<std::uint8_t>;
using Kind = LayerBudget::Kind;

const char *name_of(Wavelet wavelet) {
  return wavelet == Wavelet::reversible_53 ? "5/3" : "9/7";
}

double psnr(const Picture &p, const Bytes &bytes, int layers) {
  const Decoded own = decode_stream(bytes, layers);
  CHECK(own.complaint == "");
  if (have_openjpeg()) {
    const Decoded decoded = decode_with_openjpeg(bytes, layers);
    CHECK(decoded.complaint == "");
    CHECK(largest_difference(decoded, own) <= 1);
  }
  return 10 * std::log10(255 * 255 / mean_squared_error(p, own));
}

EncoderParams params_of(const Picture &p, Wavelet wavelet, const LayerBudget &target) {
  EncoderParams params;
  params.coding = p.params;
  params.wavelet = wavelet;
  params.colour_transform = p.params.num_components == 3 && p.params.component[1].dx == 1;
  params.base_step = fine_base_step(params.colour_transform);
  params.targets = {target};
  return params;
}

void test_against_openjpeg(const Subject &s, Wavelet wavelet, double bits_per_pixel) {
  if (!have_openjpeg()) return skip("the tests were built without OpenJPEG");
  const Rect &image = s.picture.params.image;
  const double pixels = static_cast<double>(image.width()) * image.height();
  const Bytes theirs = encode_with_openjpeg(
      s.picture, wavelet, static_cast<std::uint64_t>(bits_per_pixel / 8 * pixels));
  CHECK_MESSAGE(!theirs.empty(), "OpenJPEG did not encode");
  if (theirs.empty()) return;
  const EncoderParams params = params_of(s.picture, wavelet, {Kind::bytes, theirs.size()});
  const Bytes ours = encode_to_targets(params, s.picture, nullptr).bytes;
  const double decibels = psnr(s.picture, ours), more = decibels - psnr(s.picture, theirs);
  std::printf("%s, %s: %zu bytes, %.2f dB, %+.2f dB against OpenJPEG\n", s.name.c_str(),
              name_of(wavelet), ours.size(), decibels, more);
  CHECK_MESSAGE(more > -0.3, s.name, ", ", name_of(wavelet), ", ", theirs.size(), " bytes: ", more,
                " dB");
}

double psnr_at(EncoderParams params, const Picture &p, double wanted) {
  params.base_step = base_step_at_psnr(params, wanted);
  params.targets = {target_at_psnr(params, wanted)};
  return psnr(p, encode_to_targets(params, p, nullptr).bytes);
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

}  // namespace coalesce::test
