// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames of j2kenc in flight: they keep their order and what is said of them, and come out before
// whatever follows them in the stream.
#include <thread>

#include "j2k.h"

using namespace simulated;

namespace {

// Everything in the stream that has a place in its order.
std::vector<GstEvent *> serialized_events() {
  GstCaps *caps = gst_caps_from_string(in_caps(kWideGrey, kCuda).c_str());
  GstStreamCollection *collection = gst_stream_collection_new("test");
  GstToc *toc = gst_toc_new(GST_TOC_SCOPE_GLOBAL);
  GstMessage *message = gst_message_new_latency(nullptr);
  GstBuffer *data = gst_buffer_new_allocate(nullptr, 4, nullptr);
  const std::vector<GstEvent *> events = {
      segment_event(),
      gst_event_new_caps(caps),
      gst_event_new_gap(0, GST_SECOND),
      gst_event_new_tag(gst_tag_list_new(GST_TAG_TITLE, "t", nullptr)),
      gst_event_new_toc(toc, FALSE),
      gst_event_new_segment_done(GST_FORMAT_TIME, 0),
      gst_event_new_stream_group_done(1),
      gst_event_new_stream_collection(collection),
      gst_event_new_protection("9a04f079-9840-4286-ab92-e65be0885f95", data, nullptr),
      gst_event_new_sink_message("test", message),
      gst_event_new_buffer_size(GST_FORMAT_BYTES, 0, 0, FALSE),
      gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty("test")),
      gst_event_new_custom(GST_EVENT_CUSTOM_BOTH, gst_structure_new_empty("test")),
      gst_video_event_new_downstream_force_key_unit(0, 0, 0, TRUE, 1),
      gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, gst_structure_new_empty("test")),
      gst_event_new_stream_start("another"),
      gst_event_new_eos(),
  };
  gst_buffer_unref(data);
  gst_object_unref(collection);
  gst_toc_unref(toc);
  gst_message_unref(message);
  gst_caps_unref(caps);
  return events;
}

// A thread of the test that would wait for frames in flight, and what came of it.
class Waiting {
 public:
  explicit Waiting(std::function<void()> work)
      : thread_([this, work = std::move(work)] {
          work();
          ended_ = true;
        }) {}
  ~Waiting() { join(); }
  void join() {
    if (thread_.joinable()) thread_.join();
  }
  bool ended() const { return ended_; }

 private:
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

void expect_seen(const Passing &passing, const std::string &expected) {
  expect_string(passing.seen(), expected);
}

}  // namespace

// Each codestream comes out without a later frame.
GST_START_TEST(leaves_at_once) {
  for (const char *memory : {kCuda, kSystem})
    for (int frames : {0, 1, 2, 16}) {
      J2kBench bench(kGrey, memory, frames);
      for (unsigned seed = 1; seed <= 6; seed++) {
        bench.push_pictures(seed, seed);
        fail_unless(eventually([&] { return bench.received() == 1; }));
        bench.expect(kGrey, seed);
      }
    }
}
GST_END_TEST

// The first frame tells whether the settings will do, and is pushed by its chain, as all are where
// one at a time is in flight. Of those after it, so many are accepted while downstream is blocked.
GST_START_TEST(as_many_as_asked_for) {
  for (int frames : {0, 1, 2, 3, 16}) {
    J2kBench bench(kGrey, kCuda, frames);
    const int room = frames > 0 ? frames : 4, acceptable = room > 1 ? room : 0;
    bench.push_pictures(1, 1);
    fail_unless_equals_int(bench.received(), 1);
    std::atomic<int> accepted{0};
    {
      auto dam = std::make_unique<Dam>(bench);
      Waiting source([&] {
        for (unsigned seed = 2; seed <= 20; seed++) {
          if (bench.push_picture(seed) != GST_FLOW_OK) return;
          ++accepted;
        }
      });
      fail_unless(eventually([&] { return accepted == acceptable && dam->reached(); }));
      for (int i = 0; i < 1000; i++)
        g_thread_yield();
      fail_unless_equals_int(accepted, acceptable);
      dam.reset();
      source.join();
    }
    fail_unless_equals_uint64(bench.latency(), guint64(room - 1) * GST_SECOND / 25);
    bench.end();
    bench.expect_pictures(kGrey, 1, 20);
  }
}
GST_END_TEST

