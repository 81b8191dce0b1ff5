// SPDX-License-Identifier: LGPL-2.1-or-later

#include "selftest.h"

namespace selftest {

extern const std::vector<Case> stream_cases, memory_cases, context_cases, fault_cases;

const std::vector<const std::vector<Case> *> all_cases = {&stream_cases, &memory_cases,
                                                          &context_cases, &fault_cases};

}  // namespace selftest
