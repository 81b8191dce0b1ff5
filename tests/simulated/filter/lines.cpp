// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames of linedetect in flight: each leaves with its own lines as soon as they are there, on its
// own buffer, in order, and before whatever follows it; and a driver that fails.
#include <deque>
#include <map>
#include <thread>

#include "../driver_faults.h"
#include "../support.h"

using namespace simulated;

namespace {

constexpr const char *kMeta = "GstCoalesceLinesMeta";
constexpr const char *kElement =
    "linedetect sigma=0 low-threshold=100 high-threshold=200 min-length=5 draw=";

GstVideoInfo info() {
  return video_info(GST_VIDEO_FORMAT_NV12, 64, 40);
}
std::string caps(const char *memory) {
  return video_caps(memory, "NV12", 64, 40);
}

// What a buffer's meta says; empty if there is none.
Bytes lines_of(GstBuffer *buffer) {
  const GstMetaInfo *known = gst_meta_get_info(kMeta);
  GstCustomMeta *meta = known != nullptr ? gst_buffer_get_custom_meta(buffer, kMeta) : nullptr;
  if (meta == nullptr) return {};
  GBytes *lines = nullptr;
  fail_unless(gst_structure_get(gst_custom_meta_get_structure(meta), "lines", G_TYPE_BYTES, &lines,
                                nullptr));
  gsize size = 0;
  const auto *data = static_cast<const guint8 *>(g_bytes_get_data(lines, &size));
  const Bytes bytes(data, data + size);
  g_bytes_unref(lines);
  return bytes;
}

GstBuffer *numbered(GstBuffer *buffer, unsigned seed) {
  GST_BUFFER_OFFSET(buffer) = seed;
  GST_BUFFER_PTS(buffer) = seed * GST_SECOND / 25;
  return buffer;
}

struct Expected {
  Bytes lines, picture;
};
// Of the CPU, which tests/check has judged.
const Expected &expected(unsigned seed, const char *draw) {
  static std::map<std::pair<unsigned, std::string>, Expected> known;
  Expected &e = known[{seed, draw}];
  if (!e.picture.empty()) return e;
  Bench cpu(std::string(kElement) + draw + " backend=cpu");
  cpu.negotiate(caps(kSystem), caps(kSystem));
  fail_unless_equals_int(cpu.push(system_buffer(info(), seed)), GST_FLOW_OK);
  const BufferRef out(cpu.pull());
  e = {lines_of(out.get()), picture(out.get(), info())};
  fail_unless(e.lines.size() >= 3 * 24, "%zu bytes of lines", e.lines.size());
  return e;
}

// Empty if the buffer has what the picture `seed` has to have.
std::string wrong(GstBuffer *buffer, unsigned seed, const char *draw = "false") {
  const Expected &e = expected(seed, draw);
  if (lines_of(buffer) != e.lines) return "other lines";
  const Bytes found = picture_if_mapped(buffer, info());
  return found.empty() ? kNotMapped : found != e.picture ? "another picture" : "";
}

// linedetect, on the GPU, with the buffers of one kind of memory.
class LineBench : public Bench {
 public:
  LineBench(const char *in, const char *out, const char *draw = "false",
            const std::string &more = {})
      : Bench(kElement + std::string(draw) + " backend=cuda" + more), cuda_(in == kCuda) {
    if (cuda_) {
      context_ = new_context();
      give_context(element(), context_);
    }
    negotiate(caps(in), video_caps(out, "NV12", 0, 0));
  }
  ~LineBench() {
    gst_element_set_state(element(), GST_STATE_NULL);
    gst_clear_object(&context_);
  }

  GstBuffer *buffer(unsigned seed) {
    return numbered(cuda_ ? plain_cuda_buffer(context_, info(), seed) : system_buffer(info(), seed),
                    seed);
  }
  GstFlowReturn push_picture(unsigned seed) { return push(buffer(seed)); }
  void push_pictures(unsigned first, unsigned last) {
    for (unsigned seed = first; seed <= last; seed++)
      fail_unless_equals_int(push_picture(seed), GST_FLOW_OK);
  }
  void expect(unsigned seed, const char *draw = "false") {
    const BufferRef out(pull());
    fail_unless_equals_uint64(GST_BUFFER_OFFSET(out.get()), seed);
    const std::string problem = wrong(out.get(), seed, draw);
    fail_unless(problem.empty(), "%u: %s", seed, problem.c_str());
  }

