// SPDX-License-Identifier: LGPL-2.1-or-later
// stereodisparity with any properties.
#pragma once

#include "../element_judges.h"

namespace test {

// Are the properties those of some stereodisparity?
bool stereo_is_sound(GstElement *element);
// Nothing is checked where the reference would take long.
void check_stereo(const Work &work);

}  // namespace test
