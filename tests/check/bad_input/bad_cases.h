// SPDX-License-Identifier: LGPL-2.1-or-later
// Bad input, for every element of the plugin.
#pragma once

#include "../../support/elements/elements.h"

namespace test {

void add_bad_buffer_cases(Suite *suite);  // buffers that are not what their caps say
void add_bad_caps_cases(Suite *suite);    // caps that nobody can mean, and none at all
void add_bad_setup_cases(
    Suite *suite);  // properties, a GPU that is not there, downstream's refusals

}  // namespace test
