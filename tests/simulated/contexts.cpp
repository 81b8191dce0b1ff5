// SPDX-License-Identifier: LGPL-2.1-or-later
// Which CUDA context an element works in, where it comes from, and buffers of another one.
#include <cstring>

#include "support.h"

using namespace simulated;

namespace {

constexpr int kWidth = 64, kHeight = 6;

GstVideoInfo in_info() {
  return video_info(GST_VIDEO_FORMAT_UYVY, kWidth, kHeight);
}
GstVideoInfo out_info() {
  return video_info(GST_VIDEO_FORMAT_GRAY8, kWidth, kHeight);
}
std::string in_caps(const char *memory = kCuda) {
  return video_caps(memory, "UYVY", kWidth, kHeight);
}
std::string out_caps(const char *memory = kCuda) {
  return video_caps(memory, "GRAY8", kWidth, kHeight);
}

GstCudaContext *context_of(GstBuffer *buffer) {
  return GST_CUDA_MEMORY_CAST(gst_buffer_peek_memory(buffer, 0))->context;
}

guint device_of(GstCudaContext *context) {
  guint device = G_MAXUINT;
  g_object_get(context, "cuda-device-id", &device, nullptr);
  return device;
}

// Pushes a picture and looks at what comes out; returns the context of the output, not referenced.
GstCudaContext *pass(Bench &bench, GstBuffer *input, unsigned seed) {
  fail_unless_equals_int(bench.push(input), GST_FLOW_OK);
  GstBuffer *output = bench.pull();
  assert_luma(output, out_info(), GST_VIDEO_FORMAT_UYVY, seed);
  GstCudaContext *context = is_cuda(output) ? context_of(output) : nullptr;
  gst_buffer_unref(output);
  return context;
}

void done() {
  assert_clean();
  assert_nothing_lives();
}

// The CUDA context a pad answers a context query with; a reference, or nullptr.
GstCudaContext *asked(GstElement *element, const char *pad_name) {
  GstQuery *query = gst_query_new_context(GST_CUDA_CONTEXT_TYPE);
  GstPad *pad = gst_element_get_static_pad(element, pad_name);
  GstCudaContext *result = nullptr;
  GstContext *answer = nullptr;
  if (gst_pad_query(pad, query)) gst_query_parse_context(query, &answer);
  if (answer != nullptr)
    gst_structure_get(gst_context_get_structure(answer), GST_CUDA_CONTEXT_TYPE,
                      GST_TYPE_CUDA_CONTEXT, &result, nullptr);
  gst_object_unref(pad);
  gst_query_unref(query);
  return result;
}

}  // namespace

GST_START_TEST(from_the_application) {
  GstCudaContext *context = new_context();
  {
    Bench bench("uyvy2y");
    give_context(bench.element(), context);
    bench.negotiate(in_caps(kSystem), out_caps());
    fail_unless(pass(bench, system_buffer(in_info(), 1), 1) == context);
    fail_unless_equals_uint64(counts().contexts_live, 1);
    for (const char *pad : {"sink", "src"}) {
      GstCudaContext *answer = asked(bench.element(), pad);
      fail_unless(answer == context);
      gst_object_unref(answer);
    }
  }
  gst_object_unref(context);
  done();
}
GST_END_TEST

// The bus handler of an application that keeps one context for everything.
GST_START_TEST(need_context_is_heard) {
  GstCudaContext *context = new_context();
  GstElement *pipeline = gst_parse_launch(
      "videotestsrc num-buffers=2 ! video/x-raw,format=UYVY,width=64,height=6 ! "
      "uyvy2y backend=cuda ! fakesink",
      nullptr);
  GstBus *bus = gst_element_get_bus(pipeline);
  gst_bus_set_sync_handler(
      bus,
      [](GstBus *, GstMessage *message, gpointer data) {
        const gchar *type = nullptr;
        if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_NEED_CONTEXT &&
            gst_message_parse_context_type(message, &type) &&
            strcmp(type, GST_CUDA_CONTEXT_TYPE) == 0)
          give_context(GST_ELEMENT(GST_MESSAGE_SRC(message)), static_cast<GstCudaContext *>(data));
        return GST_BUS_PASS;
      },
      context, nullptr);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstMessage *message = gst_bus_timed_pop_filtered(
      bus, 10 * GST_SECOND, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  fail_unless(message && GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS);
  gst_message_unref(message);
  fail_unless_equals_uint64(counts().contexts, 1);
  gst_object_unref(bus);
  drop_pipeline(pipeline);
  gst_object_unref(context);
  done();
}
GST_END_TEST

