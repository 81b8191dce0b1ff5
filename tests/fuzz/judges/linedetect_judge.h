// SPDX-License-Identifier: LGPL-2.1-or-later
// linedetect with any properties.
#pragma once

#include "../element_judges.h"

namespace test {

// Of properties that the element refuses nothing is checked; of smoothed pictures, that a frame has
// lines, as many as it says.
void check_linedetect(const Work &work, bool interlaced);

}  // namespace test
