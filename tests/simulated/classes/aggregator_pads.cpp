// SPDX-License-Identifier: LGPL-2.1-or-later
// The class Aggregator, by coalescedifference: what comes to its pads from threads of the
// application, one event after another.
#include <dlfcn.h>

#include <thread>

#include "pair.h"

using namespace simulated;

// Called in place of libgstvideo's function of this name, with what that has returned.
static std::function<void(GstVideoAggregatorPad *, GstBuffer *)> looks_at;

extern "C" GstBuffer *gst_video_aggregator_pad_get_current_buffer(GstVideoAggregatorPad *pad) {
  static const auto original = reinterpret_cast<GstBuffer *(*)(GstVideoAggregatorPad *)>(
      dlsym(RTLD_NEXT, "gst_video_aggregator_pad_get_current_buffer"));
  GstBuffer *buffer = original(pad);
  if (looks_at && buffer != nullptr) looks_at(pad, buffer);
  return buffer;
}

namespace {

GstVideoInfo gray(int width = 37, int height = 11) {
  return video_info(GST_VIDEO_FORMAT_GRAY8, width, height);
}

std::string caps(int width = 37, int height = 11) {
  return video_caps(kSystem, "GRAY8", width, height);
}

// Two pads of the test's before an element, and one after it.
class Inputs {
 public:
  explicit Inputs(const std::string &launch, const char *first = "sink_0",
                  const char *second = "sink_1")
      : element_(GST_ELEMENT(gst_object_ref_sink(gst_parse_launch(launch.c_str(), nullptr)))),
        bus_(gst_bus_new()),
        pads_{gst_harness_new_with_element(element_.get(), first, "src"),
              gst_harness_new_with_element(element_.get(), second, nullptr)} {
    gst_element_set_bus(element_.get(), bus_.get());
  }
  ~Inputs() {
    gst_element_set_bus(element_.get(), nullptr);
    gst_harness_teardown(pads_[1]);
    gst_harness_teardown(pads_[0]);
  }
  Inputs(const Inputs &) = delete;
  Inputs &operator=(const Inputs &) = delete;

  GstElement *element() const { return element_.get(); }
  // The test's own.
  GstPad *to(int number) const { return pads_[number]->srcpad; }
  Owned<GstPad> input(int number) const { return Owned<GstPad>(gst_pad_get_peer(to(number))); }

  void push_event(int number, GstEvent *event) const {
    fail_unless(gst_pad_push_event(to(number), event));
  }
  // What downstream accepts.
  void accept(const std::string &text) const {
    gst_harness_set_sink_caps_str(pads_[0], text.c_str());
  }
  void set_caps(int number, const std::string &text) const {
    push_event(number, gst_event_new_caps(parse_caps(text).get()));
  }
  // What begins a stream.
  void begin(const std::string &text) const {
    for (int number : {0, 1}) {
      push_event(number, gst_event_new_stream_start("one"));
      set_caps(number, text);
      push_event(number, segment_event());
    }
  }
  // Returns when the element has handled what came to the pad.
  void wait_for_events(int number) const {
    const test::QueryRef query(gst_query_new_drain());
    gst_pad_peer_query(to(number), query.get());
  }
  void flush(int number) const {
    push_event(number, gst_event_new_flush_start());
    push_event(number, gst_event_new_flush_stop(TRUE));
  }
  void restart() const {
    gst_element_set_state(element(), GST_STATE_READY);
    gst_element_set_state(element(), GST_STATE_PLAYING);
  }