 private:
  bool cuda_;
  GstCudaContext *context_ = nullptr;
};

}  // namespace

// Without a later frame, in any mix of memory.
GST_START_TEST(leaves_at_once) {
  for (const char *in : {kCuda, kSystem})
    for (const char *out : {kCuda, kSystem})
      for (const char *draw : {"false", "true"}) {
        LineBench bench(in, out, draw);
        for (unsigned seed = 1; seed <= 5; seed++) {
          bench.push_pictures(seed, seed);
          fail_unless(eventually([&] { return bench.waiting() == 1; }));
          bench.expect(seed, draw);
        }
        bench.expect_no_error();
        assert_clean();
      }
}
GST_END_TEST

// In the same memory the buffer goes on, and no memory is taken for it.
GST_START_TEST(passes_on_the_buffer) {
  for (const char *memory : {kCuda, kSystem}) {
    LineBench bench(memory, memory);
    for (unsigned seed = 1; seed <= 8; seed++) {
      GstBuffer *in = bench.buffer(seed);
      GstMemory *held = gst_buffer_peek_memory(in, 0);
      fail_unless_equals_int(bench.push(in), GST_FLOW_OK);
      const BufferRef out(bench.pull());
      fail_unless(gst_buffer_peek_memory(out.get(), 0) == held);
      fail_unless(lines_of(out.get()) == expected(seed, "false").lines);
    }
  }
}
GST_END_TEST

// A pool of the element's goes round: a buffer that goes on is its pool's again in the end, whole,
// although downstream holds it for long. No memory is made for others in its place.
GST_START_TEST(buffers_go_round) {
  for (const char *memory : {kCuda, kSystem}) {
    LineBench bench(memory, memory);
    GstBufferPool *pool = proposed_pool(bench.harness(), caps(memory).c_str());
    fail_unless(pool != nullptr);
    for (unsigned seed = 1; seed <= 4; seed++)
      expected(seed, "false");
    const auto run = [&] {
      std::deque<BufferRef> held;
      for (unsigned i = 0; i < 40; i++) {
        const unsigned seed = i % 4 + 1;
        fail_unless_equals_int(bench.push(pool_buffer(pool, info(), seed)), GST_FLOW_OK);
        held.emplace_back(bench.pull());
        fail_unless(lines_of(held.back().get()) == expected(seed, "false").lines);
        if (held.size() > 16) held.pop_front();
      }
    };
    run();  // which makes streams
    run_until_steady(run);
    drop_pool(pool);
  }
}
GST_END_TEST

// The streaming thread goes on while a frame before is being pushed; that is the latency.
GST_START_TEST(two_in_flight) {
  LineBench bench(kCuda, kCuda);
  bench.push_pictures(1, 1);
  bench.expect(1);
  auto dam = std::make_unique<Dam>(bench);
  bench.push_pictures(2, 3);
  fail_unless(eventually([&] { return dam->reached(); }));
  std::atomic<bool> accepted{false};
  std::thread source([&] {
    bench.push_picture(4);
    accepted = true;
  });
  for (int i = 0; i < 1000; i++)
    g_thread_yield();
  fail_unless(!accepted);
  dam.reset();
  source.join();
  for (unsigned seed = 2; seed <= 4; seed++)
    bench.expect(seed);
  GstQuery *query = gst_query_new_latency();
  fail_unless(gst_pad_peer_query(bench.from_element(), query));
  GstClockTime least = 0;
  gst_query_parse_latency(query, nullptr, &least, nullptr);
  gst_query_unref(query);
  fail_unless_equals_uint64(least, GST_SECOND / 25);
}
GST_END_TEST

