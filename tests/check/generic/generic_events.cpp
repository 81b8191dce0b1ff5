// SPDX-License-Identifier: LGPL-2.1-or-later
// Events: their order among buffers, flushes, end of stream, quality of service, latency.
#include "generic_cases.h"

namespace test {
namespace {

const Size kSize{64, 48};

GstEvent *segment_from(GstClockTime start) {
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.start = segment.time = segment.position = start;
  return gst_event_new_segment(&segment);
}

GstEvent *title(const char *text) {
  return gst_event_new_tag(gst_tag_list_new(GST_TAG_TITLE, text, nullptr));
}

GstEvent *custom(GstEventType type, const char *name) {
  return gst_event_new_custom(type, gst_structure_new_empty(name));
}

void push_frames(Harness &harness, const std::string &caps, int first, int count) {
  for (int n = first; n < first + count; n++)
    fail_unless_equals_int(harness.push(nth_frame(caps, n)), GST_FLOW_OK);
}

void expect_lines(const Recorder &recorder, const std::string &expected) {
  fail_unless(recorder.text() == expected, "expected \"%s\", got \"%s\"", expected.c_str(),
              recorder.text().c_str());
}

GST_START_TEST(events_keep_their_place) {
  const std::string caps = sink_caps(element_name(__i__), kSize);
  Harness harness(element_name(__i__));
  Recorder recorder(harness);
  fail_unless(harness.set_input(caps));
  push_frames(harness, caps, 0, 1);
  harness.push_event(title("one"));
  push_frames(harness, caps, 1, 1);
  harness.push_event(gst_event_new_gap(80 * GST_MSECOND, 40 * GST_MSECOND));
  push_frames(harness, caps, 3, 1);
  harness.push_event(custom(GST_EVENT_CUSTOM_DOWNSTREAM, "x-test"));
  push_frames(harness, caps, 4, 2);
  harness.push_event(segment_from(200 * GST_MSECOND));
  push_frames(harness, caps, 6, 1);
  harness.push_event(gst_event_new_segment_done(GST_FORMAT_TIME, 0));
  harness.push_event(gst_event_new_eos());
  expect_lines(recorder,
               "stream-start, caps 64x48, segment 0, buffer 0, tag one, buffer 40, gap 80, "
               "buffer 120, custom x-test, buffer 160, buffer 200, segment 200, buffer 240, "
               "segment-done, eos");
}
GST_END_TEST;

GST_START_TEST(a_new_stream) {
  const std::string caps = sink_caps(element_name(__i__), kSize);
  Harness harness(element_name(__i__));
  Recorder recorder(harness);
  fail_unless(harness.set_input(caps));
  push_frames(harness, caps, 0, 2);
  harness.push_event(gst_event_new_stream_start("another"));
  harness.push_event(segment_from(0));
  push_frames(harness, caps, 2, 1);
  harness.push_event(gst_event_new_eos());
  // CAPS may come once more.
  fail_unless(contains(recorder.text(), "buffer 40, stream-start, "), "%s",
              recorder.text().c_str());
  fail_unless(contains(recorder.text(), "segment 0, buffer 80, eos"), "%s",
              recorder.text().c_str());
}
GST_END_TEST;

GST_START_TEST(upstream_events_get_through) {
  Harness harness(element_name(__i__));
  fail_unless(harness.set_input(sink_caps(element_name(__i__), kSize)));
  const auto arrived = [&harness](GstEventType type) {
    bool found = false;
    while (EventRef event{gst_harness_try_pull_upstream_event(harness.get())})
      found = found || GST_EVENT_TYPE(event.get()) == type;
    return found;
  };
  arrived(GST_EVENT_UNKNOWN);
  gst_harness_push_upstream_event(harness.get(), custom(GST_EVENT_CUSTOM_UPSTREAM, "x-test"));
  fail_unless(arrived(GST_EVENT_CUSTOM_UPSTREAM));
  gst_harness_push_upstream_event(
      harness.get(), gst_event_new_qos(GST_QOS_TYPE_OVERFLOW, 1.0, -GST_MSECOND, GST_SECOND));
  fail_unless(arrived(GST_EVENT_QOS));
  gst_harness_push_upstream_event(harness.get(),
                                  gst_event_new_seek(1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH,
                                                     GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, 0));
  fail_unless(arrived(GST_EVENT_SEEK));
}
GST_END_TEST;

GST_START_TEST(flush_in_mid_stream) {
  const std::string caps = sink_caps(element_name(__i__), kSize);
  Harness harness(element_name(__i__));
  Recorder recorder(harness);
  fail_unless(harness.set_input(caps));
  for (int round = 0; round < 3; round++) {
    push_frames(harness, caps, 50 * round, 4);
    fail_unless(harness.push_event(gst_event_new_flush_start()));
    fail_unless_equals_int(harness.push(nth_frame(caps, 9)), GST_FLOW_FLUSHING);
    recorder.lines.clear();
    fail_unless(harness.push_event(gst_event_new_flush_stop(TRUE)));
    fail_unless(harness.push_event(segment_from((round + 1) * 2 * GST_SECOND)));
  }
  push_frames(harness, caps, 150, 3);
  harness.push_event(gst_event_new_eos());
  expect_lines(recorder, "flush-stop, segment 6000, buffer 6000, buffer 6040, buffer 6080, eos");
  harness.expect_no_error();
}
GST_END_TEST;

GST_START_TEST(end_at_once) {
  const std::string caps = sink_caps(element_name(__i__), kSize);
  Harness with_caps(element_name(__i__));
  Recorder recorder(with_caps);
  fail_unless(with_caps.set_input(caps));
  fail_unless(with_caps.push_event(gst_event_new_eos()));
  fail_unless_equals_int(recorder.count("eos"), 1);
  fail_unless_equals_int(recorder.count("buffer"), 0);

  Harness without(element_name(__i__));
  Recorder bare(without);
  without.push_event(gst_event_new_stream_start("test"));
  without.push_event(gst_event_new_eos());
  fail_unless_equals_int(bare.count("eos"), 1);
  with_caps.expect_no_error();
  without.expect_no_error();
}
GST_END_TEST;

GST_START_TEST(end_after_frames_twice) {
  const std::string caps = sink_caps(element_name(__i__), kSize);
  Harness harness(element_name(__i__));
  Recorder recorder(harness);
  fail_unless(harness.set_input(caps));
  push_frames(harness, caps, 0, 5);
  harness.push_event(gst_event_new_eos());
  expect_lines(recorder,
               "stream-start, caps 64x48, segment 0, buffer 0, buffer 40, buffer 80, buffer 120, "
               "buffer 160, eos");
  fail_unless_equals_int(harness.push(nth_frame(caps, 9)), GST_FLOW_EOS);

  harness.push_event(gst_event_new_flush_start());
  harness.push_event(gst_event_new_flush_stop(TRUE));
  harness.push_event(segment_from(0));
  recorder.lines.clear();
  push_frames(harness, caps, 0, 2);
  harness.push_event(gst_event_new_eos());
  expect_lines(recorder, "buffer 0, buffer 40, eos");
}
GST_END_TEST;

// With qos=true frames that a sink says come too late are not worked on; the next one is marked.
GST_START_TEST(late_frames_are_dropped) {
  const std::string caps = sink_caps(element_name(__i__), kSize);
  Harness harness(element_name(__i__), {{"qos", "true"}});
  Recorder recorder(harness);
  fail_unless(harness.set_input(caps));
  push_frames(harness, caps, 0, 1);
  // At 0.04 s it was 0.08 s late: what is due up to 0.12 s is lost.
  gst_harness_push_upstream_event(
      harness.get(),
      gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 2.0, 80 * GST_MSECOND, 40 * GST_MSECOND));
  push_frames(harness, caps, 1, 5);
  harness.push_event(gst_event_new_eos());
  expect_lines(recorder,
               "stream-start, caps 64x48, segment 0, buffer 0, buffer 160, buffer 200, eos");
  harness.pull();
  const BufferRef next = harness.pull();
  fail_unless(GST_BUFFER_FLAG_IS_SET(next.get(), GST_BUFFER_FLAG_DISCONT));
}
GST_END_TEST;

GST_START_TEST(late_frames_are_kept_without_qos) {
  const std::string caps = sink_caps(element_name(__i__), kSize);
  Harness harness(element_name(__i__), {{"qos", "false"}});
  Recorder recorder(harness);
  fail_unless(harness.set_input(caps));
  gst_harness_push_upstream_event(
      harness.get(), gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 2.0, GST_SECOND, GST_SECOND));
  push_frames(harness, caps, 0, 4);
  harness.push_event(gst_event_new_eos());
  fail_unless_equals_int(recorder.count("buffer"), 4);
}
GST_END_TEST;

