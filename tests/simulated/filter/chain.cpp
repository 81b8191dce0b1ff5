// SPDX-License-Identifier: LGPL-2.1-or-later
// Four of our elements one after the other, from CUDA memory to CUDA memory: nothing travels over
// the bus, nobody waits, nothing is made once the stream runs, and the bytes are those of the CPU.
#include <map>

#include "../support.h"

using namespace simulated;

namespace {

// (With chroma of an odd width valgrind would take the last sum of a row for undefined: it computes
// PMADDWD for two at a time.)
constexpr int kWidth = 68, kHeight = 10;

struct Chain {
  const char *first;  // takes `in`, gives `out`; convolve and sepconvolve follow
  GstVideoFormat in, out;
};
constexpr Chain kChains[] = {{"uyvy2y", GST_VIDEO_FORMAT_UYVY, GST_VIDEO_FORMAT_NV12},
                             {"rgb2yuv", GST_VIDEO_FORMAT_BGRx, GST_VIDEO_FORMAT_I420}};
constexpr const char *kNames[] = {"e1", "e2", "e3", "e4"};

std::string describe(const Chain &chain, const char *backend, const char *between = " ! ") {
  const std::string more = std::string(" backend=") + backend + " name=";
  return chain.first + more + "e1" + between + "convolve preset=sharpen" + more + "e2" + between +
         "sepconvolve preset=gaussian sigma=1" + more + "e3" + between +
         "convolve mask=\"1 2 1; 0 0 0; -1 -2 -1\" absolute=true" + more + "e4";
}

std::string caps_of(const char *memory, GstVideoFormat format) {
  return video_caps(memory, gst_video_format_to_string(format), kWidth, kHeight);
}

GstVideoInfo in_info(const Chain &chain) {
  return video_info(caps_of(kSystem, chain.in));
}

GstVideoInfo out_info(const Chain &chain) {
  return video_info(caps_of(kSystem, chain.out));
}

// What the CPU makes of picture `seed`.
std::vector<guint8> expected(const Chain &chain, unsigned seed) {
  static std::map<std::pair<const char *, unsigned>, std::vector<guint8>> known;
  std::vector<guint8> &bytes = known[{chain.first, seed}];
  if (!bytes.empty()) return bytes;
  Bench cpu(describe(chain, "cpu").c_str());
  cpu.negotiate(caps_of(kSystem, chain.in), caps_of(kSystem, chain.out));
  fail_unless_equals_int(cpu.push(system_buffer(in_info(chain), seed)), GST_FLOW_OK);
  GstBuffer *output = cpu.pull();
  bytes = picture(output, out_info(chain));
  gst_buffer_unref(output);
  return bytes;
}

void check_output(const Chain &chain, GstBuffer *output, unsigned seed) {
  fail_unless(is_cuda(output));
  fail_unless(picture(output, out_info(chain)) == expected(chain, seed), "%s, picture %u",
              chain.first, seed);
  gst_buffer_unref(output);
}

// All four elements' counts, added up.
guint64 total(GstElement *bin, const char *name) {
  guint64 sum = 0;
  for (const char *element_name : kNames) {
    GstElement *element = gst_bin_get_by_name(GST_BIN(bin), element_name);
    sum += stat(element, name);
    gst_object_unref(element);
  }
  return sum;
}

struct CudaBench : Bench {
  explicit CudaBench(const Chain &chain) : Bench(describe(chain, "auto").c_str()) {
    negotiate(caps_of(kCuda, chain.in), caps_of(kCuda, chain.out));
  }
};

// A bin's pads between elements carry CUDA memory although nothing but its ends asks for it.
void check_caps_between(GstElement *bin) {
  for (const char *name : kNames) {
    GstElement *element = gst_bin_get_by_name(GST_BIN(bin), name);
    for (const char *pad_name : {"sink", "src"}) {
      GstPad *pad = gst_element_get_static_pad(element, pad_name);
      GstCaps *caps = gst_pad_get_current_caps(pad);
      fail_unless(caps && gst_caps_features_contains(gst_caps_get_features(caps, 0), kCuda),
                  "%s, %s", name, pad_name);
      gst_caps_unref(caps);
      gst_object_unref(pad);
    }
    gst_object_unref(element);
  }
}

// Frames from `pool` through the bench, the outputs dropped unseen, as a sink on the GPU would.
void run_unseen(Bench &bench, GstBufferPool *pool, int frames) {
  for (int i = 0; i < frames; i++) {
    GstBuffer *input = nullptr;
    fail_unless_equals_int(gst_buffer_pool_acquire_buffer(pool, &input, nullptr), GST_FLOW_OK);
    fail_unless_equals_int(bench.push(input), GST_FLOW_OK);
    gst_buffer_unref(bench.pull());
  }
}

guint64 waits(const FakecudaCounts &now) {
  return now.stream_syncs + now.event_syncs + now.context_syncs + now.implicit_syncs;
}

guint64 copies(const FakecudaCounts &now) {
  return now.copies_htod + now.copies_dtoh + now.copies_dtod + now.copies_htoh;
}

}  // namespace

