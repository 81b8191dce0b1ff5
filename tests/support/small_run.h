// SPDX-License-Identifier: LGPL-2.1-or-later
// COALESCE_TEST_SMALL=1: fewer trials, for tools under which everything is slow.
#pragma once

#include <cstdlib>

namespace coalesce::test {

// Of trials by chance the first quarter. That is enough to get everywhere in the code, which is
// what the sanitizers look at: listed sizes, and kinds that come by turns, are among the first.
inline int few_of(int trials) {
  return std::getenv("COALESCE_TEST_SMALL") != nullptr ? (trials + 3) / 4 : trials;
}

}  // namespace coalesce::test
