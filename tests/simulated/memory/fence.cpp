// SPDX-License-Identifier: LGPL-2.1-or-later
// The fence: frames whose kernels are still in flight read right for everyone, and pass from one of
// our elements to the next without anyone waiting.
#include "../classes/elements.h"

#include <cstring>
#include <map>
#include <mutex>

using namespace simulated;
using namespace coalesce::gst;

namespace {

const GstVideoInfo kInfo = [] {
  GstVideoInfo info;
  gst_video_info_set_format(&info, GST_VIDEO_FORMAT_GRAY8, 70, 9);
  return info;
}();
const std::string kSystemGray = "video/x-raw,format=GRAY8,width=70,height=9,framerate=25/1";
const std::string kCudaGray =
    "video/x-raw(memory:CUDAMemory),format=GRAY8,width=70,height=9,framerate=25/1";
constexpr int kForeignCuda = GST_MAP_READ | GST_MAP_CUDA;
constexpr int kOurs = kForeignCuda | MAP_FENCED;

// Nothing the test does meanwhile brings so many operations to their end.
constexpr const char *kSlow = "coalesceinvert name=slow delay=2000";

struct Maker {
  Bench bench{kSlow};
  explicit Maker(GstCudaContext *context = nullptr) {
    if (context != nullptr) give_context(bench.element(), context);
    bench.negotiate(kSystemGray, kCudaGray);
  }
  // A frame in flight: the inverted picture.
  GstBuffer *make(unsigned seed) {
    fail_unless_equals_int(bench.push(system_buffer(kInfo, seed)), GST_FLOW_OK);
    GstBuffer *buffer = bench.pull();
    fail_unless(is_cuda(buffer));
    return buffer;
  }
  guint64 waits() { return stat(bench.element(), "synchronizations"); }
};

// All that matters about a bin whose last elements are fakesinks: what each of them got, looked at
// in the thread it came in.
struct Sinks {
  std::mutex lock;
  std::vector<std::string> wrong;
  std::map<std::string, int> frames;
  guint8 expect_xor[2] = {0xFF, 0};  // of the sinks "once" and "twice" inverted
  int flags = GST_MAP_READ;
};

void handoff(GstElement *sink, GstBuffer *buffer, GstPad *, gpointer data) {
  auto *sinks = static_cast<Sinks *>(data);
  const std::string name = GST_OBJECT_NAME(sink);
  const bool twice = name == "twice";
  const auto seed = static_cast<unsigned>(GST_BUFFER_OFFSET(buffer));
  const std::string wrong =
      wrong_inverted(buffer, kInfo, seed, sinks->flags, sinks->expect_xor[twice ? 1 : 0]);
  std::lock_guard guard(sinks->lock);
  sinks->frames[name]++;
  if (!wrong.empty()) sinks->wrong.push_back(name + ": " + wrong);
}

// Sends frames through `middle`, which follows an element of ours and ends in fakesinks named once
// and twice.
void check_pipeline(const char *middle, Sinks &sinks, bool twice) {
  constexpr int kFrames = 6;
  const std::string text = std::string("coalesceinvert name=slow delay=100 ! ") + middle;
  GError *error = nullptr;
  GstElement *bin = gst_parse_bin_from_description(text.c_str(), TRUE, &error);
  fail_unless(error == nullptr && bin != nullptr, "%s", text.c_str());
  for (const char *name : {"once", "twice"}) {
    GstElement *sink = gst_bin_get_by_name(GST_BIN(bin), name);
    if (sink == nullptr) continue;
    g_object_set(sink, "signal-handoffs", TRUE, "sync", FALSE, "async", FALSE, nullptr);
    g_signal_connect(sink, "handoff", G_CALLBACK(handoff), &sinks);
    gst_object_unref(sink);
  }
  gst_object_ref_sink(bin);
  GstHarness *harness = gst_harness_new_with_element(bin, "sink", nullptr);
  gst_harness_set_src_caps_str(harness, kSystemGray.c_str());
  for (unsigned seed = 1; seed <= kFrames; seed++) {
    GstBuffer *buffer = system_buffer(kInfo, seed);
    GST_BUFFER_OFFSET(buffer) = seed;
    fail_unless_equals_int(gst_harness_push(harness, buffer), GST_FLOW_OK);
  }
  fail_unless(eventually([&] {
    std::lock_guard guard(sinks.lock);
    return sinks.frames["once"] == kFrames && (!twice || sinks.frames["twice"] == kFrames);
  }));
  gst_harness_teardown(harness);
  gst_object_unref(bin);
  fail_unless(sinks.wrong.empty(), "%s", sinks.wrong.empty() ? "" : sinks.wrong[0].c_str());
  assert_clean();
  assert_nothing_lives();
}

}  // namespace

