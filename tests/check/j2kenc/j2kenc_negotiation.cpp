// SPDX-License-Identifier: LGPL-2.1-or-later
// What j2kenc makes of the wishes of downstream.
#include "../../support/elements/pipeline.h"
#include "j2kenc_cases.h"

namespace test {
namespace {

const Size kSize{64, 48};

GST_START_TEST(what_downstream_can_use) {
  for (const auto &[accepted, format] : {std::pair{"image/x-jpc, sampling=RGB", "BGRx"},
                                         {"image/x-jpc, colorspace=sYUV", "v210"},
                                         {"image/x-jpc, num-components=4", "AYUV"},
                                         {"image/x-jpc, colorimetry=sRGB, fields=1", "RGB"}}) {
    Harness harness("j2kenc");
    harness.accept(accepted);
    const std::string caps = video_caps(format, kSize);
    fail_unless(harness.set_input(caps), "%s to %s", format, accepted);
    fail_unless_equals_int(harness.push(random_frame(video_info(caps), {}, 1)), GST_FLOW_OK);
    harness.expect_no_error();
  }
}
GST_END_TEST;

// What it cannot is not negotiated, and one error, however often it is tried, names what differs.
GST_START_TEST(what_downstream_cannot_use) {
  const struct {
    const char *accepted, *format, *made, *taken;
  } cases[] = {
      {"image/x-jpc, sampling=RGB", "I420", "sampling=YCbCr-4:2:0,", "accepts sampling=RGB "},
      {"image/x-jpc, colorspace={ sRGB, sYUV }", "GRAY8", "colorspace=GRAY,", "{ sRGB, sYUV }"},
      {"image/x-jpc, num-components=4", "RGB", "num-components=3,", "num-components=4 "},
      {"image/x-jpc, width=[ 100, 200 ]", "I420", "width=64,", "width=[ 100, 200 ] "},
      {"image/x-jpc, profile=3", "I420", "profile=0,", "profile=3 "},
      {"image/x-jpc, interlace-mode=interleaved, fields=2", "I420",
       "interlace-mode=progressive, fields=1,", "interlace-mode=interleaved, fields=2 "},
      {"image/x-j2c, profile=3, fields=2; image/x-jpc, profile=3", "I420", "profile=0,",
       "accepts profile=3 "},
      {"image/x-jpc, colorimetry=bt709", "I420", "colorimetry=bt601,", "colorimetry=bt709 "},
      {"image/jpeg", "I420", "no JPEG 2000", "format=(string)I420"},
  };
  for (const auto &[accepted, format, made, taken] : cases) {
    Harness harness("j2kenc");
    harness.accept(accepted);
    const std::string caps = video_caps(format, kSize);
    harness.set_input(caps);
    for (int i = 0; i < 2; i++) {
      const GstFlowReturn flow = harness.push(random_frame(video_info(caps), {}, 1));
      fail_unless(flow == GST_FLOW_NOT_NEGOTIATED, "%s to %s: %s", format, accepted,
                  gst_flow_get_name(flow));
    }
    harness.expect_error(GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, {made, taken});
    harness.expect_no_error();
  }
}
GST_END_TEST;

// It has not done for the element, and is told again when it comes again.
GST_START_TEST(what_downstream_cannot_use_for_a_while) {
  const std::string good = video_caps("RGB", kSize), bad = video_caps("I420", kSize);
  Harness harness("j2kenc");
  harness.accept("image/x-jpc, sampling=RGB");
  for (guint32 round = 0; round < 2; round++) {
    harness.set_input(bad);
    harness.expect_error(GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, {"sampling"});
    fail_unless(harness.set_input(good));
    fail_unless_equals_int(harness.push(random_frame(video_info(good), {}, round)), GST_FLOW_OK);
  }
  harness.expect_no_error();
}
GST_END_TEST;

// And where downstream changes its mind.
GST_START_TEST(what_downstream_can_use_no_more) {
  const std::string caps = video_caps("I420", kSize);
  Harness harness("j2kenc");
  const auto push_after = [&](const char *accepted) {
    harness.accept(accepted);
    gst_harness_push_upstream_event(harness.get(), gst_event_new_reconfigure());
    return harness.push(random_frame(video_info(caps), {}, 1));
  };
  harness.accept("image/x-jpc");
  fail_unless(harness.set_input(caps));
  for (int round = 0; round < 2; round++) {
    fail_unless_equals_int(push_after("image/x-jpc, sampling=YCbCr-4:2:0"), GST_FLOW_OK);
    harness.expect_no_error();
    fail_unless_equals_int(push_after("image/x-jpc, sampling=RGB"), GST_FLOW_NOT_NEGOTIATED);
    harness.expect_error(GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, {"accepts sampling=RGB "});
  }
}
GST_END_TEST;

// What upstream is told.
GST_START_TEST(formats_that_are_offered) {
  for (const auto &[accepted, offered, not_offered] :
       {std::tuple{"image/x-jpc, sampling=GRAYSCALE", "GRAY16_LE", "I420"},
        {"image/jp2, sampling={ RGB, RGBA }", "ARGB64", "AYUV"},
        {"image/x-j2c, num-components=3", "NV12", "RGBA"},
        {"image/x-jpc, colorimetry=bt709", "GRAY8", "BGRx"},
        {"image/x-jpc, colorimetry=sRGB", "GBR_12LE", "v210"}}) {
    Harness harness("j2kenc");
    harness.accept(accepted);
    const Owned<GstPad> pad(gst_element_get_static_pad(harness.element(), "sink"));
    // Of all formats at once: a source takes the first.
    const CapsRef all(gst_pad_query_caps(pad.get(), nullptr));
    const auto possible = [&all](const char *format) {
      return gst_caps_can_intersect(all.get(), parse_caps(video_caps(format, kSize)).get());
    };
    fail_unless(possible(offered) && !possible(not_offered), "%s", accepted);
  }
}
GST_END_TEST;

bool is_offered(const std::string &accepted, const std::string &wanted) {
  Harness harness("j2kenc");
  harness.accept(accepted);
  const Owned<GstPad> pad(gst_element_get_static_pad(harness.element(), "sink"));
  const CapsRef offered(gst_pad_query_caps(pad.get(), nullptr));
  return gst_caps_can_intersect(offered.get(), parse_caps(wanted).get());
}

// All that is kept is asked for.
GST_START_TEST(fields_that_are_asked_for) {
  for (const auto &[accepted, other] :
       {std::pair{"width=64", "width=65"},
        {"height=48", "height=[ 50, 99 ]"},
        {"framerate=25/1", "framerate=30/1"},
        {"max-framerate=25/1", "max-framerate=30/1"},
        {"pixel-aspect-ratio=1/1", "pixel-aspect-ratio=2/1"},
        {"interlace-mode=interleaved", "interlace-mode={ progressive, mixed }"},
        {"field-order=top-field-first", "field-order=bottom-field-first"},
        {"colorimetry=bt709", "colorimetry=bt601"},
        {"chroma-site=mpeg2", "chroma-site=jpeg"},
        {"multiview-mode=mono", "multiview-mode=left"},
        {"views=1", "views=2"},
        {"content-light-level=(string)1000:400", "content-light-level=(string)1000:500"}}) {
    const std::string wanted = video_caps(
        "I420", kSize,
        "pixel-aspect-ratio=1/1, max-framerate=25/1, interlace-mode=interleaved, "
        "field-order=top-field-first, colorimetry=bt709, chroma-site=mpeg2, multiview-mode=mono, "
        "views=1, content-light-level=(string)1000:400");
    for (const char *media : {"image/x-jpc, ", "image/x-j2c, ", "image/jp2, "}) {
      fail_unless(is_offered(std::string(media) + accepted, wanted), "%s%s", media, accepted);
      fail_if(is_offered(std::string(media) + other, wanted), "%s%s", media, other);
    }
  }
}
GST_END_TEST;

// An element that answers for j2kenc, as interlace does, accepts only caps with all that the answer
// has: so it has no default that upstream leaves out.
GST_START_TEST(defaults_that_are_not_asked_for) {
  const auto answer = [](const char *accepted, const std::string &caps) {
    Harness harness("j2kenc");
    harness.accept(accepted);
    const Owned<GstPad> pad(gst_element_get_static_pad(harness.element(), "sink"));
    return CapsRef(gst_pad_query_caps(pad.get(), parse_caps(caps).get()));
  };
  for (const char *format : {"I420", "UYVY", "v210", "RGB", "GRAY8"}) {
    const CapsRef given = answer("image/x-jpc", video_caps(format, kSize));
    fail_unless(gst_caps_is_subset(parse_caps(video_caps(format, kSize)).get(), given.get()), "%s",
                text_of(given.get()).c_str());
  }
  const char *named = "interlace-mode=interleaved, colorimetry=bt709, pixel-aspect-ratio=2/1";
  const std::string caps = video_caps("I420", kSize, named);
  const CapsRef same = answer("image/x-jpc", caps);
  fail_unless(gst_caps_is_equal(same.get(), parse_caps(caps).get()), "%s",
              text_of(same.get()).c_str());
  // bt601 is the default of this size.
  fail_unless(
      gst_caps_is_empty(answer("image/x-jpc, colorimetry=bt709", video_caps("I420", kSize)).get()));
  const CapsRef any = answer("image/x-jpc, colorimetry=bt709", "video/x-raw, format=I420");
  const GstStructure *first = gst_caps_get_structure(any.get(), 0);
  fail_unless(g_strcmp0(gst_structure_get_string(first, "colorimetry"), "bt709") == 0);
}
GST_END_TEST;

GST_START_TEST(behind_interlace) {
  for (const char *between : {"", "! coalescedeinterlace fields=all "}) {
    Pipeline line(std::string("videotestsrc num-buffers=8 ! video/x-raw, format=UYVY, width=64, "
                              "height=48, framerate=50/1 ! interlace field-pattern=1:1 ") +
                  between + "! j2kenc ! fakesink name=sink sync=false");
    line.start();
    line.wait_for_eos();
    fail_unless_equals_int(line.buffers(), *between != 0 ? 8 : 4);
  }
}
GST_END_TEST;

// How many codestreams there are in a buffer is a matter of interlace-mode.
GST_START_TEST(number_of_fields_that_is_asked_for) {
  const struct {
    const char *accepted;
    bool progressive, interleaved, mixed;
  } cases[] = {
      {"image/x-jpc, fields=1", true, false, true},
      {"image/x-jpc, fields=2", false, true, false},
      {"image/x-j2c, fields=[ 1, 2 ]", true, true, true},
      {"image/x-jpc, fields=1, height=1", true, true, true},
      {"image/x-jpc, fields=2, height=1", false, false, false},
      {"image/jp2, fields=1", true, true, true},
      {"image/jp2, fields=2", false, false, false},
      {"image/jp2, fields=2; image/x-j2c, fields=2", false, true, false},
      {"image/x-jpc, fields=1, interlace-mode={ mixed, interleaved }", false, false, true},
      {"image/x-jpc, fields=2, interlace-mode=progressive", false, false, false},
  };
  for (const auto &[caps, progressive, interleaved, mixed] : cases) {
    const char *accepted = caps;  // a lambda captures no structured binding
    const int height = contains(accepted, "height=1") ? 1 : kSize.height;
    const auto offered = [&](const char *mode) {
      return is_offered(accepted, video_caps("I420", {kSize.width, height},
                                             std::string("interlace-mode=") + mode));
    };
    fail_unless(offered("progressive") == progressive, "%s", accepted);
    fail_unless(offered("interleaved") == interleaved, "%s", accepted);
    fail_unless(offered("mixed") == mixed, "%s", accepted);
  }
}
GST_END_TEST;

// And a source goes by it, or a converter.
GST_START_TEST(source_that_does_as_asked) {
  for (const auto &[between, asked] :
       {std::pair{"", "interlace-mode=interleaved, fields=2"},
        {"", "colorimetry=bt2020"},
        {"", "field-order=bottom-field-first"},
        {"", "chroma-site=mpeg2"},
        {"video/x-raw,format=RGB ! videoconvert ! ", "colorimetry=bt709"}}) {
    Pipeline pipeline(std::string("videotestsrc num-buffers=1 ! ") + between +
                      "j2kenc num-resolutions=2 ! capsfilter caps=\"image/x-jpc, width=16, "
                      "height=16, " +
                      asked + "\" ! fakesink name=sink");
    gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
    pipeline.wait_for_eos();
  }
}
GST_END_TEST;

// A source pad that is deactivated is flushing before its task hears of it.
GST_START_TEST(event_while_the_source_pad_flushes) {
  Harness harness("j2kenc");
  fail_unless(harness.set_input(video_caps("I420", kSize)));
  const Owned<GstPad> source(gst_element_get_static_pad(harness.element(), "src"));
  const auto push_tags = [&] {
    return harness.push_event(gst_event_new_tag(gst_tag_list_new_empty()));
  };
  GST_PAD_SET_FLUSHING(source.get());
  fail_unless(push_tags(), "refused, which is an error upstream");
  GST_PAD_UNSET_FLUSHING(source.get());
  fail_unless(push_tags());
}
GST_END_TEST;

}  // namespace

// While the element goes to READY, its source pad is inactive before its sink pad: what upstream
// sends meanwhile is no error. (No caps in between: GStreamer's capsfilter itself says
// not-negotiated if its pads become inactive while it negotiates.)
GST_START_TEST(ready_at_any_time) {
  Pipeline pipeline("videotestsrc ! j2kenc ! fakesink name=sink sync=true");
  for (int round = 0; round < 60; round++) {
    pipeline.start();
    if (round % 3 == 0) gst_element_get_state(pipeline.get(), nullptr, nullptr, GST_SECOND);
    if (round % 3 == 1) g_usleep(2000);
    gst_element_set_state(pipeline.get(), round % 5 == 4 ? GST_STATE_NULL : GST_STATE_READY);
    const std::string error = pipeline.take_error();
    fail_unless(error.empty(), "round %d: %s", round, error.c_str());
  }
}
GST_END_TEST;

void add_j2kenc_negotiation_cases(Suite *suite) {
  TCase *negotiation = new_case(suite, "negotiation");
  tcase_add_test(negotiation, what_downstream_can_use);
  tcase_add_test(negotiation, what_downstream_cannot_use);
  tcase_add_test(negotiation, what_downstream_cannot_use_for_a_while);
  tcase_add_test(negotiation, what_downstream_can_use_no_more);
  tcase_add_test(negotiation, formats_that_are_offered);
  tcase_add_test(negotiation, fields_that_are_asked_for);
  tcase_add_test(negotiation, defaults_that_are_not_asked_for);
  tcase_add_test(negotiation, behind_interlace);
  tcase_add_test(negotiation, number_of_fields_that_is_asked_for);
  tcase_add_test(negotiation, source_that_does_as_asked);
  tcase_add_test(negotiation, event_while_the_source_pad_flushes);
  if (!small_run()) tcase_add_test(negotiation, ready_at_any_time);
}

}  // namespace test
