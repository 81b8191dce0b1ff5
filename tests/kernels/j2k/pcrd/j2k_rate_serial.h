// SPDX-License-Identifier: LGPL-2.1-or-later
// What the CUDA kernels of rate allocation do, one thread after the other: for machines without a
// GPU.
#pragma once

#include "j2k/pcrd/rate_cuda.h"

namespace coalesce::test {

// As find_hulls_cuda() and allocate_cuda(), on memory of the host.
void find_hulls_serial(const j2k::RateJob &job);
void allocate_serial(const j2k::RateJob &job, int first, int end);

}  // namespace coalesce::test
