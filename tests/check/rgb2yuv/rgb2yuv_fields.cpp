// SPDX-License-Identifier: LGPL-2.1-or-later
// Interlaced video: chroma of 4:2:0 is made within each field, whose rows of chroma alternate.
#include "rgb2yuv_cases.h"
#include "rgb2yuv_reference.h"

namespace test {
namespace {

const char *const kFormats[] = {"I420", "YV12", "NV12", "NV21"};

std::string interlaced_caps(const char *format, Size size, const char *mode = "interleaved") {
  return video_caps(format, size, std::string("interlace-mode=") + mode);
}

std::string downstream(const char *format, const char *site = "jpeg") {
  return std::string("video/x-raw, colorimetry=bt601, format=") + format + ", chroma-site=" + site;
}

GstBuffer *flagged(GstBuffer *buffer, bool interlaced) {
  if (interlaced) GST_BUFFER_FLAG_SET(buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED);
  return buffer;
}

GST_START_TEST(every_height) {
  for (const char *site : {"jpeg", "mpeg2", "cosited", "v-cosited"})
    for (int height : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 22}) {
      if (small_run() && height % 4 != 2) continue;
      const std::string caps = interlaced_caps("RGB", {7, height});
      Harness harness("rgb2yuv");
      start_rgb2yuv(harness, caps, downstream(kFormats[__i__], site));
      convert_rgb(harness, caps, rgb_frame(video_info(caps)));
    }
}
GST_END_TEST;

// Chroma that is as high as luma does not mind.
GST_START_TEST(other_formats) {
  for (const char *yuv : {"Y444", "AYUV", "Y42B", "UYVY", "GRAY8"}) {
    const std::string caps = interlaced_caps("BGRA", {33, 22});
    Harness harness("rgb2yuv");
    start_rgb2yuv(harness, caps, std::string("video/x-raw, format=") + yuv);
    convert_rgb(harness, caps, rgb_frame(video_info(caps)));
  }
}
GST_END_TEST;

// Of mixed video the buffer says what it is; progressive video is progressive, whatever it says.
GST_START_TEST(buffers_decide) {
  for (const char *mode : {"mixed", "progressive", "interleaved"})
    for (Size size : {Size{16, 8}, Size{9, 6}, Size{9, 9}, Size{3, 2}}) {
      const std::string caps = interlaced_caps("RGB", size, mode);
      Harness harness("rgb2yuv");
      start_rgb2yuv(harness, caps, downstream(kFormats[__i__]));
      for (bool interlaced : {true, false, true})
        convert_rgb(harness, caps, flagged(rgb_frame(video_info(caps)), interlaced));
    }
}
GST_END_TEST;

// 720x486: 243 rows of chroma become 244, and the last of them belongs to the last line alone.
GST_START_TEST(ntsc) {
  const std::string caps = interlaced_caps("RGB", {720, 486});
  const GstVideoInfo in_info = video_info(caps);
  Harness harness("rgb2yuv");
  start_rgb2yuv(harness, caps, downstream(kFormats[__i__]));
  const GstVideoInfo out_info = harness.output_info();
  GstBuffer *in = gst_buffer_new_allocate(nullptr, in_info.size, nullptr);
  // Even lines white, odd lines black, line 484 green, line 485 blue.
  for (int y = 0; y < 486; y++)
    gst_buffer_memset(in, static_cast<gsize>(y) * 2160, y % 2 ? 0 : 255, 2160);
  for (gsize x = 0; x < 720; x++) {
    gst_buffer_memset(in, 484 * 2160 + 3 * x, 0, 1);
    gst_buffer_memset(in, 484 * 2160 + 3 * x + 2, 0, 1);
    gst_buffer_memset(in, 485 * 2160 + 3 * x + 2, 255, 1);
  }
  const BufferRef out = convert_rgb(harness, caps, in);
  fail_unless_equals_int(gst_buffer_get_size(out.get()), 720 * 486 + 2 * 360 * 244);
  GstVideoFrame frame;
  fail_unless(gst_video_frame_map(&frame, &out_info, out.get(), GST_MAP_READ));
  const auto sample = [&frame](int component, int row) {
    return int(static_cast<const guint8 *>(GST_VIDEO_FRAME_COMP_DATA(
        &frame, component))[row * GST_VIDEO_FRAME_COMP_STRIDE(&frame, component)]);
  };
  const struct {
    int row, u, v;
  } rows[] = {{0, 128, 128},   {1, 128, 128}, {240, 128, 128},
              {241, 128, 128}, {242, 54, 34}, {243, 240, 110}};
  for (const auto &[row, u, v] : rows) {
    fail_unless_equals_int(sample(1, row), u);
    fail_unless_equals_int(sample(2, row), v);
  }
  fail_unless_equals_int(sample(0, 482), 235);
  fail_unless_equals_int(sample(0, 483), 16);
  gst_video_frame_unmap(&frame);
}
GST_END_TEST;

// A pool whose frames have no room for that row: nothing is written that is not theirs.
GST_START_TEST(no_room_for_the_last_row) {
  for (Size size : {Size{33, 6}, Size{1, 1}, Size{720, 10}}) {
    const std::string caps = interlaced_caps("RGB", size);
    Harness harness("rgb2yuv");
    const Owned<GstBufferPool> pool(odd_pool_new());
    offer_pool(harness, pool.get(), true);
    start_rgb2yuv(harness, caps, downstream(kFormats[__i__]));
    fail_unless_equals_int(harness.push(rgb_frame(video_info(caps))), GST_FLOW_OK);
    check_guards(harness.pull().get(), harness.output_info());
  }
}
GST_END_TEST;

// Two pictures a buffer, or one field a buffer, are refused.
GST_START_TEST(other_modes_are_refused) {
  for (const char *mode : {"fields", "alternate"})
    for (const char *features : {"", "(format:Interlaced)"}) {
      Harness harness("rgb2yuv");
      harness.set_input(
          std::string("video/x-raw") + features +
          ", format=RGB, width=64, height=64, framerate=25/1, interlace-mode=" + mode);
      GstBuffer *buffer = gst_buffer_new_allocate(nullptr, 64 * 64 * 3, nullptr);
      gst_buffer_memset(buffer, 0, 0, 64 * 64 * 3);
      const GstFlowReturn flow = harness.push(buffer);
      fail_unless(flow == GST_FLOW_NOT_NEGOTIATED, "%s: %s", mode, gst_flow_get_name(flow));
    }
}
GST_END_TEST;

}  // namespace

void add_rgb2yuv_field_cases(Suite *suite) {
  TCase *fields = new_case(suite, "fields");
  tcase_add_loop_test(fields, every_height, 0, G_N_ELEMENTS(kFormats));
  tcase_add_test(fields, other_formats);
  tcase_add_loop_test(fields, buffers_decide, 0, G_N_ELEMENTS(kFormats));
  tcase_add_loop_test(fields, ntsc, 0, G_N_ELEMENTS(kFormats));
  tcase_add_loop_test(fields, no_room_for_the_last_row, 0, G_N_ELEMENTS(kFormats));
  tcase_add_test(fields, other_modes_are_refused);
}

}  // namespace test