  GstFlowReturn push(int number, unsigned n, const GstVideoInfo &info = gray()) const {
    return gst_pad_push(to(number), timed(system_buffer(info, n + (number == 0 ? 1 : 101)), n));
  }
  // The nth pair, and what becomes of it.
  test::BufferRef pass(unsigned n, const GstVideoInfo &info = gray()) const {
    for (int number : {0, 1})
      fail_unless_equals_int(push(number, n, info), GST_FLOW_OK);
    test::BufferRef buffer(pull());
    fail_unless(buffer != nullptr, "picture %u is missing: %s", n, error().c_str());
    const std::string wrong = wrong_difference(buffer.get(), info, n + 1, n + 101);
    fail_unless(wrong.empty(), "picture %u: %s", n, wrong.c_str());
    return buffer;
  }
  // nullptr after an error.
  GstBuffer *pull() const {
    GstBuffer *buffer = nullptr;
    fail_unless(eventually([&] {
      buffer = gst_harness_try_pull(pads_[0]);
      return buffer != nullptr || !error().empty();
    }));
    return buffer;
  }
  void forget_errors() const {
    error();
    error_.clear();
  }
  // The last one on the bus; empty if there is none.
  std::string error() const {
    const test::MessageRef message(gst_bus_pop_filtered(bus_.get(), GST_MESSAGE_ERROR));
    if (message != nullptr) error_ = parse(message.get()).text;
    return error_;
  }

 private:
  Owned<GstElement> element_;
  Owned<GstBus> bus_;
  GstHarness *pads_[2];
  mutable std::string error_;
};

void done() {
  assert_clean();
  assert_nothing_lives();
}

}  // namespace

// Caps that have come, and whose first frame has been dropped, are not those of the next one.
GST_START_TEST(put_off_caps) {
  for (bool flushes : {true, false}) {
    Inputs inputs("coalescedifference");
    inputs.begin(caps());
    inputs.pass(0);
    for (unsigned n = 1; n <= 3; n++) {
      inputs.set_caps(1, caps(64, 20));
      inputs.wait_for_events(1);
      if (flushes) {
        inputs.flush(1);
        inputs.push_event(1, segment_event());
        inputs.set_caps(1, caps());
      } else {
        inputs.restart();
        inputs.begin(caps());
      }
      inputs.pass(n);
    }
    // They hold where no others come, also for fields, and no frame waits for the next one.
    const std::string other = caps(64, 20) + ", interlace-mode=interleaved";
    for (int number : {0, 1}) {
      inputs.set_caps(number, other);
      inputs.wait_for_events(number);
      if (!flushes) continue;
      inputs.flush(number);
      inputs.push_event(number, segment_event());
    }
    inputs.pass(4, gray(64, 20));
    inputs.set_caps(0, caps());
    inputs.set_caps(1, caps());
    inputs.pass(5);
  }
}
GST_END_TEST

// What GstAggregator shows of the frames in hand has their caps.
GST_START_TEST(samples) {
  Inputs inputs("coalescedifference emit-signals=true");
  std::string widths;
  const auto note = [](GstAggregator *element, GstSegment *, guint64, guint64, guint64,
                       GstStructure *, gpointer data) {
    for (const char *name : {"sink_0", "sink_1"}) {
      const Owned<GstPad> pad(gst_element_get_static_pad(GST_ELEMENT(element), name));
      GstSample *sample = gst_aggregator_peek_next_sample(element, GST_AGGREGATOR_PAD(pad.get()));
      if (sample == nullptr) continue;
      int width = 0;
      gst_structure_get_int(gst_caps_get_structure(gst_sample_get_caps(sample), 0), "width",
                            &width);
      *static_cast<std::string *>(data) += std::to_string(width) + " ";
      gst_sample_unref(sample);
    }
  };
  g_signal_connect(inputs.element(), "samples-selected",
                   G_CALLBACK(static_cast<void (*)(GstAggregator *, GstSegment *, guint64, guint64,
                                                   guint64, GstStructure *, gpointer)>(note)),
                   &widths);
  inputs.begin(caps());
  inputs.pass(0);
  inputs.set_caps(0, caps(64, 20));
  inputs.set_caps(1, caps(64, 20));
  inputs.pass(1, gray(64, 20));
  fail_unless(widths == "37 37 64 64 ", "%s", widths.c_str());
}
GST_END_TEST