// What is serialized waits until downstream has all frames before it.
GST_START_TEST(nothing_overtakes) {
  for (GstEvent *event : serialized_events()) {
    J2kBench bench(kGrey, kCuda, 4);
    bench.push_pictures(1, 1);
    const Passing passing(bench);
    const std::string name = GST_EVENT_TYPE_NAME(event);
    auto dam = std::make_unique<Dam>(bench);
    bench.push_pictures(2, 4);
    Waiting sender([&] { bench.push_event(event); });
    fail_unless(eventually([&] { return dam->reached(); }));
    expect_seen(passing, "");
    dam.reset();
    sender.join();
    expect_seen(passing, "2 3 4 " + name);
  }
}
GST_END_TEST

GST_START_TEST(out_of_band_overtakes) {
  J2kBench bench(kGrey, kCuda, 4);
  bench.push_pictures(1, 1);
  const Passing passing(bench);
  auto dam = std::make_unique<Dam>(bench);
  bench.push_pictures(2, 4);
  fail_unless(eventually([&] { return dam->reached(); }));
  bench.send(
      gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM_OOB, gst_structure_new_empty("test")));
  expect_seen(passing, "custom-downstream-oob");
  dam.reset();
  bench.end();
  expect_seen(passing, "custom-downstream-oob 2 3 4 eos");
}
GST_END_TEST

// So does a serialized query; others are answered meanwhile.
GST_START_TEST(queries_wait) {
  J2kBench bench(kGrey, kCuda, 4);
  bench.push_pictures(1, 1);
  auto dam = std::make_unique<Dam>(bench);
  bench.push_pictures(2, 4);
  fail_unless_equals_uint64(bench.latency(), 3 * GST_SECOND / 25);
  guint received = 0;
  Waiting query([&] {
    GstQuery *drain = gst_query_new_drain();
    gst_pad_peer_query(bench.to_element(), drain);
    gst_query_unref(drain);
    received = bench.received();
  });
  fail_unless(eventually([&] { return dam->reached(); }));
  fail_unless(!query.ended());
  dam.reset();
  query.join();
  fail_unless_equals_int(received, 4);
}
GST_END_TEST

// A flush wakes both threads: the one that waits for room, and the task that downstream blocks.
GST_START_TEST(flush_discards) {
  for (const bool at_the_end : {false, true}) {
    J2kBench bench(kGrey, kCuda, 2);
    bench.push_pictures(1, 1);
    bench.expect_pictures(kGrey, 1, 1);
    std::atomic<GstFlowReturn> flow{GST_FLOW_OK};
    const Dam dam(bench);
    bench.push_pictures(2, 3);
    Waiting source([&] {
      if (at_the_end)
        bench.push_event(gst_event_new_eos());
      else
        flow = bench.push_picture(4);
    });
    fail_unless(eventually([&] { return dam.reached(); }));
    bench.send(gst_event_new_flush_start());
    source.join();
    fail_unless_equals_int(flow, at_the_end ? GST_FLOW_OK : GST_FLOW_FLUSHING);
    bench.send(gst_event_new_flush_stop(TRUE));
    fail_unless_equals_int(bench.received(), 0);
  }
  J2kBench bench(kGrey, kCuda, 4);
  bench.push_pictures(1, 4);
  bench.send(gst_event_new_flush_start());
  bench.send(gst_event_new_flush_stop(TRUE));
  while (bench.received() > 0)
    gst_buffer_unref(bench.pull());
  bench.send(segment_event());
  bench.push_pictures(5, 9);
  bench.end();
  bench.expect_pictures(kGrey, 5, 9);
  fail_unless_equals_int(bench.received(), 0);
}
GST_END_TEST

