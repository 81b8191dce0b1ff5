// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cases.h"

#include "check.h"

namespace coalesce::test {

#define DECLARE(name) Case name##_case();
EACH_CASE(DECLARE)

std::vector<Case> all_cases() {
#define CALL(name) name##_case(),
  return {EACH_CASE(CALL)};
}

}  // namespace coalesce::test
