// SPDX-License-Identifier: LGPL-2.1-or-later
// Whole pipelines: states, seeks, threads.
#include <thread>

#include "../../support/elements/pipeline.h"
#include "generic_cases.h"

namespace test {
namespace {

std::string line(const std::string &element, Size size, const std::string &source,
                 const std::string &sink = "sync=false") {
  return "videotestsrc " + source + " ! capsfilter name=input caps=\"" + sink_caps(element, size) +
         "\" ! " + fed(element, "subject") + " ! fakesink name=sink " + sink;
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
      pipeline.wait_for_buffers(small_run() ? 3 : 10);
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
  std::atomic<GstClockTime> first{0};
  pipeline.on_buffer = [&first](GstBuffer *buffer, GstPad *) {
    GstClockTime none = GST_CLOCK_TIME_NONE;
    first.compare_exchange_strong(none, GST_BUFFER_PTS(buffer));
  };
  for (int seconds : {7, 2, 100}) {
    const GstClockTime target = static_cast<GstClockTime>(seconds) * GST_SECOND;
    pipeline.set_state(GST_STATE_PAUSED);
    first = GST_CLOCK_TIME_NONE;
    fail_unless(gst_element_seek_simple(pipeline.get(), GST_FORMAT_TIME,
                                        GstSeekFlags(GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE),
                                        static_cast<gint64>(target)));
    pipeline.set_state(GST_STATE_PLAYING);
    pipeline.wait_for_buffers(2);
    fail_unless(first >= target && first < target + GST_SECOND,
                "%" GST_TIME_FORMAT " after a seek to %d s", GST_TIME_ARGS(first.load()), seconds);
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
                    "\" ! queue max-size-buffers=3 ! " + fed(element, "subject") +
                    " ! queue max-size-buffers=3 ! fakesink name=sink sync=false");
  std::atomic<int> width{0};
  std::atomic<bool> sound{true};
  pipeline.on_buffer = [&](GstBuffer *buffer, GstPad *pad) {
    const CapsRef caps = current_caps(pad);
    gint now = 0;
    const GstStructure *structure = gst_caps_get_structure(caps.get(), 0);
    gst_structure_get_int(structure, "width", &now);
    GstVideoInfo info;
    if (gst_structure_has_name(structure, "video/x-raw") &&
        gst_video_info_from_caps(&info, caps.get()) && gst_buffer_get_size(buffer) != info.size)
      sound = false;
    width = now;
  };
  pipeline.set_state(GST_STATE_PLAYING);
  GstElement *input = pipeline.element("input");
  int format = 0;
  const Size large = small_run() ? Size{80, 60} : Size{320, 240};
  for (Size size : {Size{33, 17}, large, Size{1, 1}, Size{64, 48}}) {
    format = (format + 1) % n_sink_formats(element);
    const CapsRef caps = parse_caps(sink_caps(element, size, format, "50/1"));
    g_object_set(input, "caps", caps.get(), nullptr);
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
  const Size size = small_run() ? Size{33, 17} : Size{320, 241};
  Pipeline pipeline("videotestsrc num-buffers=40 ! capsfilter caps=\"" + sink_caps(element, size) +
                    "\" ! tee name=t ! queue ! " + fed(element, "one") +
                    " ! fakesink name=sink sync=false  t. ! queue ! " + fed(element, "another") +
                    " n-threads=2 ! fakesink name=other sync=false");
  pipeline.set_state(GST_STATE_PLAYING);
  pipeline.wait_for_eos();
  fail_unless_equals_int(pipeline.buffers(), 40);
}
GST_END_TEST;

// An output that is not linked is no fault: the other branch of the tee gets all of its frames.
// (To the queues before several inputs it is one where the end comes after an output.)
GST_START_TEST(not_linked) {
  const std::string &element = element_name(__i__);
  Pipeline pipeline("videotestsrc num-buffers=20 ! capsfilter caps=\"" +
                    sink_caps(element, {64, 48}) +
                    "\" ! tee allow-not-linked=true name=t ! queue ! fakesink name=sink sync=false "
                    "t. ! " +
                    fed(element, "subject"));
  pipeline.start();
  if (__i__ < n_elements())
    pipeline.wait_for_eos();
  else
    pipeline.wait_until([&] { return pipeline.buffers() == 20; }, "all frames");
  fail_unless_equals_int(pipeline.buffers(), 20);
}
GST_END_TEST;

// Unlinked while frames flow, and linked again after the size has changed.
GST_START_TEST(linked_again) {
  const std::string &element = element_name(__i__);
  Pipeline pipeline(
      "videotestsrc is-live=true ! capsfilter name=input caps=\"" +
      sink_caps(element, {64, 48}, 0, "200/1") +
      "\" ! tee allow-not-linked=true name=t ! queue ! fakesink name=sink sync=false async=false "
      "t. ! " +
      fed(element, "subject") + " ! fakesink name=last sync=false async=false");
  pipeline.set_state(GST_STATE_PLAYING);
  pipeline.wait_for_buffers(5);
  GstElement *subject = pipeline.element("subject"), *last = pipeline.element("last"),
             *input = pipeline.element("input");
  gst_element_unlink(subject, last);
  pipeline.wait_for_buffers(5);
  const CapsRef caps = parse_caps(sink_caps(element, {128, 48}, 0, "200/1"));
  g_object_set(input, "caps", caps.get(), nullptr);
  pipeline.wait_for_buffers(12);
  fail_unless(gst_element_link(subject, last));
  const Owned<GstPad> pad(gst_element_get_static_pad(last, "sink"));
  const auto width = [&pad] {
    const CapsRef arrived = current_caps(pad.get());
    gint value = 0;
    if (arrived) gst_structure_get_int(gst_caps_get_structure(arrived.get(), 0), "width", &value);
    return value;
  };
  pipeline.wait_until([&width] { return width() == 128; }, "the new size");
  pipeline.wait_for_buffers(5);
  pipeline.set_state(GST_STATE_NULL);
}
GST_END_TEST;

// What is changed too late for this run holds from the next start on.
GST_START_TEST(back_end_changed_while_playing) {
  const std::string &element = element_name(__i__);
  Pipeline pipeline(line(element, {33, 17}, ""));
  pipeline.set_state(GST_STATE_PLAYING);
  pipeline.wait_for_buffers(3);
  GstElement *subject = pipeline.element("subject"), *input = pipeline.element("input");
  gst_util_set_object_arg(G_OBJECT(subject), "backend", "cuda");
  const CapsRef caps = parse_caps(sink_caps(element, {65, 17}));
  g_object_set(input, "caps", caps.get(), nullptr);
  pipeline.wait_for_buffers(20);
  pipeline.set_state(GST_STATE_NULL);
  // There is no GPU here.
  fail_unless_equals_int(gst_element_set_state(pipeline.get(), GST_STATE_PAUSED),
                         GST_STATE_CHANGE_FAILURE);
  fail_unless(contains(pipeline.take_error(), "No NVIDIA GPU can be used"));
}
GST_END_TEST;

// What an application and neighbours do from their threads, while frames flow.
GST_START_TEST(asked_while_streaming) {
  const std::string caps = sink_caps(element_name(__i__), {33, 17});
  Harness harness(element_name(__i__));
  fail_unless(harness.set_input(caps));
  Owned<GstPad> sink(gst_element_get_static_pad(harness.element(), "sink"));
  std::atomic<bool> stop{false};
  std::atomic<int> rounds{0};
  const auto ask = [&] {
    while (!stop) {
      GstStructure *stats = nullptr;
      gint active = 0;
      g_object_get(harness.element(), "stats", &stats, "active-backend", &active, nullptr);
      gst_structure_free(stats);
      const CapsRef possible(gst_pad_query_caps(sink.get(), nullptr));
      gst_harness_push_upstream_event(harness.get(), gst_event_new_reconfigure());
      gst_harness_push_upstream_event(
          harness.get(), gst_event_new_qos(GST_QOS_TYPE_OVERFLOW, 0.5, -GST_MSECOND, GST_MSECOND));
      while (EventRef(gst_harness_try_pull_upstream_event(harness.get())) != nullptr) {
      }
      rounds++;
    }
  };
  std::thread one(ask), another(ask);
  int pushed = 0;
  const int wanted = small_run() ? 40 : 200;
  for (; pushed < wanted || rounds < wanted / 2; pushed++)
    fail_unless_equals_int(harness.push(nth_frame(caps, pushed + 1)), GST_FLOW_OK);
  stop = true;
  one.join();
  another.join();
  harness.push_event(gst_event_new_eos());
  fail_unless_equals_int(harness.waiting(), pushed);
  harness.expect_no_error();
}
GST_END_TEST;

// n-threads counts the streaming thread, and they go when the element stops. (A thread that has
// been joined may be listed a moment longer.)
GST_START_TEST(as_many_threads_as_asked) {
  const std::string caps = sink_caps(element_name(__i__), {33, 17});
  for (const auto &[text, number] : {std::pair{"1", 1}, {"2", 2}, {"5", 5}}) {
    Harness harness(element_name(__i__), {{"n-threads", text}});
    const int before = threads_of_process();
    fail_unless(harness.set_input(caps));
    fail_unless_equals_int(harness.push(nth_frame(caps, 0)), GST_FLOW_OK);
    fail_unless_equals_int(threads_of_process() - before, number - 1);
    gst_element_set_state(harness.element(), GST_STATE_NULL);
    fail_unless(eventually([before] { return threads_of_process() == before; }));
  }
}
GST_END_TEST;

// Everything that was made goes with the last reference.
GST_START_TEST(element_goes_away) {
  gpointer gone = nullptr;
  {
    Pipeline pipeline(line(element_name(__i__), {33, 17}, "num-buffers=2"));
    gone = pipeline.element("subject");
    g_object_add_weak_pointer(G_OBJECT(gone), &gone);
    pipeline.set_state(GST_STATE_PLAYING);
    pipeline.wait_for_eos();
  }
  // A streaming thread that is just about to end may have the last reference for a moment.
  fail_unless(eventually([&gone] { return g_atomic_pointer_get(&gone) == nullptr; }));
}
GST_END_TEST;

}  // namespace

void add_pipeline_cases(Suite *suite) {
  TCase *pipelines = new_case(suite, "pipelines");
  tcase_add_loop_test(pipelines, three_rounds_of_states, 0, n_elements_and_aggregators());
  tcase_add_loop_test(pipelines, states_while_streaming, 0, n_elements_and_aggregators());
  tcase_add_loop_test(pipelines, live_source, 0, n_elements_and_aggregators());
  tcase_add_loop_test(pipelines, seeks, 0, n_elements_and_aggregators());
  tcase_add_loop_test(pipelines, flushing_seeks_while_streaming, 0, n_elements_and_aggregators());
  tcase_add_loop_test(pipelines, renegotiation_between_threads, 0, n_elements_and_aggregators());
  tcase_add_loop_test(pipelines, behind_a_tee, 0, n_elements_and_aggregators());
  tcase_add_loop_test(pipelines, not_linked, 0, n_elements_and_aggregators());
  // (GstAggregator ends where its output was not linked.)
  tcase_add_loop_test(pipelines, linked_again, 0, n_elements());
  tcase_add_loop_test(pipelines, back_end_changed_while_playing, 0, n_elements_and_aggregators());
  tcase_add_loop_test(pipelines, asked_while_streaming, 0, n_elements());
  tcase_add_loop_test(pipelines, as_many_threads_as_asked, 0, n_elements());
  tcase_add_loop_test(pipelines, element_goes_away, 0, n_elements_and_aggregators());
}

}  // namespace test
