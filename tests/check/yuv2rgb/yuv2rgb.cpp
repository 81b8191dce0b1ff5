// SPDX-License-Identifier: LGPL-2.1-or-later
// What yuv2rgb negotiates, and colours that can be told without a formula.
#include "../negotiation.h"
#include "../yuv2yuv/conversion_cases.h"
#include "../yuv2yuv/conversion_reference.h"

namespace test {
namespace {

const Size kSmall{64, 64}, kHd{16, 1080};

CapsRef negotiated(const std::string &in, const std::string &downstream = {}) {
  return test::negotiated("yuv2rgb", in, downstream);
}

void expect_refused(const std::string &in, const std::string &downstream) {
  test::expect_refused("yuv2rgb", in, downstream);
}

GST_START_TEST(least_is_lost) {
  const struct {
    const char *in, *downstream, *chosen;
  } choices[] = {
      {"NV12", "video/x-raw", "RGB"},
      {"GRAY8", "video/x-raw", "RGB"},
      {"AYUV", "video/x-raw", "RGBA"},
      {"v210", "video/x-raw", "GBR_10LE"},
      {"P012_LE", "video/x-raw", "GBR_12LE"},
      {"AYUV64", "video/x-raw", "ARGB64"},
      {"NV12", "video/x-raw, format={ ARGB64, BGRx, RGBx, BGRA }", "RGBx"},
      {"v210", "video/x-raw, format={ RGB, ARGB64, GBR_12LE }", "GBR_12LE"},
      {"VUYA", "video/x-raw, format={ RGB, ABGR }", "ABGR"},
      {"VUYA", "video/x-raw, format={ RGB, ABGR }; video/x-raw, format=BGRA", "ABGR"},
      {"NV12", "video/x-raw, format=xRGB; video/x-raw, format=RGB", "xRGB"},
      {"v210", "video/x-raw, format=xRGB; video/x-raw, format=GBR_10LE", "GBR_10LE"},
  };
  for (const auto &[in, downstream, chosen] : choices)
    expect_field(negotiated(video_caps(in, kSmall), downstream), "format", chosen);
}
GST_END_TEST

// RGB is full range; transfer function and primaries stay.
GST_START_TEST(colours_are_spelled_out) {
  const struct {
    const char *in, *downstream, *colorimetry;
  } choices[] = {
      {"", "format=RGB", "1:1:5:1"},
      {"bt709", "format=RGB", "1:1:5:1"},
      {"bt601", "format=GBR_10LE", "1:1:16:4"},
      {"2:3:7:1", "format=RGBA", "sRGB"},
      {"bt2020", "format=RGB", "1:1:11:7"},
      {"1:3:5:1", "format=RGB", "1:1:5:1"},
      // Downstream decides.
      {"bt709", "format=RGB, colorimetry=sRGB", "sRGB"},
      {"bt709", "format=RGB, colorimetry=(string)2:1:5:1", "2:1:5:1"},
      {"bt709", "format=RGB, colorimetry=(string){ 2:1:5:1, sRGB }", "sRGB"},
      {"bt709", "format=RGB, colorimetry=(string){ 2:1:5:1, sRGB, 1:1:5:1 }", "1:1:5:1"},
  };
  for (const auto &[in, downstream, colorimetry] : choices) {
    const std::string named = in;
    const CapsRef out =
        negotiated(video_caps("NV12", kHd, named.empty() ? "" : "colorimetry=(string)" + named),
                   std::string("video/x-raw, ") + downstream);
    expect_field(out, "colorimetry", colorimetry);
    expect_field(out, "chroma-site", "");
  }
}
GST_END_TEST

GST_START_TEST(every_matrix_and_range) {
  int n = 0;
  for (const char *in_range : {"1", "2"})
    for (const char *matrix : {"2", "3", "4", "5", "6"})
      for (const char *out_range : {"1", "2"})
        for (const char *yuv : {"NV12", "v210", "Y444_16LE", "GRAY8"}) {
          const std::string caps = video_caps(
              yuv, {18, 9}, std::string("colorimetry=(string)") + in_range + ":" + matrix + ":5:1");
          for (const char *rgb : {"RGB", "GBR_10LE"}) {
            if (n++ % sample_step() != 0) continue;
            Harness harness("yuv2rgb");
            start_conversion(harness, caps,
                             std::string("video/x-raw, format=") + rgb + ", colorimetry=(string)" +
                                 out_range + ":1:7:1");
            convert_frame(harness, caps);
            harness.expect_no_error();
          }
        }
}
GST_END_TEST

// GStreamer's defaults for format and size, with a line in the log.
GST_START_TEST(unknown_colours) {
  for (const char *colours : {"colorimetry=(string)0:0:0:0", "colorimetry=(string)0:3:5:1",
                              "colorimetry=nonsense", "colorimetry=sRGB", "chroma-site=nonsense"})
    for (const char *yuv : {"NV12", "UYVY", "GRAY8"})
      for (Size size : {Size{16, 16}, Size{2, 600}}) {
        const std::string caps = video_caps(yuv, size, colours);
        Harness harness("yuv2rgb");
        start_conversion(harness, caps, "video/x-raw, format=RGB");
        convert_frame(harness, caps);
        harness.expect_no_error();
      }
}
GST_END_TEST

GST_START_TEST(refused) {
  const std::string in = video_caps("NV12", kSmall);
  expect_refused(in, "video/x-raw, format=NV12");
  expect_refused(in, "video/x-raw, format=RGB16");
  expect_refused(in, "video/x-raw, width=32");
  expect_refused(in, "video/x-raw, framerate=30/1");
  expect_refused(in, "video/x-raw, interlace-mode=interleaved");
  expect_refused(in, "image/jpeg");
  for (const char *format : {"RGB", "GBR_10LE", "r210", "I420_10BE"})
    expect_refused(video_caps(format, kSmall), "");
  for (const char *mode : {"fields", "alternate"})
    expect_refused(video_caps("UYVY", kSmall, std::string("interlace-mode=") + mode), "");
  expect_refused("video/x-raw(memory:CUDAMemory), format=NV12, width=64, height=64, framerate=25/1",
                 "");
}
GST_END_TEST

GST_START_TEST(constant_luminance_is_refused) {
  Harness harness("yuv2rgb");
  harness.set_input(video_caps("NV12", kSmall, "colorimetry=(string)2:7:5:1"));
  fail_unless_equals_int(harness.push(random_frame(video_info(video_caps("NV12", kSmall)), {}, 1)),
                         GST_FLOW_NOT_NEGOTIATED);
  harness.expect_error(GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
                       {"matrix 7", "BT.2020 of constant luminance is not"});
}
GST_END_TEST

GST_START_TEST(the_rest_is_kept) {
  for (const char *format : {"UYVY", "v210", "NV12", "GRAY16_LE"})
    expect_the_rest_kept("yuv2rgb", format);
}
GST_END_TEST

GST_START_TEST(caps_queries) {
  Harness harness("yuv2rgb");
  harness.accept("video/x-raw, format=RGBA, width=[ 16, 64 ], colorimetry=sRGB");
  Owned<GstPad> sink(gst_element_get_static_pad(harness.element(), "sink"));
  const CapsRef caps(gst_pad_query_caps(sink.get(), nullptr));
  const auto taken = [&caps](const std::string &text) {
    return gst_caps_can_intersect(caps.get(), parse_caps(text).get());
  };
  fail_unless(taken(video_caps("v210", kSmall, "colorimetry=bt709, chroma-site=mpeg2")));
  fail_unless(taken(video_caps("GRAY8", kSmall)));
  fail_if(taken(video_caps("v210", {65, 64})));
  fail_if(taken(video_caps("RGBA", kSmall)));
}
GST_END_TEST

GST_START_TEST(plain_colours) {
  const struct {
    guint8 y, u, v, r, g, b;
  } colours[] = {{16, 128, 128, 0, 0, 0},        {235, 128, 128, 255, 255, 255},
                 {126, 128, 128, 128, 128, 128}, {81, 90, 240, 254, 0, 0},
                 {145, 54, 34, 0, 255, 1},       {41, 240, 110, 0, 0, 255},
                 {0, 128, 128, 0, 0, 0},         {255, 128, 128, 255, 255, 255}};
  for (const auto &c : colours) {
    const std::string caps = video_caps("AYUV", {1, 1}, "colorimetry=bt601");
    Harness harness("yuv2rgb");
    start_conversion(harness, caps, "video/x-raw, format=RGBA");
    const guint8 pixel[4] = {77, c.y, c.u, c.v};
    GstBuffer *in = gst_buffer_new_allocate(nullptr, 4, nullptr);
    gst_buffer_fill(in, 0, pixel, 4);
    const BufferRef out = convert_frame(harness, caps, in);
    const guint8 expected[4] = {c.r, c.g, c.b, 77};
    guint8 found[4];
    gst_buffer_extract(out.get(), 0, found, 4);
    fail_unless(std::memcmp(found, expected, 4) == 0, "%d %d %d: %d %d %d", c.y, c.u, c.v, found[0],
                found[1], found[2]);
  }
}
GST_END_TEST

// GRAY8 to 16 bits: white is white.
GST_START_TEST(depth_of_grey) {
  const std::string caps = video_caps("GRAY8", {1, 1});
  Harness harness("yuv2rgb");
  start_conversion(harness, caps, "video/x-raw, format=ARGB64");
  GstBuffer *in = plain_frame(video_info(caps), {}, 255);
  const BufferRef out = convert_frame(harness, caps, in);
  const guint16 white[4] = {65535, 65535, 65535, 65535};
  fail_unless(gst_buffer_memcmp(out.get(), 0, white, 8) == 0);
}
GST_END_TEST

}  // namespace
}  // namespace test

int main(int argc, char **argv) {
  return test::run(&argc, &argv, "yuv2rgb", [](Suite *suite) {
    using namespace test;
    add_conversion_cases(suite, "yuv2rgb");
    TCase *caps = new_case(suite, "caps");
    tcase_add_test(caps, least_is_lost);
    tcase_add_test(caps, colours_are_spelled_out);
    tcase_add_test(caps, every_matrix_and_range);
    tcase_add_test(caps, unknown_colours);
    tcase_add_test(caps, refused);
    tcase_add_test(caps, constant_luminance_is_refused);
    tcase_add_test(caps, the_rest_is_kept);
    tcase_add_test(caps, caps_queries);
    tcase_add_test(caps, plain_colours);
    tcase_add_test(caps, depth_of_grey);
  });
}