// A pad is released at every moment when the element looks at its frame in hand: the frame lives as
// long as that. The others go on, and no picture of theirs is missing.
GST_START_TEST(released_while_looked_at) {
  for (int nth = 1;; nth++) {
    Inputs inputs("coalescedifference");
    GstPad *third = gst_element_request_pad_simple(inputs.element(), "sink_2");
    const Owned<GstPad> source(gst_pad_new("src", GST_PAD_SRC));
    gst_pad_set_active(source.get(), TRUE);
    fail_unless_equals_int(gst_pad_link(source.get(), third), GST_PAD_LINK_OK);
    const auto to_third = [&](GstEvent *event) { gst_pad_push_event(source.get(), event); };
    to_third(gst_event_new_stream_start("one"));
    to_third(gst_event_new_caps(parse_caps(caps()).get()));
    to_third(segment_event());
    int looks = 0;
    std::atomic<bool> gone{false};
    bool early = false;
    std::thread application;
    looks_at = [&](GstVideoAggregatorPad *pad, GstBuffer *buffer) {
      if (GST_PAD(pad) != third || ++looks != nth) return;
      gst_mini_object_weak_ref(
          GST_MINI_OBJECT_CAST(buffer),
          [](gpointer data, GstMiniObject *) { *static_cast<std::atomic<bool> *>(data) = true; },
          &gone);
      application = std::thread([&] { gst_element_release_request_pad(inputs.element(), third); });
      for (int i = 0; i < 100 && !gone; i++)
        g_usleep(1000);
      early = gone;
    };
    inputs.begin(caps());
    for (unsigned n = 0; n < 4; n++) {
      // (Or it is gone.)
      gst_pad_push(source.get(), timed(system_buffer(gray(), n + 201), n));
      to_third(segment_event());
      to_third(gst_event_new_caps(parse_caps(caps()).get()));
      inputs.pass(n);
    }
    to_third(gst_event_new_eos());
    gst_element_set_state(inputs.element(), GST_STATE_NULL);  // it looks no more
    looks_at = nullptr;
    fail_if(early, "look %d: the frame is gone", nth);
    if (application.joinable())
      application.join();
    else
      gst_element_release_request_pad(inputs.element(), third);
    gst_object_unref(third);
    gst_pad_set_active(source.get(), FALSE);
    guint64 unpaired = 0;
    g_object_get(inputs.element(), "unpaired", &unpaired, nullptr);
    fail_unless_equals_uint64(unpaired, 0);
    if (looks < nth) {
      fail_unless(nth > 10, "%d looks", nth);
      break;
    }
  }
}
GST_END_TEST

// An application ends the stream: all that becomes of it happens in the thread that pushes the
// frames, and failures of the last ones are reported.
GST_START_TEST(end_by_the_application) {
  for (bool fails : {false, true}) {
    Inputs inputs("coalescedifference backend=cuda delay=50");
    struct Seen {
      std::thread::id of_frames, of_end;
      std::atomic<bool> ended{false};
    } seen;
    const Owned<GstPad> source(gst_element_get_static_pad(inputs.element(), "src"));
    gst_pad_add_probe(
        source.get(),
        static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER |
                                     GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM),
        [](GstPad *, GstPadProbeInfo *info, gpointer data) {
          auto &note = *static_cast<Seen *>(data);
          if ((info->type & GST_PAD_PROBE_TYPE_BUFFER) != 0) {
            note.of_frames = std::this_thread::get_id();
          } else if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_EOS) {
            note.of_end = std::this_thread::get_id();
            note.ended = true;
          }
          return GST_PAD_PROBE_OK;
        },
        &seen, nullptr);
    inputs.begin(caps());
    inputs.accept(any_size(kCuda, "GRAY8"));
    for (int number : {0, 1})
      fail_unless_equals_int(inputs.push(number, 0), GST_FLOW_OK);
    const test::BufferRef buffer(inputs.pull());
    fail_unless(buffer != nullptr);
    if (fails) fakecuda_fail_how(FAKECUDA_EXECUTE, 1, 719, FAKECUDA_LOST);
    fail_unless(gst_element_send_event(inputs.element(), gst_event_new_eos()));
    fail_unless(eventually([&] { return seen.ended.load(); }));
    fail_unless(seen.of_end == seen.of_frames && seen.of_end != std::this_thread::get_id());
    const std::string error = inputs.error();
    fail_unless(error.empty() != fails, "%s", error.c_str());
    fakecuda_reset_faults();
  }
}
GST_END_TEST

