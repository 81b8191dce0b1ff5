// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "picture/pixel_format.h"

namespace coalesce::test {

struct PlaneSize {
  int row_bytes;
  int height;
};
// spare_row: a row of 4:2:0 chroma more, as interlaced pictures may have.
std::vector<PlaneSize> plane_sizes(const PixelFormat &format, int width, int height,
                                   bool spare_row = false);
bool may_have_spare_row(const PixelFormat &format, int height);

}  // namespace coalesce::test