// With a GPU that keeps up: 500 frames, and not one wait or copy, and nothing is allocated.
GST_START_TEST(costs_its_launches) {
  const Chain &chain = kChains[__i__];
  constexpr guint64 kFrames = 500;
  fakecuda_set_eager(1);
  {
    CudaBench bench(chain);
    check_caps_between(bench.element());
    GstBufferPool *pool = proposed_pool(bench.harness(), caps_of(kCuda, chain.in).c_str());
    run_unseen(bench, pool, 50);
    guint64 frames_before = 0;
    run_until_steady([&] {
      frames_before = total(bench.element(), "frames");
      run_unseen(bench, pool, kFrames);
    });
    const FakecudaCounts now = counts();
    fail_unless_equals_uint64(total(bench.element(), "frames") - frames_before, 4 * kFrames);
    for (const char *name :
         {"synchronizations", "uploads", "downloads", "upload-bytes", "download-bytes"})
      fail_unless_equals_uint64(total(bench.element(), name), 0);
    fail_unless_equals_uint64(now.launches, 4 * kFrames);
    fail_unless_equals_uint64(now.stream_waits, 0);
    // Each question is about a frame that is released then, 16 of them from the run before.
    fail_unless(now.event_queries <= kFrames + 16, "%u questions", unsigned(now.event_queries));
    fail_unless_equals_uint64(waits(now) + copies(now) + now.memsets, 0);
    fail_unless_equals_uint64(now.contexts_live, 1);
    fail_unless_equals_uint64(now.streams_live, 4 + 1);  // the first has two
    drop_pool(pool);
  }
  fakecuda_set_eager(0);
  assert_clean();
  assert_nothing_lives();
}
GST_END_TEST

// With a GPU that has done nothing yet when the last frame has gone through: the same, and then the
// right bytes for whoever looks.
GST_START_TEST(in_flight) {
  const Chain &chain = kChains[__i__];
  {
    CudaBench bench(chain);
    GstBufferPool *pool = proposed_pool(bench.harness(), caps_of(kCuda, chain.in).c_str());
    std::vector<GstBuffer *> inputs;
    for (unsigned seed = 1; seed <= 6; seed++)
      inputs.push_back(pool_buffer(pool, in_info(chain), seed));
    fakecuda_reset_counts();
    for (GstBuffer *input : inputs)
      fail_unless_equals_int(bench.push(input), GST_FLOW_OK);
    const FakecudaCounts now = counts();
    fail_unless_equals_uint64(waits(now) + copies(now), 0);
    fail_unless_equals_uint64(total(bench.element(), "synchronizations"), 0);
    for (unsigned seed = 1; seed <= 6; seed++)
      check_output(chain, bench.pull(), seed);
    drop_pool(pool);
  }
  assert_clean();
  assert_nothing_lives();
}
GST_END_TEST

// With a GPU slower than the source, the elements wait and do not collect memory: what they have is
// what they had soon after the beginning.
GST_START_TEST(pools_are_bounded) {
  const Chain &chain = kChains[__i__];
  {
    CudaBench bench(chain);
    GstBufferPool *pool = proposed_pool(bench.harness(), caps_of(kCuda, chain.in).c_str());
    run_unseen(bench, pool, 100);
    fakecuda_reset_counts();
    // The first keeps 16 inputs at most. Each has one in hand, and three from the beginning.
    constexpr guint64 kMost = 16 + 4 * (1 + 3);
    const guint64 live = counts().allocations_live;
    fail_unless(live <= kMost, "%" G_GUINT64_FORMAT " buffers", live);
    run_unseen(bench, pool, 200);
    const FakecudaCounts now = counts();
    fail_unless(now.event_syncs > 0, "the GPU kept up: the test tests nothing");
    fail_unless(now.allocations_live <= kMost, "%" G_GUINT64_FORMAT " buffers, then %u", live,
                unsigned(now.allocations_live));
    drop_pool(pool);
  }
  assert_clean();
  assert_nothing_lives();
}
GST_END_TEST

