// SPDX-License-Identifier: LGPL-2.1-or-later
// Where pixel_format() says that samples are, GStreamer's own unpack functions find them, too.
#include "video/pixelformat.h"

#include <cstring>

#include "../classes/elements.h"
#include "picture/formats.h"
#include "picture/image.h"
#include "video/frame.h"

using namespace simulated;
using namespace coalesce;
using namespace coalesce::gst;

namespace {

constexpr int kWidth = 14, kHeight = 6;

unsigned value_at(const PixelComponent &c, const std::uint8_t *row, int x) {
  const int number = c.first + x * c.step;
  if (c.container == Container::u8) return row[number] >> c.shift & ((1u << c.bits) - 1);
  std::uint32_t word = 0;
  if (c.container == Container::v210) {
    std::memcpy(&word, row + 4 * (number / 3), 4);
    return word >> (10 * (number % 3)) & 0x3FF;
  }
  if (c.container == Container::be10) {
    for (int bit = 10 * number; bit < 10 * number + 10; bit++)
      word = word << 1 | (row[bit / 8] >> (7 - bit % 8) & 1);
    return word;
  }
  const auto bytes = static_cast<std::size_t>(container_bytes(c.container));
  std::memcpy(&word, row + bytes * static_cast<std::size_t>(number), bytes);
  return word >> c.shift & ((1u << c.bits) - 1);
}

void compare(GstVideoFormat name) {
  GstVideoInfo info;
  fail_unless(gst_video_info_set_format(&info, name, kWidth, kHeight));
  const GstVideoFormatInfo *known = info.finfo;
  const PixelFormat format = pixel_format(info);
  GstBuffer *buffer = system_buffer(info, 7);
  GstVideoFrame frame;
  fail_unless(gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ));
  const bool wide =
      GST_VIDEO_FORMAT_INFO_BITS(gst_video_format_get_info(known->unpack_format)) == 16;
  for (int y = 0; y < kHeight; y++) {
    std::uint8_t pixels[8 * (kWidth + 8)];
    known->unpack_func(known, GST_VIDEO_PACK_FLAG_TRUNCATE_RANGE, pixels, frame.data, info.stride,
                       0, y, kWidth);
    for (int c = 0; c < format.components; c++) {
      const PixelComponent &component = format.component[c];
      const auto *plane = static_cast<const std::uint8_t *>(frame.data[component.plane]);
      const std::uint8_t *row = plane + (y >> component.log2_height) * info.stride[component.plane];
      // Alpha comes first there.
      const int channel = component.role == Role::alpha ? 0 : c + 1;
      for (int x = 0; x < kWidth; x++) {
        unsigned expected = pixels[4 * x + channel];
        if (wide) {
          std::uint16_t value;
          std::memcpy(&value, pixels + 2 * (4 * x + channel), 2);
          expected = value >> (16 - component.bits);
        }
        const unsigned found = value_at(component, row, x >> component.log2_width);
        fail_unless(found == expected, "%s: component %d, column %d, row %d: %u instead of %u",
                    GST_VIDEO_FORMAT_INFO_NAME(known), c, x, y, found, expected);
      }
    }
  }
  gst_video_frame_unmap(&frame);
  gst_buffer_unref(buffer);
}

GST_START_TEST(as_gstreamer_unpacks) {
  int compared = 0;
  for (const NamedFormat &named : named_formats()) {
    const GstVideoFormat format = gst_video_format_from_string(named.name);
    if (format == GST_VIDEO_FORMAT_UNKNOWN) continue;  // of a newer GStreamer
    fail_unless(pixel_format(format) == named.format, "%s", named.name);
    compare(format);
    compared++;
  }
  fail_unless(compared >= 44, "%d formats", compared);
}
GST_END_TEST

// Rows as GStreamer has them by default, for every format and width.
GST_START_TEST(rows_of_planes) {
  for (const NamedFormat &named : named_formats()) {
    const GstVideoFormat format = gst_video_format_from_string(named.name);
    for (int width = 1; format != GST_VIDEO_FORMAT_UNKNOWN && width < 100; width++) {
      GstVideoInfo info;
      fail_unless(gst_video_info_set_format(&info, format, width, width));
      for (int p = 0; p < named.format.planes; p++) {
        fail_unless_equals_int64(row_bytes(named.format, p, width), plane_row_bytes(info, p));
        fail_unless_equals_int(coalesce::plane_rows(named.format, p, width),
                               gst::plane_rows(info, p));
      }
    }
  }
}
GST_END_TEST

// The sizes of samples that frames are aligned to, which the operations demand.
GST_START_TEST(alignment) {
  constexpr guint kSize = 16;
  alignas(16) static std::uint8_t memory[64 * kSize * kSize];
  for (const NamedFormat &named : named_formats()) {
    const GstVideoFormat format = gst_video_format_from_string(named.name);
    if (format == GST_VIDEO_FORMAT_UNKNOWN) continue;
    GstVideoInfo info;
    fail_unless(gst_video_info_set_format(&info, format, kSize, kSize));
    for (gsize skipped = 0; skipped <= 4; skipped++) {
      GstBuffer *buffer =
          gst_buffer_new_wrapped_full(GST_MEMORY_FLAG_READONLY, memory, sizeof memory, skipped,
                                      sizeof memory - skipped, nullptr, nullptr);
      Frame frame;
      fail_unless(frame.map(buffer, info, Memory::system, GST_MAP_READ), "%s", named.name);
      const bool aligned =
          skipped % gsize(container_alignment(named.format.component[0].container)) == 0;
      fail_unless(frame.is_aligned() == aligned, "%s, %zu bytes skipped", named.name, skipped);
      fail_unless(check_image(frame.image()).ok() == aligned, "%s", named.name);
      frame.unmap();
      gst_buffer_unref(buffer);
    }
  }
}
GST_END_TEST

GST_START_TEST(no_such_format) {
  for (const GstVideoFormat format : {GST_VIDEO_FORMAT_UNKNOWN, GST_VIDEO_FORMAT_IYU1})
    fail_unless_equals_int(pixel_format(format).planes, 0);
}
GST_END_TEST

GST_START_TEST(roles) {
  const auto roles = [](GstVideoFormat format) {
    std::string text;
    const PixelFormat f = pixel_format(format);
    for (int c = 0; c < f.components; c++)
      text += "gyuvrgba"[static_cast<int>(f.component[c].role)];
    return text;
  };
  expect_string(roles(GST_VIDEO_FORMAT_GRAY8), "g");
  expect_string(roles(GST_VIDEO_FORMAT_YV12), "yuv");
  expect_string(roles(GST_VIDEO_FORMAT_VUYA), "yuva");
  expect_string(roles(GST_VIDEO_FORMAT_BGRx), "rgb");
  expect_string(roles(GST_VIDEO_FORMAT_ABGR), "rgba");
  fail_if(pixel_format(GST_VIDEO_FORMAT_RGB).has(Role::u));
}
GST_END_TEST

}  // namespace

static Suite *pixelformat_suite() {
  Suite *suite = suite_create("pixelformat");
  TCase *tests = new_case(suite, "pixelformat");
  tcase_add_test(tests, as_gstreamer_unpacks);
  tcase_add_test(tests, rows_of_planes);
  tcase_add_test(tests, alignment);
  tcase_add_test(tests, no_such_format);
  tcase_add_test(tests, roles);
  return suite;
}
SIMULATED_MAIN(pixelformat)
