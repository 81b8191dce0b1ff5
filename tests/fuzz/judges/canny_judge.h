// SPDX-License-Identifier: LGPL-2.1-or-later
// canny with any properties.
#pragma once

#include "../element_judges.h"

namespace test {

// Are the properties those of some canny?
bool canny_is_sound(GstElement *element);
// Has the output the format that the properties ask for? If not, the next frame brings other caps,
// which downstream may refuse.
bool canny_has_its_format(GstElement *element, const GstVideoInfo &in);
// Of properties that the element refuses, and of smoothed pictures, nothing is checked.
void check_canny(const Work &work, bool interlaced);

}  // namespace test
