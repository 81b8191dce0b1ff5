// SPDX-License-Identifier: LGPL-2.1-or-later
// Rows are cleared, and then each range of rows has its pixels of all lines.
#include <algorithm>
#include <cstring>

#include "line_mask_job.h"

namespace coalesce {
namespace {

constexpr int kGrain = 256;  // rows of a range, at least: every range looks at every line

void draw_upright(const LineSteps &line, const LineMaskJob &job, int first, int last) {
  for (int y = std::max(line.first, first); y <= std::min(line.last, last - 1); ++y) {
    const int side = line.side_at(y, job.thickness);
    const int begin = std::max(side, 0), end = std::min(side + job.thickness, line.side_size);
    if (begin < end)
      std::memset(job.mask.row(y) + begin, 255, static_cast<std::size_t>(end - begin));
  }
}

void draw_flat(const LineSteps &line, const LineMaskJob &job, int first, int last) {
  for (int x = line.first; x <= line.last; ++x) {
    const int side = line.side_at(x, job.thickness);
    for (int y = std::max(side, first); y < std::min(side + job.thickness, last); ++y)
      job.mask.row(y)[x] = 255;
  }
}

}  // namespace

void draw_line_mask_cpu(const LineMaskJob &job, ThreadPool *pool) {
  const std::uint32_t count = std::min(job.count->lines, job.max_lines);
  for_ranges(pool, job.mask.height, kGrain, [&](int first, int last) {
    for (int y = first; y < last; ++y)
      std::memset(job.mask.row(y), 0, static_cast<std::size_t>(job.mask.width));
    for (std::uint32_t i = 0; i < count; ++i) {
      const LineSteps line(job.lines[i], job.mask.width, job.mask.height);
      line.upright ? draw_upright(line, job, first, last) : draw_flat(line, job, first, last);
    }
  });
}

}  // namespace coalesce
