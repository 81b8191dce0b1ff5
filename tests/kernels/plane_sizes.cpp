// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plane_sizes.h"

#include "picture/image.h"

namespace coalesce::test {
namespace {

// Rows of a plane are shared by so many of the picture.
int log2_height(const PixelFormat &format, int plane) {
  int log2 = 0;
  for (int c = 0; c < format.components; ++c)
    if (format.component[c].plane == plane) log2 = format.component[c].log2_height;
  return log2;
}

}  // namespace

std::vector<PlaneSize> plane_sizes(const PixelFormat &format, int width, int height,
                                   bool spare_row) {
  std::vector<PlaneSize> sizes;
  for (int p = 0; p < format.planes; ++p) {
    const int rows = plane_rows(format, p, height);
    const bool spare = spare_row && log2_height(format, p) == 1;
    sizes.push_back({static_cast<int>(row_bytes(format, p, width)), rows + (spare ? 1 : 0)});
  }
  return sizes;
}

bool may_have_spare_row(const PixelFormat &format, int height) {
  for (int p = 0; p < format.planes; ++p)
    if (log2_height(format, p) == 1) return plane_rows(format, p, height) % 2 == 1;
  return false;
}

}  // namespace coalesce::test
