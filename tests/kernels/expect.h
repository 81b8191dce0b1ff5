// SPDX-License-Identifier: LGPL-2.1-or-later
// For tests that are no trials: what is not as expected is told, and counted for the exit status.
#pragma once

#include <cstdio>

namespace coalesce::test {

inline int failures = 0;

// What main() returns.
inline int result() {
  std::printf("%s\n", failures == 0 ? "ok" : "FAILED");
  return failures == 0 ? 0 : 1;
}

}  // namespace coalesce::test

#define EXPECT(condition, ...)                                         \
  do {                                                                 \
    if (!(condition)) {                                                \
      ++coalesce::test::failures;                                      \
      std::printf("FAIL %s:%d: %s: ", __FILE__, __LINE__, #condition); \
      std::printf(__VA_ARGS__);                                        \
      std::printf("\n");                                               \
    }                                                                  \
  } while (false)
