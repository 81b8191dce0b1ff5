// SPDX-License-Identifier: LGPL-2.1-or-later
// The class Aggregator, by coalescedifference and its like: caps that change or do not fit, ends,
// missing partners, flushes, seeks, live sources.
#include "pair.h"

using namespace simulated;

namespace {

constexpr int kWidth = 37, kHeight = 11;

std::string caps(const char *memory = kSystem, const char *format = "GRAY8", int width = kWidth,
                 int height = kHeight) {
  return video_caps(memory, format, width, height);
}

GstVideoInfo gray(int width = kWidth, int height = kHeight) {
  return video_info(GST_VIDEO_FORMAT_GRAY8, width, height);
}

// Picture n of a has number n + 1, that of b n + 101.
GstBuffer *frame(const char *source, unsigned n, const GstVideoInfo &info = gray()) {
  return timed(system_buffer(info, n + (*source == 'a' ? 1 : 101)), n);
}

void push(const Pair &pair, const char *source, unsigned first, unsigned last,
          const GstVideoInfo &info = gray()) {
  for (unsigned n = first; n <= last; n++)
    pair.push_frame(source, frame(source, n, info));
}

void expect(const Pair &pair, unsigned first, unsigned last, const GstVideoInfo &info = gray()) {
  for (unsigned n = first; n <= last; n++)
    pair.expect(info, n + 1, n + 101, n);
}

void set_caps(const Pair &pair, const char *source, const std::string &text) {
  const test::CapsRef parsed = parse_caps(text);
  g_object_set(pair.element(source), "caps", parsed.get(), nullptr);
}

void done() {
  assert_clean();
  assert_nothing_lives();
}

}  // namespace

// ---- caps ------------------------------------------------------------------------------------

// Inputs that must be alike and are not: one error, which names the pad and what is required.
GST_START_TEST(unlike_inputs) {
  const struct {
    const char *element;
    std::string a, b;
    std::vector<const char *> words;
  } cases[] = {
      {"coalescedifference",
       caps(),
       caps(kSystem, "GRAY8", 38, 11),
       {"Pad sink_1 has 38x11", "37x11 is required", "pad sink_0", "width=(int)38"}},
      {"coalescedifference",
       caps(),
       caps(kSystem, "GRAY8", 37, 12),
       {"Pad sink_1 has 37x12", "37x11 is required"}},
      {"coalescedifference",
       caps(kSystem, "I420"),
       caps(kCuda, "GRAY8"),
       {"Pad sink_1 has GRAY8", "I420 is required"}},
      {"coalescedifference",
       caps(),
       caps() + ", interlace-mode=interleaved",
       {"Pad sink_1 has interlace-mode interleaved", "interlace-mode progressive is required"}},
  };
  for (const auto &c : cases) {
    Pair pair(c.element, c.a, c.b, "ANY");
    pair.start();
    for (const char *source : {"a", "b"})
      pair.push(frame(source, 0, gray(40, 20)), source);
    const std::string error = pair.expect_error();
    for (const char *word : c.words)
      fail_unless(contains(error, word), "%s: lacks %s", error.c_str(), word);
    // After the error the same pipeline runs with other caps, also where they come after the wrong
    // ones.
    pair.stop();
    pair.errors();  // those of the sources, too
    pair.start();
    set_caps(pair, "a", caps());
    set_caps(pair, "b", caps());
    push(pair, "a", 0, 1);
    push(pair, "b", 0, 1);
    pair.end_all();
    expect(pair, 0, 1);
    pair.expect_end();
  }
}
GST_END_TEST

