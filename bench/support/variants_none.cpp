// SPDX-License-Identifier: LGPL-2.1-or-later
// The variants of kernels in a build without CUDA: there are none.
#include "bench/j2k/mq_variants.h"
#include "bench/rgb2yuv/rgb2yuv_variants.h"
#include "bench/uyvy2y/uyvy2y_variants.h"

namespace coalesce {

j2k::MqVariants j2k::mq_variants() {
  return {nullptr, 0};
}

Rgb2yuvVariants rgb2yuv_variants() {
  return {nullptr, 0};
}

Uyvy2yVariants uyvy2y_variants() {
  return {nullptr, 0};
}

}  // namespace coalesce
