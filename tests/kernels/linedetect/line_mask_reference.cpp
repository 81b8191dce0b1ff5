// SPDX-License-Identifier: LGPL-2.1-or-later
#include "line_mask_reference.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace coalesce::test {
namespace {

std::int64_t floor_of(std::int64_t a, std::int64_t b) {
  std::int64_t q = a / b;
  while (q * b > a)
    --q;
  return q;
}

void draw_reference(Line line, int thickness, const Plane<std::uint8_t> &mask) {
  const bool upright = std::abs(line.y1 - line.y0) > std::abs(line.x1 - line.x0);
  if (upright ? line.y1 < line.y0 : line.x1 < line.x0)
    std::swap(line.x0, line.x1), std::swap(line.y0, line.y1);
  const std::int64_t a0 = upright ? line.y0 : line.x0, a1 = upright ? line.y1 : line.x1;
  const std::int64_t s0 = upright ? line.x0 : line.y0, s1 = upright ? line.x1 : line.y1;
  for (std::int64_t k = floor_of(a0 + 128, 256); k <= floor_of(a1 + 128, 256); ++k) {
    const std::int64_t s = a0 == a1 ? s0 : s0 + floor_of((256 * k - a0) * (s1 - s0), a1 - a0);
    const std::int64_t first = floor_of(2 * s - 256 * (thickness - 1) + 256, 512);
    for (std::int64_t side = first; side < first + thickness; ++side) {
      const std::int64_t x = upright ? side : k, y = upright ? k : side;
      if (x >= 0 && y >= 0 && x < mask.width && y < mask.height)
        mask.row(static_cast<int>(y))[x] = 255;
    }
  }
}

}  // namespace

void line_mask_reference(const std::vector<Line> &lines, int thickness,
                         const Plane<std::uint8_t> &mask) {
  for (int y = 0; y < mask.height; ++y)
    std::fill_n(mask.row(y), mask.width, std::uint8_t{0});
  for (const Line &line : lines)
    draw_reference(line, thickness, mask);
}

}  // namespace coalesce::test
