// SPDX-License-Identifier: LGPL-2.1-or-later
// docs/numerics.md, section bilateral, in the plainest words: every weight is computed where it is
// used.
#pragma once

#include "bilateral/bilateral.h"

namespace coalesce::test {

// The whole operation: every byte of every row. `params.bilateral` is not looked at.
void bilateral_reference(const BilateralSettings &settings, const BilateralParams &params,
                         const ConstImage &in, const Image &out);

}  // namespace coalesce::test
