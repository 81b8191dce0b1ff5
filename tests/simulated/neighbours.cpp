// SPDX-License-Identifier: LGPL-2.1-or-later
// What stands between two of our elements, or behind them, and is not ours: elements that hand
// buffers on, keep or repeat them, probes and applications that look, other contexts, a downstream
// that is replaced. Everyone sees the right picture, and ours do not wait.
#include <cuda.h>

#include "elements.h"
#include "line.h"

using namespace simulated;
using namespace coalesce::gst;

namespace {

constexpr int kWidth = 70, kHeight = 9;
const std::string kSystemGray = video_caps(kSystem, "GRAY8", kWidth, kHeight);
const std::string kCudaGray = video_caps(kCuda, "GRAY8", kWidth, kHeight);
constexpr int kForeignCuda = GST_MAP_READ | GST_MAP_CUDA;
#define CUDA_CAPS "video/x-raw(memory:CUDAMemory)"

GstVideoInfo gray() {
  return video_info(GST_VIDEO_FORMAT_GRAY8, kWidth, kHeight);
}

// The numbered picture, as often inverted as the line inverts it.
void check_frame(GstBuffer *buffer, unsigned seed, guint8 xor_with, int flags = GST_MAP_READ) {
  fail_unless(buffer != nullptr, "picture %u has not come", seed);
  assert_inverted(buffer, gray(), seed, flags, xor_with);
  gst_buffer_unref(buffer);
}

GstBuffer *timed_buffer(unsigned seed) {
  GstBuffer *buffer = system_buffer(gray(), seed);
  GST_BUFFER_PTS(buffer) = (seed - 1) * GST_SECOND / 25;
  GST_BUFFER_DURATION(buffer) = GST_SECOND / 25;
  return buffer;
}

void done() {
  assert_clean();
  assert_nothing_lives();
}

// Frames through a line with elements a and b of ours, which take them from one to the other
// without a copy and without a wait of a's; all are on their way before the first is looked at.
void check_between(const std::string &elements) {
  constexpr unsigned kFrames = 6;
  Line line(elements, kSystemGray, kCudaGray);
  line.start();
  for (unsigned seed = 1; seed <= kFrames; seed++)
    line.push(timed_buffer(seed));
  line.end();
  GstElement *a = line.element("a"), *b = line.element("b");
  fail_unless(eventually([b] { return stat(b, "frames") >= kFrames; }), "%s", elements.c_str());
  fail_unless_equals_uint64(stat(a, "synchronizations"), 0);
  fail_unless_equals_uint64(stat(b, "synchronizations"), 0);
  fail_unless_equals_uint64(stat(a, "downloads") + stat(b, "uploads"), 0);
  for (unsigned seed = 1; seed <= kFrames; seed++)
    check_frame(line.pull(), seed, 0);
  fail_unless(line.errors().empty());
}

}  // namespace

GST_START_TEST(elements_between) {
  for (const char *between : {
           "videoconvert",
           "videoscale",
           "videorate",
           "queue ! identity ! valve ! capsfilter ! videoconvert ! queue",
           "tee ! queue max-size-buffers=1",
           "queue2",
           "output-selector",
           "input-selector",
       }) {
    check_between(std::string("coalesceinvert name=a delay=20 ! " CUDA_CAPS " ! ") + between +
                  " ! " CUDA_CAPS " ! coalesceinvert name=b");
    done();
  }
}
GST_END_TEST

// Where an element in between works on the CPU, the frame is downloaded for it, and comes back.
GST_START_TEST(converted_between) {
  Line line(
      "coalesceinvert name=a delay=20 backend=cuda ! videoconvert ! video/x-raw,format=I420 ! "
      "videoconvert ! video/x-raw,format=GRAY8 ! coalesceinvert name=b",
      kSystemGray, kCudaGray);
  line.start();
  for (unsigned seed = 1; seed <= 4; seed++)
    line.push(timed_buffer(seed));
  for (unsigned seed = 1; seed <= 4; seed++)
    check_frame(line.pull(), seed, 0);
  fail_unless_equals_uint64(stat(line.element("a"), "downloads"), 4);
  fail_unless_equals_uint64(stat(line.element("b"), "uploads"), 4);
}
GST_END_TEST

