// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures of coalescejpegdec in flight: they leave without a later one, keep their order and what
// is said of them, and come out before whatever follows them in the stream.
#include <thread>

#include "../../check/coalescejpegdec/jpegdec_files.h"
#include "../support.h"
#include "jpeg/libjpeg_judge.h"

using namespace simulated;

namespace {

constexpr const char *kWhole = "image/jpeg, parsed=true, framerate=25/1";
constexpr GstClockTime kTime = GST_SECOND / 25;

const Bytes &file(unsigned n) {
  static std::vector<Bytes> files;
  while (files.size() <= n)
    files.push_back(jpeg_file("I420", {33, 17}, static_cast<unsigned>(files.size())));
  return files[n];
}

class FlightBench : public Bench {
 public:
  explicit FlightBench(const char *memory, int frames = 0, const char *in = kWhole,
                       const char *format = "I420")
      : Bench("coalescejpegdec",
              {{"backend", "cuda"}, {"frames-in-flight", std::to_string(frames).c_str()}}) {
    negotiate(in, std::string("video/x-raw") + (memory == kCuda ? "(memory:CUDAMemory)" : "") +
                      ", format=" + format);
  }
  GstFlowReturn push_picture(unsigned n) {
    GstBuffer *buffer = buffer_with(file(n), n * kTime);
    GST_BUFFER_OFFSET(buffer) = n;
    return push(buffer);
  }
  void push_pictures(unsigned first, unsigned last) {
    for (unsigned n = first; n <= last; n++)
      fail_unless_equals_int(push_picture(n), GST_FLOW_OK);
  }
  void expect_pictures(unsigned first, unsigned last) {
    for (unsigned n = first; n <= last; n++) {
      const test::BufferRef out(pull());
      fail_unless(out != nullptr, "no picture %u", n);
      fail_unless_equals_uint64(GST_BUFFER_PTS(out.get()), n * kTime);
      fail_unless(picture(out.get(), output_info()) == decoded(file(n), "I420"), "picture %u", n);
    }
  }
  void send(GstEvent *event) { fail_unless(push_event(event)); }
  GstClockTime latency() {
    GstQuery *query = gst_query_new_latency();
    GstClockTime least = 0;
    fail_unless(gst_element_query(element(), query));
    gst_query_parse_latency(query, nullptr, &least, nullptr);
    gst_query_unref(query);
    return least;
  }
};

// A thread of the test that would wait for pictures in flight.
class Waiting {
 public:
  explicit Waiting(std::function<void()> work) : thread_(std::move(work)) {}
  ~Waiting() { join(); }
  void join() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::thread thread_;
};

Bytes progressive_file() {
  Bytes pixels(3 * 33 * 17);
  for (gsize i = 0; i < pixels.size(); i++)
    pixels[i] = static_cast<guint8>(i * i / 50);
  coalesce::test::LibjpegCoding coding;
  coding.progressive = true;
  return coalesce::test::libjpeg_file_of_rgb({pixels.data(), 3 * 33, 33, 17}, false, coding);
}

}  // namespace

GST_START_TEST(leaves_at_once) {
  for (const char *memory : {kCuda, kSystem})
    for (const char *in : {kWhole, "image/jpeg, framerate=25/1"})
      for (int frames : {0, 1, 2, 16}) {
        FlightBench bench(memory, frames, in);
        for (unsigned n = 1; n <= 4; n++) {
          bench.push_pictures(n, n);
          fail_unless(eventually([&] { return bench.waiting() == 1; }));
          bench.expect_pictures(n, n);
        }
        fail_unless_equals_uint64(bench.latency(),
                                  static_cast<guint64>(frames > 0 ? frames - 1 : 3) * kTime);
      }
}
GST_END_TEST

GST_START_TEST(padding) {
  FlightBench bench(kSystem, 2);
  fail_unless_equals_int(bench.push_picture(0), GST_FLOW_OK);
  const test::BufferRef out(bench.pull());
  expect_clear_padding(out.get(), bench.output_info());
}
GST_END_TEST

