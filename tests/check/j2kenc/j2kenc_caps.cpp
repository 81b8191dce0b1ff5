// SPDX-License-Identifier: LGPL-2.1-or-later
// The caps of j2kenc.
#include "j2kenc_cases.h"

namespace test {
namespace {

const Size kSize{64, 48};

// Each field of `expected` is so in the output's caps.
void expect_caps(Harness &harness, const std::string &expected) {
  const CapsRef caps = harness.output_caps();
  fail_unless(caps != nullptr, "no output caps");
  fail_unless(gst_caps_is_subset(caps.get(), parse_caps(expected).get()), "%s is not %s",
              text_of(caps.get()).c_str(), expected.c_str());
}

GST_START_TEST(every_field) {
  const struct {
    const char *format, *more, *expected;
  } cases[] = {
      {"GRAY8", "", "num-components=1, sampling=GRAYSCALE, colorspace=GRAY"},
      {"GRAY16_LE", "", "num-components=1, sampling=GRAYSCALE, colorspace=GRAY"},
      {"BGR", "", "num-components=3, sampling=RGB, colorspace=sRGB, colorimetry=sRGB"},
      {"xBGR", "", "num-components=3, sampling=RGB, colorspace=sRGB"},
      {"GBR_12LE", "", "num-components=3, sampling=RGB, colorspace=sRGB"},
      {"ABGR", "", "num-components=4, sampling=RGBA, colorspace=sRGB"},
      {"NV21", "", "num-components=3, sampling=YCbCr-4:2:0, colorspace=sYUV, colorimetry=bt601"},
      {"P010_10LE", "", "num-components=3, sampling=YCbCr-4:2:0, colorspace=sYUV"},
      {"v210", "", "num-components=3, sampling=YCbCr-4:2:2, colorspace=sYUV"},
      {"Y41B", "", "num-components=3, sampling=YCbCr-4:1:1, colorspace=sYUV"},
      {"Y444_16LE", "", "num-components=3, sampling=YCbCr-4:4:4, colorspace=sYUV"},
      {"VUYA", "", "num-components=4, sampling=\"YCbCrA-4:4:4:4\", colorspace=sYUV"},
      {"I420", "colorimetry=bt709, chroma-site=mpeg2, pixel-aspect-ratio=12/11",
       "colorimetry=bt709, chroma-site=mpeg2, pixel-aspect-ratio=12/11"},
      {"I420", "interlace-mode=interleaved, field-order=top-field-first",
       "interlace-mode=interleaved, field-order=top-field-first, fields=2, height=48"},
      {"I420", "interlace-mode=mixed", "interlace-mode=mixed, fields=1"},
      {"I420", "framerate=30000/1001", "framerate=30000/1001"},
  };
  for (const auto &[format, more, expected] : cases) {
    Harness harness("j2kenc");
    fail_unless(harness.set_input(video_caps(format, kSize, more)), "%s %s", format, more);
    expect_caps(harness,
                std::string("image/x-jpc, alignment=frame, width=64, profile=0, ") + expected);
    const bool plain = more[0] == '\0';
    if (plain)
      expect_caps(harness,
                  "image/x-jpc, height=48, framerate=25/1, pixel-aspect-ratio=1/1, "
                  "interlace-mode=progressive, fields=1");
  }
}
GST_END_TEST;

// What is said of the input and is true of the output, value by value.
GST_START_TEST(what_is_kept) {
  const std::string text =
      video_caps("I420", kSize,
                 "max-framerate=50/1, interlace-mode=interleaved, field-order=bottom-field-first, "
                 "pixel-aspect-ratio=12/11, colorimetry=bt2020, chroma-site=mpeg2, "
                 "multiview-mode=left, multiview-flags=(GstVideoMultiviewFlagsSet)0:ffffffff, "
                 "views=1, mastering-display-info=(string)35399:14599:8500:39850:6550:2300:15634:"
                 "16450:10000000:1, content-light-level=(string)1000:400");
  Harness harness("j2kenc");
  fail_unless(harness.set_input(text));
  const CapsRef in = parse_caps(text), out = harness.output_caps();
  const GstStructure *raw = gst_caps_get_structure(in.get(), 0);
  for (int i = 0; i < gst_structure_n_fields(raw); i++) {
    const char *field = gst_structure_nth_field_name(raw, static_cast<guint>(i));
    const GValue *value = gst_structure_get_value(gst_caps_get_structure(out.get(), 0), field);
    if (g_str_equal(field, "format"))
      fail_unless(value == nullptr, "%s", text_of(out.get()).c_str());
    else
      fail_unless(value != nullptr && gst_value_compare(value, gst_structure_get_value(
                                                                   raw, field)) == GST_VALUE_EQUAL,
                  "%s: %s", field, text_of(out.get()).c_str());
  }
}
GST_END_TEST;

// mj2mux makes a channel definition box of it.
GST_START_TEST(opacity) {
  for (const char *format : {"RGBA", "AYUV64", "RGB"}) {
    Harness harness("j2kenc");
    fail_unless(harness.set_input(video_caps(format, kSize)));
    const CapsRef caps = harness.output_caps();
    const GValue *channels =
        gst_structure_get_value(gst_caps_get_structure(caps.get(), 0), "channel-definitions");
    fail_unless((channels != nullptr) == (std::string(format) != "RGB"), "%s", format);
    if (channels == nullptr) continue;
    for (guint i = 0; i < 4; i++)
      fail_unless_equals_int(g_value_get_int(gst_value_array_get_value(channels, i)),
                             i < 3 ? static_cast<int>(i) + 1 : 0);
  }
}
GST_END_TEST;

// Codestreams, unless downstream wants something else, or names boxes first as mj2mux does.
GST_START_TEST(media_types) {
  for (const auto &[accepted, expected] :
       {std::pair{"image/x-jpc", "image/x-jpc"},
        {"image/x-j2c", "image/x-j2c"},
        {"image/jp2", "image/jp2"},
        {"image/x-jpc; image/x-j2c", "image/x-jpc"},
        {"image/x-j2c; image/x-jpc", "image/x-j2c"},
        {"image/jp2; image/x-jpc; image/x-j2c", "image/x-jpc"},
        {"image/jp2; image/x-jpc", "image/x-jpc"},
        {"image/jp2; image/x-j2c", "image/x-j2c"},
        {"image/x-j2c; image/x-jpc; image/jp2; image/x-jpc-striped", "image/x-jpc"},
        {"image/x-j2c, fields=1; image/jpeg; image/x-jpc, fields=1", "image/x-j2c"},
        {"image/jp2; image/x-j2c, sampling=RGB; image/x-jpc", "image/x-jpc"},
        {"ANY", "image/x-jpc"}}) {
    Harness harness("j2kenc");
    harness.accept(accepted);
    fail_unless(harness.set_input(video_caps("I420", kSize)), "%s", accepted);
    expect_caps(harness, expected);
  }
}
GST_END_TEST;

GST_START_TEST(fields_in_a_row) {
  Harness harness("j2kenc");
  harness.set_input(video_caps("I420", kSize, "interlace-mode=fields"));
  const GstVideoInfo info = video_info(video_caps("I420", kSize));
  fail_unless_equals_int(harness.push(random_frame(info, {}, 1)), GST_FLOW_NOT_NEGOTIATED);
  harness.expect_error(GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, {"interlace-mode=fields"});
}
GST_END_TEST;

// As a decoder needs it: every frame stands alone, and is decoded when it is shown, unless a time
// is set for that.
GST_START_TEST(every_frame_is_a_key_frame) {
  const std::string caps = video_caps("I420", kSize);
  Harness harness("j2kenc");
  fail_unless(harness.set_input(caps));
  for (const GstClockTime decoded : {GST_CLOCK_TIME_NONE, GstClockTime{70 * GST_MSECOND}}) {
    GstBuffer *in = random_frame(video_info(caps), {}, 1);
    GST_BUFFER_PTS(in) = 80 * GST_MSECOND;
    GST_BUFFER_DTS(in) = decoded;
    GST_BUFFER_FLAG_SET(in, GST_BUFFER_FLAG_DELTA_UNIT);
    fail_unless_equals_int(harness.push(in), GST_FLOW_OK);
    const BufferRef out = harness.pull();
    fail_unless_equals_clocktime(GST_BUFFER_PTS(out.get()), 80 * GST_MSECOND);
    fail_unless_equals_clocktime(GST_BUFFER_DTS(out.get()),
                                 GST_CLOCK_TIME_IS_VALID(decoded) ? decoded : 80 * GST_MSECOND);
    fail_if(GST_BUFFER_FLAG_IS_SET(out.get(), GST_BUFFER_FLAG_DELTA_UNIT));
  }
  gst_harness_set_live(harness.get(), TRUE);
  gst_harness_set_upstream_latency(harness.get(), 7 * GST_MSECOND);
  fail_unless_equals_clocktime(gst_harness_query_latency(harness.get()), 7 * GST_MSECOND);
}
GST_END_TEST;

}  // namespace

void add_j2kenc_caps_cases(Suite *suite) {
  TCase *caps = new_case(suite, "caps");
  tcase_add_test(caps, every_field);
  tcase_add_test(caps, what_is_kept);
  tcase_add_test(caps, opacity);
  tcase_add_test(caps, media_types);
  tcase_add_test(caps, fields_in_a_row);
  tcase_add_test(caps, every_frame_is_a_key_frame);
}

}  // namespace test
