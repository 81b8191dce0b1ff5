// SPDX-License-Identifier: LGPL-2.1-or-later
// Convolution of pictures with a mask, generic and separable.
#pragma once

#include <cstdint>

#include "../core/argument_cache.h"
#include "../core/border.h"
#include "../core/queue.h"
#include "../core/status.h"
#include "../picture/channels.h"
#include "../picture/containers.h"
#include "mask/filter.h"

namespace coalesce {

struct ConvolveParams {
  const Filter *filter = nullptr;  // needed until the call returns
  Border border = Border::replicate;
  int border_value = 0;       // constant: of luma, R, G, B and alpha; chroma uses its middle
  bool luma_only = false;     // chroma is copied
  bool filter_alpha = false;  // like luma, instead of copying it
  // Where a caller has it, for one call at a time, of this filter and no other: what CUDA kernels
  // make of it.
  ArgumentCache *cache = nullptr;
};

// The ways a filter can be computed. All give the same bytes.
enum class ConvolveAlgorithm : std::uint8_t {
  automatic,  // what the cost model expects to be fastest
  copy,       // the identity: nothing to compute
  direct,     // a multiplication for each element of the mask
  separable,  // across, then down, in one pass over memory
};

// Filters a picture: `out` has the format and size of `in`. Padding, alpha, and with luma_only
// chroma, are copied.
//
// Formats are planar, semi-planar or of packed pixels, with components of 8, 10, 12 or 16 bits in
// bytes or in words of 16 bits; packed 4:2:2, fields of ten bits among it; and words of three such
// fields. Alpha of two bits is always copied. Interlaced pictures may differ in the row more of
// chroma that image.h allows. Where only `out` has it, it becomes a copy of the nearest row of its
// field. Any width and height from 1 to 2^28 (bytes of a row, rows); pitches and addresses are
// multiples of what container_alignment() says, which is 1 for bytes. The planes must not overlap
// (which is not checked).
//
// scratch: convolve_scratch_bytes() of the queue's back end, for packed 4:2:2 and words of fields,
// which are filtered by way of planes. Aligned to 16 bytes, and nobody else's until the work has
// been done. Other formats need none; on CUDA long rows on pixels of 8 bytes are faster with it.
//
// Errors: invalid_argument for pictures and parameters that break the above or image.h; unsupported
// for an algorithm that cannot compute this filter, for a CUDA queue in a build without CUDA
// kernels, or on a device they were not built for; device_error.
//
// After "Implementing an efficient convolution operation on GPU" (see docs/convolve.md).
Status convolve(const ConvolveParams &params, const ConstImage &in, const Image &out,
                const Queue &queue, void *scratch = nullptr,
                ConvolveAlgorithm algorithm = ConvolveAlgorithm::automatic);

// Of pictures of a format that convolve() accepts. There must be a filter.
std::size_t convolve_scratch_bytes(const ConvolveParams &params, const ConstImage &image,
                                   bool on_cuda);

// What `automatic` takes for pictures of a format on a queue of this kind. There must be a filter,
// and a format that convolve() accepts.
ConvolveAlgorithm choose_algorithm(const ConvolveParams &params, const PixelFormat &format,
                                   bool on_cuda);

}  // namespace coalesce
