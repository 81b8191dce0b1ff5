// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../view_job.h"

namespace coalesce {
namespace {

constexpr int kGrain = 16;  // rows of a range, at least

}  // namespace

void depths_cpu(const DepthJob &job, ThreadPool *pool) {
  for_ranges(pool, job.in.height, kGrain, [&](int first, int last) {
    for (int y = first; y < last; ++y)
      for (int x = 0; x < job.in.width; ++x)
        job.out.row(y)[x] = depth_of(job.scale, job.in.row(y)[x]);
  });
}

void hide_outside_cpu(const OutsideJob &job, ThreadPool *pool) {
  for_ranges(pool, job.disparities.height, kGrain, [&](int first, int last) {
    for (int y = first; y < last; ++y) {
      std::uint16_t *row = job.disparities.row(y);
      for (int x = 0; x < job.disparities.width; ++x)
        if (row[x] != 0 && !is_seen_by_both(job, row[x], x, y)) row[x] = 0;
    }
  });
}

void colours_cpu(const ColourJob &job, ThreadPool *pool) {
  for_ranges(pool, job.in.height, kGrain, [&](int first, int last) {
    for (int y = first; y < last; ++y) {
      const std::uint16_t *from = job.in.row(y);
      std::uint8_t *to = job.out.row(y);
      for (int x = 0; x < job.in.width; ++x)
        for (std::uint32_t i = 0, pixel = colour_of(job, kColourMaps, from[x]);
             i < static_cast<std::uint32_t>(job.bytes); ++i, pixel >>= 8)
          *to++ = static_cast<std::uint8_t>(pixel);
    }
  });
}

}  // namespace coalesce
