// SPDX-License-Identifier: LGPL-2.1-or-later
// What uyvy2y negotiates.
#include "../../support/elements/elements.h"
#include "../../support/elements/pipeline.h"
#include "../negotiation.h"
#include "uyvy2y_cases.h"

namespace test {
namespace {

CapsRef negotiated(const std::string &in, const std::string &downstream = {}) {
  return test::negotiated("uyvy2y", in, downstream);
}

void expect_refused(const std::string &in, const std::string &downstream) {
  test::expect_refused("uyvy2y", in, downstream);
}

const Size kSmall{64, 64};

GST_START_TEST(grey_is_preferred) {
  const std::string in = video_caps("UYVY", kSmall);
  expect_field(negotiated(in), "format", "GRAY8");
  expect_field(negotiated(in, "ANY"), "format", "GRAY8");
  expect_field(negotiated(in, "video/x-raw"), "format", "GRAY8");
  expect_field(negotiated(in, "video/x-raw, format={ I420, NV12, GRAY8 }"), "format", "GRAY8");
  expect_field(negotiated(in, "video/x-raw, format={ RGB, NV12, I420 }"), "format", "NV12");
  expect_field(negotiated(in, "video/x-raw, format={ RGB, I420 }"), "format", "I420");
}
GST_END_TEST;

// Bytes become bytes, more bits become at least as many.
GST_START_TEST(depths) {
  for (const char *format : {"v210", "UYVP", "Y210", "Y212_LE"}) {
    const std::string in = video_caps(format, kSmall, "colorimetry=bt709");
    expect_field(negotiated(in), "format", "GRAY16_LE");
    expect_field(negotiated(in), "colorimetry", "bt709");
    expect_refused(in, "video/x-raw, format={ GRAY8, NV12, I420 }");
  }
  expect_refused(video_caps("UYVY", kSmall), "video/x-raw, format=GRAY16_LE");
}
GST_END_TEST;

// Some answer in their own order, whatever they were asked.
GST_START_TEST(grey_is_preferred_to_downstreams_order) {
  Harness harness("uyvy2y");
  gst_pad_add_probe(
      harness.from_element(), GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM,
      [](GstPad *, GstPadProbeInfo *info, gpointer) {
        GstQuery *query = GST_PAD_PROBE_INFO_QUERY(info);
        if (GST_QUERY_TYPE(query) != GST_QUERY_CAPS) return GST_PAD_PROBE_OK;
        gst_query_set_caps_result(
            query, parse_caps("video/x-raw, format={ RGB, I420, NV12, GRAY8 }").get());
        return GST_PAD_PROBE_HANDLED;
      },
      nullptr, nullptr);
  fail_unless(harness.set_input(video_caps("UYVY", kSmall)));
  expect_field(harness.output_caps(), "format", "GRAY8");
}
GST_END_TEST;

// Downstream may change its mind while frames flow.
GST_START_TEST(downstream_reconfigures) {
  const std::string in = video_caps("UYVY", kSmall);
  Harness harness("uyvy2y");
  harness.accept("video/x-raw, format=GRAY8");
  fail_unless(harness.set_input(in));
  for (const char *format : {"NV12", "GRAY8", "I420"})
    expect_field(renegotiated(harness, in, std::string("video/x-raw, format=") + format), "format",
                 format);
}
GST_END_TEST;

GST_START_TEST(colorimetry_is_spelled_out) {
  // Written in the caps: kept as it is, whatever the output's own default would be.
  for (const char *colorimetry : {"bt601", "bt709", "bt2020", "smpte240m", "2:4:5:1", "1:4:5:1"})
    for (const char *format : {"GRAY8", "NV12", "I420"}) {
      const auto out =
          negotiated(video_caps("UYVY", kSmall, std::string("colorimetry=(string)") + colorimetry),
                     std::string("video/x-raw, format=") + format);
      GstVideoColorimetry expected, got;
      fail_unless(gst_video_colorimetry_from_string(&expected, colorimetry));
      fail_unless(gst_video_colorimetry_from_string(&got, field(out, "colorimetry").c_str()), "%s",
                  text_of(out.get()).c_str());
      fail_unless(gst_video_colorimetry_is_equal(&expected, &got), "%s became %s", colorimetry,
                  field(out, "colorimetry").c_str());
    }
}
GST_END_TEST;

GST_START_TEST(range_survives_on_grey) {
  const auto range_of = [](const CapsRef &caps) {
    GstVideoInfo info;
    fail_unless(gst_video_info_from_caps(&info, caps.get()));
    return info.colorimetry.range;
  };
  // GStreamer alone takes GRAY8 for full range.
  fail_unless_equals_int(range_of(parse_caps(video_caps("GRAY8", kSmall))),
                         GST_VIDEO_COLOR_RANGE_0_255);
  for (const char *sink : {"UYVY", "YUY2", "YVYU", "VYUY"}) {
    fail_unless_equals_int(range_of(negotiated(video_caps(sink, kSmall))),
                           GST_VIDEO_COLOR_RANGE_16_235);
    fail_unless_equals_int(
        range_of(negotiated(video_caps(sink, kSmall, "colorimetry=(string)1:4:5:1"))),
        GST_VIDEO_COLOR_RANGE_0_255);
  }
}
GST_END_TEST;

GST_START_TEST(absent_colorimetry_is_named) {
  const struct {
    Size size;
    const char *colorimetry;
  } defaults[] = {{{320, 240}, "bt601"}, {{720, 576}, "bt601"}, {{1280, 720}, "bt709"}};
  for (const auto &[size, colorimetry] : defaults) {
    const std::string in = video_caps("UYVY", size);
    // The table says what GStreamer says.
    const GstVideoInfo info = video_info(in);
    Owned<char> says(gst_video_colorimetry_to_string(&info.colorimetry));
    expect_string(says.get(), colorimetry);
    expect_field(negotiated(in), "colorimetry", colorimetry);
    expect_field(negotiated(in, "video/x-raw, format=NV12"), "colorimetry", colorimetry);
  }
}
GST_END_TEST;

GST_START_TEST(colorimetry_is_not_converted) {
  const std::string bt601 = video_caps("UYVY", kSmall, "colorimetry=bt601");
  expect_refused(bt601, "video/x-raw, format=GRAY8, colorimetry=bt709");
  expect_refused(bt601, "video/x-raw, format=GRAY8, colorimetry=(string)1:4:0:0");
  // 64x64 is bt601 where nothing is said.
  expect_refused(video_caps("UYVY", kSmall), "video/x-raw, format=GRAY8, colorimetry=bt709");
  expect_field(negotiated(bt601, "video/x-raw, colorimetry={ bt709, bt601 }"), "colorimetry",
               "bt601");
  expect_field(negotiated(video_caps("UYVY", kSmall), "video/x-raw, colorimetry=bt601"),
               "colorimetry", "bt601");
}
GST_END_TEST;

GST_START_TEST(chroma_site_is_gone) {
  for (const char *format : {"GRAY8", "NV12", "I420"}) {
    const auto out = negotiated(video_caps("UYVY", kSmall, "chroma-site=mpeg2, colorimetry=bt601"),
                                std::string("video/x-raw, format=") + format);
    expect_field(out, "chroma-site", "");
    expect_field(out, "format", format);
  }
}
GST_END_TEST;

GST_START_TEST(the_rest_is_kept) {
  expect_the_rest_kept("uyvy2y", "UYVY");

  const auto variable = negotiated("video/x-raw, format=UYVY, width=64, height=48, framerate=0/1");
  expect_field(variable, "framerate", "0/1");
}
GST_END_TEST;

GST_START_TEST(size_and_rate_are_not_converted) {
  const std::string in = video_caps("UYVY", kSmall);
  expect_refused(in, "video/x-raw, width=32");
  expect_refused(in, "video/x-raw, height=65");
  expect_refused(in, "video/x-raw, framerate=30/1");
  expect_refused(in, "video/x-raw, format=RGB");
  expect_refused(in, "image/jpeg");
}
GST_END_TEST;

GST_START_TEST(other_input_is_refused) {
  for (const char *format : {"RGB", "GRAY8", "NV12", "Y42B", "r210", "AYUV"})
    expect_refused(video_caps(format, kSmall), "");
  expect_refused("image/jpeg, width=64, height=64", "");
  expect_refused("audio/x-raw, format=S16LE, rate=48000, channels=2, layout=interleaved", "");
  expect_refused("video/x-raw(memory:CUDAMemory), format=UYVY, width=64, height=64, framerate=25/1",
                 "");
  // One field a buffer: half the rows that the caps say.
  expect_refused(
      "video/x-raw(format:Interlaced), format=UYVY, width=64, height=64, framerate=25/1, "
      "interlace-mode=alternate",
      "");
}
GST_END_TEST;

// Without a GPU nobody is told that CUDA memory would do.
GST_START_TEST(no_cuda_without_a_gpu) {
  for (const char *backend : {"auto", "cpu"}) {
    Harness harness("uyvy2y", {{"backend", backend}});
    for (const char *name : {"sink", "src"}) {
      Owned<GstPad> pad(gst_element_get_static_pad(harness.element(), name));
      const CapsRef caps(gst_pad_query_caps(pad.get(), nullptr));
      fail_if(gst_caps_is_empty(caps.get()));
      fail_if(contains(text_of(caps.get()), "CUDAMemory"), "%s of backend=%s: %s", name, backend,
              text_of(caps.get()).c_str());
    }
  }
}
GST_END_TEST;

GST_START_TEST(anything_means_system_memory) {
  const auto out = negotiated(video_caps("UYVY", kSmall), "ANY");
  fail_unless(gst_caps_features_is_equal(gst_caps_get_features(out.get(), 0),
                                         GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY));
  const auto both =
      negotiated(video_caps("UYVY", kSmall),
                 "video/x-raw(memory:CUDAMemory), format=GRAY8; video/x-raw, format=GRAY8");
  fail_unless(gst_caps_features_is_equal(gst_caps_get_features(both.get(), 0),
                                         GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY));
}
GST_END_TEST;

// What upstream may send for a given downstream, and the other way round.
GST_START_TEST(caps_queries) {
  Harness harness("uyvy2y");
  harness.accept("video/x-raw, format=NV12, width=[ 16, 64 ], colorimetry=bt709, chroma-site=jpeg");
  Owned<GstPad> sink(gst_element_get_static_pad(harness.element(), "sink"));
  const CapsRef caps(gst_pad_query_caps(sink.get(), nullptr));
  const auto taken = [&caps](const std::string &text) {
    return gst_caps_can_intersect(caps.get(), parse_caps(text).get());
  };
  fail_unless(taken(video_caps("VYUY", {64, 64}, "colorimetry=bt709")));
  fail_unless(taken(video_caps("YUY2", {64, 64}, "colorimetry=bt709, chroma-site=mpeg2")));
  fail_if(taken(video_caps("UYVY", {65, 64}, "colorimetry=bt709")));
  fail_if(taken(video_caps("NV12", {64, 64}, "colorimetry=bt709")));
  // A source need not name its colorimetry.
  fail_unless(
      gst_pad_query_accept_caps(sink.get(), parse_caps(video_caps("UYVY", {64, 64})).get()));

  // But one that can choose is asked for the one that downstream wants.
  expect_string(gst_structure_get_string(gst_caps_get_structure(caps.get(), 0), "colorimetry"),
                "bt709");

  const CapsRef filter = parse_caps("video/x-raw, format={ RGB, YVYU }");
  const CapsRef filtered(gst_pad_query_caps(sink.get(), filter.get()));
  fail_unless(
      contains(text_of(filtered.get()), "YVYU") && !contains(text_of(filtered.get()), "UYVY"), "%s",
      text_of(filtered.get()).c_str());
}
GST_END_TEST;

// Converters upstream learn which colorimetry downstream wants, and a source that cannot name one
// (here a raw file's, behind imagefreeze) is taken all the same.
GST_START_TEST(colorimetry_through_pipelines) {
  Pipeline converted(
      "videotestsrc num-buffers=2 ! video/x-raw,format=RGB,width=64,height=48 ! videoconvert ! "
      "uyvy2y ! video/x-raw,format=GRAY8,colorimetry=bt709 ! fakesink name=sink");
  converted.set_state(GST_STATE_PLAYING);
  converted.wait_for_eos();
  Pipeline unnamed(
      "fakesrc num-buffers=1 sizetype=fixed sizemax=2048 filltype=zero format=time ! "
      "rawvideoparse format=uyvy width=32 height=32 ! imagefreeze num-buffers=3 ! uyvy2y ! "
      "fakesink name=sink");
  unnamed.set_state(GST_STATE_PLAYING);
  unnamed.wait_for_eos();
}
GST_END_TEST;

GST_START_TEST(statistics) {
  Harness harness("uyvy2y");
  const auto active = [&harness] { return active_backend(harness.element()); };
  fail_unless(active() == "none");
  const std::string in = video_caps("UYVY", kSmall);
  fail_unless(harness.set_input(in));
  for (guint32 i = 0; i < 5; i++)
    harness.push(random_frame(video_info(in), {}, i));
  fail_unless(active() == "cpu");
  fail_unless_equals_uint64(stat(harness.element(), "frames"), 5);
  for (const char *name :
       {"uploads", "downloads", "upload-bytes", "download-bytes", "synchronizations"})
    fail_unless_equals_uint64(stat(harness.element(), name), 0);
  gst_element_set_state(harness.element(), GST_STATE_NULL);
  fail_unless(active() == "none");
}
GST_END_TEST;

}  // namespace

void add_caps_cases(Suite *suite) {
  TCase *caps = new_case(suite, "caps");
  tcase_add_test(caps, grey_is_preferred);
  tcase_add_test(caps, depths);
  tcase_add_test(caps, grey_is_preferred_to_downstreams_order);
  tcase_add_test(caps, downstream_reconfigures);
  tcase_add_test(caps, colorimetry_is_spelled_out);
  tcase_add_test(caps, range_survives_on_grey);
  tcase_add_test(caps, absent_colorimetry_is_named);
  tcase_add_test(caps, colorimetry_is_not_converted);
  tcase_add_test(caps, chroma_site_is_gone);
  tcase_add_test(caps, the_rest_is_kept);
  tcase_add_test(caps, size_and_rate_are_not_converted);
  tcase_add_test(caps, other_input_is_refused);
  tcase_add_test(caps, no_cuda_without_a_gpu);
  tcase_add_test(caps, anything_means_system_memory);
  tcase_add_test(caps, caps_queries);
  tcase_add_test(caps, colorimetry_through_pipelines);
  tcase_add_test(caps, statistics);
}

}  // namespace test
