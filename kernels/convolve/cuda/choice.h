// SPDX-License-Identifier: LGPL-2.1-or-later
// Which CUDA kernel convolve_cuda() takes for the direct algorithm: for tests and benchmarks.
#pragma once

#include "../planes.h"

namespace coalesce {

enum class ConvolveKernel : unsigned char {
  automatic,
  universal,  // universal.cu
  small,      // small.cu
  mma,        // general.cu
  strip,      // strip.cu
  sparse,     // sparse.cu
};

// convolve_cuda() by the direct algorithm, planes by this kernel. Unsupported if it does not take
// every plane that has something to filter. Parameters and image are those that convolve() would
// accept.
Status convolve_cuda_by(ConvolveKernel kernel, const ConvolveParams &params,
                        const ConvolvePlanes &image, void *stream);

}  // namespace coalesce
