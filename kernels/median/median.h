// SPDX-License-Identifier: LGPL-2.1-or-later
// Rank filter of pictures: the median of a window, or another percentile of it.
#pragma once

#include "../core/border.h"
#include "../core/queue.h"
#include "../core/status.h"
#include "../picture/containers.h"
#include "../picture/image.h"

namespace coalesce {

constexpr int kMaxMedianSize = 75;  // columns or rows of a window

struct MedianParams {
  int width = 3, height = 3;  // of the window, odd, from 1 to kMaxMedianSize
  double percentile = 50;     // 0: the least sample, 100: the largest one
  Border border = Border::replicate;
  int border_value = 0;       // constant: of luma, R, G, B and alpha; chroma uses its middle
  bool luma_only = false;     // chroma is copied
  bool filter_alpha = false;  // like luma, instead of copying it
};

// The number, from 0 on, of the sample that is a percentile of `count` sorted ones:
// floor(p (count - 1) + 1/2), p being a multiple of 10^-6 (docs/numerics.md).
int median_rank(int count, double percentile);

// Filters a picture: `out` has the format and size of `in`. Padding, alpha, and with luma_only
// chroma, are copied. Each channel is filtered by itself, the rows of both fields together.
//
// Formats are those of picture/channels.h: planar, semi-planar or of packed pixels, with components
// of 8, 10, 12 or 16 bits in bytes or in words of 16 bits; packed 4:2:2, fields of ten bits among
// it; and words of three such fields. Alpha of two bits is always copied.
// Interlaced pictures may differ in the row more of chroma that image.h allows. Where only `out`
// has it, it becomes a copy of the nearest row of its field. Any width and height from 1 to 2^28
// (bytes of a row, rows); pitches and addresses are multiples of what container_alignment() says,
// which is 1 for bytes. The planes must not overlap (which is not checked).
//
// scratch: container_scratch_bytes() of the queue's back end (picture/containers.h), for packed
// 4:2:2 and words of fields, which are filtered by way of planes. Aligned to 16 bytes, and nobody
// else's until the work has been done. Other formats need none.
//
// Errors: invalid_argument for pictures and parameters that break the above or image.h; unsupported
// for a CUDA queue in a build without CUDA kernels, or on a device they were not built for;
// device_error.
Status median(const MedianParams &params, const ConstImage &in, const Image &out,
              const Queue &queue, void *scratch = nullptr);

}  // namespace coalesce
