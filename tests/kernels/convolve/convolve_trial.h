// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>

#include "../check.h"
#include "convolve/planes.h"

namespace coalesce::test {

using Convolve = std::function<Status(const ConvolveParams &, const ConvolvePlanes &, const Queue &,
                                      ConvolveAlgorithm)>;

struct ConvolveTrialOptions {
  bool roomy = false;             // for planted bugs, which must not crash
  bool only_automatic = false;    // not the other algorithms
  bool kernels = false;           // every CUDA kernel too
  bool for_matrix_units = false;  // the masks of matrix_settings(), large ones too; mostly aligned
  bool wide_rows = false;         // with these the masks of wide_settings() on a plane of pixels
  bool gray = false;              // one plane of one level channel
  int most_side = 63;             // rows and columns of masks
  std::optional<SampleDepth> depth = {};
  std::optional<Border> border = {};
};

std::string convolve_trial(const Convolve &operation, const ConvolveTrialOptions &options,
                           Random &random, int index, const Backend &backend);

// Fixed trials of pictures so large that a GPU's blocks take several steps (convolve_large.cpp).
// On CUDA alone: the CPU back end has no such steps. The last one is of planes of more than 4 GiB.
constexpr int kLargeConvolveTrials = 17;
std::string large_convolve_trial(const Convolve &operation, Random &random, int index,
                                 const Backend &backend);

// Broken ones (planted_convolve.cpp, planted_cuda.cu).
std::vector<PlantedBug> convolve_planted();

}  // namespace coalesce::test
