// SPDX-License-Identifier: LGPL-2.1-or-later
// convolve and sepconvolve with any properties.
#pragma once

#include "../element_judges.h"

namespace test {

// The properties must be sound.
void check_convolve(const Work &work, bool interlaced);

}  // namespace test
