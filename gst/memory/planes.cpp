// SPDX-License-Identifier: LGPL-2.1-or-later
#include "planes.h"

#include <algorithm>

namespace coalesce::gst {
namespace {

// All components of a plane have as many rows.
guint first_component(const GstVideoInfo &info, guint plane) {
  guint component = 0;
  while (GST_VIDEO_FORMAT_INFO_PLANE(info.finfo, component) != plane)
    component++;
  return component;
}

}  // namespace

gsize plane_row_bytes(const GstVideoInfo &info, guint plane) {
  const GstVideoFormatInfo *format = info.finfo;
  if (GST_VIDEO_FORMAT_INFO_IS_COMPLEX(format)) {
    // Two pixels are five bytes. (The default row has up to two bytes less, or some more.)
    if (GST_VIDEO_INFO_FORMAT(&info) == GST_VIDEO_FORMAT_UYVP)
      return (static_cast<gsize>(GST_VIDEO_INFO_WIDTH(&info)) + 1) / 2 * 5;
    // v210 and its like have no pixel stride; their default row is a whole number of groups.
    GstVideoInfo tight;
    gst_video_info_set_format(&tight, GST_VIDEO_INFO_FORMAT(&info), GST_VIDEO_INFO_WIDTH(&info),
                              GST_VIDEO_INFO_HEIGHT(&info));
    return GST_VIDEO_INFO_PLANE_STRIDE(&tight, plane);
  }
  gsize bytes = 0;
  for (guint c = 0; c < GST_VIDEO_FORMAT_INFO_N_COMPONENTS(format); c++) {
    if (GST_VIDEO_FORMAT_INFO_PLANE(format, c) != plane) continue;
    const gsize width = GST_VIDEO_FORMAT_INFO_SCALE_WIDTH(format, c, GST_VIDEO_INFO_WIDTH(&info));
    bytes = std::max(bytes, width * GST_VIDEO_FORMAT_INFO_PSTRIDE(format, c));
  }
  return bytes;
}

gint plane_rows(const GstVideoInfo &info, guint plane) {
  return GST_VIDEO_FORMAT_INFO_SCALE_HEIGHT(info.finfo, first_component(info, plane),
                                            GST_VIDEO_INFO_FIELD_HEIGHT(&info));
}

bool wants_spare_row(const GstVideoInfo &info, guint plane) {
  return GST_VIDEO_FORMAT_INFO_H_SUB(info.finfo, first_component(info, plane)) == 1 &&
         plane_rows(info, plane) % 2 == 1;
}

}  // namespace coalesce::gst
