// SPDX-License-Identifier: LGPL-2.1-or-later
#include "launch.cuh"

namespace coalesce {

Status run_separable_pixels(const SeparableJob &job) {
  return run_separable_bytes<true>(job);
}

}  // namespace coalesce
