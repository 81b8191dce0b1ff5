// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "../../support/elements/elements.h"

namespace test {

void add_convolve_sample_cases(Suite *suite);    // formats, borders, anchors, sizes, fields
void add_convolve_property_cases(Suite *suite);  // presets, bad values
void add_convolve_change_cases(Suite *suite);    // while playing
void add_convolve_blur_cases(Suite *suite);      // preset=blur
void add_convolve_refusal_cases(Suite *suite);   // what is said, and how often

// Properties of an element: a text, and the nick of an enumeration's value.
std::string get_text(GstElement *element, const char *name);
void expect_text(GstElement *element, const char *name, const std::string &expected);
void expect_nick(GstElement *element, const char *name, const std::string &expected);

}  // namespace test
