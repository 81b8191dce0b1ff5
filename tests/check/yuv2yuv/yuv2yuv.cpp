// SPDX-License-Identifier: LGPL-2.1-or-later
// What yuv2yuv negotiates, and when it passes frames as they are.
#include "../negotiation.h"
#include "conversion_cases.h"
#include "conversion_reference.h"

namespace test {
namespace {

const Size kSmall{64, 64}, kHd{16, 1080};

CapsRef negotiated(const std::string &in, const std::string &downstream = {}) {
  return test::negotiated("yuv2yuv", in, downstream);
}

void expect_refused(const std::string &in, const std::string &downstream) {
  test::expect_refused("yuv2yuv", in, downstream);
}

bool passes(Harness &harness) {
  return gst_base_transform_is_passthrough(GST_BASE_TRANSFORM(harness.element()));
}

GST_START_TEST(least_is_lost) {
  const struct {
    const char *in, *downstream, *chosen;
  } choices[] = {
      // Nothing has to be done.
      {"v210", "video/x-raw", "v210"},
      {"UYVY", "video/x-raw, format={ Y444, UYVY, NV12 }", "UYVY"},
      {"GRAY8", "video/x-raw", "GRAY8"},
      // Neither depth nor chroma.
      {"v210", "video/x-raw, format={ NV12, P010_10LE, UYVY, I422_10LE, Y444_16LE }", "I422_10LE"},
      {"v210", "video/x-raw, format={ NV12, P010_10LE, UYVY, Y444_16LE }", "Y444_16LE"},
      {"UYVY", "video/x-raw, format={ GRAY8, NV12, v210, Y42B }", "Y42B"},
      {"UYVY", "video/x-raw, format={ GRAY8, NV12, v210 }", "v210"},
      {"NV12", "video/x-raw, format={ I420_10LE, Y444, I420 }", "I420"},
      {"AYUV", "video/x-raw, format={ Y444, VUYA }", "VUYA"},
      // Chroma counts more than depth, rows more than columns, and colour more than all.
      {"v210", "video/x-raw, format={ P010_10LE, UYVY }", "UYVY"},
      {"Y444", "video/x-raw, format={ NV12, UYVY }", "UYVY"},
      {"v210", "video/x-raw, format={ GRAY16_LE, NV12 }", "NV12"},
      {"Y212_LE", "video/x-raw, format={ UYVY, v210 }", "v210"},
      {"GRAY16_LE", "video/x-raw, format={ Y444, GRAY8, P016_LE }", "P016_LE"},
      // In any structure.
      {"UYVY", "video/x-raw, format=GRAY8; video/x-raw, format=NV12; video/x-raw, format=Y42B",
       "Y42B"},
      {"Y444", "video/x-raw, format={ RGB, NV21 }", "NV21"},
  };
  for (const auto &[in, downstream, chosen] : choices)
    expect_field(negotiated(video_caps(in, kSmall), downstream), "format", chosen);
}
GST_END_TEST

GST_START_TEST(colours_are_kept) {
  const struct {
    Size size;
    const char *in, *more, *downstream, *colorimetry, *site;
  } choices[] = {
      {kHd, "UYVY", "", "format=NV12", "bt709", "mpeg2"},
      {kSmall, "UYVY", "", "format=NV12", "bt601", "jpeg"},
      {kHd, "v210", "colorimetry=bt601", "format=NV12", "bt601", "mpeg2"},
      {kHd, "v210", "colorimetry=(string)1:3:5:1", "format=Y444", "1:3:5:1", ""},
      {kHd, "v210", "colorimetry=bt2100-pq", "format=P010_10LE", "bt2100-pq", "mpeg2"},
      // The site goes with the subsampling.
      {kHd, "v210", "chroma-site=cosited", "format=UYVY", "bt709", "cosited"},
      {kHd, "v210", "chroma-site=cosited", "format=NV12", "bt709", "mpeg2"},
      {kHd, "NV12", "chroma-site=jpeg", "format=I420_10LE", "bt709", "jpeg"},
      // Downstream asks for another range, another name, another site.
      {kHd, "UYVY", "", "format=NV12, colorimetry=(string)1:3:5:1", "1:3:5:1", "mpeg2"},
      {kHd, "UYVY", "colorimetry=(string)2:3:7:1", "format=NV12, colorimetry=bt709", "bt709",
       "mpeg2"},
      {kHd, "UYVY", "", "format=NV12, colorimetry=(string){ bt601, 1:3:5:1, bt709 }", "bt709",
       "mpeg2"},
      {kHd, "UYVY", "", "format=NV12, chroma-site={ jpeg, cosited }", "bt709", "jpeg"},
      // Grey has no matrix.
      {kHd, "UYVY", "", "format=GRAY8", "1:4:5:1", ""},
      {kHd, "UYVY", "", "format=GRAY8, colorimetry=bt709", "bt709", ""},
      {kHd, "GRAY8", "", "format=NV12", "2:3:0:0", "mpeg2"},
      {kHd, "GRAY8", "", "format=NV12, colorimetry=bt2020", "bt2020", "mpeg2"},
      {kSmall, "GRAY8", "colorimetry=(string)2:4:0:0", "format=GRAY16_LE", "2:4:0:0", ""},
  };
  for (const auto &c : choices) {
    const CapsRef out =
        negotiated(video_caps(c.in, c.size, c.more), std::string("video/x-raw, ") + c.downstream);
    expect_field(out, "colorimetry", c.colorimetry);
    expect_field(out, "chroma-site", c.site);
  }
}
GST_END_TEST

GST_START_TEST(refused) {
  const std::string bt601 = video_caps("UYVY", kSmall, "colorimetry=bt601");
  expect_refused(bt601, "video/x-raw, format=NV12, colorimetry=bt709");
  expect_refused(bt601, "video/x-raw, colorimetry=bt709");  // grey is no way out
  expect_refused(video_caps("UYVY", kSmall), "video/x-raw, format=NV12, colorimetry=bt709");
  expect_refused(bt601, "video/x-raw, format=RGB");
  expect_refused(bt601, "video/x-raw, width=32");
  expect_refused(bt601, "video/x-raw, framerate=30/1");
  expect_refused(bt601, "video/x-raw, interlace-mode=interleaved");
  expect_refused(bt601, "image/jpeg");
  for (const char *format : {"RGB", "GBR_10LE", "r210", "I420_10BE", "NV12_64Z32"})
    expect_refused(video_caps(format, kSmall), "");
  for (const char *mode : {"fields", "alternate"})
    expect_refused(video_caps("UYVY", kSmall, std::string("interlace-mode=") + mode), "");
}
GST_END_TEST

// Each refusal is one error, which has the fields that differ, and elements that convert them.
GST_START_TEST(refusals_in_words) {
  const struct {
    const char *element, *format, *fields, *downstream;
    std::vector<const char *> words;
  } cases[] = {
      {"yuv2yuv",
       "I420",
       "colorimetry=bt601",
       "colorimetry=bt709",
       {"colorimetry=bt601, but downstream accepts colorimetry=bt709",
        "yuv2rgb ! rgb2yuv converts matrices"}},
      {"yuv2yuv",
       "I420",
       "colorimetry=bt601",
       "format=NV12, colorimetry=bt709",
       {"downstream accepts colorimetry=bt709;", "yuv2rgb ! rgb2yuv"}},
      {"yuv2yuv",
       "I420",
       "colorimetry=bt601",
       "colorimetry=bt606",
       {"GStreamer has no colorimetry \"bt606\""}},
      {"yuv2yuv",
       "I420",
       "colorimetry=bt601",
       "format=RGB",
       {"format=I420, but downstream accepts format=RGB; yuv2rgb converts YUV to RGB"}},
      {"yuv2yuv",
       "I420",
       "colorimetry=bt601",
       "width=32, height=24",
       {"width=64, height=48, but downstream accepts width=32, height=24; videoscale changes"}},
      {"yuv2yuv",
       "I420",
       "colorimetry=bt601",
       "framerate=50/1",
       {"framerate=25/1, but downstream accepts framerate=50/1; videorate changes"}},
      {"yuv2yuv",
       "I420",
       "colorimetry=bt601",
       "interlace-mode=interleaved",
       {"interlace-mode=progressive, but downstream accepts interlace-mode=interleaved"}},
      {"yuv2yuv",
       "I420",
       "interlace-mode=interleaved",
       "interlace-mode=progressive",
       {"interlace-mode=progressive; coalescedeinterlace makes progressive frames"}},
      {"yuv2rgb", "I420", "colorimetry=bt601", "format=NV12", {"yuv2yuv converts such formats"}},
      {"rgb2yuv",
       "RGB",
       "colorimetry=sRGB",
       "format={ BGR, GBR }",
       {"accepts format={ BGR, GBR }; videoconvert converts"}},
      {"rgb2yuv",
       "RGB",
       "colorimetry=sRGB",
       "format=NV12, width=32",
       {"width=64, but downstream accepts width=32; videoscale"}},
      {"uyvy2y", "UYVY", "colorimetry=bt601", "format=GRAY16_LE", {"yuv2yuv converts"}},
      {"convolve",
       "NV12",
       "colorimetry=bt601, chroma-site=jpeg",
       "chroma-site=mpeg2",
       {"chroma-site=jpeg, but downstream accepts chroma-site=mpeg2; yuv2yuv moves chroma"}},
      {"convolve",
       "RGB",
       "colorimetry=sRGB",
       "format=RGB, colorimetry=2:1:7:1",
       {"rgb2yuv ! yuv2rgb converts ranges"}},
      // At the input.
      {"yuv2yuv", "RGB", "colorimetry=sRGB", "", {"has format=RGB, but", "rgb2yuv converts RGB"}},
      {"rgb2yuv", "I420", "colorimetry=bt601", "", {"has format=I420, but", "yuv2rgb converts"}},
      {"uyvy2y", "NV12", "colorimetry=bt601", "", {"has format=NV12, but", "yuv2yuv converts"}},
      {"yuv2rgb", "I420", "width=0", "", {"has width=0, but width=[ 1, 2147483647 ] is accepted"}},
  };
  for (const auto &[element, format, fields, downstream, words] : cases) {
    Harness harness(element);
    if (*downstream != '\0') harness.accept(std::string("video/x-raw, ") + downstream);
    const std::string in = std::string("video/x-raw, format=") + format +
                           ", width=64, height=48, framerate=25/1, " + fields;
    for (int i = 0; i < 3; i++) {
      harness.set_input(in);
      fail_unless_equals_int(harness.push(gst_buffer_new_allocate(nullptr, 64 * 48 * 8, nullptr)),
                             GST_FLOW_NOT_NEGOTIATED);
    }
    const std::vector<std::string> errors = harness.errors();
    fail_unless(errors.size() == 1, "%s %s to %s: %d errors", element, in.c_str(), downstream,
                int(errors.size()));
    for (const char *word : words)
      fail_unless(contains(errors[0], word), "%s instead of %s", errors[0].c_str(), word);
  }
}
GST_END_TEST

// Frames in CUDA memory without a GPU, and downstream that accepts no others.
GST_START_TEST(memory_in_words) {
  const std::string cuda = "video/x-raw(memory:CUDAMemory), format=NV12",
                    gl = "video/x-raw(memory:GLMemory), format=NV12";
  for (const auto &[accepted, words] :
       {std::pair{cuda, "backend=cpu does not use CUDA memory"},
        std::pair{gl, "memory:SystemMemory, but downstream accepts memory:GLMemory"}}) {
    Harness harness("yuv2yuv backend=cpu");
    harness.accept(accepted);
    harness.set_input(video_caps("NV12", kSmall));
    harness.expect_error(GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, {words});
  }
  for (const auto &[input, words] :
       {std::pair{cuda, "in CUDA memory; backend=cpu does not use CUDA memory"},
        std::pair{gl, "has memory:GLMemory, but memory:"}}) {
    Harness harness("yuv2yuv backend=cpu");
    harness.set_input(input + ", width=64, height=48, framerate=25/1");
    harness.expect_error(GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, {words});
  }
}
GST_END_TEST

// What caps of a matrix beyond those that GStreamer had: the text says which there are.
GST_START_TEST(unknown_matrix) {
  Harness harness("yuv2yuv");
  harness.accept("video/x-raw, format=I420");
  harness.set_input(video_caps("NV12", kSmall, "colorimetry=(string)2:7:5:1"));
  harness.push(random_frame(video_info(video_caps("NV12", kSmall)), {}, 1));
  harness.expect_error(GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, {"matrix 7", "constant"});
}
GST_END_TEST

// GStreamer's rows of it are up to two bytes too short, of some odd widths.
GST_START_TEST(odd_width_of_uyvp) {
  for (int width : {1, 3, 5, 7, 17, 19, 21, 23, 65}) {
    const std::string caps =
        "video/x-raw, format=UYVP, width=" + std::to_string(width) + ", height=4, framerate=25/1";
    const GstVideoInfo info = video_info(caps);
    const bool is_short = width % 8 == 1 || width % 8 == 3;
    fail_unless(is_short == (info.stride[0] < (width + 1) / 2 * 5), "%d", width);
    Harness harness("yuv2yuv");
    harness.accept("video/x-raw, format=I420");
    harness.set_input(caps);
    const GstFlowReturn flow = harness.push(gst_buffer_new_allocate(nullptr, info.size, nullptr));
    if (is_short) {
      harness.expect_error(GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, {"UYVP", "8n + 1 or 8n + 3"});
      continue;
    }
    fail_unless_equals_int(flow, GST_FLOW_OK);
    harness.expect_no_error();
  }
}
GST_END_TEST

GST_START_TEST(the_rest_is_kept) {
  for (const char *format : {"UYVY", "v210", "NV12", "GRAY16_LE"})
    expect_the_rest_kept("yuv2yuv", format);
}
GST_END_TEST

// The same buffer, where there is nothing to convert.
GST_START_TEST(passthrough) {
  const struct {
    const char *format, *more, *downstream;
    bool same;
  } cases[] = {
      {"v210", "", "video/x-raw", true},
      {"v210", "colorimetry=bt709", "video/x-raw, format=v210, colorimetry=bt709", true},
      {"v210", "colorimetry=bt709", "video/x-raw, format=v210, colorimetry=(string)1:3:5:1", false},
      {"v210", "colorimetry=(string)2:3:7:1", "video/x-raw, format=v210, colorimetry=bt709", true},
      {"NV12", "chroma-site=jpeg", "video/x-raw, chroma-site=mpeg2", false},
      {"Y444", "chroma-site=jpeg", "video/x-raw, chroma-site=mpeg2", true},
      {"UYVY", "", "video/x-raw, format=YUY2", false},
      {"GRAY8", "", "video/x-raw", true},
  };
  for (const auto &c : cases) {
    const std::string caps = video_caps(c.format, kSmall, c.more);
    Harness harness("yuv2yuv");
    start_conversion(harness, caps, c.downstream);
    const BufferRef in(random_frame(video_info(caps), {}, 1));
    const GstFlowReturn flow = harness.push(gst_buffer_ref(in.get()));
    fail_unless(flow == GST_FLOW_OK, "%s to %s", caps.c_str(), c.downstream);
    const BufferRef out = harness.pull();
    fail_unless((out.get() == in.get()) == c.same, "%s to %s", caps.c_str(), c.downstream);
    fail_unless(passes(harness) == c.same);
    if (!c.same)
      check_conversion(harness.element(), in.get(), video_info(caps), out.get(),
                       harness.output_info(), false);
  }
}
GST_END_TEST

// Into it and out of it while frames flow.
GST_START_TEST(passthrough_comes_and_goes) {
  const std::string caps = video_caps("UYVY", kSmall);
  Harness harness("yuv2yuv");
  start_conversion(harness, caps, "video/x-raw, format=UYVY");
  for (const char *format : {"NV12", "UYVY", "v210", "YUY2", "UYVY"}) {
    renegotiated(harness, caps, std::string("video/x-raw, format=") + format);
    convert_frame(harness, caps);
    fail_unless(passes(harness) == g_str_equal(format, "UYVY"));
  }
  harness.expect_no_error();
}
GST_END_TEST

// There and back, where nothing is lost.
GST_START_TEST(lossless) {
  const struct {
    const char *format, *between;
  } pairs[] = {{"v210", "I422_10LE"}, {"v210", "Y210"},        {"UYVY", "v210"},
               {"UYVY", "Y42B"},      {"NV12", "P010_10LE"},   {"NV12", "I420"},
               {"Y444", "Y444_16LE"}, {"Y410", "AYUV64"},      {"GRAY8", "GRAY16_LE"},
               {"YUY2", "NV16"},      {"I422_12LE", "Y212_LE"}};
  for (const auto &[format, between] : pairs) {
    const std::string caps = video_caps(format, {50, 7});
    Harness harness(std::string("yuv2yuv ! capsfilter caps=video/x-raw,format=") + between +
                    " ! yuv2yuv ! capsfilter caps=video/x-raw,format=" + format);
    fail_unless(harness.set_input(caps));
    const GstVideoInfo info = video_info(caps);
    const BufferRef in(random_frame(info, {}, 1));
    fail_unless_equals_int(harness.push(gst_buffer_ref(in.get())), GST_FLOW_OK);
    const BufferRef out = harness.pull();
    GstVideoFrame a, b;
    fail_unless(gst_video_frame_map(&a, &info, in.get(), GST_MAP_READ));
    fail_unless(gst_video_frame_map(&b, &info, out.get(), GST_MAP_READ));
    for (int y = 0; y < info.height; y++) {  // as GStreamer unpacks them, so without spare bits
      guint8 before[8 * 64], after[8 * 64];
      info.finfo->unpack_func(info.finfo, GST_VIDEO_PACK_FLAG_TRUNCATE_RANGE, before, a.data,
                              info.stride, 0, y, info.width);
      info.finfo->unpack_func(info.finfo, GST_VIDEO_PACK_FLAG_TRUNCATE_RANGE, after, b.data,
                              info.stride, 0, y, info.width);
      const gsize bytes = 4 * gsize(info.width);  // of 8 bits, or half of the 16-bit ones
      fail_unless(std::memcmp(before, after, bytes) == 0, "%s by %s, row %d", format, between, y);
    }
    gst_video_frame_unmap(&a);
    gst_video_frame_unmap(&b);
  }
}
GST_END_TEST

// What upstream may send for a given downstream.
GST_START_TEST(caps_queries) {
  Harness harness("yuv2yuv");
  harness.accept("video/x-raw, format=NV12, width=[ 16, 64 ], colorimetry=bt709");
  Owned<GstPad> sink(gst_element_get_static_pad(harness.element(), "sink"));
  const CapsRef caps(gst_pad_query_caps(sink.get(), nullptr));
  const auto taken = [&caps](const std::string &text) {
    return gst_caps_can_intersect(caps.get(), parse_caps(text).get());
  };
  fail_unless(taken(video_caps("v210", kSmall, "colorimetry=bt709")));
  fail_unless(taken(video_caps("v210", kSmall, "colorimetry=(string)1:3:5:1")));
  fail_unless(taken(video_caps("NV12", kSmall, "colorimetry=bt709")));
  fail_unless(taken(video_caps("GRAY8", kSmall, "colorimetry=(string)1:4:0:0")));
  fail_if(taken(video_caps("v210", {65, 64}, "colorimetry=bt709")));
  fail_if(taken(video_caps("RGB", kSmall)));
  // Frames that need no copy are best, and a source that can choose is asked for the matrix.
  const GstStructure *first = gst_caps_get_structure(caps.get(), 0);
  expect_string(gst_structure_get_string(first, "format"), "NV12");
  expect_string(gst_structure_get_string(first, "colorimetry"), "bt709");
}
GST_END_TEST

// Converters upstream learn which matrix downstream wants.
GST_START_TEST(matrix_through_a_converter) {
  Harness harness(
      "videoconvert ! yuv2yuv ! capsfilter caps=video/x-raw,format=v210,colorimetry=bt709");
  fail_unless(harness.set_input(video_caps("RGB", kSmall)));
  fail_unless_equals_int(harness.push(random_frame(video_info(video_caps("RGB", kSmall)), {}, 1)),
                         GST_FLOW_OK);
  expect_field(harness.output_caps(), "colorimetry", "bt709");
}
GST_END_TEST

}  // namespace
}  // namespace test

int main(int argc, char **argv) {
  return test::run(&argc, &argv, "yuv2yuv", [](Suite *suite) {
    using namespace test;
    add_conversion_cases(suite, "yuv2yuv");
    TCase *caps = new_case(suite, "caps");
    tcase_add_test(caps, least_is_lost);
    tcase_add_test(caps, colours_are_kept);
    tcase_add_test(caps, refused);
    tcase_add_test(caps, refusals_in_words);
    tcase_add_test(caps, memory_in_words);
    tcase_add_test(caps, unknown_matrix);
    tcase_add_test(caps, odd_width_of_uyvp);
    tcase_add_test(caps, the_rest_is_kept);
    tcase_add_test(caps, passthrough);
    tcase_add_test(caps, passthrough_comes_and_goes);
    tcase_add_test(caps, lossless);
    tcase_add_test(caps, caps_queries);
    tcase_add_test(caps, matrix_through_a_converter);
  });
}
