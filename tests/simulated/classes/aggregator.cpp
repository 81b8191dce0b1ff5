// SPDX-License-Identifier: LGPL-2.1-or-later
// The class Aggregator, by coalescedifference and its like (tests/elements/difference.h): bytes in
// every mix of memories, contexts, counters, states.
#include "pair.h"

using namespace simulated;

namespace {

constexpr unsigned kFrames = 4;

std::string caps(const char *memory, const char *format, Size size) {
  return video_caps(memory, format, size.width, size.height);
}

GstBuffer *frame(GstCudaContext *context, const char *memory, const GstVideoInfo &info,
                 unsigned seed, unsigned n) {
  return timed(memory == kCuda ? cuda_frame(context, info, seed) : system_buffer(info, seed), n);
}

// kFrames pairs; the pictures of b are numbered from 101.
void push_pairs(const Pair &pair, GstCudaContext *context, const char *a, const char *b,
                const GstVideoInfo &info) {
  for (unsigned n = 0; n < kFrames; n++) {
    pair.push_frame("a", frame(context, a, info, n + 1, n));
    pair.push_frame("b", frame(context, b, info, n + 101, n));
  }
  pair.end_all();
}

void expect_pairs(const Pair &pair, const GstVideoInfo &info) {
  for (unsigned n = 0; n < kFrames; n++)
    pair.expect(info, n + 1, n + 101, n);
  pair.expect_end();
}

// Work is left in flight; only who looks at a picture waits.
void expect_no_waits(const Pair &pair) {
  std::vector<test::BufferRef> all;
  while (GstBuffer *buffer = pair.pull())
    all.emplace_back(buffer);
  fail_unless_equals_int(all.size(), kFrames);
  fail_unless_equals_uint64(stat(pair.d(), "synchronizations"), 0);
}

void done() {
  assert_clean();
  assert_nothing_lives();
}

}  // namespace

// Each input and the output in either memory, on either back end.
GST_START_TEST(every_memory) {
  GstCudaContext *context = new_context();
  const GstVideoInfo info = video_info(GST_VIDEO_FORMAT_I420, 37, 11);
  for (const char *a : kMemories)
    for (const char *b : kMemories)
      for (const char *out : kMemories)
        for (const char *backend : {"auto", "cuda", "cpu"}) {
          const bool cuda = a == kCuda || b == kCuda || out == kCuda;
          if (cuda && backend == std::string("cpu")) continue;
          Pair pair(std::string("coalescedifference delay=50 backend=") + backend,
                    caps(a, "I420", {37, 11}), caps(b, "I420", {37, 11}), any_size(out, "I420"));
          give_context(pair.d(), context);
          pair.start();
          push_pairs(pair, context, a, b, info);
          expect_pairs(pair, info);
          const bool gpu = cuda || backend == std::string("cuda");
          fail_unless(active_backend(pair.d()) == (gpu ? "cuda" : "cpu"));
          fail_unless_equals_uint64(stat(pair.d(), "frames"), kFrames);
          const guint64 uploads = gpu ? kFrames * ((a == kSystem) + (b == kSystem)) : 0;
          fail_unless_equals_uint64(stat(pair.d(), "uploads"), uploads);
          fail_unless_equals_uint64(stat(pair.d(), "downloads"),
                                    gpu && out == kSystem ? kFrames : 0);
          fail_unless_equals_uint64(pair.unpaired(), 0);
        }
  gst_object_unref(context);
}
GST_END_TEST

GST_START_TEST(no_waits) {
  GstCudaContext *context = new_context();
  const GstVideoInfo info = video_info(GST_VIDEO_FORMAT_I420, 37, 11);
  const std::string in = caps(kCuda, "I420", {37, 11});
  for (const char *out : kMemories) {
    Pair pair("coalescedifference delay=50", in, in, any_size(out, "I420"));
    give_context(pair.d(), context);
    pair.start();
    push_pairs(pair, context, kCuda, kCuda, info);
    expect_no_waits(pair);
  }
  gst_object_unref(context);
}
GST_END_TEST