// A stop does, too, whatever the streaming thread waits for.
GST_START_TEST(stop_ends_waits) {
  enum { room, end, caps, query };
  for (const int what : {room, end, caps, query}) {
    J2kBench bench(kGrey, kCuda, 2);
    bench.push_pictures(1, 1);
    const Dam dam(bench);
    bench.push_pictures(2, 3);
    fail_unless(eventually([&] { return dam.reached(); }));
    GstBuffer *next = bench.buffer(4);
    Waiting source([&] {
      GstCaps *wide = gst_caps_from_string(in_caps(kWideGrey, kCuda).c_str());
      GstQuery *drain = gst_query_new_drain();
      if (what == room) bench.push(gst_buffer_ref(next));
      if (what == end) bench.push_event(gst_event_new_eos());
      if (what == caps) bench.push_event(gst_event_new_caps(wide));
      if (what == query) gst_pad_peer_query(bench.to_element(), drain);
      gst_query_unref(drain);
      gst_caps_unref(wide);
    });
    gst_element_set_state(bench.element(), GST_STATE_NULL);
    source.join();
    gst_buffer_unref(next);
    fail_unless(bench.errors().empty());
  }
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
    bench.push_pictures(1, 1);
    bench.expect_pictures(kGrey, 1, 1);
    auto dam = std::make_unique<Dam>(bench);
    bench.push_pictures(2, 4);
    std::atomic<int> refused{0};
    const auto refuse = [](GstPad *, GstPadProbeInfo *info, gpointer count) {
      ++*static_cast<std::atomic<int> *>(count);
      gst_buffer_unref(GST_PAD_PROBE_INFO_BUFFER(info));
      GST_PAD_PROBE_INFO_FLOW_RETURN(info) = GST_FLOW_EOS;
      return GST_PAD_PROBE_HANDLED;
    };
    GstPad *pad = gst_element_get_static_pad(bench.element(), "src");
    const gulong probe =
        gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, refuse, &refused, nullptr);
    dam.reset();
    unsigned seed = 5;
    if (when == pushing) {
      GstFlowReturn flow = GST_FLOW_OK;
      while (seed < 12 && flow == GST_FLOW_OK)
        flow = bench.push_picture(seed++);
      fail_unless_equals_int(flow, GST_FLOW_EOS);
    } else {
      bench.settle();
      if (when == draining) fail_unless_equals_int(bench.push_picture(seed++), GST_FLOW_EOS);
    }
    fail_unless_equals_int(refused, 1);
    gst_pad_remove_probe(pad, probe);
    gst_object_unref(pad);
    if (when == flushing) {
      bench.send(gst_event_new_flush_start());
      bench.send(gst_event_new_flush_stop(TRUE));
      bench.send(segment_event());
    }
    bench.push_pictures(seed, seed + 1);
    bench.end();
    bench.expect_pictures(kGrey, seed, seed + 1);
    fail_unless_equals_int(bench.received(), 0);
    fail_unless(bench.errors().empty());
  }
}
GST_END_TEST

// A stream that ends where nobody is linked is an error, as no later frame tells upstream.
GST_START_TEST(not_linked_at_the_end) {
  J2kBench bench(kGrey, kCuda, 4);
  bench.push_pictures(1, 1);
  GstPad *pad = gst_element_get_static_pad(bench.element(), "src");
  GstPad *peer = gst_pad_get_peer(pad);
  {
    const Dam dam(bench);
    bench.push_pictures(2, 3);
    fail_unless(eventually([&] { return dam.reached(); }));
    gst_pad_unlink(pad, peer);
  }
  (void)bench.push_event(gst_event_new_eos());
  const std::vector<std::string> errors = bench.errors();
  fail_unless_equals_int(errors.size(), 1);
  fail_unless(errors[0].find("not-linked") != std::string::npos, "%s", errors[0].c_str());
  fail_unless_equals_int(gst_pad_link(pad, peer), GST_PAD_LINK_OK);
  gst_object_unref(peer);
  gst_object_unref(pad);
}
GST_END_TEST

// A flush that nothing has announced finds frames in flight, and a task that goes on.
GST_START_TEST(flush_stop_alone) {
  for (int round = 0; round < 20; round++) {
    J2kBench bench(kGrey, kCuda, 4);
    bench.push_pictures(1, 4);
    bench.send(gst_event_new_flush_stop(TRUE));
    while (bench.received() > 0)
      gst_buffer_unref(bench.pull());
    bench.send(segment_event());
    bench.push_pictures(5, 8);
    bench.end();
    bench.expect_pictures(kGrey, 5, 8);
    fail_unless_equals_int(bench.received(), 0);
  }
}
GST_END_TEST

