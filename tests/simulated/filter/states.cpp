// SPDX-License-Identifier: LGPL-2.1-or-later
// States, flushes, the end of the stream and new caps, with the GPU at work; nothing is left
// behind.
#include "../support.h"

using namespace simulated;

namespace {

const std::string kOutCuda = video_caps(kCuda, "GRAY8", 0, 0);

// One picture through the element, looked at.
void pass(Bench &bench, const char *memory, const char *format, int width, int height,
          unsigned seed) {
  const GstVideoFormat in = gst_video_format_from_string(format);
  const GstVideoInfo info = video_info(in, width, height);
  GstBufferPool *pool =
      proposed_pool(bench.harness(), video_caps(memory, format, width, height).c_str());
  fail_unless(pool != nullptr);
  fail_unless_equals_int(bench.push(pool_buffer(pool, info, seed)), GST_FLOW_OK);
  GstBuffer *output = bench.pull();
  assert_luma(output, video_info(GST_VIDEO_FORMAT_GRAY8, width, height), in, seed);
  gst_buffer_unref(output);
  drop_pool(pool);
}

GstStateChangeReturn set_state(Bench &bench, GstState state) {
  return gst_element_set_state(bench.element(), state);
}

}  // namespace

GST_START_TEST(a_hundred_rounds) {
  for (int round = 0; round < 100; round++) {
    Bench bench("uyvy2y backend=cuda");
    const char *memory = round % 2 ? kCuda : kSystem;
    bench.negotiate(video_caps(memory, "UYVY", 34, 5),
                    video_caps(round % 3 ? kCuda : kSystem, "", 0, 0));
    pass(bench, memory, "UYVY", 34, 5, unsigned(round));
  }
  assert_clean();
  assert_nothing_lives();
}
GST_END_TEST

