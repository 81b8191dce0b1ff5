// SPDX-License-Identifier: LGPL-2.1-or-later
#include "convolve_reference.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace test {

const std::vector<SampleFormat> &sample_formats() {
  static const std::vector<SampleFormat> known = [] {
    std::vector<SampleFormat> formats = {{"GRAY8", 8, 0, {"y"}},
                                         {"GRAY16_LE", 16, 0, {"y"}},
                                         {"I420", 8, 0, {"y", "c", "c"}},
                                         {"YV12", 8, 0, {"y", "c", "c"}},
                                         {"NV12", 8, 0, {"y", "cc"}},
                                         {"NV21", 8, 0, {"y", "cc"}},
                                         {"Y42B", 8, 0, {"y", "c", "c"}},
                                         {"Y444", 8, 0, {"y", "c", "c"}},
                                         {"P010_10LE", 10, 6, {"y", "cc"}},
                                         {"I420_10LE", 10, 0, {"y", "c", "c"}},
                                         {"I422_10LE", 10, 0, {"y", "c", "c"}},
                                         {"Y444_10LE", 10, 0, {"y", "c", "c"}},
                                         {"Y444_16LE", 16, 0, {"y", "c", "c"}},
                                         {"RGB", 8, 0, {"yyy"}},
                                         {"BGR", 8, 0, {"yyy"}},
                                         {"RGBx", 8, 0, {"yyyx"}},
                                         {"BGRx", 8, 0, {"yyyx"}},
                                         {"xRGB", 8, 0, {"xyyy"}},
                                         {"xBGR", 8, 0, {"xyyy"}},
                                         {"RGBA", 8, 0, {"yyya"}},
                                         {"BGRA", 8, 0, {"yyya"}},
                                         {"ARGB", 8, 0, {"ayyy"}},
                                         {"ABGR", 8, 0, {"ayyy"}},
                                         {"AYUV", 8, 0, {"aycc"}},
                                         {"VUYA", 8, 0, {"ccya"}},
                                         {"GBR", 8, 0, {"y", "y", "y"}},
                                         {"RGBP", 8, 0, {"y", "y", "y"}},
                                         {"BGRP", 8, 0, {"y", "y", "y"}},
                                         {"NV16", 8, 0, {"y", "cc"}},
                                         {"NV61", 8, 0, {"y", "cc"}},
                                         {"NV24", 8, 0, {"y", "cc"}},
                                         {"Y41B", 8, 0, {"y", "c", "c"}},
                                         {"A444", 8, 0, {"y", "c", "c", "a"}},
                                         {"RBGA", 8, 0, {"yyya"}},
                                         {"GBRA", 8, 0, {"y", "y", "y", "a"}},
                                         {"GRAY10_LE16", 10, 0, {"y"}},
                                         {"GBR_10LE", 10, 0, {"y", "y", "y"}},
                                         {"GBRA_10LE", 10, 0, {"y", "y", "y", "a"}},
                                         {"I420_12LE", 12, 0, {"y", "c", "c"}},
                                         {"I422_12LE", 12, 0, {"y", "c", "c"}},
                                         {"Y444_12LE", 12, 0, {"y", "c", "c"}},
                                         {"A444_12LE", 12, 0, {"y", "c", "c", "a"}},
                                         {"GBR_12LE", 12, 0, {"y", "y", "y"}},
                                         {"GBRA_12LE", 12, 0, {"y", "y", "y", "a"}},
                                         {"P012_LE", 12, 4, {"y", "cc"}},
                                         {"Y412_LE", 12, 4, {"cyca"}},
                                         {"P016_LE", 16, 0, {"y", "cc"}},
                                         {"AYUV64", 16, 0, {"aycc"}},
                                         {"Y416_LE", 16, 0, {"cyca"}},
                                         {"A444_16LE", 16, 0, {"y", "c", "c", "a"}},
                                         {"ARGB64", 16, 0, {"ayyy"}},
                                         {"ARGB64_LE", 16, 0, {"ayyy"}},
                                         {"RGBA64_LE", 16, 0, {"yyya"}},
                                         {"BGRA64_LE", 16, 0, {"yyya"}},
                                         {"ABGR64_LE", 16, 0, {"ayyy"}},
                                         {"GBR_16LE", 16, 0, {"y", "y", "y"}},
                                         {"YUY2", 8, 0, {"ycc"}, true},
                                         {"UYVY", 8, 0, {"ycc"}, true},
                                         {"YVYU", 8, 0, {"ycc"}, true},
                                         {"VYUY", 8, 0, {"ycc"}, true},
                                         {"v210", 10, 0, {"ycc"}, true},
                                         {"UYVP", 10, 0, {"ycc"}, true},
                                         {"Y210", 10, 6, {"ycc"}, true},
                                         {"Y212_LE", 12, 4, {"ycc"}, true},
                                         {"Y216_LE", 16, 0, {"ycc"}, true},
                                         {"Y410", 10, 0, {"yccx"}, true},
                                         {"RGB10A2_LE", 10, 0, {"yyyx"}, true},
                                         {"BGR10A2_LE", 10, 0, {"yyyx"}, true},
                                         {"RGB10x2_LE", 10, 0, {"yyy"}, true},
                                         {"BGR10x2_LE", 10, 0, {"yyy"}, true}};
    std::erase_if(formats, [](const SampleFormat &format) {
      return gst_video_format_from_string(format.name) == GST_VIDEO_FORMAT_UNKNOWN;
    });
    return formats;
  }();
  return known;
}

