// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "../check.h"
#include "uyvy2y/uyvy2y.h"

namespace coalesce::test {

using Uyvy2y = std::function<Status(const ConstImage &, const Image &, const Queue &)>;

struct Uyvy2yTrialOptions {
  bool aligned = false;    // for variants that know nothing else: base, pitch and width
  bool roomy = false;      // for planted bugs, which must not crash
  bool luma_only = false;  // GRAY8
};

// What uyvy2y must do, a byte at a time.
void uyvy2y_reference(const ConstImage &in, const Image &out);

std::string uyvy2y_trial(const Uyvy2y &operation, const Uyvy2yTrialOptions &options, Random &random,
                         int index, const Backend &backend);

// Broken ones (planted_uyvy2y.cpp, planted_cuda.cu).
std::vector<PlantedBug> uyvy2y_planted();

}  // namespace coalesce::test
