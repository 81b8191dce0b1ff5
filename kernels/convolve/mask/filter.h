// SPDX-License-Identifier: LGPL-2.1-or-later
// A mask made ready: integers, which alone decide every output sample. docs/numerics.md says how
// they come about and why no sum overflows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../core/status.h"
#include "../../picture/channels.h"
#include "mask.h"

namespace coalesce {

constexpr double kAutomatic = -1e18;

// What a user wants.
struct FilterSettings {
  // mask, or if `horizontal` is not empty: the outer product of vertical (down) and horizontal
  // (across), each a mask of one row; an empty vertical means the same as horizontal.
  Mask mask;
  std::vector<double> horizontal;
  std::vector<double> vertical;
  int anchor_x = -1;  // the mask's element that lies on the sample; -1: (size - 1) / 2
  int anchor_y = -1;
  bool correlate = false;  // do not flip
  bool normalize = true;
  bool absolute = false;
  double divisor = 0;        // 0: by `normalize`
  double bias = kAutomatic;  // in sample units; kAutomatic: by `normalize`
};

// Output sample = floor((N' + after) / divisor), saturated to 0 .. max, where
//   N  = sum over r, c of weight(r, c) * I(x + c - left, y + r - above)
//   N' = N + before, or its absolute value
// Every weight is weights[r * width + c] if there are weights, and down[r] * across[c] if it is
// separable; where it is both, both are the same numbers.
struct Filter {
  int width = 1, height = 1;  // taps, after rows and columns of zeros at the rim have gone
  int left = 0, above = 0;    // taps before the sample; may lie outside 0 .. width - 1
  bool separable = false;
  std::vector<std::int32_t> weights;  // empty where a product would not fit, and beyond 31 x 31
  std::vector<std::int32_t> across, down;
  std::int64_t divisor = 1;  // at least 1
  bool absolute = false;
  // Luma, RGB and alpha are `level`; chroma is filtered around its middle.
  struct Offsets {
    std::int64_t before = 0, after = 0;
  };
  Offsets level, chroma;
  // Every partial sum over weights in any order, N', N' + after, and divisor * (max + 1) fit
  // 31 bits and sign (else 63). For the sums over `across` alone the same is said apart.
  bool narrow = true;
  bool narrow_across = true;
  bool exact = true;  // no weight was rounded
  SampleDepth depth;
};

// Errors name the property and say what is wrong with it ("mask", "horizontal", "vertical",
// "anchor-x", "anchor-y", "divisor", "bias").
struct FilterError {
  std::string property;
  std::string text;
};

// Fills `filter`, or returns false with an error and leaves it alone.
bool make_filter(const FilterSettings &settings, SampleDepth depth, Filter *filter,
                 FilterError *error);

}  // namespace coalesce
