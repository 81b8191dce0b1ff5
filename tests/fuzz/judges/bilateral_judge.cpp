// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bilateral_judge.h"

#include "../../check/bilateral/bilateral_reference.h"
#include "../../check/images.h"
#include "../fuzz.h"

namespace test {
namespace {

// Of what all windows of a frame have together, in all iterations.
constexpr gsize kMostSamples = 1 << 24;

BilateralFilter filter_of(GstElement *element) {
  constexpr const char *kBorders[] = {"replicate", "reflect", "reflect-101", "wrap", "constant"};
  gint border = 0, planes = 0;
  gboolean alpha = FALSE;
  BilateralFilter filter;
  g_object_get(element, "radius", &filter.radius, "sigma-space", &filter.sigma_space, "sigma-range",
               &filter.sigma_range, "iterations", &filter.iterations, "border", &border,
               "border-value", &filter.border_value, "planes", &planes, "filter-alpha", &alpha,
               nullptr);
  filter.border = kBorders[border];
  filter.luma_only = planes != 0;
  filter.filter_alpha = alpha != FALSE;
  return filter;
}

}  // namespace

void check_bilateral(const Work &work, bool interlaced) {
  const BilateralFilter filter = filter_of(work.element);
  const int square = (2 * filter.radius + 1) * (2 * filter.radius + 1);
  if (static_cast<gsize>(square * filter.iterations) * work.in_info.size > kMostSamples) return;
  GstVideoFrame in, out;
  fail_unless(gst_video_frame_map(&in, &work.in_info, work.in, GST_MAP_READ));
  fail_unless(gst_video_frame_map(&out, &work.out_info, work.out, GST_MAP_READ));
  const std::string difference = bilateral_difference(
      in, out, filter, [&](int plane) { return filtered_rows(work.in_info, plane, interlaced); });
  gst_video_frame_unmap(&in);
  gst_video_frame_unmap(&out);
  DEMAND(difference.empty(), "%s", difference.c_str());
}

}  // namespace test
