// SPDX-License-Identifier: LGPL-2.1-or-later
// Which CUDA context an element works in, and where it comes from.
#include <cstring>

#include "../../support/elements/log.h"
#include "../luma.h"

using namespace simulated;

namespace {

guint device_of(GstCudaContext *context) {
  guint device = G_MAXUINT;
  g_object_get(context, "cuda-device-id", &device, nullptr);
  return device;
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
      bus, 120 * GST_SECOND, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
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

namespace {

// The context of the frames of one run.
GstCudaContext *context_of_a_run(Bench &bench, unsigned seed) {
  gst_element_set_state(bench.element(), GST_STATE_PLAYING);
  bench.negotiate(in_caps(kSystem), out_caps());
  GstCudaContext *context = pass(bench, system_buffer(in_info(), seed), seed);
  gst_element_set_state(bench.element(), GST_STATE_NULL);
  return context;
}

GstCudaContext *context_of_a_run(GstElement *pipeline) {
  GstElement *sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  gst_element_set_state(pipeline, GST_STATE_PAUSED);
  gst_element_get_state(pipeline, nullptr, nullptr, 120 * GST_SECOND);
  GstSample *sample = nullptr;
  g_object_get(sink, "last-sample", &sample, nullptr);
  fail_unless(sample != nullptr);
  GstCudaContext *context = context_of(gst_sample_get_buffer(sample));
  gst_sample_unref(sample);
  gst_object_unref(sink);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  return context;
}

}  // namespace

// While the element is stopped, the last context that it is given is the next run's.
GST_START_TEST(given_another_between_runs) {
  GstCudaContext *contexts[] = {new_context(0), new_context(1), new_context(0)};
  {
    Bench bench("uyvy2y");
    gst_element_set_state(bench.element(), GST_STATE_NULL);
    unsigned seed = 1;
    for (GstCudaContext *before : contexts)
      for (GstCudaContext *context : contexts) {
        for (GstState in_between : {GST_STATE_NULL, GST_STATE_READY}) {
          give_context(bench.element(), before);
          gst_element_set_state(bench.element(), in_between);
          give_context(bench.element(), context);
          fail_unless(context_of_a_run(bench, seed++) == context);
        }
      }
    fail_unless(bench.errors().empty());
  }
  for (GstCudaContext *context : contexts)
    gst_object_unref(context);
  done();
}
GST_END_TEST

// The same in a pipeline, which may have a context too, and hands it to its elements when it
// starts.
GST_START_TEST(given_another_in_a_pipeline) {
  GstCudaContext *one = new_context(0), *other = new_context(1);
  GstElement *pipeline = gst_parse_launch(
      "videotestsrc num-buffers=2 ! video/x-raw,format=UYVY,width=64,height=6 ! "
      "bin.( uyvy2y name=luma backend=cuda ) ! video/x-raw(memory:CUDAMemory) ! fakesink name=sink",
      nullptr);
  GstElement *luma = gst_bin_get_by_name(GST_BIN(pipeline), "luma");
  // The element makes one, which the pipeline remembers.
  const GstCudaContext *own = context_of_a_run(pipeline);
  fail_unless(own != one && own != other);
  for (GstCudaContext *context : {one, other}) {
    give_context(luma, context);
    fail_unless(context_of_a_run(pipeline) == context);
  }
  for (GstCudaContext *context : {one, other, one}) {
    give_context(pipeline, context);
    for (int run = 0; run < 2; run++)
      fail_unless(context_of_a_run(pipeline) == context);
  }
  give_context(pipeline, one);
  give_context(pipeline, other);
  fail_unless(context_of_a_run(pipeline) == other);
  give_context(pipeline, other);
  give_context(luma, one);
  fail_unless(context_of_a_run(pipeline) == one);
  gst_object_unref(luma);
  drop_pipeline(pipeline);
  gst_object_unref(one);
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
    const std::string error = start_error(element).text;
    for (const char *part : {"cuda-device-id=99", "2 CUDA devices"})
      fail_unless(error.find(part) != std::string::npos, "%s", error.c_str());
    gst_object_unref(element);
  }
  done();
}
GST_END_TEST

static gpointer start_and_stop(gpointer pipeline) {
  for (int i = 0; i < 20; i++) {
    gst_element_set_state(GST_ELEMENT(pipeline), GST_STATE_PAUSED);
    gst_element_get_state(GST_ELEMENT(pipeline), nullptr, nullptr, 120 * GST_SECOND);
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

#if !defined(GST_DISABLE_GST_DEBUG)
// Of two elements with CUDA memory between them: each decision is a line, and each frame's stream
// and transfer one at a higher level.
GST_START_TEST(log_of_decisions) {
  {
    const Log log("coalesce*", GST_LEVEL_LOG);
    Bench bench(
        "uyvy2y backend=cuda ! video/x-raw(memory:CUDAMemory) ! sepconvolve preset=box "
        "backend=cuda");
    bench.negotiate(in_caps(kSystem), out_caps(kSystem));
    drop_pool(proposed_pool(bench.harness(), in_caps(kSystem).c_str()));
    for (unsigned seed : {1, 2}) {
      fail_unless_equals_int(bench.push(system_buffer(in_info(), seed)), GST_FLOW_OK);
      gst_buffer_unref(bench.pull());
    }
    log.expect({"context of a neighbour, the application or its own: ", "cudacontext"});
    log.expect({"uses ", "cuda-device-id 0"});
    log.expect({"backend=cuda works on ", "input in system memory, output in CUDA memory"});
    log.expect({"backend=cuda works on ", "input in CUDA memory, output in system memory"});
    log.expect({"chooses video/x-raw(memory:CUDAMemory)", "the peer's caps name CUDA memory"});
    log.expect({"CUDA memory of ",
                "bytes a frame of video/x-raw(memory:CUDAMemory), format=(string)GRAY8"});
    log.expect({"offers upstream page-locked memory for "});
    log.expect({"output frames come from a pool of CUDA memory"});
    log.expect({"downloads into page-locked memory, unless"});
    for (const char *user : {"frames", "uploads", "downloads"})
      log.expect({(std::string("a stream for ") + user).c_str()});
    log.expect({"works in a stream of its own"});
    log.expect({"works in the stream that wrote the input"});
    log.expect({"uploads through page-locked memory"});
    log.expect({"staging buffers for uploads: 2, of 768 bytes"});
    for (const Log::Line &line : log.lines())
      fail_unless(line.level >= GST_LEVEL_LOG || line.text.find("works in ") == std::string::npos,
                  "%s", line.text.c_str());
  }
  done();
}
GST_END_TEST
#endif

static Suite *contexts_suite() {
  Suite *suite = suite_create("contexts");
  TCase *tests = new_case(suite, "contexts");
  tcase_add_test(tests, from_the_application);
  tcase_add_test(tests, need_context_is_heard);
  tcase_add_test(tests, given_and_never_started);
  tcase_add_test(tests, own_context_is_announced);
  tcase_add_test(tests, selects_the_device);
  tcase_add_test(tests, device_chosen_after_a_context);
  tcase_add_test(tests, given_another_between_runs);
  tcase_add_test(tests, given_another_in_a_pipeline);
  tcase_add_test(tests, wrong_context_is_refused);
  tcase_add_test(tests, no_such_device);
  tcase_add_test(tests, simultaneous_starts);
#if !defined(GST_DISABLE_GST_DEBUG)
  if (!small_run()) tcase_add_test(tests, log_of_decisions);
#endif
  return suite;
}
SIMULATED_MAIN(contexts)
