// SPDX-License-Identifier: LGPL-2.1-or-later
#include "launch.cuh"

namespace coalesce {

Status run_separable_pixels(const SeparableJob &job) {
  return run_shape(job, [&job](auto shape) {
    using Shape = decltype(shape);
    return run_sums<Shape>(job.numbers->sums,
                           [&job](auto sums) { return run_separable<Shape, sums()>(job); });
  });
}

}  // namespace coalesce
