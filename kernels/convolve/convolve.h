// SPDX-License-Identifier: LGPL-2.1-or-later
// Convolution of pictures with a mask, generic and separable.
#pragma once

#include <cstdint>

#include "../core/argument_cache.h"
#include "../core/border.h"
#include "../core/plane.h"
#include "../core/queue.h"
#include "../core/status.h"
#include "mask/filter.h"

namespace coalesce {

enum class ChannelRole : std::uint8_t {
  copy,    // alpha and padding, or a plane that is left alone: every bit of it
  level,   // luma, R, G, B, filtered alpha
  chroma,  // filtered around the middle of its range
};

// A plane of `channels` interleaved samples a pixel. Widths count bytes:
// width = pixels * channels * depth.bytes(). 16-bit samples are little-endian and aligned to 2
// bytes.
struct ConvolvePlane {
  Plane<const std::uint8_t> in;
  Plane<std::uint8_t> out;
  int channels = 1;  // 1 to 4
  ChannelRole role[4] = {ChannelRole::level, ChannelRole::level, ChannelRole::level,
                         ChannelRole::level};
};

struct ConvolveImage {
  ConvolvePlane plane[4];
  int planes = 1;
};

struct ConvolveParams {
  const Filter *filter = nullptr;  // needed until the call returns
  Border border = Border::replicate;
  int border_value = 0;  // constant: of level channels, in sample units; chroma uses its middle
  // Of this filter and no other, where a caller has one: what CUDA kernels make of it.
  ArgumentCache *cache = nullptr;
};

// The ways a filter can be computed. All give the same bytes.
enum class ConvolveAlgorithm : std::uint8_t {
  automatic,  // what the cost model expects to be fastest
  copy,       // the identity: nothing to compute
  direct,     // a multiplication for each element of the mask
  separable,  // across, then down, in one pass over memory
};

// Filters the planes of an image, which may differ in size.
// Any width and height from 1, any pitch, any alignment (2 bytes for 16-bit samples). The planes
// must not overlap (which is not checked).
//
// Errors: invalid_argument for planes and parameters that break the above; unsupported for an
// algorithm that cannot compute this filter, for a CUDA queue in a build without CUDA kernels, or
// on a device they were not built for; device_error.
//
// After "Implementing an efficient convolution operation on GPU" (see docs/convolve.md).
Status convolve(const ConvolveParams &params, const ConvolveImage &image, const Queue &queue,
                ConvolveAlgorithm algorithm = ConvolveAlgorithm::automatic);

// What `automatic` takes for an image on a queue of this kind.
ConvolveAlgorithm choose_algorithm(const Filter &filter, const ConvolveImage &image, bool on_cuda);

// The back ends. Their arguments have been checked by convolve(), the algorithm has been chosen.
Status convolve_cpu(const ConvolveParams &params, const ConvolveImage &image,
                    ConvolveAlgorithm algorithm, ThreadPool *pool);
Status convolve_cuda(const ConvolveParams &params, const ConvolveImage &image,
                     ConvolveAlgorithm algorithm, void *stream);

}  // namespace coalesce