// By default a filter drops what would come too late, as GStreamer's filters do. An encoder keeps
// every frame, in order, however late each of them is said to be.
GST_START_TEST(only_filters_drop_by_default) {
  constexpr int kFrames = 12;
  const std::string caps = sink_caps(element_name(__i__), kSize);
  Harness harness(element_name(__i__));
  const bool encoder = contains(
      gst_element_class_get_metadata(GST_ELEMENT_GET_CLASS(harness.element()), "klass"), "Encoder");
  gboolean qos = FALSE;
  g_object_get(harness.element(), "qos", &qos, nullptr);
  fail_unless_equals_int(qos, !encoder);
  Recorder recorder(harness);
  fail_unless(harness.set_input(caps));
  std::string all;
  for (int n = 0; n < kFrames; n++) {
    push_frames(harness, caps, n, 1);
    gst_harness_push_upstream_event(
        harness.get(),
        gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 2.0, GST_SECOND, n * 40 * GST_MSECOND));
    if (n == 0 || encoder) all += "buffer " + std::to_string(40 * n) + ", ";
  }
  harness.push_event(gst_event_new_eos());
  expect_lines(recorder, ("stream-start, caps 64x48, segment 0, " + all + "eos").c_str());
}
GST_END_TEST;

// A flush forgets lateness.
GST_START_TEST(flush_forgets_lateness) {
  const std::string caps = sink_caps(element_name(__i__), kSize);
  Harness harness(element_name(__i__), {{"qos", "true"}});
  Recorder recorder(harness);
  fail_unless(harness.set_input(caps));
  gst_harness_push_upstream_event(
      harness.get(), gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 2.0, GST_SECOND, GST_SECOND));
  fail_unless_equals_int(harness.push(nth_frame(caps, 1)), GST_FLOW_OK);
  harness.push_event(gst_event_new_flush_start());
  harness.push_event(gst_event_new_flush_stop(TRUE));
  harness.push_event(segment_from(0));
  recorder.lines.clear();
  push_frames(harness, caps, 0, 3);
  harness.push_event(gst_event_new_eos());
  expect_lines(recorder, "buffer 0, buffer 40, buffer 80, eos");
}
GST_END_TEST;

