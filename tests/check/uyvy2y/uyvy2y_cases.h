// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "../../support/elements/elements.h"

namespace test {

void add_pixel_cases(Suite *suite);
void add_caps_cases(Suite *suite);

}  // namespace test
