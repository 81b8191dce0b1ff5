// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "support.h"

namespace test {

void add_pixel_cases(Suite *suite);
void add_caps_cases(Suite *suite);
std::string real_picture_file();
void add_real_picture_case(Suite *suite);

}  // namespace test