// Without this, all that follows could pass for nothing: a frame in flight read by someone who
// claims to order himself and does not is seen to lack its picture.
GST_START_TEST(detects_a_missing_wait) {
  Maker maker;
  GstBuffer *buffer = maker.make(1);
  fail_if(wrong_inverted(buffer, kInfo, 1, kOurs).empty());
  fail_unless_equals_uint64(maker.waits(), 0);
  assert_inverted(buffer, kInfo, 1);
  fail_unless_equals_uint64(maker.waits(), 1);
  gst_buffer_unref(buffer);
}
GST_END_TEST

// The same for an element that launches on a stream of its own: ordered behind the fence it reads
// the picture, otherwise something else.
GST_START_TEST(detects_a_missing_order) {
  Maker maker;
  for (bool ordered : {false, true}) {
    GstBuffer *buffer = maker.make(2);
    GstMemory *memory = gst_buffer_peek_memory(buffer, 0);
    GstCudaContext *context = GST_CUDA_MEMORY_CAST(memory)->context;
    CUresult error;
    auto stream = Stream::create(context, &error);
    fail_unless(stream != nullptr);
    struct Reader {
      const guint8 *from;
      guint8 byte;
    } reader{};
    GstMapInfo map;
    fail_unless(gst_buffer_map(buffer, &map, static_cast<GstMapFlags>(kOurs)));
    reader.from = map.data;
    {
      ContextScope scope(context);
      if (ordered)
        fail_unless_equals_int(memory_fence(memory)->order(*stream, GST_MAP_READ), CUDA_SUCCESS);
      fakecuda_launch(
          stream->handle(),
          [](void *arg) {
            auto *r = static_cast<Reader *>(arg);
            r->byte = *r->from;
          },
          &reader, nullptr);
      fail_unless_equals_int(stream->synchronize(), CUDA_SUCCESS);
    }
    gst_buffer_unmap(buffer, &map);
    const auto picture = static_cast<guint8>(~sample(2, 0, 0, 0));
    fail_unless((reader.byte == picture) == ordered);
    fail_unless_equals_uint64(maker.waits(), 0);
    gst_buffer_unref(buffer);
  }
  assert_clean();
}
GST_END_TEST

GST_START_TEST(foreign_maps_wait_once) {
  Maker maker;
  for (int flags : {int(GST_MAP_READ), kForeignCuda}) {
    GstBuffer *buffer = maker.make(3);
    const guint64 before = maker.waits();
    assert_inverted(buffer, kInfo, 3, flags);
    fail_unless_equals_uint64(maker.waits(), before + 1);
    assert_inverted(buffer, kInfo, 3, flags);
    fail_unless_equals_uint64(maker.waits(), before + 1);
    gst_buffer_unref(buffer);
  }
  assert_clean();
}
GST_END_TEST

// Downstream sees ordinary GstCudaMemory.
GST_START_TEST(looks_like_cuda_memory) {
  Maker maker;
  GstBuffer *buffer = maker.make(4);
  GstMemory *memory = gst_buffer_peek_memory(buffer, 0);
  fail_unless(gst_is_cuda_memory(memory));
  fail_unless(gst_memory_is_type(memory, GST_CUDA_MEMORY_TYPE_NAME));
  fail_unless(is_fenced_memory(memory));
  fail_unless(gst_buffer_get_video_meta(buffer) != nullptr);
  gst_buffer_unref(buffer);
}
GST_END_TEST