GST_START_TEST(refused_caps) {
  const struct {
    std::string element, left, right;
    const char *words;
  } cases[] = {
      {"coalesceleftright", caps(),
       "video/x-raw, format=GRAY8, width=37, height=11, framerate=30/1",
       "Pad right has 30/1 frames per second; 25/1 frames per second is required, as pad left"},
      {"coalesceleftright", caps(kSystem, "GRAY8", 37, 1), caps(kSystem, "I420", 37, 1),
       "One row has no upper half"},
  };
  for (const auto &c : cases) {
    Pipeline pair("appsrc name=a format=time caps=\"" + c.left +
                  "\" ! d.left appsrc name=b format=time caps=\"" + c.right + "\" ! d.right " +
                  c.element + " name=d ! appsink name=sink sync=false");
    pair.start();
    for (const char *source : {"a", "b"})
      pair.push(timed(system_buffer(video_info(GST_VIDEO_FORMAT_I420, 40, 20), 1), 0), source);
    pair.wait_for_end();
    int ours = 0;
    for (const Message &error : pair.errors()) {
      if (error.source != "d") continue;
      ours++;
      fail_unless(contains(error.text, c.words), "%s", error.text.c_str());
    }
    fail_unless_equals_int(ours, 1);
  }
}
GST_END_TEST

// Downstream's wish reaches the inputs, and where there is none in common, an error says so.
GST_START_TEST(downstream_caps) {
  Pipeline asks(
      "videotestsrc num-buffers=2 ! d.sink_0 videotestsrc num-buffers=2 ! d.sink_1 "
      "coalescedifference name=d ! video/x-raw, format=I420, width=62, height=34, "
      "framerate=10/1 ! fakesink name=sink");
  int seen = 0;
  asks.on_buffer = [&](GstBuffer *, GstPad *pad) {
    const test::CapsRef now = current_caps(pad);
    const std::string text = text_of(now.get());
    seen += contains(text, "format=(string)I420") && contains(text, "width=(int)62") &&
            contains(text, "height=(int)34") && contains(text, "framerate=(fraction)10/1");
  };
  asks.start();
  asks.wait_for_eos();
  fail_unless(seen > 0 && seen == asks.buffers());

  Pair refuses("coalescedifference", caps(), caps(), any_size(kSystem, "I420"));
  refuses.start();
  push(refuses, "a", 0, 0);
  push(refuses, "b", 0, 0);
  const std::string error = refuses.expect_error();
  fail_unless(contains(error, "Downstream accepts none") && contains(error, "GRAY8") &&
                  contains(error, "I420"),
              "%s", error.c_str());
}
GST_END_TEST

// Both inputs change at the same time, in size and memory; each frame goes with its own caps.
GST_START_TEST(both_change) {
  GstCudaContext *context = new_context();
  const GstVideoInfo large = gray(64, 20);
  Pair pair("coalescedifference", caps(), caps(), any_size(kSystem, "GRAY8"));
  pair.start();
  push(pair, "a", 0, 2);
  push(pair, "b", 0, 2);
  expect(pair, 0, 1);
  set_caps(pair, "a", caps(kCuda, "GRAY8", 64, 20));
  set_caps(pair, "b", caps(kSystem, "GRAY8", 64, 20));
  for (unsigned n = 3; n <= 5; n++) {
    pair.push_frame("a", timed(cuda_frame(context, large, n + 1), n));
    pair.push_frame("b", frame("b", n, large));
  }
  pair.end_all();
  expect(pair, 2, 2);
  expect(pair, 3, 5, large);
  pair.expect_end();
  fail_unless(active_backend(pair.d()) == "cuda");
  gst_object_unref(context);
}
GST_END_TEST

// The memory of one input changes, there and back, with the same caps otherwise.
GST_START_TEST(memory_changes) {
  GstCudaContext *context = new_context();
  Pair pair("coalescedifference", caps(), caps(), any_size(kSystem, "GRAY8"));
  pair.start();
  unsigned n = 0;
  for (const char *memory : {kSystem, kCuda, kSystem, kCuda}) {
    set_caps(pair, "b", caps(memory));
    for (int i = 0; i < 3; i++, n++) {
      push(pair, "a", n, n);
      pair.push_frame(
          "b", memory == kCuda ? timed(cuda_frame(context, gray(), n + 101), n) : frame("b", n));
    }
  }
  pair.end_all();
  expect(pair, 0, n - 1);
  pair.expect_end();
  gst_object_unref(context);
}
GST_END_TEST