// An element that was given a context and never used lets go of it.
GST_START_TEST(given_and_never_started) {
  GstCudaContext *context = new_context();
  GstElement *element =
      GST_ELEMENT(gst_object_ref_sink(gst_element_factory_make("uyvy2y", nullptr)));
  give_context(element, context);
  gst_object_unref(context);
  fail_unless_equals_uint64(counts().contexts_live, 1);
  gst_object_unref(element);
  done();
}
GST_END_TEST

// Without anyone else's, one is made, and the rest of the pipeline is told.
GST_START_TEST(own_context_is_announced) {
  GstElement *pipeline =
      gst_parse_launch("uyvy2y name=a backend=cuda uyvy2y name=b backend=cuda", nullptr);
  GstBus *bus = gst_element_get_bus(pipeline);
  gst_element_set_state(pipeline, GST_STATE_PAUSED);
  GstMessage *message = gst_bus_pop_filtered(bus, GST_MESSAGE_HAVE_CONTEXT);
  fail_unless(message != nullptr);
  gst_message_unref(message);
  fail_unless_equals_uint64(counts().contexts, 1);
  gst_object_unref(bus);
  drop_pipeline(pipeline);
  done();
}
GST_END_TEST

// Any device will do: the element goes where the buffers are, in the middle of the stream, again
// and again, and leaves nothing behind.
GST_START_TEST(follows_the_buffers) {
  GstCudaContext *contexts[] = {new_context(0), new_context(0), new_context(1)};
  {
    Bench bench("uyvy2y");
    give_context(bench.element(), contexts[0]);
    bench.negotiate(in_caps(), out_caps());
    for (unsigned seed = 1; seed <= 12; seed++) {
      GstCudaContext *theirs = contexts[seed / 2 % 3];
      fail_unless(pass(bench, plain_cuda_buffer(theirs, in_info(), seed), seed) == theirs);
      GstCudaContext *answer = asked(bench.element(), "src");
      fail_unless(answer == theirs);
      gst_object_unref(answer);
    }
    fail_unless_equals_uint64(stat(bench.element(), "uploads"), 0);
    // One stream for each element, however often it moved.
    fail_unless_equals_uint64(counts().streams_live, 1);
    fail_unless(bench.errors().empty());
  }
  for (GstCudaContext *context : contexts)
    gst_object_unref(context);
  done();
}
GST_END_TEST

// A frame still in flight in the old context when the element moves on.
GST_START_TEST(moves_with_frames_in_flight) {
  GstCudaContext *one = new_context(0), *other = new_context(1);
  {
    Bench bench("uyvy2y");
    give_context(bench.element(), one);
    bench.negotiate(in_caps(), out_caps());
    for (unsigned seed = 1; seed <= 4; seed++)
      fail_unless_equals_int(bench.push(plain_cuda_buffer(seed % 2 ? one : other, in_info(), seed)),
                             GST_FLOW_OK);
    for (unsigned seed = 1; seed <= 4; seed++) {
      GstBuffer *output = bench.pull();
      fail_unless(context_of(output) == (seed % 2 ? one : other));
      assert_luma(output, out_info(), GST_VIDEO_FORMAT_UYVY, seed);
      gst_buffer_unref(output);
    }
  }
  gst_object_unref(one);
  gst_object_unref(other);
  done();
}
GST_END_TEST

