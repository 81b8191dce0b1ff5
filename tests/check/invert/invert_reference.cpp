// SPDX-License-Identifier: LGPL-2.1-or-later
#include "invert_reference.h"

namespace test {
namespace {

// A row of the frame, with four samples a pixel: alpha, and three of luma and chroma or of colours.
// Samples of 10 and 12 bits are the upper ones of 16.
template <class Sample>
std::vector<Sample> unpacked(const GstVideoFrame &frame, int y) {
  std::vector<Sample> row(4 * static_cast<gsize>(frame.info.width));
  gpointer planes[GST_VIDEO_MAX_PLANES];
  gint strides[GST_VIDEO_MAX_PLANES];
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES(&frame.info); p++) {
    planes[p] = frame.data[p];
    strides[p] = frame.info.stride[p];
  }
  const GstVideoFormatInfo *format = frame.info.finfo;
  format->unpack_func(format, GST_VIDEO_PACK_FLAG_NONE, row.data(), planes, strides, 0, y,
                      frame.info.width);
  return row;
}

template <class Sample>
void check_rows(const GstVideoFrame &in, const GstVideoFrame &out) {
  const GstVideoFormatInfo *format = in.info.finfo;
  const int bits = static_cast<int>(GST_VIDEO_FORMAT_INFO_DEPTH(format, 0));
  const int shift = static_cast<int>(8 * sizeof(Sample)) - bits, max = (1 << bits) - 1;
  for (int y = 0; y < in.info.height; y++) {
    const std::vector<Sample> from = unpacked<Sample>(in, y), to = unpacked<Sample>(out, y);
    for (gsize i = 0; i < from.size(); i++) {
      // Grey is unpacked with a chroma of no colour, and formats without alpha with an opaque one.
      const bool copied = i % 4 == 0 || (GST_VIDEO_FORMAT_INFO_IS_GRAY(format) && i % 4 != 1);
      const int sample = from[i] >> shift, got = to[i] >> shift;
      const int expected = copied ? sample : max - sample;
      if (got != expected)
        ck_abort_msg("%s %dx%d: component %d of pixel %d of row %d is %d, not %d", format->name,
                     in.info.width, in.info.height, static_cast<int>(i % 4),
                     static_cast<int>(i / 4), y, got, expected);
    }
  }
}

}  // namespace

void check_inverted(GstBuffer *in_buffer, const GstVideoInfo &in_info, GstBuffer *out_buffer,
                    const GstVideoInfo &out_info) {
  GstVideoFrame in, out;
  fail_unless(gst_video_frame_map(&in, &in_info, in_buffer, GST_MAP_READ));
  fail_unless(gst_video_frame_map(&out, &out_info, out_buffer, GST_MAP_READ));
  const GstVideoFormatInfo *wide = gst_video_format_get_info(in_info.finfo->unpack_format);
  GST_VIDEO_FORMAT_INFO_DEPTH(wide, 0) == 8 ? check_rows<guint8>(in, out)
                                            : check_rows<guint16>(in, out);
  gst_video_frame_unmap(&in);
  gst_video_frame_unmap(&out);
}

}  // namespace test
