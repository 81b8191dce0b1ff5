// SPDX-License-Identifier: LGPL-2.1-or-later
// What stands between two of our elements, or behind them, and is not ours: elements that hand
// buffers on, keep or repeat them, probes that look, a downstream that is replaced. Everyone sees
// the right picture, and ours do not wait.
#include "../gray.h"

using namespace simulated;
using namespace coalesce::gst;

namespace {

#define CUDA_CAPS "video/x-raw(memory:CUDAMemory)"

// Frames through a line with elements a and b of ours, which take them from one to the other
// without a copy and without a wait of a's; all are on their way before the first is looked at.
// They are no more than a can upload before it has to wait.
void check_between(const std::string &elements) {
  constexpr unsigned kFrames = 3;
  Line line(elements, kSystemGray, kCudaGray);
  line.start();
  for (unsigned seed = 1; seed <= kFrames; seed++)
    line.push(timed_buffer(seed));
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

static GstPadProbeReturn look(GstPad *, GstPadProbeInfo *info, gpointer data) {
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  const int flags = GST_BUFFER_OFFSET(buffer) % 2 ? kForeignCuda : int(GST_MAP_READ);
  *static_cast<std::string *>(data) +=
      wrong_inverted(buffer, gray(), unsigned(GST_BUFFER_OFFSET(buffer)), flags);
  return GST_PAD_PROBE_OK;
}

// A probe looks between two of our elements; what goes on is untouched by that.
GST_START_TEST(probe_between) {
  Line line("coalesceinvert name=a delay=2000 ! " CUDA_CAPS " ! coalesceinvert name=b", kSystemGray,
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
  fail_unless_equals_int(gst_element_get_state(line.get(), nullptr, nullptr, 120 * GST_SECOND),
                         GST_STATE_CHANGE_SUCCESS);
  GstElement *from = line.element("from"), *to = line.element("to");
  GstElement *old = line.element("b");
  struct Call {
    GstElement *pipeline, *from, *to, *old, *made;
    bool done = false;
  } call{line.get(), from, to, old, gst_parse_launch(next, nullptr)};
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

static Suite *neighbours_suite() {
  register_elements();
  Suite *suite = suite_create("neighbours");
  TCase *tests = new_case(suite, "neighbours");
  tcase_add_checked_fixture(tests, nullptr, done);
  tcase_add_test(tests, elements_between);
  tcase_add_test(tests, converted_between);
  tcase_add_test(tests, repeated_frames);
  tcase_add_test(tests, probe_between);
  tcase_add_test(tests, downstream_is_replaced);
  tcase_add_test(tests, tee_to_two_gpus);
  return suite;
}
SIMULATED_MAIN(neighbours)
