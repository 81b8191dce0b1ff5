// SPDX-License-Identifier: LGPL-2.1-or-later
// docs/numerics.md, section cartoon, in the plainest words; areas, edges and the overlay by the
// references of their own operations.
#pragma once

#include "cartoon/cartoon.h"

namespace coalesce::test {

// What a level of luma becomes.
int cartoon_tone(const CartoonSettings &settings, int level);

// Every byte of every row.
void cartoon_reference(const CartoonSettings &settings, const ConstImage &in, const Image &out);

}  // namespace coalesce::test