// Any size from 1, in both formats.
GST_START_TEST(sizes) {
  GstCudaContext *context = new_context();
  for (const char *format : {"GRAY8", "I420"})
    for (const Size size : {Size{1, 1}, {2, 1}, {1, 2}, {3, 3}, {64, 5}, {129, 33}})
      for (const char *memory : kMemories) {
        const GstVideoInfo info =
            video_info(gst_video_format_from_string(format), size.width, size.height);
        Pair pair("coalescedifference", caps(memory, format, size), caps(kSystem, format, size),
                  any_size(memory, format));
        pair.start();
        push_pairs(pair, context, memory, kSystem, info);
        expect_pairs(pair, info);
      }
  gst_object_unref(context);
}
GST_END_TEST

// Memory that is not ours, and ours that somebody else's stream writes.
GST_START_TEST(foreign_memory) {
  GstCudaContext *context = new_context();
  const GstVideoInfo info = video_info(GST_VIDEO_FORMAT_I420, 64, 6);
  Pair pair("coalescedifference", caps(kCuda, "I420", {64, 6}), caps(kCuda, "I420", {64, 6}),
            any_size(kCuda, "I420"));
  pair.start();
  for (unsigned n = 0; n < kFrames; n++) {
    pair.push_frame("a", timed(plain_cuda_buffer(context, info, n + 1), n));
    pair.push_frame("b", timed(cuda_frame(context, info, n + 101), n));
  }
  pair.end_all();
  expect_pairs(pair, info);
  fail_unless_equals_uint64(stat(pair.d(), "uploads"), 0);
  gst_object_unref(context);
}
GST_END_TEST

// An input's context is followed, and one that neither input has is left; of two it is the first
// one's, and frames of the other are copied. It stays as long as one input is there.
GST_START_TEST(contexts) {
  GstCudaContext *contexts[] = {new_context(0), new_context(0), new_context(1)};
  const GstVideoInfo info = video_info(GST_VIDEO_FORMAT_GRAY8, 37, 11);
  const std::string in = caps(kCuda, "GRAY8", {37, 11});
  const struct {
    int a, b;
    guint64 uploads;  // so far
  } turns[] = {{0, 0, 0}, {1, 1, 0}, {1, 0, 1}, {0, 1, 2}, {2, 2, 2}, {2, 0, 3}, {0, 0, 3}};
  Pair pair("coalescedifference", in, in, any_size(kCuda, "GRAY8"));
  give_context(pair.d(), contexts[0]);
  pair.start();
  unsigned n = 0;
  for (const auto &turn : turns) {
    pair.push_frame("a", timed(cuda_frame(contexts[turn.a], info, n + 1), n));
    pair.push_frame("b", timed(cuda_frame(contexts[turn.b], info, n + 101), n));
    pair.expect(info, n + 1, n + 101, n);
    fail_unless_equals_uint64(stat(pair.d(), "uploads"), turn.uploads);
    n++;
  }
  pair.end_all();
  pair.expect_end();
  for (GstCudaContext *context : contexts)
    gst_object_unref(context);
}
GST_END_TEST

