// SPDX-License-Identifier: LGPL-2.1-or-later
// Broken CUDA kernels for the self-test. In a build without CUDA none of them is called.
#pragma once

#include "rgb2yuv/rgb2yuv.h"
#include "uyvy2y/uyvy2y.h"

namespace coalesce::test {

enum class Planted { last_column, past_row, ignores_pitch, truncates };

Status planted_uyvy2y_cuda(Planted bug, const Uyvy2yParams &params,
                           Plane<const std::uint8_t> packed, const LumaImage &out,
                           const Queue &queue);

// From rgb to gray.
Status planted_rgb2yuv_cuda(Planted bug, const Rgb2yuvParams &params, const RgbImage &in,
                            const YuvImage &out, const Queue &queue);

// Reads past an allocation. Nothing but compute-sanitizer may notice. The program's exit status.
int run_planted_oob();

}  // namespace coalesce::test