// The chain's input from wherever a frame may come: our pool, libgstcuda's allocator, system
// memory, another context of the same GPU, another GPU.
GST_START_TEST(inputs_of_every_kind) {
  const Chain &chain = kChains[__i__];
  GstCudaContext *own = new_context(0), *same_gpu = new_context(0), *other_gpu = new_context(1);
  {
    CudaBench bench(chain);
    for (const char *name : kNames) {
      GstElement *element = gst_bin_get_by_name(GST_BIN(bench.element()), name);
      give_context(element, own);
      gst_object_unref(element);
    }
    const GstVideoInfo info = in_info(chain);
    GstBufferPool *pool = proposed_pool(bench.harness(), caps_of(kCuda, chain.in).c_str());
    for (unsigned seed = 1; seed <= 20; seed++) {
      GstBuffer *const inputs[] = {pool_buffer(pool, info, seed),
                                   plain_cuda_buffer(own, info, seed), system_buffer(info, seed),
                                   plain_cuda_buffer(same_gpu, info, seed),
                                   plain_cuda_buffer(other_gpu, info, seed)};
      for (GstBuffer *input : inputs)
        fail_unless_equals_int(bench.push(input), GST_FLOW_OK);
      for (std::size_t i = 0; i < G_N_ELEMENTS(inputs); i++)
        check_output(chain, bench.pull(), seed);
    }
    // Device memory is read where it is; system memory is uploaded once and stays.
    fail_unless_equals_uint64(total(bench.element(), "uploads"), 20);
    fail_unless_equals_uint64(total(bench.element(), "downloads"), 0);
    fail_unless(bench.errors().empty());
    drop_pool(pool);
  }
  for (GstCudaContext *context : {own, same_gpu, other_gpu})
    gst_object_unref(context);
  assert_clean();
  assert_nothing_lives();
}
GST_END_TEST

// A pipeline of four elements in four threads, up and down a hundred times.
GST_START_TEST(a_hundred_rounds) {
  const Chain &chain = kChains[0];
  int threads = 0;
  for (const char *memory : {kCuda, kSystem}) {
    Line line(describe(chain, "cuda", " ! queue ! "), caps_of(kSystem, chain.in),
              caps_of(memory, chain.out));
    for (int round = 0; round < 50; round++) {
      line.start();
      for (unsigned seed = 1; seed <= 3; seed++)
        line.push(system_buffer(in_info(chain), seed));
      for (unsigned seed = 1; seed <= 3; seed++) {
        GstBuffer *output = line.pull();
        fail_unless(output != nullptr);
        fail_unless(picture(output, out_info(chain)) == expected(chain, seed));
        gst_buffer_unref(output);
      }
      if (round % 2) {
        line.end();
        line.wait_for_end();
      }
      line.stop();
      const FakecudaCounts now = counts();
      // An appsink keeps the frames it gave out last until it is started again or dropped.
      fail_unless(now.allocations_live <= (memory == kCuda ? 3 : 0));
      fail_unless_equals_uint64(now.streams_live, 0);
      fail_unless(now.events_live <= now.allocations_live);
      // GstElement itself remembers the context it was given.
      fail_unless(now.contexts_live <= 1);
    }
    fail_unless(line.errors().empty());
    // GStreamer keeps idle threads for the next pipeline.
    if (threads == 0) threads = threads_of_process();
  }
  assert_clean();
  assert_nothing_lives();
  fail_unless(eventually([threads] { return threads_of_process() <= threads; }),
              "%d threads, then %d", threads, threads_of_process());
}
GST_END_TEST

static Suite *chain_suite() {
  Suite *suite = suite_create("chain");
  TCase *tests = new_case(suite, "chain");
  add_sampled_loop_test(tests, costs_its_launches, G_N_ELEMENTS(kChains));
  add_sampled_loop_test(tests, in_flight, G_N_ELEMENTS(kChains));
  add_sampled_loop_test(tests, pools_are_bounded, G_N_ELEMENTS(kChains));
  add_sampled_loop_test(tests, inputs_of_every_kind, G_N_ELEMENTS(kChains));
  tcase_add_test(tests, a_hundred_rounds);
  return suite;
}
SIMULATED_MAIN(chain)
