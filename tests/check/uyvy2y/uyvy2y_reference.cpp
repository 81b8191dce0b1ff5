// SPDX-License-Identifier: LGPL-2.1-or-later
#include "uyvy2y_reference.h"

namespace test {
namespace {

// What the formats mean: two pixels are four bytes, and luma stands second or first.
int luma_index(const std::string &format, int x) {
  return format == "UYVY" || format == "VYUY" ? 2 * x + 1 : 2 * x;
}

void check_luma(const GstVideoFrame &in, const GstVideoFrame &out, const std::string &format) {
  for (int y = 0; y < in.info.height; y++) {
    const auto *from = static_cast<const guint8 *>(in.data[0]) + y * in.info.stride[0];
    const auto *to = static_cast<const guint8 *>(out.data[0]) + y * out.info.stride[0];
    for (int x = 0; x < in.info.width; x++) {
      const int expected = from[luma_index(format, x)];
      if (to[x] != expected)
        ck_abort_msg("%s %dx%d: luma(%d, %d) is %d, not %d", format.c_str(), in.info.width,
                     in.info.height, x, y, to[x], expected);
    }
  }
}

void check_neutral_chroma(const GstVideoFrame &out) {
  for (int p = 1; p < static_cast<int>(GST_VIDEO_INFO_N_PLANES(&out.info)); p++)
    for (int y = 0; y < rows(out.info, p); y++) {
      const auto *row = static_cast<const guint8 *>(out.data[p]) + y * out.info.stride[p];
      for (int x = 0; x < row_bytes(out.info, p); x++)
        if (row[x] != 128)
          ck_abort_msg("%dx%d: byte %d of row %d of plane %d is %d, not 128", out.info.width,
                       out.info.height, x, y, p, row[x]);
    }
}

}  // namespace

void check_uyvy2y(GstBuffer *in_buffer, const GstVideoInfo &in_info, GstBuffer *out_buffer,
                  const GstVideoInfo &out_info) {
  GstVideoFrame in, out;
  fail_unless(gst_video_frame_map(&in, &in_info, in_buffer, GST_MAP_READ));
  fail_unless(gst_video_frame_map(&out, &out_info, out_buffer, GST_MAP_READ));
  check_luma(in, out, GST_VIDEO_INFO_NAME(&in_info));
  check_neutral_chroma(out);
  gst_video_frame_unmap(&in);
  gst_video_frame_unmap(&out);
}

}  // namespace test
