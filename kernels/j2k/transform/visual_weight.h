// SPDX-License-Identifier: LGPL-2.1-or-later
// How much of an error in a sub-band is seen.
#pragma once

#include "../canvas/band.h"

namespace coalesce::j2k {

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
