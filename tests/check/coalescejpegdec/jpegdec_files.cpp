// SPDX-License-Identifier: LGPL-2.1-or-later
#include "jpegdec_files.h"

#include <algorithm>

#include "jpeg/decoder/decoder.h"
#include "jpeg/encoder/encoder.h"
#include "picture/formats.h"

namespace test {
namespace {

using namespace coalesce;

struct Planes {
  std::vector<Bytes> bytes;
  Image image;

  Planes(const PixelFormat &format, Size size) {
    image.format = format;
    image.width = size.width;
    image.height = size.height;
    for (int p = 0; p < format.planes; p++) {
      const auto row = static_cast<gsize>(coalesce::row_bytes(format, p, size.width));
      const int rows = plane_rows(format, p, size.height);
      bytes.emplace_back(row * static_cast<gsize>(rows));
      image.plane[p] = {bytes.back().data(), static_cast<int>(row), rows, row};
    }
  }
};

}  // namespace

Bytes jpeg_file(const char *format, Size size, unsigned seed, int restart_interval) {
  jpeg::EncoderParams params;
  params.format = pixel_format(format);
  params.width = size.width;
  params.height = size.height;
  params.restart_interval = restart_interval;
  Planes planes(params.format, size);
  guint32 state = seed * 2654435761u + 1;
  for (int p = 0; p < params.format.planes; p++) {
    const Plane<std::uint8_t> &plane = planes.image.plane[p];
    guint8 blocks[64];
    for (guint8 &block : blocks) {
      state = state * 1664525u + 1013904223u;
      block = static_cast<guint8>(state >> 24);
    }
    for (int y = 0; y < plane.height; y++)
      for (int x = 0; x < plane.width; x++)
        plane.row(y)[x] = static_cast<guint8>(blocks[(y / 5 * 8 + x / 7) % 64] / 2 + (x * y) % 97);
  }
  std::unique_ptr<jpeg::Encoder> encoder;
  Bytes file;
  fail_unless(jpeg::Encoder::make(params, &encoder).ok());
  fail_unless(encoder->encode(planes.image, &file).ok());
  return file;
}

Bytes decoded(const Bytes &file, const char *format, bool fancy, bool *broken) {
  jpeg::DecodeParams params;
  params.fancy_upsampling = fancy;
  jpeg::Decoder decoder(params);
  if (!decoder.read(file.data(), file.size()).ok()) return {};
  Planes planes(pixel_format(format), {decoder.frame().width, decoder.frame().height});
  const char *is_broken = nullptr;
  if (!decoder.decode(planes.image, &is_broken).ok()) return {};
  if (broken != nullptr) *broken = is_broken != nullptr;
  Bytes all;
  for (const Bytes &plane : planes.bytes)
    all.insert(all.end(), plane.begin(), plane.end());
  return all;
}

Bytes with_segment(const Bytes &file, guint8 marker, const Bytes &payload) {
  const gsize length = payload.size() + 2;
  Bytes segment = {0xFF, marker, static_cast<guint8>(length >> 8), static_cast<guint8>(length)};
  segment.insert(segment.end(), payload.begin(), payload.end());
  Bytes result = file;
  result.insert(result.begin() + 2, segment.begin(), segment.end());
  return result;
}

Bytes with_orientation(const Bytes &file, int orientation) {
  return with_segment(
      file, 0xE1,
      {'E', 'x', 'i', 'f',  0,    0, 'M', 'M', 0, 42, 0, 0, 0,
       8,   0,   1,   0x01, 0x12, 0, 3,   0,   0, 0,  1, 0, static_cast<guint8>(orientation),
       0,   0});
}

Bytes without_end(Bytes file) {
  fail_unless(file.size() > 2 && file.back() == 0xD9);
  file.erase(file.end() - 2, file.end());
  return file;
}

Bytes joined(const std::vector<Bytes> &parts) {
  Bytes all;
  for (const Bytes &part : parts)
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

GstBuffer *buffer_with(const Bytes &bytes, GstClockTime pts) {
  GstBuffer *buffer = gst_buffer_new_memdup(bytes.data(), bytes.size());
  GST_BUFFER_PTS(buffer) = pts;
  return buffer;
}

void push_file(Harness &harness, const Bytes &file, GstClockTime pts) {
  fail_unless_equals_int(harness.push(buffer_with(file, pts)), GST_FLOW_OK);
}

void expect_picture(Harness &harness, const Bytes &expected, const char *what) {
  const BufferRef out = harness.pull();
  fail_unless(out != nullptr, "%s: no picture", what);
  const Bytes found = picture(out.get(), harness.output_info());
  fail_unless(found.size() == expected.size(), "%s: %zu bytes for %zu", what, found.size(),
              expected.size());
  const auto wrong = std::mismatch(found.begin(), found.end(), expected.begin()).first;
  fail_unless(wrong == found.end(), "%s: byte %td", what, wrong - found.begin());
}

void expect_clear_padding(GstBuffer *buffer, const GstVideoInfo &info) {
  GstVideoFrame frame;
  fail_unless(gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ));
  int seen = 0;
  for (guint p = 0; p < GST_VIDEO_FRAME_N_PLANES(&frame); p++) {
    const auto *data = static_cast<const guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, p));
    const int stride = GST_VIDEO_FRAME_PLANE_STRIDE(&frame, p);
    const int width =
        GST_VIDEO_FRAME_COMP_WIDTH(&frame, p) * GST_VIDEO_FRAME_COMP_PSTRIDE(&frame, p);
    for (int y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT(&frame, p); y++)
      for (int x = width; x < stride; x++, seen++)
        fail_unless(data[y * stride + x] == 0, "plane %u, row %d, byte %d", p, y, x);
  }
  gst_video_frame_unmap(&frame);
  fail_unless(seen > 0);
}

}  // namespace test
