// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rgb2yuv.h"

namespace coalesce {

Status rgb2yuv_cuda(const Rgb2yuvParams &, const RgbImage &, const YuvImage &, void *) {
  return {StatusCode::unsupported, "rgb2yuv has no CUDA kernels yet"};
}

}  // namespace coalesce
