// SPDX-License-Identifier: LGPL-2.1-or-later
#include "strip_launch.cuh"

namespace coalesce {

Status launch_strips_anywhere(const ConvolveParams &params, const ConvolvePlane *const *planes,
                              int count, cudaStream_t stream) {
  return launch_strips<true>(params, planes, count, stream);
}

}  // namespace coalesce