// What the element needs in the new context cannot be had: one error, and no frame after it.
GST_START_TEST(cannot_move) {
  constexpr FakecudaFunction kNeeded[] = {FAKECUDA_STREAM_CREATE, FAKECUDA_EVENT_CREATE,
                                          FAKECUDA_ALLOC_PITCH, FAKECUDA_LAUNCH};
  for (FakecudaFunction needed : kNeeded) {
    for (const char *out : {kCuda, kSystem}) {
      GstCudaContext *one = new_context(0), *other = new_context(1);
      GstBuffer *moved[] = {plain_cuda_buffer(other, in_info(), 2),
                            plain_cuda_buffer(one, in_info(), 3)};
      Bench bench("uyvy2y");
      give_context(bench.element(), one);
      bench.negotiate(in_caps(), out_caps(out));
      pass(bench, plain_cuda_buffer(one, in_info(), 1), 1);
      fakecuda_fail(needed, 1, 2);
      for (GstBuffer *buffer : moved)
        fail_unless_equals_int(bench.push(buffer), GST_FLOW_ERROR);
      gst_harness_push_event(bench.harness(), gst_event_new_eos());
      fail_unless_equals_int(bench.errors().size(), 1);
      fail_unless_equals_uint64(gst_harness_buffers_in_queue(bench.harness()), 0);
      gst_object_unref(one);
      gst_object_unref(other);
    }
    fakecuda_reset_faults();
    done();
  }
}
GST_END_TEST

// The user named the device: buffers of another one are copied, and counted.
GST_START_TEST(fixed_device_copies) {
  GstCudaContext *own = new_context(0), *other = new_context(1);
  for (const char *out : {kCuda, kSystem}) {
    Bench bench("uyvy2y cuda-device-id=0");
    give_context(bench.element(), own);
    bench.negotiate(in_caps(), out_caps(out));
    for (unsigned seed = 1; seed <= 6; seed++) {
      GstBuffer *input = plain_cuda_buffer(seed % 2 ? own : other, in_info(), seed);
      GstCudaContext *context = pass(bench, input, seed);
      fail_unless(context == (out == kCuda ? own : nullptr));
      fail_unless_equals_uint64(stat(bench.element(), "uploads"), seed / 2);
    }
    fail_unless_equals_uint64(stat(bench.element(), "frames"), 6);
  }
  gst_object_unref(own);
  gst_object_unref(other);
  done();
}
GST_END_TEST

GST_START_TEST(selects_the_device) {
  for (guint device : {0u, 1u}) {
    const std::string launch = "uyvy2y backend=cuda cuda-device-id=" + std::to_string(device);
    Bench bench(launch.c_str());
    bench.negotiate(in_caps(kSystem), out_caps());
    fail_unless_equals_int(bench.push(system_buffer(in_info(), 1)), GST_FLOW_OK);
    GstBuffer *output = bench.pull();
    fail_unless_equals_int(device_of(context_of(output)), device);
    gst_buffer_unref(output);
  }
  done();
}
GST_END_TEST

// A context that came before the property said which device.
GST_START_TEST(device_chosen_after_a_context) {
  GstCudaContext *other = new_context(0);
  {
    Bench bench("uyvy2y");
    gst_element_set_state(bench.element(), GST_STATE_NULL);
    give_context(bench.element(), other);
    g_object_set(bench.element(), "cuda-device-id", 1, nullptr);
    gst_element_set_state(bench.element(), GST_STATE_PLAYING);
    bench.negotiate(in_caps(kSystem), out_caps());
    fail_unless_equals_int(bench.push(system_buffer(in_info(), 1)), GST_FLOW_OK);
    GstBuffer *output = bench.pull();
    fail_unless_equals_int(device_of(context_of(output)), 1);
    gst_buffer_unref(output);
  }
  gst_object_unref(other);
  done();
}
GST_END_TEST

// A context for another device than the one that was asked for is not taken.
GST_START_TEST(wrong_context_is_refused) {
  GstCudaContext *other = new_context(1);
  {
    Bench bench("uyvy2y cuda-device-id=0");
    give_context(bench.element(), other);
    bench.negotiate(in_caps(kSystem), out_caps());
    GstCudaContext *context = pass(bench, system_buffer(in_info(), 1), 1);
    fail_unless(context != other && device_of(context) == 0);
  }
  gst_object_unref(other);
  done();
}
GST_END_TEST

