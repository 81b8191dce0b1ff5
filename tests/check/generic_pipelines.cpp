// SPDX-License-Identifier: LGPL-2.1-or-later
// Whole pipelines: states, seeks, threads.
#include "generic_cases.h"
#include "pipeline.h"

namespace test {
namespace {

std::string line(const std::string &element, Size size, const std::string &source,
                 const std::string &sink = "sync=false") {
  return "videotestsrc " + source + " ! capsfilter name=input caps=\"" + sink_caps(element, size) +
         "\" ! " + element + " name=subject ! fakesink name=sink " + sink;
}

GST_START_TEST(three_rounds_of_states) {
  Pipeline pipeline(line(element_name(__i__), {33, 17}, "num-buffers=6"));
  for (int round = 1; round <= 3; round++) {
    pipeline.set_state(GST_STATE_PLAYING);
    pipeline.wait_for_eos();
    pipeline.set_state(GST_STATE_NULL);
    fail_unless_equals_int(pipeline.buffers(), 6 * round);
  }
}
GST_END_TEST;

GST_START_TEST(states_while_streaming) {
  Pipeline pipeline(line(element_name(__i__), {33, 17}, ""));
  for (int round = 0; round < 3; round++)
    for (GstState state : {GST_STATE_PAUSED, GST_STATE_READY, GST_STATE_NULL}) {
      pipeline.set_state(GST_STATE_PLAYING);
      pipeline.wait_for_buffers(10);
      pipeline.set_state(state);
    }
}
GST_END_TEST;

GST_START_TEST(live_source) {
  Pipeline pipeline(line(element_name(__i__), {64, 48}, "is-live=true num-buffers=8", "sync=true"));
  pipeline.set_state(GST_STATE_PLAYING);
  pipeline.wait_for_eos();
  fail_unless(pipeline.buffers() >= 1);
}
GST_END_TEST;

GST_START_TEST(seeks) {
  Pipeline pipeline(line(element_name(__i__), {33, 17}, "", "sync=true"));
  std::atomic<GstClockTime> last{0};
  pipeline.on_buffer = [&last](GstBuffer *buffer, GstPad *) { last = GST_BUFFER_PTS(buffer); };
  pipeline.set_state(GST_STATE_PAUSED);
  for (int seconds : {7, 2, 100}) {
    const GstClockTime target = static_cast<GstClockTime>(seconds) * GST_SECOND;
    fail_unless(gst_element_seek_simple(pipeline.get(), GST_FORMAT_TIME,
                                        GstSeekFlags(GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE),
                                        static_cast<gint64>(target)));
    pipeline.set_state(GST_STATE_PLAYING);
    pipeline.wait_for_buffers(2);
    fail_unless(last >= target && last < target + GST_SECOND,
                "%" GST_TIME_FORMAT " after a seek to %d s", GST_TIME_ARGS(last.load()), seconds);
  }
}
GST_END_TEST;

GST_START_TEST(flushing_seeks_while_streaming) {
  Pipeline pipeline(line(element_name(__i__), {33, 17}, ""));
  pipeline.set_state(GST_STATE_PLAYING);
  for (int i = 0; i < 20; i++) {
    pipeline.wait_for_buffers(1);
    fail_unless(gst_element_seek_simple(pipeline.get(), GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH,
                                        i * 100 * static_cast<gint64>(GST_MSECOND)));
  }
  pipeline.wait_for_buffers(3);
}
GST_END_TEST;

// Size, format and rate change while queues on both sides hold buffers.
GST_START_TEST(renegotiation_between_threads) {
  const std::string &element = element_name(__i__);
  Pipeline pipeline("videotestsrc ! capsfilter name=input caps=\"" + sink_caps(element, {64, 48}) +
                    "\" ! queue max-size-buffers=3 ! " + element +
                    " ! queue max-size-buffers=3 ! fakesink name=sink sync=false");
  std::atomic<int> width{0};
  std::atomic<bool> sound{true};
  pipeline.on_buffer = [&](GstBuffer *buffer, GstPad *pad) {
    const CapsRef caps(gst_pad_get_current_caps(pad));
    gint now = 0;
    gst_structure_get_int(gst_caps_get_structure(caps.get(), 0), "width", &now);
    GstVideoInfo info;
    if (gst_video_info_from_caps(&info, caps.get()) && gst_buffer_get_size(buffer) != info.size)
      sound = false;
    width = now;
  };
  pipeline.set_state(GST_STATE_PLAYING);
  const Owned<GstElement> input = pipeline.element("input");
  int format = 0;
  for (Size size : {Size{33, 17}, Size{320, 240}, Size{1, 1}, Size{64, 48}}) {
    format = (format + 1) % n_sink_formats(element);
    const CapsRef caps = parse_caps(sink_caps(element, size, format, "50/1"));
    g_object_set(input.get(), "caps", caps.get(), nullptr);
    pipeline.wait_until([&width, size] { return width == size.width; }, "the new size");
    pipeline.wait_for_buffers(5);
  }
  pipeline.set_state(GST_STATE_NULL);
  fail_unless(sound, "a buffer did not have the size of its caps");
}
GST_END_TEST;

// Two of them on one input, in threads of their own.
GST_START_TEST(behind_a_tee) {
  const std::string &element = element_name(__i__);
  Pipeline pipeline("videotestsrc num-buffers=40 ! capsfilter caps=\"" +
                    sink_caps(element, {320, 241}) + "\" ! tee name=t ! queue ! " + element +
                    " ! fakesink name=sink sync=false  t. ! queue ! " + element +
                    " n-threads=2 ! fakesink name=other sync=false");
  pipeline.set_state(GST_STATE_PLAYING);
  pipeline.wait_for_eos();
  fail_unless_equals_int(pipeline.buffers(), 40);
}
GST_END_TEST;

// The element goes up and down by itself while another thread pushes into it.
GST_START_TEST(states_under_fire) {
  const std::string caps = sink_caps(element_name(__i__), {33, 17});
  Harness harness(element_name(__i__));
  fail_unless(harness.set_input(caps));
  gst_harness_set_drop_buffers(harness.get(), TRUE);
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  const BufferRef buffer(nth_frame(caps, 0));
  const CapsRef parsed = parse_caps(caps);
  GstHarnessThread *states = gst_harness_stress_statechange_start(harness.get());
  GstHarnessThread *buffers =
      gst_harness_stress_push_buffer_start(harness.get(), parsed.get(), &segment, buffer.get());
  g_usleep(small_run() ? 100000 : 300000);
  gst_harness_stress_thread_stop(buffers);
  gst_harness_stress_thread_stop(states);

  fail_unless_equals_int(gst_element_set_state(harness.element(), GST_STATE_PLAYING),
                         GST_STATE_CHANGE_SUCCESS);
  harness.push_event(gst_event_new_stream_start("again"));
  fail_unless(harness.set_input(caps));
  harness.push_event(gst_event_new_segment(&segment));
  gst_harness_set_drop_buffers(harness.get(), FALSE);
  fail_unless_equals_int(harness.push(nth_frame(caps, 1)), GST_FLOW_OK);
  harness.push_event(gst_event_new_eos());
  fail_unless_equals_int(harness.waiting(), 1);
}
GST_END_TEST;

// Everything that was made goes with the last reference.
GST_START_TEST(element_goes_away) {
  gpointer gone = nullptr;
  {
    Pipeline pipeline(line(element_name(__i__), {33, 17}, "num-buffers=2"));
    const Owned<GstElement> subject = pipeline.element("subject");
    gone = subject.get();
    g_object_add_weak_pointer(G_OBJECT(subject.get()), &gone);
    pipeline.set_state(GST_STATE_PLAYING);
    pipeline.wait_for_eos();
  }
  fail_unless(gone == nullptr);
}
GST_END_TEST;

}  // namespace

void add_pipeline_cases(Suite *suite) {
  TCase *pipelines = new_case(suite, "pipelines");
  tcase_add_loop_test(pipelines, three_rounds_of_states, 0, n_elements());
  tcase_add_loop_test(pipelines, states_while_streaming, 0, n_elements());
  tcase_add_loop_test(pipelines, live_source, 0, n_elements());
  tcase_add_loop_test(pipelines, seeks, 0, n_elements());
  tcase_add_loop_test(pipelines, flushing_seeks_while_streaming, 0, n_elements());
  tcase_add_loop_test(pipelines, renegotiation_between_threads, 0, n_elements());
  tcase_add_loop_test(pipelines, behind_a_tee, 0, n_elements());
  tcase_add_loop_test(pipelines, states_under_fire, 0, n_elements());
  tcase_add_loop_test(pipelines, element_goes_away, 0, n_elements());
}

}  // namespace test