// A copy of a frame in flight is a copy of what will be in it.
GST_START_TEST(copies) {
  Maker maker;
  for (int flags : {int(GST_MAP_READ), kForeignCuda}) {
    GstBuffer *buffer = maker.make(5);
    GstBuffer *copy = gst_buffer_copy_deep(buffer);
    gst_buffer_unref(buffer);
    assert_inverted(copy, kInfo, 5, flags);
    gst_buffer_unref(copy);
  }
  GstBuffer *buffer = maker.make(6);
  GstMemory *copy = gst_memory_copy(gst_buffer_peek_memory(buffer, 0), 0, -1);
  fail_unless(copy != nullptr);
  gst_buffer_replace_all_memory(buffer, copy);
  assert_inverted(buffer, kInfo, 6, kForeignCuda);
  // Longer than a row of a rectangle can be: as frames of a pixel in width are, which are padding
  // for the most part.
  fakecuda_set_max_pitch(gst_buffer_get_size(buffer) - 1);
  copy = gst_memory_copy(gst_buffer_peek_memory(buffer, 0), 0, -1);
  fakecuda_set_max_pitch(0x7FFFFFFF);
  fail_unless(copy != nullptr);
  gst_buffer_replace_all_memory(buffer, copy);
  assert_inverted(buffer, kInfo, 6, kForeignCuda);
  // Where the copying may have failed there is no copy. (Such a failure is for good, and libgstcuda
  // 1.28 waits before we do, and does not look at what it gets.)
  fakecuda_fail_how(FAKECUDA_SYNCHRONIZE, 1, 719, FAKECUDA_ALWAYS);
  fail_unless(gst_memory_copy(gst_buffer_peek_memory(buffer, 0), 0, -1) == nullptr);
  fakecuda_reset_faults();
  gst_buffer_unref(buffer);
  assert_clean();
}
GST_END_TEST

// libgstcuda copies within the device without waiting; the next element of ours must still read the
// copy and not what was there before.
GST_START_TEST(copy_into_our_element) {
  Maker maker;
  Bench next("coalesceinvert");
  for (unsigned seed : {7u, 8u}) {
    GstBuffer *buffer = maker.make(seed);
    if (seed == 7) {
      give_context(next.element(),
                   GST_CUDA_MEMORY_CAST(gst_buffer_peek_memory(buffer, 0))->context);
      next.negotiate(kCudaGray, kCudaGray);
    }
    GstBuffer *copy = gst_buffer_copy_deep(buffer);
    gst_buffer_unref(buffer);
    fail_unless_equals_int(next.push(copy), GST_FLOW_OK);
    fail_unless_equals_uint64(stat(next.element(), "uploads"), 0);
    GstBuffer *output = next.pull();
    assert_inverted(output, kInfo, seed, GST_MAP_READ, 0);
    gst_buffer_unref(output);
  }
  assert_clean();
}
GST_END_TEST

// One of our elements after the other, in one thread and in two: in order, and nobody waits.
GST_START_TEST(ours_to_ours) {
  const bool two_threads = __i__ == 1;
  Bench bench((std::string("coalesceinvert name=a delay=50 ! video/x-raw(memory:CUDAMemory) ! ") +
               (two_threads ? "queue ! " : "") + "coalesceinvert name=b")
                  .c_str());
  bench.negotiate(kSystemGray, kCudaGray);
  GstElement *a = gst_bin_get_by_name(GST_BIN(bench.element()), "a");
  GstElement *b = gst_bin_get_by_name(GST_BIN(bench.element()), "b");
  GstBufferPool *pool = proposed_pool(bench.harness(), kSystemGray.c_str());
  fakecuda_reset_counts();
  for (unsigned seed = 1; seed <= 8; seed++)
    fail_unless_equals_int(bench.push(pool_buffer(pool, kInfo, seed)), GST_FLOW_OK);
  fail_unless(eventually([&] { return stat(b, "frames") == 8; }));
  const FakecudaCounts now = counts();
  for (GstElement *element : {a, b}) {
    fail_unless_equals_uint64(stat(element, "frames"), 8);
    fail_unless_equals_uint64(stat(element, "synchronizations"), 0);
    fail_unless_equals_uint64(stat(element, "downloads"), 0);
  }
  fail_unless_equals_uint64(stat(a, "uploads"), 8);
  fail_unless_equals_uint64(stat(b, "uploads"), 0);
  fail_unless_equals_uint64(now.stream_syncs + now.event_syncs + now.context_syncs, 0);
  // Each frame's kernel behind its upload. The second element has the first one's stream, or its
  // own behind that.
  fail_unless_equals_uint64(now.stream_waits, two_threads ? 16 : 8);
  fail_unless_equals_uint64(now.contexts_live, 1);
  fail_unless(now.pending > 0);
  for (unsigned seed = 1; seed <= 8; seed++) {
    GstBuffer *output = bench.pull();
    assert_inverted(output, kInfo, seed, GST_MAP_READ, 0);
    gst_buffer_unref(output);
  }
  gst_object_unref(a);
  gst_object_unref(b);
  drop_pool(pool);
  assert_clean();
}
GST_END_TEST