// What an application gives before and in READY has the same result as for a filter, with a context
// of the pipeline's besides or without: the last one is that of the run.
GST_START_TEST(contexts_in_ready) {
  GstCudaContext *contexts[] = {new_context(0), new_context(1), new_context(0)};
  const std::string source =
      "videotestsrc num-buffers=2 ! video/x-raw, format=GRAY8, width=37, height=11 ! ";
  const std::string sink =
      "name=d backend=cuda ! video/x-raw(memory:CUDAMemory) ! fakesink name=sink";
  const std::string pipelines[] = {
      source + "coalesceinvert " + sink,
      source + "tee name=t ! queue ! d.sink_0 t. ! queue ! d.sink_1 coalescedifference " + sink};
  struct Given {
    const char *where;  // by the name of an element
    GstState state;
    int context;
  };
  const std::vector<Given> cases[] = {
      {{"d", GST_STATE_READY, 0}, {"d", GST_STATE_READY, 1}, {"d", GST_STATE_READY, 2}},
      {{"d", GST_STATE_READY, 1}, {"d", GST_STATE_READY, 0}, {"d", GST_STATE_READY, 1}},
      {{"d", GST_STATE_NULL, 0}, {"d", GST_STATE_READY, 1}},
      {{"d", GST_STATE_NULL, 0}, {"d", GST_STATE_NULL, 1}, {"d", GST_STATE_READY, 2}},
      {{"all", GST_STATE_NULL, 0}, {"d", GST_STATE_READY, 1}, {"d", GST_STATE_READY, 2}},
      {{"d", GST_STATE_READY, 0}, {"all", GST_STATE_READY, 1}},
      {{"all", GST_STATE_READY, 0}, {"all", GST_STATE_READY, 1}, {"d", GST_STATE_READY, 2}},
  };
  for (const auto &givens : cases)
    for (const std::string &description : pipelines) {
      Pipeline pipeline(description);
      gst_object_set_name(GST_OBJECT(pipeline.get()), "all");
      for (int run = 0; run < 2; run++) {
        for (const Given &given : givens) {
          pipeline.set_state(given.state);
          give_context(*given.where == 'a' ? pipeline.get() : pipeline.element("d"),
                       contexts[given.context]);
        }
        pipeline.set_state(GST_STATE_PAUSED);
        GstSample *sample = nullptr;
        g_object_get(pipeline.element("sink"), "last-sample", &sample, nullptr);
        fail_unless(sample != nullptr);
        GstBuffer *buffer = gst_sample_get_buffer(sample);
        fail_unless(GST_CUDA_MEMORY_CAST(gst_buffer_peek_memory(buffer, 0))->context ==
                        contexts[givens.back().context],
                    "%s", description.c_str());
        gst_sample_unref(sample);
        pipeline.set_state(GST_STATE_NULL);
      }
    }
  for (GstCudaContext *context : contexts)
    gst_object_unref(context);
}
GST_END_TEST

// With a device of its own the element copies what comes from others.
GST_START_TEST(other_device) {
  GstCudaContext *other = new_context(1);
  const GstVideoInfo info = video_info(GST_VIDEO_FORMAT_GRAY8, 37, 11);
  Pair pair("coalescedifference cuda-device-id=0", caps(kCuda, "GRAY8", {37, 11}),
            caps(kCuda, "GRAY8", {37, 11}), any_size(kCuda, "GRAY8"));
  pair.start();
  push_pairs(pair, other, kCuda, kCuda, info);
  expect_pairs(pair, info);
  fail_unless_equals_uint64(stat(pair.d(), "uploads"), 2 * kFrames);
  gst_object_unref(other);
}
GST_END_TEST

// System memory goes to the GPU where the operation is heavy enough; upstream is offered
// page-locked memory then, by each input.
GST_START_TEST(heavy) {
  const GstVideoInfo info = video_info(GST_VIDEO_FORMAT_GRAY8, 37, 11);
  const std::string in = caps(kSystem, "GRAY8", {37, 11});
  Pair pair("coalescedifference heavy=true", in, in, any_size(kSystem, "GRAY8"));
  pair.start();
  push_pairs(pair, nullptr, kSystem, kSystem, info);
  expect_pairs(pair, info);
  fail_unless(active_backend(pair.d()) == "cuda");
  fail_unless_equals_uint64(stat(pair.d(), "uploads"), 2 * kFrames);
}
GST_END_TEST

