// SPDX-License-Identifier: LGPL-2.1-or-later
// The bytes of rgb2yuv: every pair of formats, many sizes, any layout of either buffer.
#include "rgb2yuv_cases.h"
#include "rgb2yuv_reference.h"

namespace test {
namespace {

const Size kSizes[] = {{1, 1}, {3, 1}, {1, 3}, {2, 2}, {5, 4}, {33, 17}, {130, 35}};

std::string downstream(const char *format) {
  return std::string("video/x-raw, format=") + format;
}

GST_START_TEST(every_format_and_size) {
  const char *rgb = kRgbFormats[__i__];
  for (const char *yuv : kYuvFormats)
    for (Size size : kSizes) {
      if (small_run() && size.width != 5) continue;
      Harness harness("rgb2yuv");
      const std::string caps = video_caps(rgb, size);
      start_rgb2yuv(harness, caps, downstream(yuv));
      expect_string(harness.output_info().finfo->name, yuv);
      const BufferRef out = convert_rgb(harness, caps, rgb_frame(video_info(caps)));
      fail_unless_equals_int(gst_buffer_get_size(out.get()), harness.output_info().size);
      harness.expect_no_error();
    }
}
GST_END_TEST;

GST_START_TEST(large_pictures) {
  for (Size size : {Size{1920, 1080}, Size{16384, 2}, Size{3, 4001}}) {
    if (small_run()) continue;
    Harness harness("rgb2yuv");
    const std::string caps = video_caps("BGRx", size);
    start_rgb2yuv(harness, caps, downstream("NV12"));
    convert_rgb(harness, caps, rgb_frame(video_info(caps)));
  }
}
GST_END_TEST;

GST_START_TEST(any_input_layout) {
  const char *rgb = kRgbFormats[__i__];
  for (Size size : {Size{1, 1}, Size{3, 1}, Size{5, 4}, Size{33, 17}}) {
    if (small_run() && size.width != 5) continue;
    const std::string caps = video_caps(rgb, size);
    const GstVideoInfo info = video_info(caps);
    Harness harness("rgb2yuv");
    start_rgb2yuv(harness, caps, downstream("I420"));
    guint32 seed = 1;
    for (int extra : {0, 1, 3, 16})
      for (gsize offset : {0, 1, 6})
        for (gsize misalign : {0, 1, 3, 8})
          convert_rgb(harness, caps, random_frame(info, {extra, offset, misalign, true}, seed++));
    // Misaligned without a GstVideoMeta too.
    for (gsize misalign = 1; misalign < 16; misalign++)
      convert_rgb(harness, caps, random_frame(info, {.misalign = misalign}, seed++));
  }
}
GST_END_TEST;

GST_START_TEST(any_output_layout) {
  const char *yuv = kYuvFormats[__i__];
  for (Size size : {Size{1, 1}, Size{3, 1}, Size{1, 3}, Size{5, 4}, Size{33, 17}}) {
    const std::string caps = video_caps("RGB", size);
    Harness harness("rgb2yuv");
    const Owned<GstBufferPool> pool(odd_pool_new());
    offer_pool(harness, pool.get(), true);
    start_rgb2yuv(harness, caps, downstream(yuv));
    const GstVideoInfo out_info = harness.output_info();
    for (guint32 seed = 1; seed <= 3; seed++) {
      const BufferRef out =
          convert_rgb(harness, caps, random_frame(video_info(caps), {5, 3, 1, true}, seed));
      fail_unless(gst_buffer_get_video_meta(out.get())->stride[0] == row_bytes(out_info, 0) + 7,
                  "the pool that downstream offered was not used as it is");
      check_guards(out.get(), out_info);
    }
    harness.expect_no_error();
  }
}
GST_END_TEST;

// The alpha of the input, byte for byte, whatever the colours are; what is no alpha is not read.
GST_START_TEST(alpha) {
  for (const char *rgb : kRgbFormats)
    for (const char *yuv : {"AYUV", "VUYA"}) {
      Harness harness("rgb2yuv");
      const std::string caps = video_caps(rgb, {64, 4});
      start_rgb2yuv(harness, caps, downstream(yuv));
      BufferRef in(rgb_frame(video_info(caps)));
      const std::string letters = rgb;
      const gsize at = letters.find_first_of("Ax");
      if (at != std::string::npos)
        for (gsize i = 0; i < 256; i++)
          gst_buffer_memset(in.get(), 4 * i + at, static_cast<guint8>(i), 1);
      const BufferRef out = convert_rgb(harness, caps, in.release());
      const bool carried = at != std::string::npos && letters[at] == 'A';
      GstMapInfo map;
      fail_unless(gst_buffer_map(out.get(), &map, GST_MAP_READ));
      for (gsize i = 0; i < 256; i++)
        fail_unless_equals_int(map.data[4 * i + (yuv[0] == 'A' ? 0 : 3)],
                               carried ? static_cast<int>(i) : 255);
      gst_buffer_unmap(out.get(), &map);
    }
}
GST_END_TEST;

GST_START_TEST(any_number_of_threads) {
  const char *const threads[] = {"1", "2", "0", "7"};
  for (const char *yuv : {"NV12", "Y444", "UYVY"}) {
    const std::string caps = video_caps("xBGR", {small_run() ? 33 : 641, 57});
    Harness harness("rgb2yuv", {{"n-threads", threads[__i__]}});
    Harness alone("rgb2yuv", {{"n-threads", "1"}});
    start_rgb2yuv(harness, caps, downstream(yuv));
    start_rgb2yuv(alone, caps, downstream(yuv));
    const BufferRef in(rgb_frame(video_info(caps)));
    const BufferRef out = convert_rgb(harness, caps, gst_buffer_ref(in.get()));
    const BufferRef same = convert_rgb(alone, caps, gst_buffer_ref(in.get()));
    expect_same_samples(out.get(), same.get(), harness.output_info());
  }
}
GST_END_TEST;

// Colours that can be told without a formula.
GST_START_TEST(plain_colours) {
  const struct {
    guint8 r, g, b, y, u, v;
  } colours[] = {{0, 0, 0, 16, 128, 128},        {255, 255, 255, 235, 128, 128},
                 {128, 128, 128, 126, 128, 128}, {255, 0, 0, 81, 90, 240},
                 {0, 255, 0, 145, 54, 34},       {0, 0, 255, 41, 240, 110}};
  for (const auto &c : colours) {
    const std::string caps = video_caps("RGB", {1, 1});
    Harness harness("rgb2yuv");
    start_rgb2yuv(harness, caps, "video/x-raw, format=AYUV, colorimetry=bt601");
    const guint8 pixel[4] = {c.r, c.g, c.b, 0};
    GstBuffer *in = gst_buffer_new_allocate(nullptr, 4, nullptr);
    gst_buffer_fill(in, 0, pixel, 4);
    const BufferRef out = convert_rgb(harness, caps, in);
    const guint8 expected[4] = {255, c.y, c.u, c.v};
    fail_unless(gst_buffer_memcmp(out.get(), 0, expected, 4) == 0, "%d %d %d", c.r, c.g, c.b);
  }
}
GST_END_TEST;

// Format, size and colorimetry change on either side while frames flow.
GST_START_TEST(renegotiation) {
  const struct {
    const char *rgb;
    Size size;
    const char *more;
    const char *downstream;
  } steps[] = {{"RGB", {33, 17}, "", "video/x-raw, format=NV12"},
               {"ABGR", {33, 17}, "", "video/x-raw, format=AYUV"},
               {"ABGR", {5, 40}, "", "video/x-raw, format=AYUV"},
               {"BGRP", {5, 40}, "", "video/x-raw, format=GRAY8"},
               {"BGRP", {16, 16}, "", "video/x-raw, format=I420, colorimetry=bt2020"},
               {"BGRP", {16, 16}, "colorimetry=bt709", "video/x-raw, format=I420"},
               {"BGRP", {16, 16}, "interlace-mode=interleaved", "video/x-raw, format=I420"},
               {"RGB", {33, 17}, "", "video/x-raw, format=NV12, chroma-site=cosited"}};
  Harness harness("rgb2yuv");
  for (int round = 0; round < 2; round++)
    for (const auto &step : steps) {
      const std::string caps = video_caps(step.rgb, step.size, step.more);
      harness.accept(step.downstream);
      gst_harness_push_upstream_event(harness.get(), gst_event_new_reconfigure());
      fail_unless(harness.set_input(caps), "%s", caps.c_str());
      for (guint32 n = 0; n < 2; n++)
        convert_rgb(harness, caps, rgb_frame(video_info(caps), {}, n));
      const CapsRef out = harness.output_caps();
      fail_unless(gst_caps_is_subset(out.get(), parse_caps(step.downstream).get()), "%s",
                  text_of(out.get()).c_str());
    }
  harness.expect_no_error();
}
GST_END_TEST;

}  // namespace

void add_rgb2yuv_pixel_cases(Suite *suite) {
  TCase *pixels = new_case(suite, "pixels");
  tcase_add_loop_test(pixels, every_format_and_size, 0, G_N_ELEMENTS(kRgbFormats));
  tcase_add_test(pixels, large_pictures);
  tcase_add_loop_test(pixels, any_input_layout, 0, G_N_ELEMENTS(kRgbFormats));
  tcase_add_loop_test(pixels, any_output_layout, 0, G_N_ELEMENTS(kYuvFormats));
  tcase_add_test(pixels, alpha);
  tcase_add_loop_test(pixels, any_number_of_threads, 0, 4);
  tcase_add_test(pixels, plain_colours);
  tcase_add_test(pixels, renegotiation);
}

}  // namespace test
