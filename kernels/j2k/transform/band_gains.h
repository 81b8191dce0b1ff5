// SPDX-License-Identifier: LGPL-2.1-or-later
// What a wavelet coefficient weighs in the picture, and how large it can become.
#pragma once

#include "../canvas/band.h"
#include "../codestream/coding_params.h"

namespace coalesce::j2k {

// The sum of squares of what a coefficient 1 of the band at a level (0 to 10; 0 is the picture
// itself) becomes in the picture, when the others are 0: the squared L2 norm of the basis function.
// (5/3: without its rounding.)
double band_energy(Wavelet wavelet, Band band, int level);

// The largest absolute value of a coefficient if no sample has one above 1: the L1 norm of the
// analysis filter. (5/3: without its rounding.)
double band_gain(Wavelet wavelet, Band band, int level);

// The sum of squares of what a value 1 of a component becomes in R, G and B (T.800 G.2.2, G.3.2);
// components: Y, Cb, Cr. (5/3, reversible: without its rounding.)
double colour_energy(Wavelet wavelet, int component);

}  // namespace coalesce::j2k
