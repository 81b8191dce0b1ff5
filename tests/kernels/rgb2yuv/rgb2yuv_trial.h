// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "../check.h"
#include "rgb2yuv/rgb2yuv.h"

namespace coalesce::test {

using Rgb2yuv =
    std::function<Status(const Rgb2yuvParams &, const ConstImage &, const Image &, const Queue &)>;

struct Rgb2yuvTrialOptions {
  bool aligned = false;  // for variants that know nothing else: base and pitch to 16, width to 64
  bool roomy = false;    // for planted bugs, which must not crash
  const char *in = nullptr, *out = nullptr;  // formats
  bool full_range = false;  // to full range: chroma of plain blues then lies on halves
};

std::string rgb2yuv_trial(const Rgb2yuv &operation, const Rgb2yuvTrialOptions &options,
                          Random &random, int index, const Backend &backend);

// Broken ones (planted_rgb2yuv.cpp, planted_cuda.cu).
std::vector<PlantedBug> rgb2yuv_planted();

}  // namespace coalesce::test
