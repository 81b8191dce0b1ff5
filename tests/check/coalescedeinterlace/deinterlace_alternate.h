// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "../../support/elements/run.h"

namespace test {

// Fields that come one a buffer: interlace-mode=alternate.
void add_alternate_tests(TCase *tests);

}  // namespace test