// So many are accepted while downstream is blocked.
GST_START_TEST(as_many_as_asked_for) {
  for (int frames : {0, 1, 2, 3, 16}) {
    FlightBench bench(kCuda, frames);
    const int room = frames > 0 ? frames : 4, acceptable = room > 1 ? room : 0;
    std::atomic<int> accepted{0};
    auto dam = std::make_unique<Dam>(bench);
    Waiting source([&] {
      for (unsigned n = 1; n <= 20; n++) {
        if (bench.push_picture(n) != GST_FLOW_OK) return;
        ++accepted;
      }
    });
    fail_unless(eventually([&] { return accepted == acceptable && dam->reached(); }));
    for (int i = 0; i < 1000; i++)
      g_thread_yield();
    fail_unless_equals_int(accepted, acceptable);
    dam.reset();
    source.join();
    bench.send(gst_event_new_eos());
    bench.expect_pictures(1, 20);
  }
}
GST_END_TEST

GST_START_TEST(nothing_overtakes) {
  const auto events = [] {
    return std::vector<GstEvent *>{
        segment_event(),
        gst_event_new_gap(0, GST_SECOND),
        gst_event_new_tag(gst_tag_list_new(GST_TAG_TITLE, "t", nullptr)),
        gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty("test")),
        gst_event_new_stream_start("another"),
        gst_event_new_eos()};
  };
  for (GstEvent *event : events()) {
    FlightBench bench(kCuda, 4);
    bench.push_pictures(1, 1);
    bench.expect_pictures(1, 1);
    const Passing passing(bench);
    const std::string name = GST_EVENT_TYPE_NAME(event);
    auto dam = std::make_unique<Dam>(bench);
    bench.push_pictures(2, 4);
    Waiting sender([&] { bench.push_event(event); });
    fail_unless(eventually([&] { return dam->reached(); }));
    expect_string(passing.seen(), "");
    dam.reset();
    sender.join();
    expect_string(passing.seen(), "2 3 4 " + name);
  }
}
GST_END_TEST

// What comes before the first picture waits for its caps, and keeps its order.
GST_START_TEST(caps_come_first) {
  for (const char *memory : {kCuda, kSystem}) {
    Bench bench("coalescejpegdec backend=cuda");
    bench.accept(std::string("video/x-raw") + (memory == kCuda ? "(memory:CUDAMemory)" : ""));
    const Passing passing(bench);
    bench.push_event(gst_event_new_stream_start("first"));
    bench.push_event(gst_event_new_caps(parse_caps(kWhole).get()));
    bench.push_event(segment_event());
    bench.push_event(gst_event_new_tag(gst_tag_list_new(GST_TAG_TITLE, "t", nullptr)));
    expect_string(passing.seen(), "stream-start");
    GstBuffer *buffer = buffer_with(file(1), kTime);
    GST_BUFFER_OFFSET(buffer) = 1;
    fail_unless_equals_int(bench.push(buffer), GST_FLOW_OK);
    bench.push_event(gst_event_new_eos());
    expect_string(passing.seen(), "stream-start caps segment tag 1 eos");
  }
}
GST_END_TEST

// Those of the CPU, too large or progressive, keep their place among those of the GPU.
GST_START_TEST(cpu_among_gpu) {
  if (!coalesce::test::have_libjpeg()) return;
  const Bytes progressive = progressive_file();
  for (const char *memory : {kCuda, kSystem}) {
    FlightBench bench(memory, 4, kWhole, "RGB");
    std::vector<Bytes> expected;
    for (unsigned n = 0; n < 24; n++) {
      const bool on_cpu = n % 3 == 2;
      expected.push_back(on_cpu ? coalesce::test::libjpeg_rgb(progressive, true).planes[0].samples
                                : decoded(file(n), "RGB"));
      fail_unless_equals_int(bench.push(buffer_with(on_cpu ? progressive : file(n))), GST_FLOW_OK);
    }
    bench.send(gst_event_new_eos());
    for (const Bytes &each : expected) {
      const test::BufferRef out(bench.pull());
      fail_unless(picture(out.get(), bench.output_info()) == each);
    }
    bench.expect_no_error();
  }
}
GST_END_TEST

