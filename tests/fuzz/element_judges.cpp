// SPDX-License-Identifier: LGPL-2.1-or-later
#include "element_judges.h"

#include <cstring>

#include "../check/uyvy2y/uyvy2y_reference.h"
#include "../check/yuv2yuv/conversion_reference.h"
#include "judges/bilateral_judge.h"
#include "judges/canny_judge.h"
#include "judges/cartoon_judge.h"
#include "judges/convolve_judge.h"
#include "judges/linedetect_judge.h"
#include "judges/median_judge.h"
#include "judges/multiview_judge.h"
#include "judges/oilpaint_judge.h"
#include "judges/stereo_judge.h"

namespace test {
namespace {

// As GStreamer itself has it: by the caps, of mixed video by the buffer.
bool is_interlaced(const Work &work) {
  GstVideoFrame frame;
  fail_unless(gst_video_frame_map(&frame, &work.in_info, work.in, GST_MAP_READ));
  guint flags;  // of a GstVideoMeta: any number
  std::memcpy(&flags, &frame.flags, sizeof flags);
  gst_video_frame_unmap(&frame);
  return (flags & GST_VIDEO_FRAME_FLAG_INTERLACED) != 0;
}

// Interlaced 4:2:0 with an odd number of rows of chroma has one more, unless a GstVideoMeta leaves
// no room for it: the references know one case or the other.
bool rows_are_certain(const Work &work) {
  const bool halved = GST_VIDEO_INFO_N_COMPONENTS(&work.out_info) >= 3 &&
                      GST_VIDEO_FORMAT_INFO_H_SUB(work.out_info.finfo, 1) > 0;
  const bool odd = (work.out_info.height + 1) / 2 % 2 == 1;
  return !halved || !odd || !is_interlaced(work) ||
         (gst_buffer_get_video_meta(work.in) == nullptr &&
          gst_buffer_get_video_meta(work.out) == nullptr);
}

void judge_conversion(const Work &work) {
  check_conversion(work.element, work.in, work.in_info, work.out, work.out_info,
                   is_interlaced(work));
}

void judge_uyvy2y(const Work &work) {
  check_uyvy2y(work.in, work.in_info, work.out, work.out_info);
}

void judge_canny(const Work &work) {
  check_canny(work, is_interlaced(work));
}

void judge_linedetect(const Work &work) {
  check_linedetect(work, is_interlaced(work));
}

void judge_convolve(const Work &work) {
  if (settings_are_sound(work.element, work.in_info)) check_convolve(work, is_interlaced(work));
}

void judge_median(const Work &work) {
  if (settings_are_sound(work.element, work.in_info)) check_median(work, is_interlaced(work));
}

void judge_bilateral(const Work &work) {
  if (settings_are_sound(work.element, work.in_info)) check_bilateral(work, is_interlaced(work));
}

void judge_cartoon(const Work &work) {
  check_cartoon(work, is_interlaced(work));
}

void judge_oilpaint(const Work &work) {
  if (settings_are_sound(work.element, work.in_info)) check_oilpaint(work, is_interlaced(work));
}

void judge_multiview(const Work &work) {
  check_multiview(work);
}

void judge_stereo(const Work &work) {
  check_stereo(work);
}

constexpr struct {
  const char *element;
  void (*judge)(const Work &work);
} kJudges[] = {
    {"bilateral", judge_bilateral},    {"canny", judge_canny},
    {"cartoon", judge_cartoon},        {"convolve", judge_convolve},
    {"linedetect", judge_linedetect},  {"median", judge_median},
    {"multiview", judge_multiview},    {"oilpaint", judge_oilpaint},
    {"rgb2yuv", judge_conversion},     {"sepconvolve", judge_convolve},
    {"stereodisparity", judge_stereo}, {"uyvy2y", judge_uyvy2y},
    {"yuv2rgb", judge_conversion},     {"yuv2yuv", judge_conversion},
};

}  // namespace

void judge(const Work &work) {
  // Where there is nothing to do, nobody looks at a frame, be it good or bad.
  if (GST_IS_BASE_TRANSFORM(work.element) &&
      gst_base_transform_is_passthrough(GST_BASE_TRANSFORM(work.element))) {
    // (After a bad frame GstBaseTransform marks the next DISCONT, which is a buffer of its own.)
    fail_unless(gst_buffer_n_memory(work.out) == gst_buffer_n_memory(work.in),
                "a frame that has passed has other memory");
    for (guint i = 0; i < gst_buffer_n_memory(work.in); i++)
      fail_unless(gst_buffer_peek_memory(work.out, i) == gst_buffer_peek_memory(work.in, i),
                  "a frame that has passed has other memory");
    return;
  }
  // A GstVideoMeta may be of a larger frame; the references take the size of what they map.
  std::vector<GstBuffer *> inputs = work.inputs;
  inputs.push_back(work.in);
  for (GstBuffer *input : inputs)
    if (GstVideoMeta *meta = gst_buffer_get_video_meta(input)) {
      meta->width = static_cast<guint>(work.in_info.width);
      meta->height = static_cast<guint>(work.in_info.height);
    }
  const gchar *name = GST_OBJECT_NAME(gst_element_get_factory(work.element));
  for (const auto &known : kJudges)
    if (g_str_equal(name, known.element) && rows_are_certain(work)) known.judge(work);
}

}  // namespace test
