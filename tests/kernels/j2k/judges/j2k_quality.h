// SPDX-License-Identifier: LGPL-2.1-or-later
// How good codestreams are, beside OpenJPEG's and as decoders show it; and pictures to try it on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../encoder/j2k_encode.h"
#include "../encoder/j2k_plain_picture.h"
#include "j2k/params/encoder_params.h"

namespace coalesce::test {

struct Subject {
  std::string name;
  Picture picture;
  double slack_97, slack_53;  // of a PSNR
};

const char *name_of(j2k::Wavelet wavelet);

// By OpenJPEG and the tests' own decoder, which agree. Infinite for no error.
double psnr(const Picture &p, const std::vector<std::uint8_t> &bytes, int layers = 0);

// With the steps that rates have, and the colour transform where it can be.
j2k::EncoderParams params_of(const Picture &p, j2k::Wavelet wavelet,
                             const j2k::LayerBudget &target);

// At as many bytes as OpenJPEG's encoder makes of so many bits.
void test_against_openjpeg(const Subject &s, j2k::Wavelet wavelet, double bits_per_pixel);

// What comes out where `wanted` dB are asked for.
double psnr_at(j2k::EncoderParams params, const Picture &p, double wanted);

// 320 x 240, of 8 bits. sample(x, y, c).
template <class Sample>
Picture made(int components, Sample &&sample) {
  PlainPicture plain = {320, 240, components, {}};
  for (int c = 0; c < components; ++c)
    for (int y = 0; y < plain.height; ++y)
      for (int x = 0; x < plain.width; ++x)
        plain.samples.push_back(static_cast<std::uint8_t>(sample(x, y, c)));
  return picture(plain);
}

// In three components.
Picture gradient();
Picture plane(int width, int height);

// Letters of five by seven dots, each of 2 x 2 samples.
Picture text(int components);

}  // namespace coalesce::test