GST_START_TEST(nothing_overtakes) {
  GstCaps *other = gst_caps_from_string(video_caps(kCuda, "NV12", 34, 20).c_str());
  const std::vector<GstEvent *> events = {
      gst_event_new_caps(other), gst_event_new_gap(0, GST_SECOND),
      gst_event_new_tag(gst_tag_list_new(GST_TAG_TITLE, "t", nullptr)), segment_event(),
      gst_event_new_eos()};
  gst_caps_unref(other);
  for (GstEvent *event : events) {
    LineBench bench(kCuda, kCuda);
    bench.push_pictures(1, 1);
    bench.expect(1);
    const Passing passing(bench);
    const std::string name = GST_EVENT_TYPE_NAME(event);
    auto dam = std::make_unique<Dam>(bench);
    bench.push_pictures(2, 3);
    std::thread sender([&] { bench.push_event(event); });
    fail_unless(eventually([&] { return dam->reached(); }));
    expect_string(passing.seen(), "");
    dam.reset();
    sender.join();
    expect_string(passing.seen(), "2 3 " + name);
  }
}
GST_END_TEST

// A flush and a stop wake both threads, and drop what is in flight.
GST_START_TEST(flush_and_stop) {
  for (const bool stop : {false, true}) {
    LineBench bench(kCuda, kSystem, "true");
    bench.push_pictures(1, 1);
    bench.expect(1, "true");
    {
      const Dam dam(bench);
      bench.push_pictures(2, 3);
      fail_unless(eventually([&] { return dam.reached(); }));
      std::atomic<GstFlowReturn> flow{GST_FLOW_OK};
      std::thread source([&] { flow = bench.push_picture(4); });
      if (stop)
        gst_element_set_state(bench.element(), GST_STATE_NULL);
      else
        bench.push_event(gst_event_new_flush_start());
      source.join();
      fail_unless_equals_int(flow, GST_FLOW_FLUSHING);
    }
    if (stop) {
      gst_element_set_state(bench.element(), GST_STATE_PLAYING);
      bench.push_event(gst_event_new_stream_start("again"));
      bench.push_event(gst_event_new_caps(parse_caps(caps(kCuda)).get()));
    } else {
      bench.push_event(gst_event_new_flush_stop(TRUE));
    }
    bench.push_event(segment_event());
    fail_unless_equals_int(bench.waiting(), 0);
    bench.push_pictures(5, 7);
    for (unsigned seed = 5; seed <= 7; seed++)
      bench.expect(seed, "true");
    bench.expect_no_error();
    assert_clean();
  }
}
GST_END_TEST

// A frame that is dropped while the GPU reads its buffer: nobody else has that before it is read.
GST_START_TEST(dropped_while_read) {
  LineBench bench(kCuda, kCuda);
  bench.push_pictures(1, 1);
  bench.expect(1);
  guint64 pending = G_MAXUINT64;
  {
    const Dam dam(bench);
    GstBuffer *in = bench.buffer(2);
    // (To free device memory is to wait for all work.)
    GstMemory *held = gst_memory_ref(gst_buffer_peek_memory(in, 0));
    fail_unless_equals_int(bench.push(in), GST_FLOW_OK);
    fail_unless(eventually([&] { return dam.reached(); }));
    in = bench.buffer(3);
    gst_mini_object_weak_ref(
        GST_MINI_OBJECT_CAST(in),
        [](gpointer data, GstMiniObject *) { *static_cast<guint64 *>(data) = counts().pending; },
        &pending);
    fail_unless_equals_int(bench.push(in), GST_FLOW_OK);
    fail_unless(counts().pending > 0 && pending == G_MAXUINT64);  // work waits until it is awaited
    bench.push_event(gst_event_new_flush_start());
    bench.push_event(gst_event_new_flush_stop(TRUE));
    gst_memory_unref(held);
  }
  fail_unless_equals_uint64(pending, 0);
}
GST_END_TEST