// Upstream's latency and whole frames that the element may hold back.
GST_START_TEST(latency) {
  Harness harness(element_name(__i__));
  fail_unless(harness.set_input(sink_caps(element_name(__i__), kSize)));
  constexpr GstClockTime kUpstream = 7 * GST_MSECOND, kFrame = 40 * GST_MSECOND;
  gst_harness_set_live(harness.get(), TRUE);
  gst_harness_set_upstream_latency(harness.get(), kUpstream);
  const GstClockTime all = gst_harness_query_latency(harness.get());
  fail_unless(GST_CLOCK_TIME_IS_VALID(all) && all >= kUpstream);
  fail_unless((all - kUpstream) % kFrame == 0 && all - kUpstream <= 64 * kFrame,
              "latency %" GST_TIME_FORMAT, GST_TIME_ARGS(all));
}
GST_END_TEST;

}  // namespace

void add_event_cases(Suite *suite) {
  TCase *events = new_case(suite, "events");
  tcase_add_loop_test(events, events_keep_their_place, 0, n_elements());
  tcase_add_loop_test(events, a_new_stream, 0, n_elements());
  tcase_add_loop_test(events, upstream_events_get_through, 0, n_elements());
  tcase_add_loop_test(events, flush_in_mid_stream, 0, n_elements());
  tcase_add_loop_test(events, end_at_once, 0, n_elements());
  tcase_add_loop_test(events, end_after_frames_twice, 0, n_elements());
  tcase_add_loop_test(events, late_frames_are_dropped, 0, n_elements());
  tcase_add_loop_test(events, late_frames_are_kept_without_qos, 0, n_elements());
  tcase_add_loop_test(events, only_filters_drop_by_default, 0, n_elements());
  tcase_add_loop_test(events, flush_forgets_lateness, 0, n_elements());
  tcase_add_loop_test(events, latency, 0, n_elements());
}

}  // namespace test