// Where one input alone changes, it is the one that is wrong.
GST_START_TEST(one_changes) {
  for (const char *changing : {"a", "b"}) {
    const char *other = *changing == 'a' ? "b" : "a";
    Pair pair("coalescedifference", caps(), caps(), any_size(kSystem, "GRAY8"));
    pair.start();
    push(pair, "a", 0, 1);
    push(pair, "b", 0, 1);
    expect(pair, 0, 1);
    set_caps(pair, changing, caps(kSystem, "GRAY8", 64, 20));
    for (unsigned n = 2; n <= 4; n++) {
      pair.push(frame(changing, n, gray(64, 20)), changing);
      pair.push(frame(other, n), other);
    }
    const std::string error = pair.expect_error();
    const std::string words =
        std::string("Pad sink_") + (*changing == 'a' ? "0" : "1") + " has 64x20; 37x11 is required";
    fail_unless(contains(error, words), "%s", error.c_str());
    fail_unless_equals_uint64(stat(pair.d(), "frames"), 2);
  }
}
GST_END_TEST

// ---- ends and missing partners ---------------------------------------------------------------

// The output ends with the first input that ends, wherever the other one is.
GST_START_TEST(one_ends) {
  for (const char *first : {"a", "b"}) {
    const char *other = *first == 'a' ? "b" : "a";
    Pair pair("coalescedifference", caps(), caps(), any_size(kSystem, "GRAY8"));
    pair.start();
    push(pair, first, 0, 2);
    pair.end(first);
    push(pair, other, 0, 9);  // and no end
    expect(pair, 0, 2);
    pair.expect_end();
    pair.wait_for_eos();
  }
}
GST_END_TEST

// An input that ends before its first frame, with caps or without any.
GST_START_TEST(ends_at_once) {
  Pair pair("coalescedifference", caps(), caps(), any_size(kSystem, "GRAY8"));
  pair.start();
  push(pair, "b", 0, 2);
  pair.end("a");
  pair.expect_end();
  pair.wait_for_eos();
  fail_unless_equals_uint64(pair.unpaired(), 0);

  Pair none("coalescedifference", caps(), caps(), any_size(kSystem, "GRAY8"));
  none.start();
  none.end_all();
  none.wait_for_eos();
}
GST_END_TEST

// With one input gone, an element that does not need all goes on; with all, it ends.
GST_START_TEST(any_ends) {
  Pair pair("coalesceanydifference", caps(), caps(), any_size(kSystem, "GRAY8"));
  pair.start();
  push(pair, "a", 0, 1);
  pair.end("a");
  push(pair, "b", 0, 3);
  pair.end("b");
  expect(pair, 0, 1);
  for (unsigned n = 2; n <= 3; n++)
    pair.expect(gray(), n, n, n);  // black
  pair.expect_end();
  fail_unless_equals_uint64(pair.unpaired(), 0);
}
GST_END_TEST

// Where an input has no frame, or a gap, there is no output; it is counted, and nothing hangs.
GST_START_TEST(missing_partner) {
  Pair pair("coalescedifference", caps(), caps(), any_size(kSystem, "GRAY8"));
  pair.start();
  for (unsigned n = 0; n <= 7; n++) {
    if (n != 2 && n != 6) push(pair, "a", n, n);
    if (n != 4 && n != 6) push(pair, "b", n, n);
    if (n == 4) {
      GstEvent *gap = gst_event_new_gap(n * kFrame, kFrame);
      fail_unless(gst_element_send_event(pair.element("b"), gap));
    }
  }
  pair.end_all();
  expect(pair, 0, 1);
  expect(pair, 3, 3);
  expect(pair, 5, 5);
  expect(pair, 7, 7);
  pair.expect_end();
  fail_unless_equals_uint64(pair.unpaired(), 2);  // at 6 nothing is missing: there is nothing
  fail_unless_equals_uint64(stat(pair.d(), "frames"), 5);
}
GST_END_TEST

