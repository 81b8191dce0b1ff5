// SPDX-License-Identifier: LGPL-2.1-or-later
// oilpaint with any properties.
#pragma once

#include "../element_judges.h"

namespace test {

// Are the properties those of some picture that is painted?
bool oilpaint_is_sound(GstElement *element);
// Of frames that may have strokes of others, nothing is checked.
void check_oilpaint(const Work &work, bool interlaced);

}  // namespace test