// One buffer, still in flight, more than once.
GST_START_TEST(repeated_frames) {
  Line line("coalesceinvert name=a delay=100 ! " CUDA_CAPS " ! videorate ! " CUDA_CAPS
            ",framerate=75/1 ! coalesceinvert name=b",
            kSystemGray, CUDA_CAPS);
  line.start();
  constexpr unsigned kFrames = 4;
  for (unsigned seed = 1; seed <= kFrames; seed++)
    line.push(timed_buffer(seed));
  line.end();
  unsigned frames = 0, seed = 1;
  while (GstBuffer *buffer = line.pull()) {
    if (!wrong_inverted(buffer, gray(), seed, GST_MAP_READ, 0).empty()) seed++;
    check_frame(buffer, seed, 0);
    frames++;
  }
  fail_unless_equals_int(seed, kFrames);
  fail_unless(frames > 2 * kFrames, "only %u frames", frames);
}
GST_END_TEST

// An application takes frames in a thread of its own and maps them for CUDA.
GST_START_TEST(appsink_maps_for_cuda) {
  Line line("coalesceinvert name=a delay=200", kSystemGray, kCudaGray);
  line.start();
  for (unsigned seed = 1; seed <= 4; seed++)
    line.push(timed_buffer(seed));
  for (unsigned seed = 1; seed <= 4; seed++) {
    GstBuffer *buffer = line.pull();
    fail_unless(is_cuda(buffer));
    check_frame(buffer, seed, 0xFF, seed % 2 ? kForeignCuda : int(GST_MAP_READ));
  }
  // Waiting for a frame is waiting for those before it.
  const guint64 waits = stat(line.element("a"), "synchronizations");
  fail_unless(waits >= 1 && waits <= 4, "%u waits", unsigned(waits));
}
GST_END_TEST

static GstPadProbeReturn look(GstPad *, GstPadProbeInfo *info, gpointer data) {
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  const int flags = GST_BUFFER_OFFSET(buffer) % 2 ? kForeignCuda : int(GST_MAP_READ);
  *static_cast<std::string *>(data) +=
      wrong_inverted(buffer, gray(), unsigned(GST_BUFFER_OFFSET(buffer)), flags);
  return GST_PAD_PROBE_OK;
}

// A probe looks between two of our elements; what goes on is untouched by that.
GST_START_TEST(probe_between) {
  Line line("coalesceinvert name=a delay=50 ! " CUDA_CAPS " ! coalesceinvert name=b", kSystemGray,
            kCudaGray);
  std::string wrong;
  GstPad *pad = gst_element_get_static_pad(line.element("b"), "sink");
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, look, &wrong, nullptr);
  gst_object_unref(pad);
  line.start();
  for (unsigned seed = 1; seed <= 6; seed++) {
    GstBuffer *buffer = timed_buffer(seed);
    GST_BUFFER_OFFSET(buffer) = seed;
    line.push(buffer);
  }
  for (unsigned seed = 1; seed <= 6; seed++)
    check_frame(line.pull(), seed, 0);
  fail_unless(wrong.empty(), "%s", wrong.c_str());
  fail_unless_equals_uint64(stat(line.element("a"), "synchronizations"), 6);
  fail_unless_equals_uint64(stat(line.element("b"), "uploads"), 0);
}
GST_END_TEST

