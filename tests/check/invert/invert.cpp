// SPDX-License-Identifier: LGPL-2.1-or-later
// The element invert: its bytes in every format, and what it negotiates.
#include "../negotiation.h"
#include "invert_reference.h"

namespace test {
namespace {

void convert(Harness &harness, const std::string &caps, Layout layout, guint32 seed) {
  const GstVideoInfo info = video_info(caps);
  BufferRef in(random_frame(info, layout, seed));
  fail_unless_equals_int(harness.push(gst_buffer_ref(in.get())), GST_FLOW_OK);
  const BufferRef out = harness.pull();
  fail_unless(out != nullptr);
  check_inverted(in.get(), info, out.get(), harness.output_info());
  harness.expect_no_error();
}

GST_START_TEST(every_format_and_size) {
  fail_unless(n_sink_formats("invert") >= 46);  // those of GStreamer 1.22
  for (int format = 0; format < n_sink_formats("invert"); format++)
    for (Size size : {Size{1, 1}, Size{3, 1}, Size{1, 3}, Size{33, 17}, Size{640, 35}}) {
      if (small_run() && size.width > 100) continue;
      for (const char *mode : {"progressive", "interleaved"}) {
        const std::string caps =
            sink_caps("invert", size, format) + ", interlace-mode=(string)" + mode;
        Harness harness("invert");
        fail_unless(harness.set_input(caps), "%s", caps.c_str());
        convert(harness, caps, {}, 1);
      }
    }
}
GST_END_TEST;

// Samples of 16 bits that are not aligned are copied by the base class.
GST_START_TEST(any_input_layout) {
  for (const char *format : {"GRAY8", "RGB", "I420", "NV12", "UYVY", "I420_10LE", "v210"}) {
    const std::string caps = video_caps(format, {33, 17});
    Harness harness("invert");
    fail_unless(harness.set_input(caps));
    guint32 seed = 1;
    for (int extra : {0, 1, 16, 61})
      for (gsize offset : {0, 1, 6})
        for (gsize misalign : {0, 1, 8})
          convert(harness, caps, {extra, offset, misalign, true}, seed++);
  }
}
GST_END_TEST;

GST_START_TEST(any_number_of_threads) {
  for (const char *threads : {"1", "2", "0", "7"}) {
    const std::string caps = video_caps("NV12", {641, 357});
    Harness harness("invert", {{"n-threads", threads}});
    fail_unless(harness.set_input(caps));
    convert(harness, caps, {}, 1);
  }
}
GST_END_TEST;

GST_START_TEST(caps_are_kept) {
  expect_the_rest_kept("invert", "UYVY");
  const auto out =
      negotiated("invert", video_caps("I420", {64, 64}, "colorimetry=bt709, chroma-site=jpeg"), "");
  expect_field(out, "format", "I420");
  expect_field(out, "colorimetry", "bt709");
  expect_field(out, "chroma-site", "jpeg");
}
GST_END_TEST;

GST_START_TEST(nothing_is_converted) {
  const std::string in = video_caps("NV12", {64, 64});
  expect_refused("invert", in, "video/x-raw, format=I420");
  expect_refused("invert", in, "video/x-raw, width=32");
  expect_refused("invert", video_caps("RGB16", {64, 64}), "");
  expect_refused("invert", "image/jpeg, width=64, height=64", "");
}
GST_END_TEST;

}  // namespace
}  // namespace test

int main(int argc, char **argv) {
  return test::run(&argc, &argv, "invert", [](Suite *suite) {
    TCase *pixels = test::new_case(suite, "pixels");
    tcase_add_test(pixels, test::every_format_and_size);
    tcase_add_test(pixels, test::any_input_layout);
    tcase_add_test(pixels, test::any_number_of_threads);
    TCase *caps = test::new_case(suite, "caps");
    tcase_add_test(caps, test::caps_are_kept);
    tcase_add_test(caps, test::nothing_is_converted);
  });
}