// Sizes, formats and properties by turns: each picture has the caps and the parameters it came
// with.
GST_START_TEST(everything_changes) {
  for (const char *memory : {kCuda, kSystem}) {
    FlightBench bench(memory, 3, kWhole, "RGB");
    std::vector<Bytes> expected;
    for (unsigned n = 0; n < 30; n++) {
      const bool fancy = n % 2 == 0;
      const Bytes each = jpeg_file(n % 10 < 5 ? "I420" : "Y42B", {n % 12 < 6 ? 33 : 64, 17}, n,
                                   n % 4 == 3 ? 2 : 0);
      g_object_set(bench.element(), "fancy-upsampling", fancy, nullptr);
      expected.push_back(decoded(each, "RGB", fancy));
      fail_unless_equals_int(bench.push(buffer_with(each)), GST_FLOW_OK);
      if (n % 6 == 5) {  // the caps of those that have come
        bench.push_event(
            gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty("settle")));
        for (const Bytes &picture_of : expected) {
          const test::BufferRef out(bench.pull());
          fail_unless(picture(out.get(), bench.output_info()) == picture_of, "before %u", n);
        }
        expected.clear();
      }
    }
    bench.expect_no_error();
  }
}
GST_END_TEST

// A flush wakes both threads: the one that waits for room, and the task that downstream blocks.
GST_START_TEST(flush_discards) {
  for (const char *memory : {kCuda, kSystem})
    for (const bool at_the_end : {false, true}) {
      FlightBench bench(memory, 2);
      bench.push_pictures(1, 1);
      bench.expect_pictures(1, 1);
      std::atomic<GstFlowReturn> flow{GST_FLOW_OK};
      {
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
      }
      fail_unless_equals_int(bench.waiting(), 0);
      bench.send(segment_event());
      bench.push_pictures(5, 9);
      bench.send(gst_event_new_eos());
      bench.expect_pictures(5, 9);
      bench.expect_no_error();
    }
}
GST_END_TEST

// Up and down, with pictures in flight each time.
GST_START_TEST(stop_discards) {
  for (int round = 0; round < (small_run() ? 10 : 40); round++) {
    FlightBench bench(round % 2 ? kCuda : kSystem, 1 + round % 5);
    bench.push_pictures(1, 4);
    gst_element_set_state(bench.element(), GST_STATE_NULL);
    fail_unless_equals_uint64(counts().streams_live, 0);
    gst_element_set_state(bench.element(), GST_STATE_PLAYING);
    bench.send(gst_event_new_stream_start("again"));
    bench.send(gst_event_new_caps(parse_caps(kWhole).get()));
    bench.send(segment_event());
    while (bench.waiting() > 0)
      gst_buffer_unref(bench.pull());
    bench.push_pictures(5, 6);
    bench.send(gst_event_new_eos());
    bench.expect_pictures(5, 6);
    fail_unless_equals_int(bench.waiting(), 0);
    bench.expect_no_error();
  }
}
GST_END_TEST

GST_START_TEST(stop_ends_waits) {
  for (const bool at_the_end : {false, true}) {
    FlightBench bench(kCuda, 2);
    bench.push_pictures(1, 1);
    bench.expect_pictures(1, 1);
    const Dam dam(bench);
    bench.push_pictures(2, 3);
    fail_unless(eventually([&] { return dam.reached(); }));
    Waiting source([&] {
      if (at_the_end)
        bench.push_event(gst_event_new_eos());
      else
        (void)bench.push_picture(4);
    });
    gst_element_set_state(bench.element(), GST_STATE_NULL);
    source.join();
    fail_unless(bench.errors().empty());
  }
}
GST_END_TEST

// What downstream returns comes back upstream, and nothing more goes there.
GST_START_TEST(downstream_ends_it) {
  FlightBench bench(kCuda, 4);
  bench.push_pictures(1, 1);
  bench.expect_pictures(1, 1);
  std::atomic<int> refused{0};
  const auto refuse = [](GstPad *, GstPadProbeInfo *info, gpointer count) {
    ++*static_cast<std::atomic<int> *>(count);
    gst_buffer_unref(GST_PAD_PROBE_INFO_BUFFER(info));
    GST_PAD_PROBE_INFO_FLOW_RETURN(info) = GST_FLOW_EOS;
    return GST_PAD_PROBE_HANDLED;
  };
  GstPad *pad = gst_element_get_static_pad(bench.element(), "src");
  const gulong probe = gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, refuse, &refused, nullptr);
  GstFlowReturn flow = GST_FLOW_OK;
  for (unsigned n = 2; n < 12 && flow == GST_FLOW_OK; n++)
    flow = bench.push_picture(n);
  fail_unless_equals_int(flow, GST_FLOW_EOS);
  fail_unless_equals_int(refused, 1);
  gst_pad_remove_probe(pad, probe);
  gst_object_unref(pad);
  bench.expect_no_error();
}
GST_END_TEST