// Puts `next` in the place of the element "b", with frames that it made and took in flight.
static void replace(const Line &line, const char *next) {
  // Else the pipeline's own state change could start the old element again.
  fail_unless_equals_int(gst_element_get_state(line.pipeline(), nullptr, nullptr, 10 * GST_SECOND),
                         GST_STATE_CHANGE_SUCCESS);
  GstElement *from = line.element("from"), *to = line.element("to");
  GstElement *old = line.element("b");
  struct Call {
    GstElement *pipeline, *from, *to, *old, *made;
    bool done = false;
  } call{line.pipeline(), from, to, old, gst_parse_launch(next, nullptr)};
  GstPad *pad = gst_element_get_static_pad(from, "src");
  gst_pad_add_probe(
      pad, GST_PAD_PROBE_TYPE_IDLE,
      [](GstPad *, GstPadProbeInfo *, gpointer data) {
        auto *c = static_cast<Call *>(data);
        gst_element_unlink_many(c->from, c->old, c->to, nullptr);
        gst_element_set_state(c->old, GST_STATE_NULL);
        gst_bin_remove(GST_BIN(c->pipeline), c->old);
        gst_object_set_name(GST_OBJECT(c->made), "b");
        gst_bin_add(GST_BIN(c->pipeline), c->made);
        c->done = gst_element_link_many(c->from, c->made, c->to, nullptr) &&
                  gst_element_sync_state_with_parent(c->made);
        return GST_PAD_PROBE_REMOVE;
      },
      &call, nullptr);
  gst_object_unref(pad);
  fail_unless(eventually([&call] { return call.done; }), "%s", next);
}

GST_START_TEST(downstream_is_replaced) {
  Line line("coalesceinvert name=a delay=100 ! capsfilter name=from caps=" CUDA_CAPS
            " ! coalesceinvert name=b delay=20 ! capsfilter name=to caps=" CUDA_CAPS,
            kSystemGray, kCudaGray);
  line.start();
  std::vector<GstBuffer *> outputs;
  std::vector<guint8> inverted;
  const struct {
    const char *next;
    guint8 xor_with;
  } steps[] = {{"identity", 0xFF},
               {"coalesceinvert delay=30", 0},
               {"coalesceinvert delay=10 cuda-device-id=0", 0},
               {"valve", 0xFF},
               {"coalesceinvert", 0}};
  guint8 xor_now = 0;
  for (const auto &step : steps) {
    for (int i = 0; i < 3; i++) {
      line.push(timed_buffer(unsigned(outputs.size()) + 1));
      outputs.push_back(line.pull());
      inverted.push_back(xor_now);
    }
    replace(line, step.next);
    xor_now = step.xor_with;
  }
  for (unsigned i = 0; i < outputs.size(); i++)
    check_frame(outputs[i], i + 1, inverted[i]);
  fail_unless(line.errors().empty());
}
GST_END_TEST

// Two elements in two contexts, on one GPU and on two. The second follows the first's buffers
// unless it was told another GPU: then they are copied, and the first's fence is waited for.
GST_START_TEST(two_contexts) {
  const struct {
    guint first, second;
    const char *more;
    bool copied;
  } cases[] = {{0, 0, "", false},
               {0, 1, "", false},
               {0, 0, "cuda-device-id=0", false},
               {0, 1, "cuda-device-id=1", true},
               {1, 0, "cuda-device-id=0", true}};
  for (const auto &c : cases) {
    GstCudaContext *first = new_context(c.first), *second = new_context(c.second);
    {
      Bench a("coalesceinvert delay=100");
      Bench b((std::string("coalesceinvert delay=100 ") + c.more).c_str());
      give_context(a.element(), first);
      give_context(b.element(), second);
      a.negotiate(kSystemGray, kCudaGray);
      b.negotiate(kCudaGray, kCudaGray);
      for (unsigned seed = 1; seed <= 5; seed++) {
        fail_unless_equals_int(a.push(timed_buffer(seed)), GST_FLOW_OK);
        fail_unless_equals_int(b.push(a.pull()), GST_FLOW_OK);
      }
      fail_unless_equals_uint64(stat(b.element(), "uploads"), c.copied ? 5 : 0);
      fail_unless_equals_uint64(stat(a.element(), "synchronizations"), c.copied ? 5 : 0);
      for (unsigned seed = 1; seed <= 5; seed++) {
        GstBuffer *output = b.pull();
        fail_unless(GST_CUDA_MEMORY_CAST(gst_buffer_peek_memory(output, 0))->context ==
                    (c.copied ? second : first));
        check_frame(output, seed, 0);
      }
    }
    gst_object_unref(first);
    gst_object_unref(second);
    done();
  }
}
GST_END_TEST

