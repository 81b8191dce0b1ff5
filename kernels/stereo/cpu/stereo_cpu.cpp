// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cstdlib>

#include "steps.h"

namespace coalesce {
namespace {

constexpr int kGrain = 64;  // rows of a range, at least

// What the right picture's pixel finds must be what has found it.
void check_row(const StereoJob &job, const StereoCpuScratch &s, int y) {
  const std::uint16_t *const index = s.index + static_cast<std::size_t>(y) * s.width;
  const std::uint16_t *const right = s.right_index + s.right_place(y);
  std::uint16_t *const found = job.found.row(y);
  for (int x = 0; x < job.width; ++x) {
    if (index[x] == kNoIndex) continue;
    const int disparity = job.params.min_disparity + job.params.disparities - 1 - index[x];
    if (x < disparity || std::abs(right[x - disparity] - index[x]) > job.params.left_right)
      found[x] = 0;
  }
}

}  // namespace

Status find_disparities_cpu(const StereoJob &job, ThreadPool *pool) {
  const StereoCpuScratch s(job.scratch, job.params, job.width, job.height);
  prepare_stereo_samples(job, s, pool);
  if (job.params.method == StereoMethod::ncc) prepare_ncc_windows(job, s, pool);
  if (job.params.method == StereoMethod::sgm)
    find_by_paths(job, s, pool);
  else
    find_by_windows(job, s, pool);
  if (job.checks_right())
    for_ranges(pool, job.height, kGrain, [&](int first, int last) {
      for (int y = first; y < last; ++y)
        check_row(job, s, y);
    });
  return {};
}

}  // namespace coalesce
