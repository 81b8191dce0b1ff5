// SPDX-License-Identifier: LGPL-2.1-or-later
// docs/numerics.md, section blur, in the plainest words: a sample at a time, in 64 bits.
#pragma once

#include "blur/blur.h"

namespace coalesce::test {

void blur_reference(const BlurParams &params, const ConstImage &in, const Image &out);

}  // namespace coalesce::test
