// SPDX-License-Identifier: LGPL-2.1-or-later
// An obvious encoder, sample by sample and bit by bit, for the check tool: of the project's own, in
// libjpeg's arithmetic. It shares the tables of annex K with the encoder, and nothing else.
#pragma once

#include <cstdint>
#include <vector>

#include "jpeg/plan/encoder_params.h"
#include "picture/image.h"

namespace coalesce::test {

// Without EncoderParams::max_bytes.
std::vector<std::uint8_t> jpeg_reference(const jpeg::EncoderParams &params,
                                         const ConstImage &image);

// The samples that are coded, one component after the other.
struct CodedSamples {
  int h = 1, v = 1;  // chroma has one sample for so many of luma's
  int width[3] = {}, height[3] = {};
  std::vector<std::uint8_t> samples[3];
  int components = 0;
};
// Of YUV and grey, and of RGB that is kept.
CodedSamples samples_as_they_are(const ConstImage &image);
// R, G and B by turns.
std::vector<std::uint8_t> rgb_pixels(const ConstImage &image);

}  // namespace coalesce::test
