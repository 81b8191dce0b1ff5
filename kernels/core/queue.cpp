// SPDX-License-Identifier: LGPL-2.1-or-later
#include "queue.h"

namespace coalesce {

bool cuda_kernels_built() {
  return COALESCE_CUDA_KERNELS != 0;
}

}  // namespace coalesce
