// SPDX-License-Identifier: LGPL-2.1-or-later
// From a mask and its divisor to integer weights, as docs/numerics.md has it.
#pragma once

#include <cstdint>
#include <vector>

#include "filter.h"
#include "quantize.h"

namespace coalesce {

// What is made into weights: a mask, or if that is empty, the outer product of a column and a row.
// All values are finite.
struct WeightsSource {
  int width = 0, height = 0;
  std::vector<double> mask;
  std::vector<double> across, down;
};

// Of all elements of a source, in units of a power of two. Nearly 0 is 0.
struct SourceSums {
  double sum = 0, absolute = 0;
};
SourceSums sums_of(const WeightsSource &source);

struct Divisor {
  bool sum = false;  // the source's own sum, which is positive
  double value = 1;  // else this
};

// In the orientation of the source.
struct Weights {
  std::vector<std::int32_t> mask;  // or if that is empty, the outer product of:
  std::vector<std::int32_t> across, down;
  std::int64_t divisor = 1;
  bool exact = true;

  Extent extent() const {
    return mask.empty() ? extent_of(down) * extent_of(across) : extent_of(mask);
  }
};

// False if they are beyond the fixed-point range. The source must not be all zero.
bool make_weights(const WeightsSource &source, const Divisor &divisor, SampleDepth depth,
                  Weights *weights);

}  // namespace coalesce
