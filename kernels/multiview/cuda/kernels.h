// SPDX-License-Identifier: LGPL-2.1-or-later
// The steps of the CUDA back end.
#pragma once

#include "../../core/cuda_status.h"
#include "scratch.h"

namespace coalesce {

// What each neighbour says.
Status launch_sweep(const MultiviewJob &job, const MultiviewCudaScratch &s, cudaStream_t stream);

}  // namespace coalesce
