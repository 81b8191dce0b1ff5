// SPDX-License-Identifier: LGPL-2.1-or-later
// How large a wavelet coefficient can become, and what it and its error weigh in the picture.
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

// How much of an error in a sub-band is seen.
//
// A factor, 0 to 1, of an error's amplitude (its square, of the squared error). component: 0 for
// luma, 1 and 2 for Cb and Cr; alpha and R, G, B have no weights. level: of the decomposition, and
// one more for each time that the component has a quarter of the picture's samples (for the eye it
// is coarser); above 10 the weight is 1. LL is 1.
//
// The weights are exp(-a (c / 2^(level - 1))^p), c being 1 for HL and LH, rounded to 1/1024:
//         a     p     c of HH
//   Y     1.29  2.86  1.25
//   Cb    2.45  0.83  1.6
//   Cr    1.70  0.97  1.5
// That follows the contrast sensitivity that M. Nadenau (EPFL) measured for JPEG 2000, for a
// viewing distance of about 1,700 pixels: three times the height of a picture of 576 rows, one and
// a half times that of one of 1080.
double visual_weight(int component, Band band, int level);

}  // namespace coalesce::j2k