const SampleFormat &sample_format(const char *name) {
  const auto &formats = sample_formats();
  const auto found = std::find_if(formats.begin(), formats.end(), [name](const SampleFormat &f) {
    return g_str_equal(name, f.name);
  });
  fail_unless(found != formats.end(), "%s", name);
  return *found;
}

namespace {

// A copy of the row is aligned, and has room for functions that read more. (Of the last pixel of an
// odd width GStreamer's VYUY has U and V in each other's place, so pairs are read whole.)
Channel read_unpacked(const GstVideoFrame &frame, const SampleFormat &format, int channel) {
  const GstVideoFormatInfo *known = frame.info.finfo;
  const bool wide = format.bits > 8;
  const bool halved =
      format.planes[0][channel] == 'c' && GST_VIDEO_FORMAT_INFO_W_SUB(known, 1) == 1;
  const auto width = static_cast<gsize>(frame.info.width);
  const auto bytes = static_cast<gsize>(row_bytes(frame.info, 0));
  const gsize place =
      channel == 3 ? 0 : static_cast<gsize>(channel + 1);  // alpha comes first there
  std::vector<guint64> row(bytes / 8 + 32), pixels(width + 32);
  Channel result;
  result.width = halved ? (frame.info.width + 1) / 2 : frame.info.width;
  result.height = frame.info.height;
  for (int y = 0; y < result.height; y++) {
    const auto *from = static_cast<const guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0)) +
                       static_cast<gssize>(y) * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0);
    std::memcpy(row.data(), from, bytes);
    gpointer data[GST_VIDEO_MAX_PLANES] = {row.data()};
    gint stride[GST_VIDEO_MAX_PLANES] = {static_cast<gint>(8 * row.size())};
    known->unpack_func(known, GST_VIDEO_PACK_FLAG_TRUNCATE_RANGE, pixels.data(), data, stride, 0, 0,
                       halved ? 2 * result.width : result.width);
    for (int x = 0; x < result.width; x++) {
      const gsize at = 4 * static_cast<gsize>(halved ? 2 * x : x) + place;
      result.samples.push_back(wide ? reinterpret_cast<const guint16 *>(pixels.data())[at] >>
                                          (16 - format.bits)
                                    : reinterpret_cast<const guint8 *>(pixels.data())[at]);
    }
  }
  return result;
}

}  // namespace

Channel read_channel(const GstVideoFrame &frame, const SampleFormat &format, int plane, int channel,
                     int n_rows) {
  if (format.unpacked) return read_unpacked(frame, format, channel);
  const int bytes = format.bits > 8 ? 2 : 1;
  const int pixel = bytes * static_cast<int>(std::string(format.planes[plane]).size());
  Channel result;
  result.width = row_bytes(frame.info, plane) / pixel;
  result.height = n_rows != 0 ? n_rows : rows(frame.info, plane);
  for (int y = 0; y < result.height; y++)
    for (int x = 0; x < result.width; x++) {
      const auto *at = static_cast<const guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, plane)) +
                       y * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, plane) + x * pixel +
                       channel * bytes;
      const int word = bytes == 2 ? at[0] + 256 * at[1] : at[0];
      // Of P010 the lower bits do not count; of other formats all count that may be there.
      result.samples.push_back((word >> format.shift) & ((1 << format.bits) - 1));
    }
  return result;
}

