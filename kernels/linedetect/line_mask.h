// SPDX-License-Identifier: LGPL-2.1-or-later
// Lines as a mask of pixels, to be drawn on a picture by draw_edges() of kernels/canny.
#pragma once

#include "linedetect.h"

namespace coalesce {

constexpr int kMaxLineThickness = 15;

// Makes a mask: 255 where a line is, elsewhere 0 (docs/numerics.md).
//
// lines, count  as linedetect() stores them, in the memory of the queue; ends may be outside the
//               mask, and anywhere within 2^24 of 256ths. They are of an earlier call on this queue
// max_lines     from 1 to kMaxLines; if count->lines is more, only so many lines are drawn
// thickness     pixels, from 1 to kMaxLineThickness, across or down
// mask          GRAY8, from 1x1; any pitch and alignment
//
// Errors: invalid_argument for pictures, parameters and memory that break the above or image.h;
// unsupported for a CUDA queue in a build without CUDA kernels, or on a device they were not built
// for; device_error.
Status draw_line_mask(const Line *lines, const LineCount *count, int max_lines, int thickness,
                      const Image &mask, const Queue &queue);

}  // namespace coalesce
