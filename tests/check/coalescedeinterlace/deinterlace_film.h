// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "../../support/elements/run.h"

namespace test {

// Telecined video: pattern.
void add_film_tests(TCase *tests);

}  // namespace test