// The same element, up and down.
GST_START_TEST(one_element_up_and_down) {
  Bench bench("uyvy2y backend=cuda");
  for (int round = 0; round < 100; round++) {
    bench.negotiate(video_caps(kSystem, "UYVY", 34, 5), kOutCuda);
    pass(bench, kSystem, "UYVY", 34, 5, unsigned(round));
    set_state(bench, GST_STATE_NULL);
    fail_unless(bench.errors().empty());  // and the messages with contexts in them are gone
    // GstElement itself remembers the context it was given, so that one stays; all else goes.
    const FakecudaCounts now = counts();
    fail_unless_equals_uint64(now.allocations_live + now.host_allocations_live, 0);
    fail_unless_equals_uint64(now.streams_live + now.events_live, 0);
    fail_unless(now.contexts_live <= 1);
    fail_unless(set_state(bench, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE);
    fail_unless_equals_uint64(counts().streams_live, 1);
    gst_harness_push_event(bench.harness(), gst_event_new_stream_start("again"));
    GstCaps *caps = gst_caps_from_string(video_caps(kSystem, "UYVY", 34, 5).c_str());
    gst_harness_push_event(bench.harness(), gst_event_new_caps(caps));
    gst_caps_unref(caps);
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    gst_harness_push_event(bench.harness(), gst_event_new_segment(&segment));
  }
  fail_unless(bench.errors().empty());
  assert_clean();
}
GST_END_TEST

GST_START_TEST(new_caps) {
  Bench bench("uyvy2y");
  unsigned seed = 0;
  const struct {
    const char *in, *out, *format;
    int width, height;
  } steps[] = {
      {kCuda, kCuda, "UYVY", 34, 5},    {kCuda, kCuda, "YVYU", 34, 5},
      {kCuda, kCuda, "YVYU", 641, 3},   {kSystem, kCuda, "YUY2", 641, 3},
      {kSystem, kSystem, "YUY2", 1, 1}, {kCuda, kSystem, "UYVY", 1, 1},
      {kCuda, kCuda, "UYVY", 320, 2},
  };
  for (const auto &step : steps) {
    bench.negotiate(video_caps(step.in, step.format, step.width, step.height),
                    video_caps(step.out, "GRAY8", 0, 0));
    for (int i = 0; i < 3; i++)
      pass(bench, step.in, step.format, step.width, step.height, ++seed);
  }
  fail_unless_equals_uint64(stat(bench.element(), "frames"), seed);
  fail_unless(bench.errors().empty());
  assert_clean();
}
GST_END_TEST

// Frames of the old caps are still in flight when the new ones come.
GST_START_TEST(new_caps_with_frames_in_flight) {
  Bench bench("uyvy2y");
  const int widths[] = {34, 66, 10};
  for (int width : widths) {
    bench.negotiate(video_caps(kSystem, "UYVY", width, 3), kOutCuda);
    for (unsigned seed = 1; seed <= 3; seed++)
      fail_unless_equals_int(
          bench.push(system_buffer(video_info(GST_VIDEO_FORMAT_UYVY, width, 3), seed)),
          GST_FLOW_OK);
  }
  for (int width : widths)
    for (unsigned seed = 1; seed <= 3; seed++) {
      GstBuffer *output = bench.pull();
      assert_luma(output, video_info(GST_VIDEO_FORMAT_GRAY8, width, 3), GST_VIDEO_FORMAT_UYVY,
                  seed);
      gst_buffer_unref(output);
    }
  assert_clean();
}
GST_END_TEST

GST_START_TEST(flush_and_eos) {
  Bench bench("uyvy2y");
  bench.negotiate(video_caps(kSystem, "UYVY", 34, 5), kOutCuda);
  for (unsigned seed = 1; seed <= 3; seed++) {
    pass(bench, kSystem, "UYVY", 34, 5, seed);
    fail_unless(gst_harness_push_event(bench.harness(), gst_event_new_flush_start()));
    fail_unless_equals_int(bench.push(system_buffer(video_info(GST_VIDEO_FORMAT_UYVY, 34, 5), 9)),
                           GST_FLOW_FLUSHING);
    fail_unless(gst_harness_push_event(bench.harness(), gst_event_new_flush_stop(TRUE)));
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    fail_unless(gst_harness_push_event(bench.harness(), gst_event_new_segment(&segment)));
  }
  pass(bench, kSystem, "UYVY", 34, 5, 4);
  fail_unless(gst_harness_push_event(bench.harness(), gst_event_new_eos()));
  bool eos = false;
  while (GstEvent *event = gst_harness_try_pull_event(bench.harness())) {
    eos = eos || GST_EVENT_TYPE(event) == GST_EVENT_EOS;
    gst_event_unref(event);
  }
  fail_unless(eos);
  fail_unless_equals_uint64(gst_harness_buffers_in_queue(bench.harness()), 0);
  assert_clean();
}
GST_END_TEST

// Downstream keeps a frame longer than the element lives: it stays what it is, and goes in the end.
GST_START_TEST(outputs_outlive_the_element) {
  std::vector<GstBuffer *> outputs;
  {
    Bench bench("uyvy2y");
    bench.negotiate(video_caps(kSystem, "UYVY", 34, 5), kOutCuda);
    for (unsigned seed = 1; seed <= 3; seed++) {
      fail_unless_equals_int(
          bench.push(system_buffer(video_info(GST_VIDEO_FORMAT_UYVY, 34, 5), seed)), GST_FLOW_OK);
      outputs.push_back(bench.pull());
    }
  }
  fail_unless_equals_uint64(counts().contexts_live, 1);
  for (unsigned seed = 1; seed <= 3; seed++) {
    assert_luma(outputs[seed - 1], video_info(GST_VIDEO_FORMAT_GRAY8, 34, 5), GST_VIDEO_FORMAT_UYVY,
                seed);
    gst_buffer_unref(outputs[seed - 1]);
  }
  assert_clean();
  assert_nothing_lives();
}
GST_END_TEST

// The buffers of the proposed pool, too.
GST_START_TEST(inputs_outlive_the_element) {
  GstBuffer *input;
  {
    Bench bench("uyvy2y");
    bench.negotiate(video_caps(kCuda, "UYVY", 34, 5), kOutCuda);
    GstBufferPool *pool = proposed_pool(bench.harness(), video_caps(kCuda, "UYVY", 34, 5).c_str());
    input = pool_buffer(pool, video_info(GST_VIDEO_FORMAT_UYVY, 34, 5), 1);
    fail_unless_equals_int(bench.push(gst_buffer_ref(input)), GST_FLOW_OK);
    drop_pool(pool);
  }
  GstMapInfo map;
  fail_unless(gst_buffer_map(input, &map, GST_MAP_READ));
  fail_unless_equals_int(map.data[0], sample(1, 0, 0, 0));
  gst_buffer_unmap(input, &map);
  gst_buffer_unref(input);
  assert_clean();
  assert_nothing_lives();
}
GST_END_TEST

static Suite *states_suite() {
  Suite *suite = suite_create("states");
  TCase *tests = new_case(suite, "states");
  tcase_add_test(tests, a_hundred_rounds);
  tcase_add_test(tests, one_element_up_and_down);
  tcase_add_test(tests, new_caps);
  tcase_add_test(tests, new_caps_with_frames_in_flight);
  tcase_add_test(tests, flush_and_eos);
  tcase_add_test(tests, outputs_outlive_the_element);
  tcase_add_test(tests, inputs_outlive_the_element);
  return suite;
}
SIMULATED_MAIN(states)
