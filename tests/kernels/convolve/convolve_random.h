// SPDX-License-Identifier: LGPL-2.1-or-later
// Masks of every kind, by chance.
#pragma once

#include <string>

#include "../../support/random.h"
#include "convolve/mask/filter.h"

namespace coalesce::test {

double uniform(Random &random);  // 0 to less than 1

// Integer and real, positive and signed, full and sparse, of rank 1 and not, symmetric and not,
// sums of every sign, presets, anchors anywhere. At most `most_taps` elements in `most_side` rows
// and columns.
FilterSettings random_settings(Random &random, int most_taps, int most_side);

// Those among them that the kernels for matrix units, and others for bytes, are chosen for: each of
// these about as often.
FilterSettings matrix_settings(Random &random, int most_taps, int most_side);

// Integers in rows of 9 weights and more: of pixels, up to 121 bytes.
FilterSettings wide_settings(Random &random, int most_taps, int most_side);

std::string text(const FilterSettings &settings);
std::string text(const Filter &filter);

}  // namespace coalesce::test
