// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2kenc_codestream.h"

namespace test {
namespace {

std::size_t u16(const Bytes &b, std::size_t at) {
  fail_unless(at + 2 <= b.size(), "cut off at %zu", at);
  return static_cast<std::size_t>(b[at] << 8 | b[at + 1]);
}

std::size_t u32(const Bytes &b, std::size_t at) {
  return u16(b, at) << 16 | u16(b, at + 2);
}

constexpr std::size_t kSoc = 0xFF4F, kSot = 0xFF90, kEoc = 0xFFD9;

std::size_t end_of_codestream(const Bytes &b, std::size_t at) {
  fail_unless(u16(b, at) == kSoc, "no SOC at %zu", at);
  for (at += 2; u16(b, at) != kSot; at += 2 + u16(b, at + 2)) {
  }
  for (; u16(b, at) == kSot; at += u32(b, at + 6)) {
  }
  fail_unless(u16(b, at) == kEoc, "no EOC at %zu", at);
  return at + 2;
}

// How a component of GStreamer's unpacked pixels, which have alpha first, is found.
int unpacked_channel(int component) {
  return component == 3 ? 0 : component + 1;
}

struct Unpacker {
  const GstVideoFrame &frame;
  const GstVideoFormatInfo *to;
  GstVideoPackFlags flags;
  std::vector<guint16> line16;
  std::vector<guint8> line8;

  Unpacker(const GstVideoFrame &f, bool interlaced)
      : frame(f),
        to(gst_video_format_get_info(f.info.finfo->unpack_format)),
        flags(GstVideoPackFlags(GST_VIDEO_PACK_FLAG_TRUNCATE_RANGE |
                                (interlaced ? GST_VIDEO_PACK_FLAG_INTERLACED : 0))),
        line16(static_cast<std::size_t>(f.info.width + 16) * 4),
        line8(static_cast<std::size_t>(f.info.width + 16) * 4) {}

  bool wide() const { return GST_VIDEO_FORMAT_INFO_DEPTH(to, 0) == 16; }
  void row(int y) {
    const gpointer line =
        wide() ? static_cast<gpointer>(line16.data()) : static_cast<gpointer>(line8.data());
    frame.info.finfo->unpack_func(frame.info.finfo, flags, line, frame.data, frame.info.stride, 0,
                                  y, frame.info.width);
  }
  int value(int x, int channel, int bits) const {
    const auto at = static_cast<std::size_t>(4 * x + channel);
    return wide() ? line16[at] >> (16 - bits) : line8[at] >> (8 - bits);
  }
};

}  // namespace

Bytes code_frame(Harness &harness, const std::string &caps) {
  fail_unless_equals_int(harness.push(random_frame(video_info(caps), {}, 1)), GST_FLOW_OK);
  const BufferRef out = harness.pull();
  fail_unless(out != nullptr, "%s: nothing has come", caps.c_str());
  return bytes_of(out.get());
}

std::vector<Bytes> codestreams(const Bytes &buffer) {
  std::vector<Bytes> result;
  for (std::size_t at = 0; at < buffer.size();) {
    const std::size_t end = end_of_codestream(buffer, at);
    result.emplace_back(buffer.begin() + static_cast<std::ptrdiff_t>(at),
                        buffer.begin() + static_cast<std::ptrdiff_t>(end));
    at = end;
  }
  return result;
}

int profile_in(const Bytes &codestream) {
  return static_cast<int>(u16(codestream, 6));
}

int profile_in_caps(const Harness &harness) {
  gint profile = -1;
  gst_structure_get_int(gst_caps_get_structure(harness.output_caps().get(), 0), "profile",
                        &profile);
  return profile;
}

std::vector<Bytes> boxed_codestreams(const Bytes &buffer) {
  std::vector<Bytes> result;
  for (std::size_t at = 0; at < buffer.size();) {
    const std::size_t length = u32(buffer, at);
    fail_unless(u32(buffer, at + 4) == 0x6A703263, "no jp2c box at %zu", at);
    fail_unless(end_of_codestream(buffer, at + 8) == at + length, "the box has not its length");
    result.emplace_back(buffer.begin() + static_cast<std::ptrdiff_t>(at + 8),
                        buffer.begin() + static_cast<std::ptrdiff_t>(at + length));
    at += length;
  }
  return result;
}

// GStreamer 1.22 unpacks the last column of VYUY with U and V in each other's place, if the width
// is odd.
static bool swaps_last_column() {
  const GstVideoFormatInfo *format = gst_video_format_get_info(GST_VIDEO_FORMAT_VYUY);
  guint8 pair[] = {1, 2, 3, 4}, pixel[4];  // V, Y, U, Y to A, Y, U, V
  const gpointer planes[GST_VIDEO_MAX_PLANES] = {pair};
  const gint strides[GST_VIDEO_MAX_PLANES] = {sizeof pair};
  format->unpack_func(format, GST_VIDEO_PACK_FLAG_NONE, pixel, planes, strides, 0, 0, 1);
  return pixel[2] == 1;
}

static bool is_swapped(const GstVideoInfo &info, int column) {
  static const bool swaps = swaps_last_column();
  return swaps && GST_VIDEO_INFO_FORMAT(&info) == GST_VIDEO_FORMAT_VYUY && info.width % 2 == 1 &&
         column == info.width - 1;
}

std::vector<Samples> samples_of(GstBuffer *buffer, const GstVideoInfo &info, int first, int step) {
  GstVideoFrame frame;
  fail_unless(gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ));
  Unpacker unpacker(frame, step == 2);
  std::vector<Samples> result;
  const int rows = (info.height - first + step - 1) / step;
  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS(&info); c++) {
    const int across = GST_VIDEO_FORMAT_INFO_W_SUB(info.finfo, c);
    const int down = GST_VIDEO_FORMAT_INFO_H_SUB(info.finfo, c);
    Samples s;
    s.bits = static_cast<int>(GST_VIDEO_INFO_COMP_DEPTH(&info, c));
    s.width = (info.width + (1 << across) - 1) >> across;
    s.height = (rows + (1 << down) - 1) >> down;
    const auto channel_at = [&](int column) {
      return unpacked_channel(static_cast<int>(c > 0 && is_swapped(info, column) ? 3 - c : c));
    };
    for (int y = 0; y < s.height; y++) {
      unpacker.row(first + step * (y << down));
      for (int x = 0; x < s.width; x++)
        s.values.push_back(unpacker.value(x << across, channel_at(x << across), s.bits));
    }
    result.push_back(std::move(s));
  }
  gst_video_frame_unmap(&frame);
  return result;
}

}  // namespace test
