// SPDX-License-Identifier: LGPL-2.1-or-later
// Symbols for which the MQ coder's carries go as far as they can, which by chance is rare.
#pragma once

#include <cstdint>
#include <vector>

#include "../../../support/random.h"

namespace coalesce::test {

// Many bytes FF, and many carries that come at once when one is complete: within the same four
// symbols (counted from the first), in which another byte may have been completed before.
std::vector<std::uint8_t> carries_through_ones(Random &random, int count);

}  // namespace coalesce::test
