// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames of j2kenc in flight: they keep their order and what is said of them, and come out before
// whatever follows them in the stream.
#include "j2k.h"

using namespace simulated;

// The first frame tells whether the settings will do, and comes at once; then all but one are held.
GST_START_TEST(as_many_as_asked_for) {
  for (int frames : {0, 1, 2, 3, 16}) {
    J2kBench bench(kGrey, kCuda, frames);
    const guint held = guint((frames > 0 ? frames : 4) - 1);
    for (unsigned seed = 1; seed <= 20; seed++) {
      bench.push_pictures(seed, seed);
      fail_unless_equals_int(bench.received(),
                             seed == 1 ? 1 : 1 + (seed - 1 > held ? seed - 1 - held : 0));
    }
    fail_unless_equals_uint64(bench.latency(), held * GST_SECOND / 25);
    bench.end();
    bench.expect_pictures(kGrey, 1, 20);
  }
}
GST_END_TEST

GST_START_TEST(nothing_overtakes) {
  GstCaps *caps = gst_caps_from_string(in_caps(kWideGrey, kCuda).c_str());
  const struct {
    GstEvent *event;
    const char *expected;
  } cases[] = {
      {segment_event(), "1 2 3 4 segment"},
      {gst_event_new_caps(caps), "1 2 3 4 caps"},
      {gst_event_new_gap(0, GST_SECOND), "1 2 3 4 gap"},
      {gst_event_new_tag(gst_tag_list_new(GST_TAG_TITLE, "t", nullptr)), "1 2 3 4 tag"},
      {gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty("test")),
       "1 2 3 4 custom-downstream"},
      {gst_event_new_eos(), "1 2 3 4 eos"},
      {gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM_OOB, gst_structure_new_empty("test")),
       "1 custom-downstream-oob"},
  };
  for (const auto &c : cases) {
    J2kBench bench(kGrey, kCuda, 4);
    const Passing passing(bench);
    bench.push_pictures(1, 4);
    fail_unless_equals_string(passing.seen.c_str(), "1");
    bench.send(c.event);
    fail_unless_equals_string(passing.seen.c_str(), c.expected);
  }
  gst_caps_unref(caps);
}
GST_END_TEST

GST_START_TEST(flush_discards) {
  J2kBench bench(kGrey, kCuda, 4);
  bench.push_pictures(1, 4);
  bench.expect_pictures(kGrey, 1, 1);
  bench.send(gst_event_new_flush_start());
  bench.send(gst_event_new_flush_stop(TRUE));
  bench.send(segment_event());
  bench.push_pictures(5, 9);
  bench.end();
  bench.expect_pictures(kGrey, 5, 9);
  fail_unless_equals_int(bench.received(), 0);
}
GST_END_TEST

// Up and down, with frames in flight each time.
GST_START_TEST(stop_discards) {
  for (int round = 0; round < 100; round++) {
    J2kBench bench(kGrey, round % 2 ? kCuda : kSystem, 1 + round % 5);
    bench.push_pictures(1, 4);
    gst_element_set_state(bench.element(), GST_STATE_NULL);
    fail_unless_equals_uint64(counts().streams_live, 0);
    gst_element_set_state(bench.element(), GST_STATE_PLAYING);
    bench.send(gst_event_new_stream_start("again"));
    bench.change(kGrey);
    bench.send(segment_event());
    while (bench.received() > 0)
      gst_buffer_unref(bench.pull());
    bench.push_pictures(5, 6);
    bench.end();
    bench.expect_pictures(kGrey, 5, 6);
    fail_unless_equals_int(bench.received(), 0);
  }
}
GST_END_TEST

// What is said of a frame goes with it, and not with the one that comes out when it comes in.
GST_START_TEST(metadata_travels) {
  J2kBench bench(kGrey, kCuda, 4);
  for (unsigned seed = 1; seed <= 10; seed++) {
    GstBuffer *buffer = bench.buffer(seed);
    gst_buffer_add_video_time_code_meta_full(buffer, 25, 1, nullptr, GST_VIDEO_TIME_CODE_FLAGS_NONE,
                                             1, 2, 3, seed, 0);
    GST_BUFFER_FLAG_UNSET(buffer, GST_BUFFER_FLAG_DISCONT);
    if (seed == 6) GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DISCONT);
    if (seed == 8) GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_MARKER);
    fail_unless_equals_int(bench.push(buffer), GST_FLOW_OK);
  }
  bench.end();
  for (unsigned seed = 1; seed <= 10; seed++) {
    GstBuffer *buffer = bench.pull();
    fail_unless_equals_uint64(GST_BUFFER_PTS(buffer), seed * GST_SECOND / 25);
    const GstVideoTimeCodeMeta *meta = gst_buffer_get_video_time_code_meta(buffer);
    fail_unless(meta != nullptr);
    fail_unless_equals_int(meta->tc.frames, seed);
    fail_unless_equals_int(GST_BUFFER_IS_DISCONT(buffer) && seed != 1, seed == 6);
    fail_unless_equals_int(GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_MARKER), seed == 8);
    fail_if(GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT));
    gst_buffer_unref(buffer);
  }
}
GST_END_TEST