// The names of a buffer's metas, and the hours of its timecodes.
std::string metas_of(GstBuffer *buffer) {
  std::vector<std::string> names;
  gpointer state = nullptr;
  while (GstMeta *meta = gst_buffer_iterate_meta(buffer, &state)) {
    std::string name = g_type_name(meta->info->api);
    if (name == "GstVideoMetaAPI") continue;  // about the memory
    if (name == "GstVideoTimeCodeMetaAPI")
      name += std::to_string(reinterpret_cast<GstVideoTimeCodeMeta *>(meta)->tc.hours);
    names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  std::string all;
  for (const std::string &name : names)
    all += name + " ";
  return all;
}

GstBuffer *with_metas(GstBuffer *buffer, guint hours) {
  gst_buffer_add_video_time_code_meta_full(buffer, 25, 1, nullptr, GST_VIDEO_TIME_CODE_FLAGS_NONE,
                                           hours, 0, 0, 0, 0);
  gst_buffer_add_video_region_of_interest_meta(buffer, "face", 1, 2, 3, 4);
  gst_buffer_add_video_crop_meta(buffer);
  const test::BufferRef parent(gst_buffer_new());
  gst_buffer_add_parent_buffer_meta(buffer, parent.get());  // about the memory
  return buffer;
}

// Those of the first input that has a frame, as a filter copies them.
GST_START_TEST(metas) {
  Bench filter("coalesceinvert");
  filter.negotiate(caps(), any_size(kSystem, "GRAY8"));
  fail_unless_equals_int(filter.push(with_metas(system_buffer(gray(), 1), 7)), GST_FLOW_OK);
  const std::string expected = metas_of(test::BufferRef(filter.pull()).get());
  fail_unless(
      expected == "GstVideoCropMetaAPI GstVideoRegionOfInterestMetaAPI GstVideoTimeCodeMetaAPI7 ",
      "%s", expected.c_str());
  for (const char *memory : kMemories) {
    Inputs inputs("coalesceanydifference");
    inputs.accept(any_size(memory, "GRAY8"));
    inputs.begin(caps());
    for (unsigned n = 0; n < 2; n++) {
      gst_pad_push(inputs.to(0), timed(with_metas(system_buffer(gray(), 1), 7), n));
      gst_pad_push(inputs.to(1), timed(with_metas(system_buffer(gray(), 2), 8), n));
      const test::BufferRef buffer(inputs.pull());
      fail_unless(metas_of(buffer.get()) == expected, "%s", metas_of(buffer.get()).c_str());
    }
    inputs.push_event(0, gst_event_new_eos());
    gst_pad_push(inputs.to(1), timed(with_metas(system_buffer(gray(), 2), 8), 2));
    const std::string of_second = metas_of(test::BufferRef(inputs.pull()).get());
    fail_unless(contains(of_second, "TimeCodeMetaAPI8"), "%s", of_second.c_str());
  }
  // Of half the height.
  Inputs halves("coalesceleftright", "left", "right");
  halves.begin(caps());
  for (int number : {0, 1})
    gst_pad_push(halves.to(number), timed(with_metas(system_buffer(gray(), 1), 7), 0));
  const std::string of_half = metas_of(test::BufferRef(halves.pull()).get());
  fail_unless(of_half == "GstVideoTimeCodeMetaAPI7 ", "%s", of_half.c_str());
}
GST_END_TEST

// Pads with a segment that is not of time, one or both, whatever comes after it: one error, and all
// is well with the next segment.
GST_START_TEST(segment_of_bytes) {
  constexpr int kBoth = 2;
  for (int wrong : {0, 1, kBoth})
    for (bool caps_again : {false, true}) {
      Inputs inputs("coalescedifference");
      for (int number : {0, 1}) {
        GstSegment segment;
        const bool is_wrong = number == wrong || wrong == kBoth;
        gst_segment_init(&segment, is_wrong ? GST_FORMAT_BYTES : GST_FORMAT_TIME);
        inputs.push_event(number, gst_event_new_stream_start("one"));
        inputs.set_caps(number, caps());
        gst_pad_push_event(inputs.to(number), gst_event_new_segment(&segment));
        if (caps_again) inputs.set_caps(number, caps());
        gst_pad_push_event(inputs.to(number), gst_event_new_gap(0, kFrame));
        inputs.push(number, 1);
      }
      fail_unless(inputs.pull() == nullptr);
      const std::string words =
          "Pad sink_" + std::to_string(wrong % kBoth) +
          " has a segment in format bytes; time is required, as from rawvideoparse";
      fail_unless(contains(inputs.error(), words), "%s", inputs.error().c_str());
      inputs.restart();
      for (int i = 0; i < 4; i++)
        fail_unless(contains(inputs.error(), words), "another error: %s", inputs.error().c_str());
      inputs.forget_errors();
      inputs.begin(caps());
      inputs.pass(0);
    }
}
GST_END_TEST

// Another error is told, though there was no output: after a flush, and when what was wrong with an
// input is over.
GST_START_TEST(errors_after_others) {
  for (const char *end : {"flush", "caps", "segment"}) {
    Inputs inputs("coalescedifference");
    const auto begin = [&](int number, GstFormat format) {
      GstSegment segment;
      gst_segment_init(&segment, format);
      gst_pad_push_event(inputs.to(number), gst_event_new_segment(&segment));
    };
    const auto expect_error = [&](int number) {
      inputs.wait_for_events(number);
      fail_unless(contains(inputs.error(), "Pad sink_" + std::to_string(number)), "%s: %s", end,
                  inputs.error().c_str());
    };
    inputs.push_event(0, gst_event_new_stream_start("one"));
    inputs.push_event(1, gst_event_new_stream_start("one"));
    if (g_str_equal(end, "caps")) {
      const CapsRef too_large = parse_caps(caps(65536, 65536));
      gst_pad_push_event(inputs.to(0), gst_event_new_caps(too_large.get()));
      expect_error(0);
      inputs.set_caps(0, caps());
    } else {
      inputs.set_caps(0, caps());
      begin(0, GST_FORMAT_BYTES);
      expect_error(0);
      if (g_str_equal(end, "flush"))
        inputs.flush(0);
      else
        begin(0, GST_FORMAT_TIME);
    }
    inputs.wait_for_events(0);
    inputs.forget_errors();
    inputs.set_caps(1, caps());
    begin(1, GST_FORMAT_BYTES);
    expect_error(1);
  }
}
GST_END_TEST

// A frame that does not fit its caps: the error names its pad.
GST_START_TEST(bad_frame) {
  for (int wrong : {0, 1})
    for (const char *backend : {"cpu", "cuda"}) {
      Inputs inputs(std::string("coalescedifference backend=") + backend);
      inputs.begin(caps());
      for (int number : {0, 1})
        inputs.push(number, 0, number == wrong ? gray(3, 3) : gray());
      fail_unless(inputs.pull() == nullptr);
      const std::string words =
          "Pad sink_" + std::to_string(wrong) + ": input GRAY8 frame of 37x11";
      fail_unless(contains(inputs.error(), words), "%s", inputs.error().c_str());
    }
}
GST_END_TEST

static Suite *aggregator_pads_suite() {
  register_elements();
  Suite *suite = suite_create("aggregator_pads");
  TCase *tests = new_case(suite, "aggregator_pads");
  tcase_add_checked_fixture(tests, nullptr, done);
  tcase_add_test(tests, put_off_caps);
  tcase_add_test(tests, samples);
  tcase_add_test(tests, released_while_looked_at);
  tcase_add_test(tests, end_by_the_application);
  tcase_add_test(tests, metas);
  tcase_add_test(tests, segment_of_bytes);
  tcase_add_test(tests, errors_after_others);
  tcase_add_test(tests, bad_frame);
  return suite;
}
SIMULATED_MAIN(aggregator_pads)