// Who makes a frame may have its memory back at once, and writes the next one behind the reader, in
// the same stream or in another.
GST_START_TEST(back_at_once) {
  constexpr unsigned kFrames = 3;  // as many as are uploaded without a wait
  Maker maker;
  Bench next("coalesceinvert delay=20");
  GstBuffer *kept = maker.make(0);  // so its pool of two has one left, for frames of both streams
  give_context(next.element(), GST_CUDA_MEMORY_CAST(gst_buffer_peek_memory(kept, 0))->context);
  next.negotiate(kCudaGray, kCudaGray);
  GstMemory *memory = nullptr;
  for (unsigned seed = 1; seed <= kFrames; seed++) {
    GstBuffer *buffer = maker.make(seed);
    if (seed > 1) fail_unless(gst_buffer_peek_memory(buffer, 0) == memory, "frame %u", seed);
    memory = gst_buffer_peek_memory(buffer, 0);
    fail_unless_equals_int(next.push(gst_buffer_ref(buffer)), GST_FLOW_OK);
    assert_inverted(buffer, kInfo, seed);  // it has been written, and not been read
    gst_buffer_unref(buffer);
  }
  GstBuffer *outputs[kFrames];
  for (GstBuffer *&output : outputs)
    output = next.pull();
  // The writes first, as far as they do not have to come behind the reads.
  for (unsigned seed = kFrames; seed > 0; seed--) {
    assert_inverted(outputs[seed - 1], kInfo, seed, GST_MAP_READ, 0);
    gst_buffer_unref(outputs[seed - 1]);
  }
  gst_buffer_unref(kept);
  assert_clean();
}
GST_END_TEST

// And anyone else who writes there waits for the reader.
GST_START_TEST(writers_wait_for_readers) {
  Maker maker;
  Bench next("coalesceinvert delay=20");
  GstBuffer *buffer = maker.make(1);
  give_context(next.element(), GST_CUDA_MEMORY_CAST(gst_buffer_peek_memory(buffer, 0))->context);
  next.negotiate(kCudaGray, kCudaGray);
  const gint stride = gst_buffer_get_video_meta(buffer)->stride[0];
  for (int flags : {int(GST_MAP_WRITE), GST_MAP_WRITE | GST_MAP_CUDA}) {
    fail_unless_equals_int(next.push(gst_buffer_ref(buffer)), GST_FLOW_OK);
    fail_unless(gst_buffer_is_writable(buffer));
    GstMapInfo map;
    fail_unless(gst_buffer_map(buffer, &map, static_cast<GstMapFlags>(flags)));
    for (gint y = 0; y < GST_VIDEO_INFO_HEIGHT(&kInfo); y++)  // the simulated GPU's memory is ours
      std::memset(map.data + y * stride, 0, static_cast<gsize>(GST_VIDEO_INFO_WIDTH(&kInfo)));
    gst_buffer_unmap(buffer, &map);
    GstBuffer *output = next.pull();
    assert_inverted(output, kInfo, 1, GST_MAP_READ, 0);
    gst_buffer_unref(output);
    gst_buffer_unref(buffer);
    buffer = maker.make(1);
  }
  gst_buffer_unref(buffer);
  assert_clean();
}
GST_END_TEST

// Two who make frames by turns, each in a stream of its own, and one who follows both.
GST_START_TEST(from_stream_to_stream) {
  constexpr unsigned kFrames = 6;  // as many as are uploaded without a wait
  GstCudaContext *context = new_context(0);
  {
    Maker makers[] = {Maker(context), Maker(context)};
    Bench next("coalesceinvert delay=20");
    give_context(next.element(), context);
    next.negotiate(kCudaGray, kCudaGray);
    for (unsigned seed = 1; seed <= kFrames; seed++)
      fail_unless_equals_int(next.push(makers[seed % 2].make(seed)), GST_FLOW_OK);
    fail_unless_equals_uint64(stat(next.element(), "synchronizations"), 0);
    for (unsigned seed = 1; seed <= kFrames; seed++) {
      GstBuffer *output = next.pull();
      assert_inverted(output, kInfo, seed, GST_MAP_READ, 0);
      gst_buffer_unref(output);
    }
  }
  gst_object_unref(context);
  assert_clean();
}
GST_END_TEST

// The element that made a frame is gone, with its stream, and the next one still comes after it.
GST_START_TEST(maker_is_gone) {
  auto maker = std::make_unique<Maker>();
  Bench next("coalesceinvert");
  GstBuffer *buffer = maker->make(1);
  give_context(next.element(), GST_CUDA_MEMORY_CAST(gst_buffer_peek_memory(buffer, 0))->context);
  next.negotiate(kCudaGray, kCudaGray);
  gst_buffer_unref(buffer);
  buffer = maker->make(11);
  maker.reset();
  fail_unless_equals_int(next.push(buffer), GST_FLOW_OK);
  GstBuffer *output = next.pull();
  assert_inverted(output, kInfo, 11, GST_MAP_READ, 0);
  gst_buffer_unref(output);
  assert_clean();
}
GST_END_TEST

