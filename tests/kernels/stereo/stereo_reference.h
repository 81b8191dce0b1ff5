// SPDX-License-Identifier: LGPL-2.1-or-later
// docs/numerics.md, section stereo, in the plainest words: all costs of all candidates, window by
// window and path by path.
#pragma once

#include "stereo/stereo.h"

namespace coalesce::test {

// Every sample of every row.
void stereo_reference(const StereoParams &params, const ConstImage &left, const ConstImage &right,
                      const Image &out);

}  // namespace coalesce::test
