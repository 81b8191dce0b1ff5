// SPDX-License-Identifier: LGPL-2.1-or-later
// Broken CUDA kernels for the self-test. In a build without CUDA none of them is called.
#pragma once

#include "convolve/planes.h"
#include "rgb2yuv/rgb2yuv.h"
#include "uyvy2y/uyvy2y.h"

namespace coalesce::test {

enum class Planted { last_column, past_row, ignores_pitch, truncates, wrong_border };

// To GRAY8.
Status planted_uyvy2y_cuda(Planted bug, const ConstImage &in, const Image &out, const Queue &queue);

// From RGB to GRAY8.
Status planted_rgb2yuv_cuda(Planted bug, const Rgb2yuvParams &params, const ConstImage &in,
                            const Image &out, const Queue &queue);

// One plane of 8-bit grey, masks of up to kPlantedMaskSize rows and columns, replicated border.
constexpr int kPlantedMaskSize = 15;
Status planted_convolve_cuda(Planted bug, const ConvolveParams &params, const ConvolvePlanes &image,
                             const Queue &queue);

// Reads past an allocation. Nothing but compute-sanitizer may notice. The program's exit status.
int run_planted_oob();

}  // namespace coalesce::test
