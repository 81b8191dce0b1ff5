// SPDX-License-Identifier: LGPL-2.1-or-later
// The planes of two pictures as the back ends of convolve() see them.
#pragma once

#include "convolve.h"

namespace coalesce {

using ConvolvePlane = ChannelPlane;
using ConvolvePlanes = ChannelPlanes;

// As convolve() in convolve.h; luma_only and filter_alpha have been made into roles. Planes may
// differ in size.
Status convolve_planes(const ConvolveParams &params, const ConvolvePlanes &planes,
                       const Queue &queue,
                       ConvolveAlgorithm algorithm = ConvolveAlgorithm::automatic);

// What `automatic` takes for planes with these channels and roles.
ConvolveAlgorithm choose_algorithm(const Filter &filter, const ConvolvePlanes &planes,
                                   bool on_cuda);

// The back ends. Their arguments have been checked by convolve(), the algorithm has been chosen.
Status convolve_cpu(const ConvolveParams &params, const ConvolvePlanes &planes,
                    ConvolveAlgorithm algorithm, ThreadPool *pool);
Status convolve_cuda(const ConvolveParams &params, const ConvolvePlanes &planes,
                     ConvolveAlgorithm algorithm, void *stream);

// Of pixels of four samples of 16 bits: does the separable kernel filter their planes, but not the
// pixels, which need too much shared memory?
bool separable_cuda_wants_planes(const ConvolveParams &params, const ConvolvePlanes &planes);

}  // namespace coalesce
