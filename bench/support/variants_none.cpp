// SPDX-License-Identifier: LGPL-2.1-or-later
// The variants of kernels in a build without CUDA: there are none.
#include "bench/j2k/mq_variants.h"
#include "bench/record/book_filters.h"
#include "bench/record/three_tap.h"
#include "bench/rgb2yuv/rgb2yuv_variants.h"
#include "bench/uyvy2y/uyvy2y_variants.h"

namespace coalesce {

j2k::MqVariants j2k::mq_variants() {
  return {nullptr, 0};
}

namespace {
const Status kNone = {StatusCode::unsupported, "this build has no CUDA kernels"};
}

BookVariants book_variants() {
  return {nullptr, 0};
}

Status time_both_ways(std::size_t, double *) {
  return kNone;
}

ThreeTapVariants three_tap_variants() {
  return {nullptr, 0};
}

Status time_three_tap(const ThreeTapVariant &, Transfers, int, int, const std::uint32_t *,
                      std::uint32_t *, FrameSteps *) {
  return kNone;
}

Status time_three_tap_streams(const ThreeTapVariant &, int, int, int, const std::uint32_t *,
                              std::uint32_t *, double *) {
  return kNone;
}

Rgb2yuvVariants rgb2yuv_variants() {
  return {nullptr, 0};
}

Uyvy2yVariants uyvy2y_variants() {
  return {nullptr, 0};
}

}  // namespace coalesce
