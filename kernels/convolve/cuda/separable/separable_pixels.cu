// SPDX-License-Identifier: LGPL-2.1-or-later
#include "launch.cuh"

namespace coalesce {

Status run_separable_pixels(const SeparableJob &job) {
  return AllShapes::run(job, [&job](auto shape) {
    using Shape = decltype(shape);
    if constexpr (Shape::kAcrossUnits <= 5)
      if (job.wide()) return run_wide<Shape>(job);
    return run_narrow<Shape>(job);
  });
}

}  // namespace coalesce