GST_START_TEST(offers) {
  for (const char *memory : kMemories) {
    const std::string in = caps(memory, "GRAY8", {64, 6});
    GstElement *element = gst_parse_launch("coalescedifference heavy=true backend=cuda", nullptr);
    gst_object_ref_sink(element);
    GstHarness *a = gst_harness_new_with_element(element, "sink_0", "src");
    GstHarness *b = gst_harness_new_with_element(element, "sink_1", nullptr);
    gst_harness_set_src_caps_str(a, in.c_str());
    gst_harness_set_src_caps_str(b, in.c_str());
    for (GstHarness *h : {a, b}) {
      GstBufferPool *pool = proposed_pool(h, in.c_str());
      fail_unless(pool != nullptr);
      const test::BufferRef buffer(acquire(pool));
      const bool page_locked = g_str_equal(
          gst_buffer_peek_memory(buffer.get(), 0)->allocator->mem_type, "CoalescePageLockedMemory");
      fail_unless(memory == kCuda ? is_cuda(buffer.get()) : page_locked);
      drop_pool(pool);
    }
    gst_harness_teardown(b);
    gst_harness_teardown(a);
    gst_object_unref(element);
  }
}
GST_END_TEST

// Caps in CUDA memory are for machines and settings with a GPU alone, at all pads.
GST_START_TEST(offered_caps) {
  for (const char *backend : {"auto", "cpu"}) {
    GstElement *element =
        gst_parse_launch((std::string("coalescedifference backend=") + backend).c_str(), nullptr);
    gst_object_ref_sink(element);
    const Owned<GstPad> sink(gst_element_request_pad_simple(element, "sink_%u"));
    const Owned<GstPad> source(gst_element_get_static_pad(element, "src"));
    for (GstPad *pad : {sink.get(), source.get()}) {
      const test::CapsRef offered(gst_pad_query_caps(pad, nullptr));
      fail_unless(contains(text_of(offered.get()), kCuda) == (backend == std::string("auto")));
    }
    const test::CapsRef cuda = parse_caps(caps(kCuda, "GRAY8", {64, 6}));
    fail_unless(gst_pad_query_accept_caps(sink.get(), cuda.get()) ==
                (backend == std::string("auto")));
    gst_element_release_request_pad(element, sink.get());
    gst_object_unref(element);
  }
}
GST_END_TEST

// ANY is no wish for CUDA memory; of two that downstream accepts the inputs' one is taken.
GST_START_TEST(output_memory) {
  const std::string both = any_size(kCuda, "GRAY8") + "; " + any_size(kSystem, "GRAY8");
  const struct {
    const char *in;
    std::string accepted;
    bool cuda;
  } cases[] = {{kCuda, "ANY", false}, {kCuda, both, true}, {kSystem, both, false}};
  GstCudaContext *context = new_context();
  const GstVideoInfo info = video_info(GST_VIDEO_FORMAT_GRAY8, 37, 11);
  for (const auto &c : cases) {
    Pair pair("coalescedifference", caps(c.in, "GRAY8", {37, 11}), caps(c.in, "GRAY8", {37, 11}),
              c.accepted);
    pair.start();
    push_pairs(pair, context, c.in, c.in, info);
    const test::BufferRef first(pair.pull());
    fail_unless(first != nullptr && is_cuda(first.get()) == c.cuda);
  }
  gst_object_unref(context);
}
GST_END_TEST

// Named inputs, which are always there, in the order of their templates; another size and format
// of the output, and inputs of several formats.
GST_START_TEST(named_inputs) {
  GstCudaContext *context = new_context();
  for (const char *left : kMemories)
    for (const char *right : kMemories) {
      Pipeline pair("coalesceleftright name=d ! appsink name=sink sync=false caps=\"" +
                    any_size(left, "GRAY8") + "\" appsrc name=b format=time caps=\"" +
                    caps(right, "I420", {37, 11}) +
                    "\" ! d.right appsrc name=a format=time caps=\"" +
                    caps(left, "GRAY8", {37, 11}) + "\" ! d.left");
      pair.start();
      for (unsigned n = 0; n < kFrames; n++) {
        const auto frame_of = [&](const char *memory, GstVideoFormat format, unsigned seed) {
          return frame(context, memory, video_info(format, 37, 11), seed, n);
        };
        fail_unless_equals_int(pair.push(frame_of(left, GST_VIDEO_FORMAT_GRAY8, n + 1), "a"), 0);
        fail_unless_equals_int(pair.push(frame_of(right, GST_VIDEO_FORMAT_I420, n + 101), "b"), 0);
        const test::BufferRef buffer(pair.pull());
        fail_unless(buffer != nullptr);
        const std::string wrong = wrong_difference(
            buffer.get(), video_info(GST_VIDEO_FORMAT_GRAY8, 37, 5), n + 1, n + 101);
        fail_unless(wrong.empty(), "%s", wrong.c_str());
      }
    }
  gst_object_unref(context);
}
GST_END_TEST

