// SPDX-License-Identifier: LGPL-2.1-or-later
// What rgb2yuv negotiates.
#include "../../support/elements/log.h"
#include "../negotiation.h"
#include "rgb2yuv_cases.h"

namespace test {
namespace {

const Size kSmall{64, 64}, kHd{16, 1080};

CapsRef negotiated(const std::string &in, const std::string &downstream = {}) {
  return test::negotiated("rgb2yuv", in, downstream);
}

void expect_refused(const std::string &in, const std::string &downstream) {
  test::expect_refused("rgb2yuv", in, downstream);
}

GST_START_TEST(full_chroma_is_preferred) {
  for (const char *rgb : {"RGB", "ARGB", "BGRP"}) {
    const std::string in = video_caps(rgb, kSmall);
    expect_field(negotiated(in), "format", "Y444");
    expect_field(negotiated(in, "video/x-raw"), "format", "Y444");
    expect_field(negotiated(in, "video/x-raw, format={ GRAY8, NV12, I420, Y444 }"), "format",
                 "Y444");
    expect_field(negotiated(in, "video/x-raw, format={ RGB, GRAY8, NV12, I420 }"), "format",
                 "I420");
    expect_field(negotiated(in, "video/x-raw, format={ RGB, GRAY8 }"), "format", "GRAY8");
    for (const char *yuv : kYuvFormats)
      expect_field(negotiated(in, std::string("video/x-raw, format=") + yuv), "format", yuv);
  }
}
GST_END_TEST;

struct Choice {
  Size size;
  const char *in;          // colorimetry of the input; "" = none
  const char *downstream;  // fields
  const char *colorimetry, *site;
};

void check_choice(const Choice &c) {
  const std::string in = c.in;
  const std::string caps = video_caps("RGB", c.size, in.empty() ? in : "colorimetry=(string)" + in);
  const CapsRef out = negotiated(caps, std::string("video/x-raw, ") + c.downstream);
  expect_field(out, "colorimetry", c.colorimetry);
  expect_field(out, "chroma-site", c.site);
}

// Frames that are not said to be interlaced do not become so.
GST_START_TEST(progressive_stays_progressive) {
  const std::string in = video_caps("RGB", kSmall);
  for (const char *mode : {"interleaved", "mixed", "fields"})
    expect_refused(in, std::string("video/x-raw, format=I420, interlace-mode=") + mode);
  expect_field(negotiated(in, "video/x-raw, interlace-mode={ interleaved, progressive }"),
               "interlace-mode", "progressive");
}
GST_END_TEST;

// Range, matrix and site are GStreamer's for format and size; transfer function and primaries stay.
GST_START_TEST(colours_are_spelled_out) {
  const Choice choices[] = {
      {kSmall, "", "format=Y444", "2:4:7:1", ""},
      {kSmall, "", "format=AYUV", "2:4:7:1", ""},
      {kSmall, "", "format=GRAY8", "1:4:7:1", ""},
      {kSmall, "", "format=NV12", "2:4:7:1", "jpeg"},
      {kSmall, "", "format=UYVY", "2:4:7:1", "jpeg"},
      {kHd, "", "format=VUYA", "2:3:7:1", ""},
      {kHd, "", "format=GRAY8", "1:4:7:1", ""},
      {kHd, "", "format=I420", "2:3:7:1", "mpeg2"},
      {kHd, "", "format=Y42B", "2:3:7:1", "mpeg2"},
      {{16, 576}, "", "format=NV12", "2:4:7:1", "jpeg"},
      {{16, 577}, "", "format=NV12", "2:3:7:1", "mpeg2"},
      {kHd, "sRGB", "format=NV12", "2:3:7:1", "mpeg2"},
      {kHd, "bt709", "format=NV12", "bt709", "mpeg2"},
      {kSmall, "bt709", "format=NV12", "2:4:5:1", "jpeg"},
      {kSmall, "bt601", "format=NV12", "bt601", "jpeg"},
      {kHd, "1:1:14:7", "format=NV12", "2:3:14:7", "mpeg2"},
      {kHd, "1:1:0:0", "format=NV12", "2:3:0:0", "mpeg2"},
      {kHd, "nonsense", "format=NV12", "2:3:7:1", "mpeg2"},
  };
  for (const Choice &c : choices)
    check_choice(c);
}
GST_END_TEST;

GST_START_TEST(downstream_decides_on_colours) {
  const Choice choices[] = {
      // The only one there is.
      {kHd, "", "format=NV12, colorimetry=bt601", "bt601", "mpeg2"},
      {kHd, "", "format=NV12, colorimetry=(string)1:3:5:1", "1:3:5:1", "mpeg2"},
      {kHd, "", "format=Y444, colorimetry=bt2020", "bt2020", ""},
      {kSmall, "", "format=GRAY8, colorimetry=(string)1:4:0:0", "1:4:0:0", ""},
      {kSmall, "", "format=NV12, colorimetry=nonsense", "nonsense", "jpeg"},
      // One of several: ours, whatever it is called.
      {kHd, "", "format=NV12, colorimetry=(string){ bt709, 2:3:7:1 }", "2:3:7:1", "mpeg2"},
      {kHd, "bt709", "format=NV12, colorimetry=(string){ bt601, 2:3:5:1 }", "2:3:5:1", "mpeg2"},
      {kHd, "2:1:5:1", "format=NV12, colorimetry=(string){ bt601, bt709 }", "bt709", "mpeg2"},
      // One that computes the same.
      {kHd, "", "format=NV12, colorimetry=(string){ bt601, bt709, bt2020 }", "bt709", "mpeg2"},
      {kSmall, "", "format=NV12, colorimetry=(string){ bt709, bt601, bt2020 }", "bt601", "jpeg"},
      // The first that the format can have.
      {kHd, "", "format=NV12, colorimetry=(string){ bt601, bt2020 }", "bt601", "mpeg2"},
      {kHd, "", "format=NV12, colorimetry=(string){ sRGB, bt2020, bt601 }", "bt2020", "mpeg2"},
      {kHd, "", "format=NV12, colorimetry=(string){ nonsense, sRGB, bt601 }", "bt601", "mpeg2"},
      {kHd, "", "format=NV12, colorimetry=(string){ nonsense, sRGB }", "sRGB", "mpeg2"},
      // Sites.
      {kHd, "", "format=NV12, chroma-site=jpeg", "2:3:7:1", "jpeg"},
      {kHd, "", "format=NV12, chroma-site={ jpeg, mpeg2 }", "2:3:7:1", "mpeg2"},
      {kSmall, "", "format=UYVY, chroma-site={ cosited, none, jpeg }", "2:4:7:1", "none"},
      {kHd, "", "format=NV12, chroma-site={ cosited, jpeg }", "2:3:7:1", "cosited"},
      {kSmall, "", "format=Y444, chroma-site={ mpeg2, jpeg }", "2:4:7:1", "jpeg"},
  };
  for (const Choice &c : choices)
    check_choice(c);
}
GST_END_TEST;

#if !defined(GST_DISABLE_GST_DEBUG)
// Where the defaults are taken in place of what caps name, the log says what that was.
GST_START_TEST(meaningless_colours_are_warned_of) {
  const struct {
    const char *in, *downstream, *warning;
  } cases[] = {
      {"", "format=NV12", ""},
      {"bt709", "format=NV12, colorimetry=bt601, chroma-site=none", ""},
      {"0:0:0:0", "format=GRAY8, colorimetry=(string)1:0:0:0", ""},
      {"", "format=Y444, chroma-site=nonsense", ""},
      {"nonsense", "format=NV12", "colorimetry=nonsense "},
      {"7:1:1:1", "format=NV12", "colorimetry=7:1:1:1 "},
      {"", "format=NV12, colorimetry=bt602", "colorimetry=bt602 "},
      {"", "format=NV12, colorimetry=sRGB", "colorimetry=sRGB "},
      {"", "format=AYUV, colorimetry=(string)1:0:5:1", "colorimetry=1:0:5:1 "},
      {"", "format=GRAY8, colorimetry=(string)2:77:1:1", "colorimetry=2:77:1:1 "},
      {"", "format=UYVY, chroma-site=left", "chroma-site=left "},
      {"", "format=I420, colorimetry=a, chroma-site=b", "colorimetry=a, chroma-site=b "},
  };
  for (const auto &[in, downstream, warning] : cases) {
    const Log log("coalesce-rgb2yuv", GST_LEVEL_WARNING);
    const std::string colours = *in ? std::string("colorimetry=(string)") + in : "";
    negotiated(video_caps("RGB", kSmall, colours), std::string("video/x-raw, ") + downstream);
    const std::string text = log.text();
    fail_unless(*warning ? text.find(warning) == 0 : text.empty(), "\"%s\" to \"%s\": \"%s\"", in,
                downstream, text.c_str());
  }
}
GST_END_TEST;
#endif

// The input's own site means nothing: RGB has no chroma.
GST_START_TEST(site_of_the_input) {
  for (const char *more : {"chroma-site=cosited", "chroma-site=mpeg2, colorimetry=sRGB"}) {
    expect_field(negotiated(video_caps("RGB", kSmall, more), "video/x-raw, format=NV12"),
                 "chroma-site", "jpeg");
    expect_field(negotiated(video_caps("RGB", kSmall, more)), "chroma-site", "");
  }
}
GST_END_TEST;

// Fields of the wrong type, on either side: no colours can be read from them, and nothing breaks.
GST_START_TEST(strange_fields) {
  for (const char *more : {"colorimetry=(int)5", "chroma-site=(int)5", "colorimetry=(string)\"\"",
                           "colorimetry=(fraction)1/2"}) {
    expect_field(negotiated(video_caps("RGB", kSmall, more)), "format", "Y444");
    expect_field(
        negotiated(video_caps("RGB", kSmall), std::string("video/x-raw, format=NV12, ") + more),
        "format", "NV12");
  }
  for (const char *more : {"colorimetry=(int){ 5, 6 }", "chroma-site=(int)[ 1, 9 ]"})
    expect_field(
        negotiated(video_caps("RGB", kSmall), std::string("video/x-raw, format=NV12, ") + more),
        "format", "NV12");
}
GST_END_TEST;

GST_START_TEST(the_rest_is_kept) {
  expect_the_rest_kept("rgb2yuv", "RGBA");
}
GST_END_TEST;

GST_START_TEST(refused) {
  const std::string in = video_caps("RGB", kSmall);
  expect_refused(in, "video/x-raw, width=32");
  expect_refused(in, "video/x-raw, framerate=30/1");
  expect_refused(in, "video/x-raw, format=RGB");
  expect_refused(in, "video/x-raw, format=P010_10BE");
  expect_refused(in, "image/jpeg");
  for (const char *format : {"NV12", "GRAY8", "RGB16", "r210", "GBR_10BE", "v210"})
    expect_refused(video_caps(format, kSmall), "");
  expect_refused("video/x-raw(memory:CUDAMemory), format=RGB, width=64, height=64, framerate=25/1",
                 "");
}
GST_END_TEST;

// What upstream may send for a given downstream: any colours, the sizes that downstream takes.
GST_START_TEST(caps_queries) {
  Harness harness("rgb2yuv");
  harness.accept("video/x-raw, format=NV12, width=[ 16, 64 ], colorimetry=bt709, chroma-site=jpeg");
  Owned<GstPad> sink(gst_element_get_static_pad(harness.element(), "sink"));
  const CapsRef caps(gst_pad_query_caps(sink.get(), nullptr));
  const auto taken = [&caps](const std::string &text) {
    return gst_caps_can_intersect(caps.get(), parse_caps(text).get());
  };
  for (const char *rgb : kRgbFormats)
    fail_unless(taken(video_caps(rgb, {64, 64}, "colorimetry=sRGB")));
  fail_unless(taken(video_caps("RGB", {64, 64}, "colorimetry=bt2020, chroma-site=mpeg2")));
  fail_if(taken(video_caps("RGB", {65, 64})));
  fail_if(taken(video_caps("NV12", {64, 64})));
  fail_unless(contains(text_of(caps.get()), "RGB") &&
              !contains(text_of(caps.get()), "colorimetry"));
}
GST_END_TEST;

// Downstream may change its mind while frames flow.
GST_START_TEST(downstream_reconfigures) {
  const std::string in = video_caps("RGB", kSmall);
  Harness harness("rgb2yuv");
  harness.accept("video/x-raw, format=GRAY8");
  fail_unless(harness.set_input(in));
  for (const auto &[wanted, colorimetry] : {std::pair{"format=NV12", "2:4:7:1"},
                                            {"format=NV12, colorimetry=bt709", "bt709"},
                                            {"format=GRAY8", "1:4:7:1"},
                                            {"format=NV12, colorimetry=bt2020", "bt2020"}})
    expect_field(renegotiated(harness, in, std::string("video/x-raw, ") + wanted), "colorimetry",
                 colorimetry);
}
GST_END_TEST;

}  // namespace

void add_rgb2yuv_caps_cases(Suite *suite) {
  TCase *caps = new_case(suite, "caps");
  tcase_add_test(caps, full_chroma_is_preferred);
  tcase_add_test(caps, progressive_stays_progressive);
  tcase_add_test(caps, colours_are_spelled_out);
  tcase_add_test(caps, downstream_decides_on_colours);
#if !defined(GST_DISABLE_GST_DEBUG)
  // (valgrind would find what GStreamer leaks with every log function.)
  if (!small_run()) tcase_add_test(caps, meaningless_colours_are_warned_of);
#endif
  tcase_add_test(caps, site_of_the_input);
  tcase_add_test(caps, strange_fields);
  tcase_add_test(caps, the_rest_is_kept);
  tcase_add_test(caps, refused);
  tcase_add_test(caps, caps_queries);
  tcase_add_test(caps, downstream_reconfigures);
}

}  // namespace test
