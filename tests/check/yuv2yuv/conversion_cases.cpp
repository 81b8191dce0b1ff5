// SPDX-License-Identifier: LGPL-2.1-or-later
#include "conversion_cases.h"

#include "conversion_reference.h"

namespace test {
namespace {

const char *element;

std::string format_caps(const std::string &format) {
  return "video/x-raw, format=" + format;
}

const std::vector<std::string> &inputs() {
  static const std::vector<std::string> formats = template_formats(element, "sink");
  return formats;
}
const std::vector<std::string> &outputs() {
  static const std::vector<std::string> formats = template_formats(element, "src");
  return formats;
}

// One of each subsampling and packing that there is.
const char *const kInputs[] = {"I420", "NV12", "UYVY", "v210", "Y42B", "P010_10LE", "Y41B", "AYUV"};
bool is_rgb() {
  return g_str_equal(element, "yuv2rgb");
}
std::vector<std::string> some_outputs() {
  if (is_rgb()) return {"RGB", "BGRA", "GBR_10LE"};
  return {"NV12", "v210", "Y444_10LE", "YUY2", "I422_12LE", "GRAY8"};
}

GST_START_TEST(every_pair_of_formats) {
  const std::string &in = inputs()[static_cast<gsize>(__i__)];
  int pair = __i__;
  for (const std::string &out : outputs()) {
    if (small_run() && ++pair % 7 != 0) continue;
    const std::string caps = video_caps(in, {possible_width(out, 13), 7});
    Harness harness(element);
    start_conversion(harness, caps, format_caps(out));
    expect_string(harness.output_info().finfo->name, out);
    const BufferRef converted = convert_frame(harness, caps);
    fail_unless(in == out || gst_buffer_get_size(converted.get()) == harness.output_info().size);
    harness.expect_no_error();
  }
}
GST_END_TEST

GST_START_TEST(every_size) {
  const char *in = kInputs[__i__];
  for (const std::string &out : some_outputs())
    for (Size size : {Size{1, 1}, Size{1, 3}, Size{3, 1}, Size{2, 2}, Size{4, 5}, Size{5, 4},
                      Size{6, 1}, Size{7, 3}, Size{47, 2}, Size{48, 3}, Size{49, 5}, Size{97, 18},
                      Size{2, 577}, Size{769, 4}}) {
      if (small_run() && size.width % 3 != 1) continue;
      const std::string caps = video_caps(in, size);
      Harness harness(element);
      start_conversion(harness, caps, format_caps(out));
      convert_frame(harness, caps);
      harness.expect_no_error();
    }
}
GST_END_TEST

GST_START_TEST(any_input_layout) {
  const std::string caps = video_caps(kInputs[__i__], {33, 6});
  Harness harness(element);
  start_conversion(harness, caps, format_caps(some_outputs()[1]));
  guint32 seed = 1;
  for (int extra : {0, 1, 2, 16, 61}) {
    if (small_run() && extra != 1) continue;
    for (gsize offset : {0, 1, 6, 256})
      for (gsize misalign : {0, 1, 2, 8})
        convert_frame(harness, caps,
                      random_frame(video_info(caps), {extra, offset, misalign, true}, seed++));
  }
}
GST_END_TEST

GST_START_TEST(any_output_layout) {
  for (const std::string &out : outputs())
    for (Size size : {Size{1, 1}, Size{3, 1}, Size{5, 4}, Size{33, 17}}) {
      const std::string caps =
          video_caps(kInputs[__i__], {possible_width(out, size.width), size.height});
      if (out == kInputs[__i__]) continue;
      Harness harness(element);
      const Owned<GstBufferPool> pool(odd_pool_new());
      offer_pool(harness, pool.get(), true);
      start_conversion(harness, caps, format_caps(out));
      check_guards(convert_frame(harness, caps).get(), harness.output_info());
      harness.expect_no_error();
    }
}
GST_END_TEST

GST_START_TEST(every_chroma_site) {
  const char *sites[] = {"jpeg", "mpeg2", "cosited", "v-cosited"};
  for (const std::string &out : some_outputs())
    for (const char *in_site : sites)
      for (const char *out_site : sites) {
        const std::string caps =
            video_caps(kInputs[__i__], {15, 8}, std::string("chroma-site=") + in_site);
        Harness harness(element);
        start_conversion(
            harness, caps,
            format_caps(out) + (is_rgb() ? "" : std::string(", chroma-site=") + out_site));
        convert_frame(harness, caps);
        if (is_rgb()) break;
      }
}
GST_END_TEST

// Of mixed video the buffer says what it is.
GST_START_TEST(fields) {
  for (const std::string &out : some_outputs())
    for (const char *mode : {"interleaved", "mixed"})
      for (int height : {1, 2, 3, 4, 5, 6, 8, 10, 22}) {
        if (small_run() && height != 6) continue;
        const std::string caps =
            video_caps(kInputs[__i__], {9, height}, std::string("interlace-mode=") + mode);
        Harness harness(element);
        start_conversion(harness, caps, format_caps(out));
        expect_string(gst_video_interlace_mode_to_string(harness.output_info().interlace_mode),
                      mode);
        for (bool interlaced : {true, false}) {
          GstBuffer *in = random_frame(video_info(caps), {}, 3);
          if (interlaced) GST_BUFFER_FLAG_SET(in, GST_VIDEO_BUFFER_FLAG_INTERLACED);
          convert_frame(harness, caps, in);
        }
      }
}
GST_END_TEST

// From one frame to the next.
GST_START_TEST(properties) {
  const std::string caps = video_caps(kInputs[__i__], {33, 18});
  for (const std::string &out : some_outputs()) {
    Harness harness(element);
    start_conversion(harness, caps, format_caps(out));
    for (const char *chroma : {"linear", "nearest"})
      for (const char *dither : {"none", "ordered"}) {
        gst_util_set_object_arg(G_OBJECT(harness.element()), "chroma", chroma);
        gst_util_set_object_arg(G_OBJECT(harness.element()), "dither", dither);
        convert_frame(harness, caps);
      }
  }
}
GST_END_TEST

GST_START_TEST(any_number_of_threads) {
  const char *const threads[] = {"1", "2", "0", "7"};
  for (const char *in : {"NV12", "v210"}) {
    const std::string caps = video_caps(in, {small_run() ? 33 : 385, 57});
    Harness harness(element, {{"n-threads", threads[__i__]}});
    start_conversion(harness, caps,
                     format_caps(some_outputs()[0] == in ? "I420" : some_outputs()[0]));
    convert_frame(harness, caps);
  }
}
GST_END_TEST

GST_START_TEST(renegotiation) {
  const char *const more[] = {"", "colorimetry=bt709", "interlace-mode=interleaved",
                              "chroma-site=cosited"};
  Harness harness(element);
  for (gsize step = 0; step < (small_run() ? 10 : 40); step++) {
    const std::string in = inputs()[step * 7 % inputs().size()];
    const std::string out = outputs()[step * 5 % outputs().size()];
    const std::string caps = video_caps(in, {step % 3 ? 33 : 5, 17}, more[step % 4]);
    harness.accept(format_caps(out));
    gst_harness_push_upstream_event(harness.get(), gst_event_new_reconfigure());
    fail_unless(harness.set_input(caps), "%s", caps.c_str());
    for (guint32 n = 0; n < 2; n++)
      convert_frame(harness, caps, n);
    expect_string(harness.output_info().finfo->name, out);
  }
  harness.expect_no_error();
}
GST_END_TEST

}  // namespace

void add_conversion_cases(Suite *suite, const char *name) {
  element = name;
  TCase *cases = new_case(suite, "conversions");
  add_sampled_loop_test(cases, every_pair_of_formats, inputs().size());
  add_sampled_loop_test(cases, every_size, G_N_ELEMENTS(kInputs));
  add_sampled_loop_test(cases, any_input_layout, G_N_ELEMENTS(kInputs));
  add_sampled_loop_test(cases, any_output_layout, G_N_ELEMENTS(kInputs));
  add_sampled_loop_test(cases, every_chroma_site, G_N_ELEMENTS(kInputs));
  add_sampled_loop_test(cases, fields, G_N_ELEMENTS(kInputs));
  add_sampled_loop_test(cases, properties, G_N_ELEMENTS(kInputs));
  tcase_add_loop_test(cases, any_number_of_threads, 0, 4);
  tcase_add_test(cases, renegotiation);
}

}  // namespace test