// The order of inputs is that of the pads' numbers, not that of their requests.
GST_START_TEST(three_inputs) {
  const GstVideoInfo info = video_info(GST_VIDEO_FORMAT_GRAY8, 37, 11);
  const std::string in = caps(kSystem, "GRAY8", {37, 11});
  const auto source = [&](const char *name, const char *pad) {
    return std::string("appsrc format=time name=") + name + " caps=\"" + in + "\" ! d." + pad + " ";
  };
  Pipeline three(source("c", "sink_7") + source("b", "sink_3") + source("a", "sink_0") +
                 "coalescedifference name=d ! appsink name=sink sync=false");
  three.start();
  for (unsigned n = 0; n < kFrames; n++) {
    three.push(timed(system_buffer(info, n + 1), n), "a");
    three.push(timed(system_buffer(info, n + 101), n), "b");
    three.push(timed(system_buffer(info, n + 201), n), "c");
    const test::BufferRef buffer(three.pull());
    fail_unless(buffer != nullptr);
    const std::string wrong = wrong_difference(buffer.get(), info, n + 1, n + 101);
    fail_unless(wrong.empty(), "%s", wrong.c_str());
  }
}
GST_END_TEST

// The same pipeline again and again.
GST_START_TEST(restarts) {
  GstCudaContext *context = new_context();
  const GstVideoInfo info = video_info(GST_VIDEO_FORMAT_I420, 37, 11);
  Pair pair("coalescedifference", caps(kCuda, "I420", {37, 11}), caps(kSystem, "I420", {37, 11}),
            any_size(kSystem, "I420"));
  for (int turn = 0; turn < 5; turn++) {
    pair.start();
    push_pairs(pair, context, kCuda, kSystem, info);
    if (turn % 2 == 0) expect_pairs(pair, info);
    pair.stop();
    fail_unless_equals_uint64(counts().streams_live, 0);
  }
  gst_object_unref(context);
}
GST_END_TEST

GST_START_TEST(steady) {
  GstCudaContext *context = new_context();
  const std::string in = caps(kCuda, "I420", {37, 11});
  Pair pair("coalescedifference", in, in, any_size(kCuda, "I420"));
  check_steady(pair, context, in, [&](unsigned n) { pair.expect(video_info(in), n, n, n); });
  gst_object_unref(context);
}
GST_END_TEST

static Suite *aggregator_suite() {
  register_elements();
  Suite *suite = suite_create("aggregator");
  TCase *tests = new_case(suite, "aggregator");
  tcase_add_checked_fixture(tests, nullptr, done);
  tcase_add_test(tests, every_memory);
  tcase_add_test(tests, no_waits);
  tcase_add_test(tests, sizes);
  tcase_add_test(tests, foreign_memory);
  tcase_add_test(tests, contexts);
  tcase_add_test(tests, contexts_in_ready);
  tcase_add_test(tests, other_device);
  tcase_add_test(tests, heavy);
  tcase_add_test(tests, offers);
  tcase_add_test(tests, offered_caps);
  tcase_add_test(tests, output_memory);
  tcase_add_test(tests, named_inputs);
  tcase_add_test(tests, three_inputs);
  tcase_add_test(tests, restarts);
  tcase_add_test(tests, steady);
  return suite;
}
SIMULATED_MAIN(aggregator)
