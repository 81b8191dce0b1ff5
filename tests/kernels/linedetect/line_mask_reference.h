// SPDX-License-Identifier: LGPL-2.1-or-later
// docs/numerics.md, section linedetect, "Mask": line after line, pixel after pixel.
#pragma once

#include <vector>

#include "linedetect/line_mask.h"

namespace coalesce::test {

void line_mask_reference(const std::vector<Line> &lines, int thickness,
                         const Plane<std::uint8_t> &mask);

}  // namespace coalesce::test
