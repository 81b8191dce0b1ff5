// SPDX-License-Identifier: LGPL-2.1-or-later
#include "strip_launch.cuh"

namespace coalesce {
namespace {

bool built_for_device() {
  static MmaKernel kernel(
      reinterpret_cast<const void *>(strip_kernel<StripShape<3, 1, 1, false, false>>),
      COALESCE_BULK_COPY_FROM);
  return kernel.built();
}

}  // namespace

bool has_one_segment(const Filter &f) {
  return f.height <= 9 && strip_window_width(f) <= kSegmentColumns + 1;
}

bool strip_takes(const ConvolveParams &params, const ConvolvePlane &plane) {
  const Filter &f = *params.filter;
  if (f.weights.empty() || strip_sums(params).digits == 0) return false;
  if (plane.channels == 3 && f.depth.bytes() == 2) return false;
  return !is_copied(plane) && plane.in.width >= 4 && built_for_device() && has_plane_maps();
}

Status launch_strip(const ConvolveParams &params, const ConvolvePlane *const *planes, int count,
                    cudaStream_t stream) {
  return std::all_of(planes, planes + count, [](auto *plane) { return is_aligned(*plane); })
             ? launch_strips<false>(params, planes, count, stream)
             : launch_strips_anywhere(params, planes, count, stream);
}

}  // namespace coalesce