// Frames without a duration last as long as the caps' rate says; frames need not come together.
GST_START_TEST(no_durations) {
  Pair pair("coalescedifference", caps(), caps(), any_size(kSystem, "GRAY8"));
  pair.start();
  for (unsigned n = 0; n <= 5; n++) {
    GstBuffer *a = timed(system_buffer(gray(), n + 1), n, GST_CLOCK_TIME_NONE);
    GstBuffer *b = timed(system_buffer(gray(), n + 101), n, GST_CLOCK_TIME_NONE);
    GST_BUFFER_PTS(b) += kFrame / 3;
    pair.push_frame("a", a);
    if (n != 3)
      pair.push_frame("b", b);
    else
      gst_buffer_unref(b);
  }
  pair.end_all();
  std::string times;
  while (GstBuffer *buffer = pair.pull()) {
    times += std::to_string(GST_BUFFER_PTS(buffer) / kFrame) + " ";
    gst_buffer_unref(buffer);
  }
  // At 3 b's frame of 2 is still there: it ends after a third of the time.
  fail_unless(times == "0 1 2 3 4 5 ", "%s", times.c_str());
}
GST_END_TEST

// An input is replaced by another pad with the same caps, while the stream runs.
GST_START_TEST(pad_replaced) {
  GstCudaContext *context = new_context();
  Pair pair("coalescedifference", caps(kCuda), caps(), any_size(kSystem, "GRAY8"));
  give_context(pair.d(), context);
  pair.start();
  unsigned n = 0;
  for (int turn = 0; turn < 4; turn++) {
    for (int i = 0; i < 2; i++, n++) {
      pair.push_frame("a", timed(cuda_frame(context, gray(), n + 1), n));
      push(pair, "b", n, n);
    }
    expect(pair, n - 2, n - 1);
    const Owned<GstPad> source(gst_element_get_static_pad(pair.element("b"), "src"));
    const Owned<GstPad> old(gst_pad_get_peer(source.get()));
    fail_unless(gst_pad_unlink(source.get(), old.get()));
    const Owned<GstPad> other(gst_element_request_pad_simple(pair.d(), "sink_%u"));
    gst_element_release_request_pad(pair.d(), old.get());
    fail_unless_equals_int(gst_pad_link(source.get(), other.get()), GST_PAD_LINK_OK);
  }
  pair.end_all();
  pair.expect_end();
  pair.stop();
  gst_object_unref(context);
}
GST_END_TEST

// The slower of two inputs gives its frames as often as they last.
GST_START_TEST(two_rates) {
  Pair pair("coalescedifference", caps(),
            "video/x-raw, format=GRAY8, width=37, height=11, framerate=25/2",
            any_size(kSystem, "GRAY8"));
  pair.start();
  push(pair, "a", 0, 5);
  for (unsigned n = 0; n <= 4; n += 2)
    pair.push_frame("b", timed(system_buffer(gray(), n + 101), n, 2 * kFrame));
  pair.end_all();
  for (unsigned n = 0; n <= 5; n++)
    pair.expect(gray(), n + 1, n / 2 * 2 + 101, n);
  pair.expect_end();
}
GST_END_TEST

GST_START_TEST(no_timestamp) {
  Pair pair("coalescedifference", caps(), caps(), any_size(kSystem, "GRAY8"));
  pair.start();
  push(pair, "a", 0, 0);
  pair.push(system_buffer(gray(), 1), "b");
  const std::string error = pair.expect_error();
  fail_unless(contains(error, "Pad sink_1 has a frame without a timestamp"), "%s", error.c_str());
}
GST_END_TEST

GST_START_TEST(no_caps) {
  Pipeline pair("appsrc name=a format=time caps=\"" + caps() +
                "\" ! d.sink_0 appsrc name=b format=time ! d.sink_1 "
                "coalescedifference name=d ! fakesink name=sink");
  pair.start();
  pair.push(frame("a", 0), "a");
  pair.push(frame("b", 0), "b");
  pair.wait_for_end();
  const std::string error = pair.take_error();
  fail_unless(contains(error, "Pad sink_1 has a frame, and no caps"), "%s", error.c_str());
}
GST_END_TEST

