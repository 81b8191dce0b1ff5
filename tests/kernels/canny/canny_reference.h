// SPDX-License-Identifier: LGPL-2.1-or-later
// docs/numerics.md, section canny, in the plainest words: whole pictures of gradients, then a walk
// from each strong pixel.
#pragma once

#include "canny/canny.h"

namespace coalesce::test {

// Every byte of every row.
void canny_reference(const CannyParams &params, const ConstImage &in, const Image &out);

}  // namespace coalesce::test
