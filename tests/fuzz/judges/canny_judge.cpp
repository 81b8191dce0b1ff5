// SPDX-License-Identifier: LGPL-2.1-or-later
#include "canny_judge.h"

#include <algorithm>

#include "../../check/canny/canny_reference.h"
#include "../fuzz.h"
#include "convolve/mask/mask.h"

namespace test {

bool canny_is_sound(GstElement *element) {
  gint aperture = 0;
  gdouble sigma = 0;
  g_object_get(element, "aperture", &aperture, "sigma", &sigma, nullptr);
  return aperture % 2 == 1 && (sigma <= 0 || sigma >= coalesce::kMinSigma);
}

bool canny_has_its_format(GstElement *element, const GstVideoInfo &in) {
  gint output = 0;
  g_object_get(element, "output", &output, nullptr);
  const Owned<GstPad> pad(gst_element_get_static_pad(element, "src"));
  const CapsRef caps = current_caps(pad.get());
  GstVideoInfo out;
  return caps != nullptr && gst_video_info_from_caps(&out, caps.get()) &&
         GST_VIDEO_INFO_FORMAT(&out) ==
             (output != 0 ? GST_VIDEO_INFO_FORMAT(&in) : GST_VIDEO_FORMAT_GRAY8);
}

void check_canny(const Work &work, bool interlaced) {
  CannyFilter filter;
  coalesce::CannyParams &params = filter.params;
  gdouble sigma = 0;
  gboolean l2 = FALSE;
  gint output = 0;
  g_object_get(work.element, "low-threshold", &params.low, "high-threshold", &params.high,
               "aperture", &params.aperture, "l2-gradient", &l2, "sigma", &sigma, "output", &output,
               "edge-color", &filter.edge_color, nullptr);
  if (!canny_is_sound(work.element) || sigma > 0) return;
  params.low = std::clamp(params.low, 0., coalesce::kMaxCannyThreshold);
  params.high = std::clamp(params.high, 0., coalesce::kMaxCannyThreshold);
  params.l2 = l2 != FALSE;
  const bool grey = GST_VIDEO_INFO_FORMAT(&work.in_info) == GST_VIDEO_FORMAT_GRAY8;
  filter.overlay =
      grey ? output != 0 : GST_VIDEO_INFO_FORMAT(&work.out_info) != GST_VIDEO_FORMAT_GRAY8;
  const std::string difference =
      canny_difference(work.in, work.in_info, work.out, work.out_info, filter, interlaced);
  DEMAND(difference.empty(), "%s", difference.c_str());
}

}  // namespace test
