// SPDX-License-Identifier: LGPL-2.1-or-later
// multiview with any properties.
#pragma once

#include "../element_judges.h"

namespace test {

// Are the properties those of some multiview, with a pad for each of the first cameras?
bool multiview_is_sound(GstElement *element);
// Nothing is checked where the reference would take long.
void check_multiview(const Work &work);

}  // namespace test
