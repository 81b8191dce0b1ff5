// SPDX-License-Identifier: LGPL-2.1-or-later
#include "median_judge.h"

#include "../../check/images.h"
#include "../../check/median/median_reference.h"
#include "../fuzz.h"

namespace test {
namespace {

// Of what all windows of a frame have together.
constexpr gsize kMostSamples = 1 << 24;

RankFilter filter_of(GstElement *element) {
  constexpr const char *kBorders[] = {"replicate", "reflect", "reflect-101", "wrap", "constant"};
  gint size = 0, preset = 0, border = 0, planes = 0;
  gboolean alpha = FALSE;
  RankFilter filter;
  g_object_get(element, "size", &size, "width", &filter.width, "height", &filter.height,
               "percentile", &filter.percentile, "preset", &preset, "border", &border,
               "border-value", &filter.border_value, "planes", &planes, "filter-alpha", &alpha,
               nullptr);
  if (preset != 0) filter.percentile = preset == 1 ? 0 : 100;
  if (filter.width == 0) filter.width = size;
  if (filter.height == 0) filter.height = size;
  filter.border = kBorders[border];
  filter.luma_only = planes != 0;
  filter.filter_alpha = alpha != FALSE;
  return filter;
}

}  // namespace

bool median_is_sound(GstElement *element) {
  const RankFilter filter = filter_of(element);
  return filter.width % 2 == 1 && filter.height % 2 == 1;
}

void check_median(const Work &work, bool interlaced) {
  const RankFilter filter = filter_of(work.element);
  if (static_cast<gsize>(filter.width * filter.height) * work.in_info.size > kMostSamples) return;
  GstVideoFrame in, out;
  fail_unless(gst_video_frame_map(&in, &work.in_info, work.in, GST_MAP_READ));
  fail_unless(gst_video_frame_map(&out, &work.out_info, work.out, GST_MAP_READ));
  const std::string difference = rank_difference(
      in, out, filter, [&](int plane) { return filtered_rows(work.in_info, plane, interlaced); });
  gst_video_frame_unmap(&in);
  gst_video_frame_unmap(&out);
  DEMAND(difference.empty(), "%s", difference.c_str());
}

}  // namespace test
