// SPDX-License-Identifier: LGPL-2.1-or-later
// median with any properties.
#pragma once

#include "../element_judges.h"

namespace test {

// Does the window have a middle?
bool median_is_sound(GstElement *element);
// The properties must be sound.
void check_median(const Work &work, bool interlaced);

}  // namespace test
