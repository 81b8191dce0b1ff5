// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "../../support/elements/elements.h"

namespace test {

void add_convolve_sample_cases(Suite *suite);    // formats, borders, anchors, sizes, fields
void add_convolve_property_cases(Suite *suite);  // presets, bad values
void add_convolve_change_cases(Suite *suite);    // while playing
void add_convolve_refusal_cases(Suite *suite);   // what is said, and how often

}  // namespace test
