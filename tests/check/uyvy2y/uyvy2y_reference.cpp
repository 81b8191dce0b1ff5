// SPDX-License-Identifier: LGPL-2.1-or-later
#include "uyvy2y_reference.h"

namespace test {
namespace {

// At any address. (GStreamer's own macros read there as if it were aligned.)
template <class T>
T read_le(const guint8 *from) {
  T value = 0;
  for (gsize i = 0; i < sizeof value; i++)
    value = static_cast<T>(value | static_cast<T>(T{from[i]} << (8 * i)));
  return value;
}

// What the formats mean: of bytes, two pixels are four of them, and luma is second or first.
int luma_of_bytes(const guint8 *row, const std::string &format, int x) {
  return row[format == "UYVY" || format == "VYUY" ? 2 * x + 1 : 2 * x];
}

// Six pixels are four words of three fields; the fields with luma of those pixels.
int luma_of_v210(const guint8 *row, int x) {
  constexpr struct {
    int word, shift;
  } kPlaces[] = {{0, 10}, {1, 0}, {1, 20}, {2, 10}, {3, 0}, {3, 20}};
  const auto &[word, shift] = kPlaces[x % 6];
  return static_cast<int>(read_le<guint32>(row + 16 * (x / 6) + 4 * word) >> shift & 0x3FF);
}

// Two pixels are forty bits, the highest first: Cb Y Cr Y.
int luma_of_uyvp(const guint8 *row, int x) {
  guint64 pair = 0;
  for (int i = 0; i < 5; i++)
    pair = pair << 8 | row[5 * (x / 2) + i];
  return static_cast<int>(pair >> (x % 2 == 0 ? 20 : 0) & 0x3FF);
}

// Of more than 8 bits: at the top of 16.
int wide_luma(const guint8 *row, const std::string &format, int x) {
  if (format == "v210") return luma_of_v210(row, x) << 6;
  if (format == "UYVP") return luma_of_uyvp(row, x) << 6;
  const int spare = format == "Y210" ? 6 : format == "Y212_LE" ? 4 : 0;
  return read_le<guint16>(row + 4 * x) >> spare << spare;
}

void check_luma(const GstVideoFrame &in, const GstVideoFrame &out, const std::string &format) {
  const bool wide = GST_VIDEO_INFO_COMP_DEPTH(&in.info, 0) > 8;
  const auto depth = GST_VIDEO_INFO_COMP_DEPTH(&out.info, 0);
  for (int y = 0; y < in.info.height; y++) {
    const auto *from = static_cast<const guint8 *>(in.data[0]) + y * in.info.stride[0];
    const auto *to = static_cast<const guint8 *>(out.data[0]) + y * out.info.stride[0];
    for (int x = 0; x < in.info.width; x++) {
      const int expected =
          wide ? wide_luma(from, format, x) >> (16 - depth) : luma_of_bytes(from, format, x);
      const int found = wide ? read_le<guint16>(to + 2 * x) : to[x];
      if (found != expected)
        ck_abort_msg("%s %dx%d: luma(%d, %d) is %d, not %d", format.c_str(), in.info.width,
                     in.info.height, x, y, found, expected);
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