// The number of lines that a result has room for changes while frames are in flight. Memory for the
// most of them serves all.
GST_START_TEST(max_lines_while_playing) {
  LineBench bench(kCuda, kCuda);
  GstBufferPool *pool = proposed_pool(bench.harness(), caps(kCuda).c_str());
  for (unsigned seed = 1; seed <= 12; seed++)
    expected(seed, "false");
  const auto run = [&] {
    for (unsigned seed = 1; seed <= 12; seed++) {
      const int most = seed % 3 == 0 ? 1 : seed % 3 == 1 ? 16384 : 2;
      g_object_set(bench.element(), "max-lines", most, nullptr);
      fail_unless_equals_int(bench.push(pool_buffer(pool, info(), seed)), GST_FLOW_OK);
      const Bytes &all = expected(seed, "false").lines;
      const gsize bytes = std::min<gsize>(all.size(), gsize(most) * 24);
      const BufferRef out(bench.pull());
      fail_unless(lines_of(out.get()) == Bytes(all.begin(), all.begin() + gssize(bytes)));
    }
  };
  run();
  run_until_steady(run);
  drop_pool(pool);
  bench.expect_no_error();
}
GST_END_TEST

// ---- faults ----------------------------------------------------------------------------------

namespace {

constexpr unsigned kFrames = 3;

// Was the fault met? Then there is one error and no wrong frame; and all is well without it.
bool check_fault(FakecudaFunction function, int nth, int code, FakecudaFault how, const char *in,
                 const char *out, const std::string &what) {
  const char *draw = in == out ? "false" : "true";
  {
    LineBench bench(in, out, draw);
    bench.push_pictures(1, 1);
    bench.expect(1, draw);
    std::vector<BufferRef> inputs;
    for (unsigned seed = 2; seed < 2 + kFrames; seed++)
      inputs.emplace_back(bench.buffer(seed));
    fakecuda_fail_how(function, nth, code, how);
    bool refused = false;
    for (BufferRef &input : inputs)
      refused = refused || bench.push(input.release()) != GST_FLOW_OK;
    bench.push_event(gst_event_new_eos());
    const std::vector<std::string> errors = bench.errors();
    unsigned seed = 2;
    for (BufferRef each = bench.Harness::pull(); each != nullptr; each = bench.Harness::pull()) {
      const std::string problem = wrong(each.get(), seed++, draw);
      fail_unless(problem.empty() || (problem == kNotMapped && !errors.empty()), "%s: %s",
                  what.c_str(), problem.c_str());
    }
    const bool all = seed == 2 + kFrames && !refused;
    fail_unless(errors.size() <= 1 && (all || errors.size() == 1), "%s: %zu errors, %u frames",
                what.c_str(), errors.size(), seed - 2);
    fakecuda_reset_faults();
  }
  {
    LineBench again(in, out, draw);
    again.push_pictures(1, 2);
    again.expect(1, draw);
    again.expect(2, draw);
  }
  return fault_was_met(what);
}

}  // namespace

GST_START_TEST(driver_fails) {
  constexpr struct {
    const char *in, *out;
    FakecudaFault how;
    bool in_small_runs;
  } kTrials[] = {{kCuda, kCuda, FAKECUDA_ONCE, true},
                 {kCuda, kSystem, FAKECUDA_ONCE, false},
                 {kSystem, kSystem, FAKECUDA_LOST, true}};
  for (const auto &fault : kDriverFaults)
    for (const auto &[in, out, how, in_small_runs] : kTrials) {
      if (small_run() && !in_small_runs) continue;
      const std::string what = std::string(fault.name) +
                               (how == FAKECUDA_ONCE ? " fails once, " : " fails for good, ") +
                               memory_text(in) + " to " + memory_text(out);
      for (int nth = 1; check_fault(fault.function, nth, fault.code, how, in, out,
                                    what + ", call " + std::to_string(nth));)
        nth = next_fault(nth);
    }
}
GST_END_TEST

static Suite *lines_suite() {
  Suite *suite = suite_create("lines");
  TCase *tests = new_case(suite, "lines");
  tcase_add_test(tests, leaves_at_once);
  tcase_add_test(tests, passes_on_the_buffer);
  tcase_add_test(tests, buffers_go_round);
  tcase_add_test(tests, two_in_flight);
  tcase_add_test(tests, nothing_overtakes);
  tcase_add_test(tests, flush_and_stop);
  tcase_add_test(tests, dropped_while_read);
  tcase_add_test(tests, max_lines_while_playing);
  tcase_add_test(tests, driver_fails);
  return suite;
}

SIMULATED_MAIN(lines)
