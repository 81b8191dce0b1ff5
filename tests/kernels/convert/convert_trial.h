// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "../check.h"
#include "convert/convert.h"

namespace coalesce::test {

using Convert =
    std::function<Status(const ConvertParams &, const ConstImage &, const Image &, const Queue &)>;

struct ConvertTrialOptions {
  bool roomy = false;                             // for planted bugs, which must not crash
  bool aligned = false;                           // as kernels for common shapes require
  const char *in = nullptr, *out = nullptr;       // formats
  std::function<void(ConvertParams *)> set = {};  // parameters that a planted bug is about
};

std::string convert_trial(const Convert &operation, const ConvertTrialOptions &options,
                          Random &random, int index, const Backend &backend);

// Broken ones (planted_convert.cpp).
std::vector<PlantedBug> convert_planted();

}  // namespace coalesce::test