// What the last ones in flight return is told at the end, as no chain follows.
GST_START_TEST(not_linked_at_the_end) {
  FlightBench bench(kCuda, 4);
  bench.push_pictures(1, 1);
  bench.expect_pictures(1, 1);
  const auto refuse = [](GstPad *, GstPadProbeInfo *info, gpointer) {
    gst_buffer_unref(GST_PAD_PROBE_INFO_BUFFER(info));
    GST_PAD_PROBE_INFO_FLOW_RETURN(info) = GST_FLOW_NOT_LINKED;
    return GST_PAD_PROBE_HANDLED;
  };
  GstPad *pad = gst_element_get_static_pad(bench.element(), "src");
  const gulong probe = gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, refuse, nullptr, nullptr);
  (void)bench.push_picture(2);
  (void)bench.push_event(gst_event_new_eos());
  gst_pad_remove_probe(pad, probe);
  gst_object_unref(pad);
  bench.expect_error(GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED, {"Internal data stream error"});
}
GST_END_TEST

// The first picture is in flight at the end, and a flush or a stop comes in between: that there was
// none is not said.
GST_START_TEST(end_is_interrupted) {
  for (int round = 0; round < (small_run() ? 10 : 60); round++) {
    FlightBench bench(round % 2 ? kCuda : kSystem, 4);
    bench.push_pictures(1, 1);
    Waiting end([&] { (void)bench.push_event(gst_event_new_eos()); });
    if (round % 4 < 2) {
      bench.send(gst_event_new_flush_start());
      end.join();
      bench.send(gst_event_new_flush_stop(TRUE));
    } else {
      gst_element_set_state(bench.element(), GST_STATE_NULL);
      end.join();
    }
    bench.expect_no_error();
  }
}
GST_END_TEST

// One that is broken or left out is said so of itself, whatever is in flight.
GST_START_TEST(broken_among_good) {
  const Bytes nothing = {0xFF, 0xD8, 0xFF, 0xD9};
  FlightBench bench(kCuda, 4);
  const Bytes &whole = file(2);
  const Bytes half(whole.begin(),
                   whole.begin() + static_cast<std::ptrdiff_t>(whole.size() * 3 / 4));
  for (unsigned n = 0; n < 12; n++) {
    const Bytes &each = n % 4 == 1 ? half : n % 4 == 3 ? nothing : file(n);
    fail_unless_equals_int(bench.push(buffer_with(each, n * kTime)), GST_FLOW_OK);
  }
  bench.send(gst_event_new_eos());
  for (unsigned n = 0; n < 12; n++) {
    if (n % 4 == 3) continue;
    const test::BufferRef out(bench.pull());
    fail_unless_equals_uint64(GST_BUFFER_PTS(out.get()), n * kTime);
    fail_unless_equals_int(GST_BUFFER_FLAG_IS_SET(out.get(), GST_BUFFER_FLAG_CORRUPTED) ? 1 : 0,
                           n % 4 == 1);
    // The picture after a gap says so.
    if (n > 0) fail_unless_equals_int(GST_BUFFER_IS_DISCONT(out.get()) ? 1 : 0, n % 4 == 0);
    fail_unless(picture(out.get(), bench.output_info()) ==
                decoded(n % 4 == 1 ? half : file(n), "I420"));
  }
  fail_unless_equals_int(bench.waiting(), 0);
  bench.expect_no_error();
}
GST_END_TEST

static Suite *decoder_flight_suite() {
  Suite *suite = suite_create("decoder_flight");
  TCase *tests = new_case(suite, "flight");
  tcase_add_checked_fixture(tests, nullptr, [] {
    assert_clean();
    assert_nothing_lives();
  });
  tcase_add_test(tests, leaves_at_once);
  tcase_add_test(tests, padding);
  tcase_add_test(tests, as_many_as_asked_for);
  tcase_add_test(tests, nothing_overtakes);
  tcase_add_test(tests, caps_come_first);
  tcase_add_test(tests, cpu_among_gpu);
  tcase_add_test(tests, everything_changes);
  tcase_add_test(tests, flush_discards);
  tcase_add_test(tests, stop_discards);
  tcase_add_test(tests, stop_ends_waits);
  tcase_add_test(tests, downstream_ends_it);
  tcase_add_test(tests, not_linked_at_the_end);
  tcase_add_test(tests, end_is_interrupted);
  tcase_add_test(tests, broken_among_good);
  return suite;
}

SIMULATED_MAIN(decoder_flight)
