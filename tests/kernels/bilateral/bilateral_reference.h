// SPDX-License-Identifier: LGPL-2.1-or-later
// docs/numerics.md, section bilateral, in the plainest words.
#pragma once

#include <vector>

#include "bilateral/bilateral.h"

namespace coalesce::test {

// A component's samples, row by row.
struct BilateralChannel {
  int columns = 0, rows = 0;
  int outside = 0;  // by border=constant
  std::vector<int> samples;

  int at(int x, int y) const { return samples[static_cast<std::size_t>(y * columns + x)]; }
};

// One pass over components that have one weight, all of one size: R, G and B, or one. max: the
// largest sample; rgb: is the format RGB?
void bilateral_pass_reference(const BilateralSettings &settings, Border border, int max, bool rgb,
                              std::vector<BilateralChannel> *channels);

// The whole operation: every byte of every row. `params.bilateral` is not looked at.
void bilateral_reference(const BilateralSettings &settings, const BilateralParams &params,
                         const ConstImage &in, const Image &out);

}  // namespace coalesce::test
