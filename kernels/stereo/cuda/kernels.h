// SPDX-License-Identifier: LGPL-2.1-or-later
// The steps of the CUDA back end.
#pragma once

#include "../../core/cuda_status.h"
#include "scratch.h"

namespace coalesce {

Status launch_windows(const StereoJob &job, const StereoCudaScratch &s, cudaStream_t stream);
Status launch_paths(const StereoJob &job, const StereoCudaScratch &s, cudaStream_t stream);

}  // namespace coalesce