// However late the frames are said to be, all of them come out.
GST_START_TEST(late_frames_are_kept) {
  J2kBench bench(kGrey, kCuda, 4);
  for (unsigned seed = 1; seed <= 12; seed++) {
    fail_unless_equals_int(bench.push_picture(seed), GST_FLOW_OK);
    gst_harness_push_upstream_event(
        bench.harness(),
        gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 2.0, GST_SECOND, seed * GST_SECOND / 25));
  }
  bench.end();
  bench.expect_pictures(kGrey, 1, 12);
  fail_unless_equals_int(bench.received(), 0);
}
GST_END_TEST

// With qos=true frames that come too late are skipped, and the one behind them says so.
GST_START_TEST(late_frames_are_skipped) {
  J2kBench bench(kGrey, kCuda, 4, "qos=true");
  bench.push_pictures(1, 4);
  gst_harness_push_upstream_event(
      bench.harness(), gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 2.0, 0, 6 * GST_SECOND / 25));
  bench.push_pictures(5, 6);  // these
  bench.push_pictures(7, 12);
  bench.end();
  for (unsigned seed : {1, 2, 3, 4, 7, 8, 9, 10, 11, 12}) {
    GstBuffer *buffer = bench.pull();
    fail_unless_equals_uint64(GST_BUFFER_OFFSET(buffer), seed);
    fail_unless_equals_int(GST_BUFFER_IS_DISCONT(buffer) && seed != 1, seed == 7);
    gst_buffer_unref(buffer);
  }
  fail_unless_equals_int(bench.received(), 0);
}
GST_END_TEST

// What downstream returns comes back upstream, and nothing more goes there, also if it was learned
// while draining. A flush makes it forgotten.
GST_START_TEST(downstream_ends_it) {
  enum { pushing, draining, flushing };
  for (const int when : {pushing, draining, flushing}) {
    J2kBench bench(kGrey, kCuda, 4);
    bench.push_pictures(1, 4);
    bench.expect_pictures(kGrey, 1, 1);
    GstPad *pad = gst_element_get_static_pad(bench.element(), "src");
    guint refused = 0;
    const auto refuse = [](GstPad *, GstPadProbeInfo *info, gpointer count) {
      ++*static_cast<guint *>(count);
      gst_buffer_unref(GST_PAD_PROBE_INFO_BUFFER(info));
      GST_PAD_PROBE_INFO_FLOW_RETURN(info) = GST_FLOW_EOS;
      return GST_PAD_PROBE_HANDLED;
    };
    const gulong probe =
        gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, refuse, &refused, nullptr);
    if (when != pushing) bench.send(segment_event());
    if (when != flushing) fail_unless_equals_int(bench.push_picture(5), GST_FLOW_EOS);
    fail_unless_equals_int(refused, 1);
    gst_pad_remove_probe(pad, probe);
    gst_object_unref(pad);
    if (when == flushing) {
      bench.send(gst_event_new_flush_start());
      bench.send(gst_event_new_flush_stop(TRUE));
      bench.send(segment_event());
      bench.push_pictures(6, 7);
      bench.end();
      bench.expect_pictures(kGrey, 6, 7);
    }
    fail_unless(bench.errors().empty());
  }
}
GST_END_TEST

// Outputs that downstream keeps stay what they are, though the element and its pool are gone.
GST_START_TEST(outputs_outlive_the_element) {
  std::vector<GstBuffer *> outputs;
  {
    J2kBench bench(kGrey, kCuda, 2);
    bench.push_pictures(1, 5);
    bench.end();
    for (int i = 0; i < 5; i++)
      outputs.push_back(bench.pull());
  }
  for (unsigned seed = 1; seed <= 5; seed++)
    fail_unless(take_bytes(outputs[seed - 1]) == on_cpu(kGrey, seed));
}
GST_END_TEST

static Suite *encoder_flight_suite() {
  return j2k_suite("encoder_flight", [](TCase *tests) {
    tcase_add_test(tests, as_many_as_asked_for);
    tcase_add_test(tests, nothing_overtakes);
    tcase_add_test(tests, flush_discards);
    tcase_add_test(tests, stop_discards);
    tcase_add_test(tests, metadata_travels);
    tcase_add_test(tests, late_frames_are_kept);
    tcase_add_test(tests, late_frames_are_skipped);
    tcase_add_test(tests, downstream_ends_it);
    tcase_add_test(tests, outputs_outlive_the_element);
  });
}
SIMULATED_MAIN(encoder_flight)
