// SPDX-License-Identifier: LGPL-2.1-or-later
// Video formats as convolution sees them: planes of interleaved samples, each with its role.
#pragma once

#include "convolve/convolve.h"
#include "video/frame.h"
#include "video/pixelformat.h"

#define CONVOLVE_FORMATS                                                                     \
  "{ GRAY8, GRAY16_LE, I420, YV12, NV12, NV21, Y42B, Y444, P010_10LE, I420_10LE, I422_10LE," \
  " Y444_10LE, Y444_16LE, RGB, BGR, RGBx, BGRx, xRGB, xBGR, RGBA, BGRA, ARGB, ABGR, AYUV,"   \
  " VUYA, GBR, RGBP, BGRP }"

namespace coalesce::gst {

SampleDepth convolve_depth(const GstVideoInfo &info);

// The planes of two frames of one format. Interlaced 4:2:0 may have a row of chroma that only one
// of them has; it is left out.
ConvolveImage convolve_image(const Frame &in, const Frame &out, bool luma_only, bool filter_alpha);

// The row of chroma that only `out` has, to be copied once the rest is there, from the nearest row
// of the same field. No planes if there is none.
ConvolveImage convolve_missing_rows(const Frame &in, const Frame &out);

}  // namespace coalesce::gst
