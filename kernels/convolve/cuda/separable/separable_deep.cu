// SPDX-License-Identifier: LGPL-2.1-or-later
#include "launch.cuh"

namespace coalesce {

Status run_separable_deep(const SeparableJob &job) {
  return run_shape(job, [&job](auto shape) -> Status {
    using Shape = decltype(shape);
    if constexpr (Shape::kAcrossUnits <= kMostWideUnits)
      return job.numbers->sums == SeparableSums::deep
                 ? run_separable<Shape, SeparableSums::deep>(job)
                 : run_separable<Shape, SeparableSums::deep_long>(job);
    return {};
  });
}

}  // namespace coalesce