// The tags of a decoder before it are not those of the codestream.
GST_START_TEST(tags_are_ours) {
  for (const bool of_upstream : {false, true}) {
    J2kBench bench(kGrey, kCuda, 4);
    if (of_upstream)
      bench.send(gst_event_new_tag(gst_tag_list_new(GST_TAG_VIDEO_CODEC, "H.264", GST_TAG_BITRATE,
                                                    1000u, GST_TAG_TITLE, "t", nullptr)));
    bench.push_pictures(1, 2);
    bench.end();
    GstEvent *event = gst_pad_get_sticky_event(bench.from_element(), GST_EVENT_TAG, 0);
    fail_unless(event != nullptr);
    GstTagList *tags = nullptr;
    gst_event_parse_tag(event, &tags);
    gchar *codec = nullptr, *title = nullptr;
    guint rate = 0;
    fail_unless(gst_tag_list_get_string(tags, GST_TAG_VIDEO_CODEC, &codec));
    expect_string(codec, "JPEG 2000");
    fail_unless_equals_int(gst_tag_list_get_string(tags, GST_TAG_TITLE, &title), of_upstream);
    fail_if(gst_tag_list_get_uint(tags, GST_TAG_BITRATE, &rate));
    g_free(codec);
    g_free(title);
    gst_event_unref(event);
  }
}
GST_END_TEST

// Every frame is a key unit: the request is answered in front of the first one at its time.
GST_START_TEST(key_units_are_answered) {
  for (const char *backend : {"auto", "cpu"}) {
    J2kBench bench(kGrey, backend[0] == 'c' ? kSystem : kCuda, 4,
                   (std::string("backend=") + backend).c_str());
    const Passing passing(bench);
    bench.push_pictures(1, 2);
    for (const guint64 time : {guint64{5 * GST_SECOND / 25}, guint64{GST_CLOCK_TIME_NONE}})
      gst_harness_push_upstream_event(bench.harness(),
                                      gst_video_event_new_upstream_force_key_unit(time, TRUE, 7));
    bench.push_pictures(3, 6);
    bench.end();
    expect_seen(passing, "tag 1 2 custom-downstream 3 4 custom-downstream 5 6 eos");
    while (GstEvent *event = gst_harness_try_pull_upstream_event(bench.harness())) {
      fail_if(GST_EVENT_TYPE(event) == GST_EVENT_CUSTOM_UPSTREAM);
      gst_event_unref(event);
    }
  }
}
GST_END_TEST

// The latency follows the frame rate, and the bus is told. Without a rate there is none.
GST_START_TEST(latency_is_told) {
  const J2kCase fast = {"GRAY8", 40, 24, ",framerate=50/1", "", "image/x-jpc"};
  const J2kCase none = {"GRAY8", 40, 24, ",framerate=0/1", "", "image/x-jpc"};
  J2kBench bench(kGrey, kCuda, 4);
  fail_unless_equals_uint64(bench.latency(), 3 * GST_SECOND / 25);
  GstBus *bus = gst_element_get_bus(bench.element());
  const auto told = [&] {
    int messages = 0;
    while (GstMessage *message = gst_bus_pop_filtered(bus, GST_MESSAGE_LATENCY)) {
      gst_message_unref(message);
      messages++;
    }
    return messages;
  };
  fail_unless(told() > 0);
  const struct {
    const J2kCase *c;
    GstClockTime latency;
  } steps[] = {{&fast, 3 * GST_SECOND / 50}, {&none, 0}, {&kGrey, 3 * GST_SECOND / 25}};
  for (const auto &step : steps) {
    bench.push_pictures(1, 2);
    bench.change(*step.c);
    fail_unless_equals_uint64(bench.latency(), step.latency);
    fail_unless(told() > 0);
  }
  gst_object_unref(bus);
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
    tcase_add_test(tests, leaves_at_once);
    tcase_add_test(tests, as_many_as_asked_for);
    tcase_add_test(tests, nothing_overtakes);
    tcase_add_test(tests, out_of_band_overtakes);
    tcase_add_test(tests, queries_wait);
    tcase_add_test(tests, flush_discards);
    tcase_add_test(tests, stop_ends_waits);
    tcase_add_test(tests, stop_discards);
    tcase_add_test(tests, metadata_travels);
    tcase_add_test(tests, late_frames_are_kept);
    tcase_add_test(tests, late_frames_are_skipped);
    tcase_add_test(tests, downstream_ends_it);
    tcase_add_test(tests, not_linked_at_the_end);
    tcase_add_test(tests, flush_stop_alone);
    tcase_add_test(tests, tags_are_ours);
    tcase_add_test(tests, key_units_are_answered);
    tcase_add_test(tests, latency_is_told);
    tcase_add_test(tests, outputs_outlive_the_element);
  });
}
SIMULATED_MAIN(encoder_flight)
