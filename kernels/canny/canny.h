// SPDX-License-Identifier: LGPL-2.1-or-later
// Edges of a picture, by Canny's method (A Computational Approach to Edge Detection, 1986): maxima
// of the gradient across the edge, kept where they are strong or hang together with strong ones.
#pragma once

#include <cstddef>

#include "../core/queue.h"
#include "../core/status.h"
#include "../picture/image.h"

namespace coalesce {

constexpr double kMaxCannyThreshold = 1e6;

struct CannyParams {
  // Of the gradient's magnitude, in units of samples times the weights of the Sobel filter: from 0
  // to kMaxCannyThreshold. An edge has a gradient above `high` somewhere, and above `low`
  // everywhere. They are swapped if low > high.
  double low = 50, high = 150;
  int aperture = 3;  // taps of the Sobel filter: 3, 5 or 7
  bool l2 = false;  // magnitude: root of the sum of squares, in place of the sum of absolute values
};

// Finds the edges of a picture: 255 where there is one, elsewhere 0. The bytes are those of
// OpenCV's Canny(), of luma, grey, or R, G and B in the order of memory (docs/numerics.md).
//
// in       any format with samples of 8 bits; its luma or grey is looked at, or R, G and B. Rows of
//          both fields together. Alpha is ignored
// out      GRAY8, of the same size; not the memory of `in` (which is not checked)
// size     from 1x1; ceil(width / 32) * height at most 2^26
// scratch  canny_scratch_bytes(), in the memory of the queue, aligned to 16 bytes, and nobody
//          else's until the work has been done
//
// Errors: invalid_argument for pictures, sizes, parameters and scratch memory that break the above
// or image.h; unsupported for a CUDA queue in a build without CUDA kernels, or on a device they
// were not built for; device_error.
Status canny(const CannyParams &params, const ConstImage &in, const Image &out, const Queue &queue,
             void *scratch);

// Of either back end, for a picture of this size.
std::size_t canny_scratch_bytes(int width, int height);

}  // namespace coalesce
