// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../core/trace.h"
#include "../picture/point.cuh"
#include "invert_pixel.h"

namespace coalesce {

Status invert_cuda(const ConstImage &in, const Image &out, void *stream) {
  const TraceRange range("invert");
  return point_cuda(in, out, stream, invert_bits(in.format));
}

}  // namespace coalesce
