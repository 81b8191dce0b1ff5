// SPDX-License-Identifier: LGPL-2.1-or-later
// Matrices, ranges and chroma sites: what is computed for caps that name them.
#include "rgb2yuv_cases.h"
#include "rgb2yuv_reference.h"

namespace test {
namespace {

const char *const kSubsampled[] = {"Y42B", "I420", "YV12", "NV12", "NV21", "YUY2", "UYVY"};

std::string with_colorimetry(const std::string &format, const std::string &colorimetry) {
  return "video/x-raw, format=" + format + ", colorimetry=(string)" + colorimetry;
}

void convert(const std::string &in_caps, const std::string &downstream) {
  Harness harness("rgb2yuv");
  start_rgb2yuv(harness, in_caps, downstream);
  convert_rgb(harness, in_caps, rgb_frame(video_info(in_caps)));
  harness.expect_no_error();
}

Size picture_size() {
  return small_run() ? Size{9, 5} : Size{64, 33};
}

// The matrices by GStreamer's numbers: FCC, BT.709, BT.601, SMPTE 240M, BT.2020.
GST_START_TEST(every_matrix_and_range) {
  for (const char *in_range : {"1", "2"})
    for (const char *out_range : {"1", "2"})
      for (const char *matrix : {"2", "3", "4", "5", "6"})
        for (const char *yuv : {"Y444", "NV12", "GRAY8"})
          convert(video_caps("RGB", picture_size(),
                             std::string("colorimetry=(string)") + in_range + ":1:7:1"),
                  with_colorimetry(yuv, std::string(out_range) + ":" + matrix + ":7:1"));
}
GST_END_TEST;

GST_START_TEST(colorimetry_by_name) {
  for (const char *in : {"sRGB", "bt709", "bt601", "bt2020"})
    for (const char *out : {"bt601", "bt709", "bt2020", "bt2020-10", "smpte240m"})
      convert(video_caps("BGR", picture_size(), std::string("colorimetry=") + in),
              with_colorimetry("I420", out));
}
GST_END_TEST;

// Halves of a colorimetry, and what contradicts the format: GStreamer's defaults.
GST_START_TEST(unknown_colorimetry) {
  for (const char *in : {"0:1:7:1", "0:0:0:0", "2:0:5:1", "2:9:5:1", "nonsense", "1:1:99:99"})
    for (const char *out : {"0:3:5:1", "1:0:5:1", "0:0:7:1", "sRGB", "nonsense", "2:77:1:1"})
      for (const char *yuv : {"NV12", "GRAY8", "AYUV"})
        for (Size size : {Size{16, 16}, Size{2, 600}})
          convert(video_caps("RGB", size, std::string("colorimetry=(string)") + in),
                  with_colorimetry(yuv, out));
}
GST_END_TEST;

GST_START_TEST(every_chroma_site) {
  const char *yuv = kSubsampled[__i__];
  for (const char *site : {"jpeg", "mpeg2", "v-cosited", "cosited", "dv", "alt-line", "none"})
    for (Size size : {Size{1, 1}, Size{2, 3}, Size{3, 2}, Size{33, 18}, Size{64, 17}}) {
      if (small_run() && size.width != 3) continue;
      convert(video_caps("GBR", size),
              std::string("video/x-raw, format=") + yuv + ", chroma-site=" + site);
    }
}
GST_END_TEST;

// Where nothing names a site, it changes above 576 lines.
GST_START_TEST(default_chroma_site) {
  for (int height : {575, 576, 577, 578})
    for (const char *downstream :
         {"video/x-raw, format=NV12", "video/x-raw, format=NV12, chroma-site=nonsense",
          "video/x-raw, format=NV12, colorimetry=bt709"})
      convert(video_caps("RGB", {5, height}), downstream);
}
GST_END_TEST;

// A column of red beside a column of white: where chroma sits can be told without a formula.
GST_START_TEST(sites_by_hand) {
  const struct {
    const char *site;
    int v[4];  // of the chroma columns 0 to 3: red is 240, white is 128
  } sites[] = {{"jpeg", {240, 184, 128, 128}},    // columns (0, 1), (2, 3), ...
               {"mpeg2", {240, 212, 128, 128}}};  // columns (0, 0, 1), (1, 2, 3), (3, 4, 5), ...
  for (const auto &[site, v] : sites)
    for (const char *format : {"Y42B", "I420"}) {
      const std::string caps = video_caps("RGB", {8, 2});
      Harness harness("rgb2yuv");
      start_rgb2yuv(harness, caps,
                    std::string("video/x-raw, colorimetry=bt601, format=") + format +
                        ", chroma-site=" + site);
      GstBuffer *in = gst_buffer_new_allocate(nullptr, 48, nullptr);
      gst_buffer_memset(in, 0, 255, 48);
      for (gsize y = 0; y < 2; y++)
        for (gsize x = 0; x < 3; x++)
          gst_buffer_memset(in, 24 * y + 3 * x + 1, 0, 2);
      const BufferRef out = convert_rgb(harness, caps, in);
      const GstVideoInfo info = harness.output_info();
      guint8 got[4];
      gst_buffer_extract(out.get(), info.offset[2], got, 4);
      for (int x = 0; x < 4; x++)
        fail_unless(got[x] == v[x], "%s %s: column %d is %d, not %d", format, site, x, got[x],
                    v[x]);
    }
}
GST_END_TEST;

}  // namespace

void add_rgb2yuv_colour_cases(Suite *suite) {
  TCase *colours = new_case(suite, "colours");
  tcase_add_test(colours, every_matrix_and_range);
  tcase_add_test(colours, colorimetry_by_name);
  if (!small_run()) tcase_add_test(colours, unknown_colorimetry);
  tcase_add_loop_test(colours, every_chroma_site, 0, G_N_ELEMENTS(kSubsampled));
  tcase_add_test(colours, default_chroma_site);
  tcase_add_test(colours, sites_by_hand);
}

}  // namespace test
