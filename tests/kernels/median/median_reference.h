// SPDX-License-Identifier: LGPL-2.1-or-later
// docs/numerics.md, section median, in the plainest words: each window is sorted.
#pragma once

#include "median/median.h"

namespace coalesce::test {

// The whole operation: every byte of every row.
void median_reference(const MedianParams &params, const ConstImage &in, const Image &out);

}  // namespace coalesce::test
