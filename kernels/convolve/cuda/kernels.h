// SPDX-License-Identifier: LGPL-2.1-or-later
// The CUDA kernels that convolve_cuda() chooses from. All give the same bytes. Their parameters
// have a cache.
#pragma once

#include <cuda_runtime.h>

#include "../planes.h"
#include "choice.h"

namespace coalesce {

// The smallest and the largest weight of a filter that has some.
struct WeightRange {
  std::int32_t least, most;
};
WeightRange weight_range(const ConvolveParams &params);

// To 16 bytes, input and output?
inline bool is_aligned(const ConvolvePlane &plane) {
  const auto addresses = reinterpret_cast<std::uintptr_t>(plane.in.data) | plane.in.pitch |
                         reinterpret_cast<std::uintptr_t>(plane.out.data) | plane.out.pitch;
  return addresses % 16 == 0;
}

// Copies what has the role copy, and clears the bits of the other samples that say nothing.
Status launch_copy(SampleDepth depth, const ConvolvePlane &plane, cudaStream_t stream);

// Any filter with weights for masks of up to kMaxMaskSize, any plane.
Status launch_direct(const ConvolveParams &params, const ConvolvePlane &plane, cudaStream_t stream);

// Any separable filter, any plane.
Status launch_separable(const ConvolveParams &params, const ConvolvePlane &plane,
                        cudaStream_t stream);

// Those planes of the image that tensor cores can filter, if the taps have a way to sum
// (numbers.h); on devices of compute capability 8.0 on. Returns their bits.
unsigned launch_separable_mma(const ConvolveParams &params, const ConvolvePlanes &image,
                              cudaStream_t stream, Status *status);

// Does it, of planes of one channel with such samples, but not of this plane of four?
bool separable_mma_wants_planes(const ConvolveParams &params, const ConvolvePlane &plane);

// 8 bits, up to 5 x 5 weights of 8 bits.
bool small_takes(const ConvolveParams &params, const ConvolvePlane &plane);
Status launch_small(const ConvolveParams &params, const ConvolvePlane *const *planes, int count,
                    cudaStream_t stream);

// 8 bits, up to 31 x 31 weights of 8 or 16 bits, on tensor cores.
bool mma_takes(const ConvolveParams &params, const ConvolvePlane &plane);
Status launch_mma(const ConvolveParams &params, const ConvolvePlane &plane, cudaStream_t stream);

// Up to 31 x 31 weights of 8 or 16 bits, of 24 in up to 9 rows, on tensor cores: samples of 8 bits,
// or of more in pixels of 2, 4 or 8 bytes. Of compute capability 9.0 on. The fastest for masks of
// one segment: up to 9 rows, and 9 columns less what is free to the left of them.
bool strip_takes(const ConvolveParams &params, const ConvolvePlane &plane);
bool has_one_segment(const Filter &f);
Status launch_strip(const ConvolveParams &params, const ConvolvePlane *const *planes, int count,
                    cudaStream_t stream);

// 8 bits, up to 17 rows of weights of 8 or 16 bits that take 10 to 16 bytes, on sparse tensor
// cores: on devices of compute capability 9.0, if something is compiled for it.
bool sparse_takes(const ConvolveParams &params, const ConvolvePlane &plane);
Status launch_sparse(const ConvolveParams &params, const ConvolvePlane &plane, cudaStream_t stream);

}  // namespace coalesce