#define CUDA_CAPS "video/x-raw(memory:CUDAMemory)"

GST_START_TEST(through_elements) {
  for (const char *middle : {
           CUDA_CAPS " ! fakesink name=once",
           CUDA_CAPS " ! queue ! fakesink name=once",
           CUDA_CAPS " ! identity ! valve ! fakesink name=once",
           "identity ! " CUDA_CAPS " ! fakesink name=once",
       }) {
    for (int flags : {int(GST_MAP_READ), kForeignCuda}) {
      Sinks sinks;
      sinks.flags = flags;
      check_pipeline(middle, sinks, false);
    }
  }
}
GST_END_TEST

GST_START_TEST(through_tee) {
  for (int flags : {int(GST_MAP_READ), kForeignCuda}) {
    Sinks sinks;
    sinks.flags = flags;
    check_pipeline(CUDA_CAPS
                   " ! tee name=t  t. ! queue ! fakesink name=once  "
                   "t. ! queue ! coalesceinvert delay=20 ! " CUDA_CAPS " ! fakesink name=twice",
                   sinks, true);
  }
}
GST_END_TEST

static GstPadProbeReturn look(GstPad *, GstPadProbeInfo *info, gpointer data) {
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  *static_cast<std::string *>(data) = wrong_inverted(buffer, kInfo, 9);
  return GST_PAD_PROBE_OK;
}

GST_START_TEST(pad_probe) {
  Maker maker;
  std::string wrong = "never called";
  GstPad *pad = gst_element_get_static_pad(maker.bench.element(), "src");
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, look, &wrong, nullptr);
  gst_object_unref(pad);
  gst_buffer_unref(maker.make(9));
  fail_unless(wrong.empty(), "%s", wrong.c_str());
  assert_clean();
}
GST_END_TEST

// Someone between two of our elements writes into the frame: through the CPU, and through CUDA.
GST_START_TEST(foreign_writers) {
  Maker maker;
  Bench next("coalesceinvert delay=5");
  bool first = true;
  for (int flags : {int(GST_MAP_READWRITE), int(GST_MAP_READWRITE) | int(GST_MAP_CUDA)}) {
    GstBuffer *buffer = maker.make(10);
    if (first) {
      give_context(next.element(),
                   GST_CUDA_MEMORY_CAST(gst_buffer_peek_memory(buffer, 0))->context);
      next.negotiate(kCudaGray, kCudaGray);
    }
    first = false;
    GstMapInfo map;
    fail_unless(gst_buffer_map(buffer, &map, static_cast<GstMapFlags>(flags)));
    fail_unless_equals_int(map.data[0], guint8(~sample(10, 0, 0, 0)));
    map.data[0] = 77;
    gst_buffer_unmap(buffer, &map);
    fail_unless_equals_int(next.push(buffer), GST_FLOW_OK);
    GstBuffer *output = next.pull();
    fail_unless(gst_buffer_map(output, &map, GST_MAP_READ));
    fail_unless_equals_int(map.data[0], guint8(~77));
    fail_unless_equals_int(map.data[1], sample(10, 0, 1, 0));
    gst_buffer_unmap(output, &map);
    gst_buffer_unref(output);
  }
  assert_clean();
}
GST_END_TEST

static Suite *fence_suite() {
  register_elements();
  Suite *suite = suite_create("fence");
  TCase *tests = new_case(suite, "fence");
  tcase_add_test(tests, detects_a_missing_wait);
  tcase_add_test(tests, detects_a_missing_order);
  tcase_add_test(tests, foreign_maps_wait_once);
  tcase_add_test(tests, looks_like_cuda_memory);
  tcase_add_test(tests, copies);
  tcase_add_test(tests, copy_into_our_element);
  tcase_add_loop_test(tests, ours_to_ours, 0, 2);
  tcase_add_test(tests, back_at_once);
  tcase_add_test(tests, writers_wait_for_readers);
  tcase_add_test(tests, from_stream_to_stream);
  tcase_add_test(tests, maker_is_gone);
  tcase_add_test(tests, through_elements);
  tcase_add_test(tests, through_tee);
  tcase_add_test(tests, pad_probe);
  tcase_add_test(tests, foreign_writers);
  return suite;
}
SIMULATED_MAIN(fence)