GST_START_TEST(one_input) {
  Pipeline one("appsrc name=source format=time caps=\"" + caps() +
               "\" ! d.sink_0 coalescedifference name=d ! fakesink name=sink");
  one.start();
  one.push(frame("a", 0));
  one.wait_for_end();
  const std::vector<Message> errors = one.errors();
  fail_unless(!errors.empty() && contains(errors[0].text, "2 inputs are required; there is 1"),
              "%s", errors.empty() ? "no error" : errors[0].text.c_str());
}
GST_END_TEST

// ---- flushes and seeks -----------------------------------------------------------------------

GstEvent *flush_stop() {
  return gst_event_new_flush_stop(TRUE);
}

// Flushed while its frames wait for the other input's; the output starts anew when both have been.
GST_START_TEST(flush) {
  Pair pair("coalescedifference", caps(), caps(), any_size(kSystem, "GRAY8"));
  pair.start();
  push(pair, "a", 0, 2);
  push(pair, "b", 0, 1);
  expect(pair, 0, 1);
  // Reached, not just begun: a flush on the way there can leave the sink in its preroll.
  pair.set_state(GST_STATE_PLAYING);
  const guint32 start = gst_util_seqnum_next(), stop = gst_util_seqnum_next();
  for (const char *source : {"a", "b"}) {
    GstEvent *event = gst_event_new_flush_start();
    gst_event_set_seqnum(event, start);
    fail_unless(gst_element_send_event(pair.element(source), event));
  }
  for (const char *source : {"a", "b"}) {
    GstEvent *event = flush_stop();
    gst_event_set_seqnum(event, stop);
    fail_unless(gst_element_send_event(pair.element(source), event));
  }
  push(pair, "b", 0, 3);
  push(pair, "a", 0, 3);
  pair.end_all();
  expect(pair, 0, 3);
  pair.expect_end();
}
GST_END_TEST

// One input is flushed again and again in one thread, while frames are paired in another.
GST_START_TEST(one_flushes) {
  Pair pair("coalescedifference backend=cuda", caps(), caps(), any_size(kSystem, "GRAY8"));
  pair.start();
  unsigned n = 0, got = 0;
  for (int turn = 0; turn < 20; turn++) {
    for (int i = 0; i < 3; i++, n++) {
      push(pair, "a", n, n);
      push(pair, "b", n, n);
    }
    fail_unless(gst_element_send_event(pair.element("b"), gst_event_new_flush_start()));
    fail_unless(gst_element_send_event(pair.element("b"), flush_stop()));
  }
  pair.end_all();
  while (GstBuffer *buffer = pair.pull()) {
    const auto at = static_cast<unsigned>(GST_BUFFER_PTS(buffer) / kFrame);
    const std::string wrong = wrong_difference(buffer, gray(), at + 1, at + 101);
    fail_unless(wrong.empty(), "%s", wrong.c_str());
    gst_buffer_unref(buffer);
    got++;
  }
  fail_unless_equals_uint64(stat(pair.d(), "frames"), got);
}
GST_END_TEST

// Frames from the place sought, to its end.
GST_START_TEST(seek) {
  Pipeline pair(
      "videotestsrc pattern=ball ! video/x-raw, format=I420, width=37, height=11, framerate=25/1 ! "
      "tee name=t t. ! queue ! d.sink_0 t. ! queue ! d.sink_1 "
      "coalescedifference name=d ! fakesink name=sink");
  std::string times;
  pair.on_buffer = [&](GstBuffer *buffer, GstPad *) {
    times += std::to_string(GST_BUFFER_PTS(buffer) / kFrame) + " ";
  };
  pair.set_state(GST_STATE_PAUSED);
  constexpr auto flags = static_cast<GstSeekFlags>(GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE);
  for (const GstClockTime to : {30, 10, 45}) {
    fail_unless(gst_element_seek(pair.get(), 1, GST_FORMAT_TIME, flags, GST_SEEK_TYPE_SET,
                                 gint64(to * kFrame), GST_SEEK_TYPE_SET,
                                 gint64((to + 4) * kFrame)));
    pair.set_state(GST_STATE_PAUSED);
  }
  pair.set_state(GST_STATE_PLAYING);
  pair.wait_for_eos();
  fail_unless(times == "45 46 47 48 ", "%s", times.c_str());
}
GST_END_TEST