GST_START_TEST(no_such_device) {
  for (const char *launch : {"uyvy2y backend=cuda cuda-device-id=99", "uyvy2y cuda-device-id=99"}) {
    GstElement *element = gst_parse_launch(launch, nullptr);
    gst_object_ref_sink(element);
    const std::string error = start_error(element);
    for (const char *part : {"cuda-device-id=99", "2 CUDA devices"})
      fail_unless(error.find(part) != std::string::npos, "%s", error.c_str());
    gst_object_unref(element);
  }
  done();
}
GST_END_TEST

// A CUDA buffer under system caps, and a system buffer under CUDA caps.
GST_START_TEST(memory_is_not_what_the_caps_say) {
  GstCudaContext *context = new_context();
  for (const char *launch : {"uyvy2y", "uyvy2y backend=cuda", "uyvy2y backend=cpu"}) {
    for (const char *out : {kSystem, kCuda}) {
      if (out == kCuda && strstr(launch, "cpu")) continue;
      Bench bench(launch);
      give_context(bench.element(), context);
      bench.negotiate(in_caps(kSystem), out_caps(out));
      pass(bench, system_buffer(in_info(), 1), 1);
      pass(bench, plain_cuda_buffer(context, in_info(), 2), 2);
      pass(bench, system_buffer(in_info(), 3), 3);
      fail_unless(bench.errors().empty());
    }
  }
  for (const char *out : {kSystem, kCuda}) {
    Bench bench("uyvy2y");
    give_context(bench.element(), context);
    bench.negotiate(in_caps(kCuda), out_caps(out));
    pass(bench, plain_cuda_buffer(context, in_info(), 4), 4);
    pass(bench, system_buffer(in_info(), 5), 5);
    fail_unless_equals_uint64(stat(bench.element(), "uploads"), 1);
    fail_unless(bench.errors().empty());
  }
  gst_object_unref(context);
  done();
}
GST_END_TEST

static gpointer start_and_stop(gpointer pipeline) {
  for (int i = 0; i < 20; i++) {
    gst_element_set_state(GST_ELEMENT(pipeline), GST_STATE_PAUSED);
    gst_element_get_state(GST_ELEMENT(pipeline), nullptr, nullptr, 10 * GST_SECOND);
    gst_element_set_state(GST_ELEMENT(pipeline), GST_STATE_NULL);
  }
  return nullptr;
}

// Two pipelines, and two elements of one pipeline, ask for their contexts at the same time.
GST_START_TEST(simultaneous_starts) {
  constexpr const char *kLine =
      "videotestsrc ! video/x-raw,format=UYVY,width=64,height=6 ! tee name=t "
      "t. ! queue ! uyvy2y backend=cuda ! fakesink t. ! queue ! uyvy2y backend=cuda ! "
      "video/x-raw(memory:CUDAMemory) ! fakesink";
  GstElement *pipelines[] = {gst_parse_launch(kLine, nullptr), gst_parse_launch(kLine, nullptr)};
  GThread *threads[2];
  for (int i = 0; i < 2; i++)
    threads[i] = g_thread_new("start", start_and_stop, pipelines[i]);
  for (int i = 0; i < 2; i++) {
    g_thread_join(threads[i]);
    drop_pipeline(pipelines[i]);
  }
  done();
}
GST_END_TEST

static Suite *contexts_suite() {
  Suite *suite = suite_create("contexts");
  TCase *tests = tcase_create("contexts");
  suite_add_tcase(suite, tests);
  tcase_add_test(tests, from_the_application);
  tcase_add_test(tests, need_context_is_heard);
  tcase_add_test(tests, given_and_never_started);
  tcase_add_test(tests, own_context_is_announced);
  tcase_add_test(tests, follows_the_buffers);
  tcase_add_test(tests, moves_with_frames_in_flight);
  tcase_add_test(tests, cannot_move);
  tcase_add_test(tests, fixed_device_copies);
  tcase_add_test(tests, selects_the_device);
  tcase_add_test(tests, device_chosen_after_a_context);
  tcase_add_test(tests, wrong_context_is_refused);
  tcase_add_test(tests, no_such_device);
  tcase_add_test(tests, memory_is_not_what_the_caps_say);
  tcase_add_test(tests, simultaneous_starts);
  return suite;
}
GST_CHECK_MAIN(contexts)