// Walks to the picture step by step. -1: nowhere.
int position_inside(const std::string &border, int at, int size) {
  if (at >= 0 && at < size) return at;
  if (border == "constant") return -1;
  if (border == "replicate") return std::clamp(at, 0, size - 1);
  if (size == 1) return 0;
  while (at < 0 || at >= size) {
    if (border == "wrap") {
      at += at < 0 ? size : -size;
    } else {
      const int edge = border == "reflect" ? 1 : 0;
      at = at < 0 ? -at - edge : 2 * (size - 1) - at + edge;
    }
  }
  return at;
}

namespace {

int convolved(const Channel &in, int x, int y, const Convolution &c, bool chroma, int bits) {
  const int max = (1 << bits) - 1, middle = 1 << (bits - 1);
  const int anchor_x = c.anchor_x < 0 ? (c.width - 1) / 2 : c.anchor_x;
  const int anchor_y = c.anchor_y < 0 ? (c.height - 1) / 2 : c.anchor_y;
  double sum = 0;
  for (int i = 0; i < c.height; i++)
    for (int j = 0; j < c.width; j++) {
      const int way = c.correlate ? 1 : -1;
      const int column = position_inside(c.border, x + way * (j - anchor_x), in.width);
      const int row = position_inside(c.border, y + way * (i - anchor_y), in.height);
      const int sample = row >= 0 && column >= 0 ? in.at(column, row)
                         : chroma                ? middle
                                                 : c.border_value;
      sum += c.mask[static_cast<gsize>(i * c.width + j)] * (sample - (chroma ? middle : 0));
    }
  if (c.absolute) sum = std::abs(sum);
  const double value = sum / c.divisor + (chroma ? middle : c.bias);
  return static_cast<int>(std::clamp(std::floor(value + 0.5), 0.0, double(max)));
}

}  // namespace

void expect_convolved(GstBuffer *in, GstBuffer *out, const std::string &caps,
                      const Convolution &c) {
  const GstVideoInfo info = video_info(caps);
  const SampleFormat &format = sample_format(info.finfo->name);
  GstVideoFrame from, to;
  fail_unless(gst_video_frame_map(&from, &info, in, GST_MAP_READ));
  fail_unless(gst_video_frame_map(&to, &info, out, GST_MAP_READ));
  for (int p = 0; p < 4 && format.planes[p] != nullptr; p++) {
    const std::string letters = format.planes[p];
    for (int n = 0; n < static_cast<int>(letters.size()); n++) {
      const char letter = letters[static_cast<gsize>(n)];
      const bool filtered =
          letter == 'y' || (letter == 'c' && !c.luma_only) || (letter == 'a' && c.filter_alpha);
      const Channel before = read_channel(from, format, p, n),
                    after = read_channel(to, format, p, n);
      for (int y = 0; y < before.height; y++)
        for (int x = 0; x < before.width; x++) {
          const int expected =
              filtered ? convolved(before, x, y, c, letter == 'c', format.bits) : before.at(x, y);
          fail_unless(after.at(x, y) == expected, "%s: plane %d, channel %d, (%d, %d): %d, not %d",
                      caps.c_str(), p, n, x, y, after.at(x, y), expected);
        }
    }
  }
  gst_video_frame_unmap(&from);
  gst_video_frame_unmap(&to);
}

void push_and_check(Harness &harness, const std::string &caps, const Convolution &convolution,
                    guint32 seed) {
  const BufferRef in(random_frame(video_info(caps), {}, seed));
  fail_unless_equals_int(harness.push(gst_buffer_ref(in.get())), GST_FLOW_OK);
  const BufferRef out = harness.pull();
  fail_unless(out != nullptr, "%s", caps.c_str());
  expect_convolved(in.get(), out.get(), caps, convolution);
}

}  // namespace test