// ---- live sources ----------------------------------------------------------------------------

constexpr const char *kLive =
    "appsrc format=time is-live=true do-timestamp=true min-latency=70000000";

void push_live(const Pair &pair, const char *source) {
  GstBuffer *buffer = system_buffer(gray(), 1);
  GST_BUFFER_DURATION(buffer) = kFrame;
  pair.push_frame(source, buffer);
}

// Sources that run as long as it takes, also on a slow machine.
void push_until(const Pair &pair, const char *sources, const std::function<bool()> &done) {
  fail_unless(eventually([&] {
    for (const char *source = sources; *source != 0; source++)
      push_live(pair, *source == 'a' ? "a" : "b");
    g_usleep(10000);
    return done();
  }));
}

// The element's latency is one frame, as GstVideoAggregator has it, and no more.
GST_START_TEST(latency) {
  Pair pair("coalescedifference backend=cuda", caps(), caps(), any_size(kSystem, "GRAY8"), kLive);
  pair.start();
  push_until(pair, "ab", [&] { return stat(pair.d(), "frames") > 0; });
  const test::QueryRef query(gst_query_new_latency());
  fail_unless(gst_pad_query(pair.pad("src"), query.get()));
  gboolean live = FALSE;
  GstClockTime least = 0, most = 0;
  gst_query_parse_latency(query.get(), &live, &least, &most);
  fail_unless(live);
  fail_unless_equals_uint64(least, 70 * GST_MSECOND + kFrame);
}
GST_END_TEST

// A partner that stops for ever is not waited for longer than the latency.
GST_START_TEST(late_partner) {
  Pair pair("coalescedifference", caps(), caps(), any_size(kSystem, "GRAY8"), kLive);
  pair.start();
  push_until(pair, "ab", [&] { return stat(pair.d(), "frames") > 0; });
  const guint64 before = pair.unpaired();
  push_until(pair, "a", [&] { return pair.unpaired() > before + 3; });
  pair.end_all();
  while (GstBuffer *buffer = pair.pull())
    gst_buffer_unref(buffer);
  pair.wait_for_eos();
}
GST_END_TEST

static Suite *aggregator_changes_suite() {
  register_elements();
  Suite *suite = suite_create("aggregator_changes");
  TCase *tests = new_case(suite, "aggregator_changes");
  tcase_add_checked_fixture(tests, nullptr, done);
  tcase_add_test(tests, unlike_inputs);
  tcase_add_test(tests, refused_caps);
  tcase_add_test(tests, downstream_caps);
  tcase_add_test(tests, both_change);
  tcase_add_test(tests, memory_changes);
  tcase_add_test(tests, one_changes);
  tcase_add_test(tests, one_ends);
  tcase_add_test(tests, ends_at_once);
  tcase_add_test(tests, any_ends);
  tcase_add_test(tests, missing_partner);
  tcase_add_test(tests, no_durations);
  tcase_add_test(tests, pad_replaced);
  tcase_add_test(tests, two_rates);
  tcase_add_test(tests, no_timestamp);
  tcase_add_test(tests, no_caps);
  tcase_add_test(tests, one_input);
  tcase_add_test(tests, flush);
  tcase_add_test(tests, one_flushes);
  tcase_add_test(tests, seek);
  tcase_add_test(tests, latency);
  tcase_add_test(tests, late_partner);
  return suite;
}
SIMULATED_MAIN(aggregator_changes)
