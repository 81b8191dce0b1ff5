// SPDX-License-Identifier: LGPL-2.1-or-later
// cartoon with any properties.
#pragma once

#include "../element_judges.h"

namespace test {

// Of pictures and settings that the reference takes too long for, nothing is checked.
void check_cartoon(const Work &work, bool interlaced);

}  // namespace test
