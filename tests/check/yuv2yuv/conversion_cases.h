// SPDX-License-Identifier: LGPL-2.1-or-later
// Cases that yuv2rgb and yuv2yuv have in common.
#pragma once

#include "../../support/elements/elements.h"

namespace test {

// Every pair of formats, sizes, layouts, fields, sites, properties, threads.
void add_conversion_cases(Suite *suite, const char *element);

}  // namespace test
