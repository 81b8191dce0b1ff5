// SPDX-License-Identifier: LGPL-2.1-or-later
// One call of draw_line_mask(), checked, and which pixels are a line's.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../core/host_device.h"
#include "../core/thread_pool.h"
#include "line_mask.h"

namespace coalesce {

struct LineMaskJob {
  const Line *lines = nullptr;
  const LineCount *count = nullptr;
  std::uint32_t max_lines = 0;
  int thickness = 1;
  Plane<std::uint8_t> mask;
};

// A line as steps of one pixel along the axis that it is longer on. At each of them it has
// `thickness` pixels side by side.
struct LineSteps {
  bool upright;                               // steps go down, and pixels lie side by side across
  int first, last;                            // steps that are in the mask; none if last < first
  int side_size;                              // of the mask, side by side
  std::int64_t along, side, d_along, d_side;  // of the first end, and from there to the other one

  COALESCE_HOST_DEVICE LineSteps(const Line &line, int width, int height) {
    const std::int64_t dx = std::int64_t{line.x1} - line.x0, dy = std::int64_t{line.y1} - line.y0;
    upright = (dy < 0 ? -dy : dy) > (dx < 0 ? -dx : dx);
    along = upright ? line.y0 : line.x0, side = upright ? line.x0 : line.y0;
    d_along = upright ? dy : dx, d_side = upright ? dx : dy;
    if (d_along < 0) {
      along += d_along, side += d_side;
      d_along = -d_along, d_side = -d_side;
    }
    const std::int64_t begin = (along + 128) >> 8, end = (along + d_along + 128) >> 8;
    const int size = upright ? height : width;
    side_size = upright ? width : height;
    first = static_cast<int>(begin < 0 ? 0 : begin);
    last = static_cast<int>(end < size ? end : size - 1);
  }

  // The first of the pixels side by side. (All in 1/512 of a pixel, with halves up.)
  COALESCE_HOST_DEVICE int side_at(int step, int thickness) const {
    std::int64_t at = side;
    if (d_along > 0) {
      const std::int64_t way = (256 * std::int64_t{step} - along) * d_side;
      // Rounded down.
      at += way >= 0 ? way / d_along : -((-way + d_along - 1) / d_along);
    }
    return static_cast<int>((2 * at - 256 * (thickness - 1) + 256) >> 9);
  }
};

void draw_line_mask_cpu(const LineMaskJob &job, ThreadPool *pool);
Status draw_line_mask_cuda(const LineMaskJob &job, void *stream);

}  // namespace coalesce
