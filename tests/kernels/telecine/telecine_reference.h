// SPDX-License-Identifier: LGPL-2.1-or-later
// docs/numerics.md, section telecine, in the plainest words: a sample at a time.
#pragma once

#include "telecine/combing.h"

namespace coalesce::test {

// parts: kCombingParts of them.
void combing_reference(const ConstImage &before, const ConstImage &current, Combing *parts);

}  // namespace coalesce::test
