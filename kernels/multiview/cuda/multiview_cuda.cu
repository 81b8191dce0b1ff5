// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../../core/cuda_status.h"
#include "scratch.h"

namespace coalesce {

Status find_depths_cuda(const MultiviewJob &, void *) {
  return {StatusCode::unsupported, "multiview has no CUDA kernels yet"};
}

}  // namespace coalesce
