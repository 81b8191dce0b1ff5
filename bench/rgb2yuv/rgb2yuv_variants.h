// SPDX-License-Identifier: LGPL-2.1-or-later
// The shapes of the 24-bit kernels that were thought of, for the benchmark and not in the library:
// those of the post "24-bit RGB in CUDA" and of its reader, and the library's own with shorter and
// longer chunks, more rows, other blocks, and shared memory between.
#pragma once

#include "rgb2yuv/rgb2yuv.h"

namespace coalesce {

// From RGB to `out`. Every plane starts on 16 bytes and has a pitch of a multiple of 16;
// widths are multiples of 64 pixels.
struct Rgb2yuvVariant {
  const char *name;
  const char *out;  // format
  Status (*run)(const Rgb2yuvParams &params, const ConstImage &in, const Image &out, void *stream);
};

struct Rgb2yuvVariants {
  const Rgb2yuvVariant *first;
  int count;
  const Rgb2yuvVariant *begin() const { return first; }
  const Rgb2yuvVariant *end() const { return first + count; }
};

Rgb2yuvVariants rgb2yuv_variants();  // the first of each `out` is the plainest

}  // namespace coalesce