// One frame for branches of ours on two GPUs, a foreign one, and an application.
GST_START_TEST(tee_to_two_gpus) {
  Line line("coalesceinvert name=a delay=50 cuda-device-id=0 ! " CUDA_CAPS
            " ! tee name=t  t. ! queue ! coalesceinvert name=b cuda-device-id=0 ! " CUDA_CAPS
            " ! fakesink  t. ! queue ! coalesceinvert cuda-device-id=1 ! " CUDA_CAPS
            " ! appsink name=other async=false sync=false  t. ! queue",
            kSystemGray, kCudaGray);
  line.start();
  for (unsigned seed = 1; seed <= 5; seed++)
    line.push(timed_buffer(seed));
  for (unsigned seed = 1; seed <= 5; seed++) {
    check_frame(line.pull(), seed, 0xFF);
    check_frame(line.pull("other"), seed, 0);
  }
  fail_unless(line.errors().empty());
}
GST_END_TEST

// The other way round, planted: whoever maps with our private flag and reads before the fence, or
// writes into a frame that a neighbour still reads, must be seen by these tests, or they prove
// nothing.
GST_START_TEST(detects_reading_before_the_fence) {
  Line line("coalesceinvert name=a delay=2000", kSystemGray, kCudaGray);
  line.start();
  line.push(timed_buffer(1));
  GstBuffer *buffer = line.pull();
  fail_if(wrong_inverted(buffer, gray(), 1, kForeignCuda | MAP_FENCED).empty());
  check_frame(buffer, 1, 0xFF);
}
GST_END_TEST

GST_START_TEST(detects_writing_before_the_reader) {
  Bench bench("coalesceinvert delay=2000");
  bench.negotiate(kCudaGray, kCudaGray);
  GstBufferPool *pool = proposed_pool(bench.harness(), kCudaGray.c_str());
  GstBuffer *input = pool_buffer(pool, gray(), 1);
  fail_unless_equals_int(bench.push(gst_buffer_ref(input)), GST_FLOW_OK);
  GstMapInfo map;
  // GStreamer itself refuses to map the buffer so, as it has two owners; its memory does not.
  GstMemory *memory = gst_buffer_peek_memory(input, 0);
  fail_unless(gst_memory_map(memory, &map, GstMapFlags(kForeignCuda | GST_MAP_WRITE)));
  map.data[0] ^= 1;
  gst_memory_unmap(memory, &map);
  gst_buffer_unref(input);
  GstBuffer *output = bench.pull();
  fail_if(wrong_inverted(output, gray(), 1).empty());
  gst_buffer_unref(output);
  drop_pool(pool);
}
GST_END_TEST

static Suite *neighbours_suite() {
  register_elements();
  Suite *suite = suite_create("neighbours");
  TCase *tests = tcase_create("neighbours");
  suite_add_tcase(suite, tests);
  // Each of them, whatever it counts itself.
  tcase_add_checked_fixture(tests, nullptr, done);
  tcase_add_test(tests, elements_between);
  tcase_add_test(tests, converted_between);
  tcase_add_test(tests, repeated_frames);
  tcase_add_test(tests, appsink_maps_for_cuda);
  tcase_add_test(tests, probe_between);
  tcase_add_test(tests, downstream_is_replaced);
  tcase_add_test(tests, two_contexts);
  tcase_add_test(tests, tee_to_two_gpus);
  tcase_add_test(tests, detects_reading_before_the_fence);
  tcase_add_test(tests, detects_writing_before_the_reader);
  return suite;
}
GST_CHECK_MAIN(neighbours)
