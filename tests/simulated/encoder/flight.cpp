// SPDX-License-Identifier: LGPL-2.1-or-later
// An element that holds frames back: they come out before whatever follows them in the stream, are
// dropped by a flush, and count in the latency.
#include "../classes/elements.h"
#include "base/flight/framesinflight.h"

using namespace simulated;

namespace {

constexpr guint kHeld = 3;
const std::string kCaps = video_caps(kSystem, "GRAY8", 8, 2);

struct Record {
  Bench bench{"coalescehold frames=3"};
  Passing passing{negotiated()};

  const Bench &negotiated() {
    bench.negotiate(kCaps, "");
    return bench;
  }

  void push(guint64 first, guint64 last) {
    for (guint64 i = first; i <= last; i++) {
      GstBuffer *buffer = gst_buffer_new_allocate(nullptr, 16, nullptr);
      GST_BUFFER_OFFSET(buffer) = i;
      fail_unless_equals_int(bench.push(buffer), GST_FLOW_OK);
    }
  }
  void send(GstEvent *event) { fail_unless(gst_harness_push_event(bench.harness(), event)); }
  void expect(const char *what) { expect_string(passing.seen(), what); }
};

GstEvent *caps(int width) {
  GstCaps *new_caps = gst_caps_from_string(video_caps(kSystem, "GRAY8", width, 2).c_str());
  GstEvent *event = gst_event_new_caps(new_caps);
  gst_caps_unref(new_caps);
  return event;
}

GstEvent *custom(GstEventType type) {
  return gst_event_new_custom(type, gst_structure_new_empty("test"));
}

void check_order(GstEvent *event, const char *expected) {
  Record record;
  record.push(1, 5);
  record.expect("1 2");
  record.send(event);
  record.expect(expected);
  record.push(6, 9);
  record.expect((std::string(expected) + " 6").c_str());
}

}  // namespace

// What is called where a frame ends may ask for the others.
GST_START_TEST(ends_outside_the_lock) {
  using namespace coalesce::gst;
  struct Asking : FrameInFlight {
    FramesInFlight *frames = nullptr;
    bool *was_open = nullptr;
    ~Asking() override { *was_open = frames->is_open(); }
  };
  FramesInFlight frames;
  frames.open();
  bool was_open = false;
  auto frame = std::make_unique<Asking>();
  frame->frames = &frames;
  frame->was_open = &was_open;
  frames.add(std::move(frame));
  fail_unless(frames.next() != nullptr);
  frames.done(GST_FLOW_OK);
  fail_unless(was_open);
  fail_unless_equals_int(frames.wait_until(0), GST_FLOW_OK);
}
GST_END_TEST

GST_START_TEST(nothing_overtakes) {
  check_order(segment_event(), "1 2 3 4 5 segment");
  check_order(caps(4), "1 2 3 4 5 caps");
  check_order(gst_event_new_gap(0, GST_SECOND), "1 2 3 4 5 gap");
  check_order(gst_event_new_tag(gst_tag_list_new(GST_TAG_TITLE, "t", nullptr)), "1 2 3 4 5 tag");
  check_order(custom(GST_EVENT_CUSTOM_DOWNSTREAM), "1 2 3 4 5 custom-downstream");
  check_order(gst_event_new_stream_start("another"), "1 2 3 4 5 stream-start");
  check_order(gst_event_new_segment_done(GST_FORMAT_TIME, 0), "1 2 3 4 5 segment-done");
}
GST_END_TEST

GST_START_TEST(eos_drains) {
  Record record;
  record.push(1, 2);
  record.expect("");
  record.send(gst_event_new_eos());
  record.expect("1 2 eos");
}
GST_END_TEST

// Those that are meant to overtake still do.
GST_START_TEST(out_of_band_overtakes) {
  Record record;
  record.push(1, 5);
  record.send(custom(GST_EVENT_CUSTOM_DOWNSTREAM_OOB));
  record.push(6, 6);
  record.expect("1 2 custom-downstream-oob 3");
}
GST_END_TEST

GST_START_TEST(flush_discards) {
  Record record;
  record.push(1, 5);
  record.send(gst_event_new_flush_start());
  record.send(gst_event_new_flush_stop(TRUE));
  record.send(segment_event());
  record.push(6, 9);
  record.send(gst_event_new_eos());
  record.expect("1 2 flush-start flush-stop segment 6 7 8 9 eos");
}
GST_END_TEST

// Held frames go with a stop, and do not come back with the next start.
GST_START_TEST(stop_discards) {
  Record record;
  record.push(1, 5);
  gst_element_set_state(record.bench.element(), GST_STATE_READY);
  gst_element_set_state(record.bench.element(), GST_STATE_PLAYING);
  record.passing.forget();
  record.send(gst_event_new_stream_start("again"));
  record.send(caps(8));
  record.send(segment_event());
  record.send(gst_event_new_eos());
  record.expect("stream-start caps segment eos");
}
GST_END_TEST

GST_START_TEST(latency) {
  Record record;
  constexpr GstClockTime kUpstream = 7 * GST_MSECOND;
  gst_harness_set_upstream_latency(record.bench.harness(), kUpstream);
  const GstClockTime held = kHeld * GST_SECOND / 25;
  fail_unless_equals_uint64(gst_harness_query_latency(record.bench.harness()), kUpstream + held);
  // An element that holds nothing adds nothing.
  Bench none("coalescehold frames=0");
  none.negotiate(kCaps, kCaps);
  gst_harness_set_upstream_latency(none.harness(), kUpstream);
  fail_unless_equals_uint64(gst_harness_query_latency(none.harness()), kUpstream);
}
GST_END_TEST

static Suite *flight_suite() {
  register_elements();
  Suite *suite = suite_create("flight");
  TCase *tests = new_case(suite, "flight");
  tcase_add_test(tests, ends_outside_the_lock);
  tcase_add_test(tests, nothing_overtakes);
  tcase_add_test(tests, eos_drains);
  tcase_add_test(tests, out_of_band_overtakes);
  tcase_add_test(tests, flush_discards);
  tcase_add_test(tests, stop_discards);
  tcase_add_test(tests, latency);
  return suite;
}
SIMULATED_MAIN(flight)
