// SPDX-License-Identifier: LGPL-2.1-or-later
// Properties out of range, a GPU that is not there, and downstream's refusals.
#include "bad_cases.h"
#include "pipeline.h"

namespace test {
namespace {

const Size kSize{64, 48};

struct Bench {
  Owned<GstElement> element;
  Owned<GstBus> bus{gst_bus_new()};

  explicit Bench(const std::string &name)
      : element(GST_ELEMENT(gst_object_ref_sink(gst_element_factory_make(name.c_str(), nullptr)))) {
    gst_element_set_bus(element.get(), bus.get());
  }
  ~Bench() {
    gst_element_set_state(element.get(), GST_STATE_NULL);
    gst_element_set_bus(element.get(), nullptr);
  }
  void set(const char *property, const char *value) {
    gst_util_set_object_arg(G_OBJECT(element.get()), property, value);
  }
};

// The error that backend=cuda ends in where there is none, and nothing else.
void expect_no_gpu_error(GstBus *bus) {
  const MessageRef message(gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR));
  fail_unless(message != nullptr, "no error message");
  GError *error = nullptr;
  gst_message_parse_error(message.get(), &error, nullptr);
  fail_unless(error->domain == GST_RESOURCE_ERROR && error->code == GST_RESOURCE_ERROR_NOT_FOUND);
  const std::string text = error->message;
  g_error_free(error);
  fail_unless(contains(text, "No NVIDIA GPU can be used: "), "%s", text.c_str());
  // One of the ways in which there can be none, and the way out.
  fail_unless(contains(text, "no CUDA kernels") || contains(text, "libcuda.so.1") ||
                  contains(text, "could not be initialised") || contains(text, "no device"),
              "%s", text.c_str());
  fail_unless(contains(text, "backend=cpu"), "%s", text.c_str());
  fail_unless(MessageRef(gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR)) == nullptr,
              "a second error");
}

GST_START_TEST(cuda_without_a_gpu) {
  for (const char *device : {"-1", "0", "99"}) {
    Bench bench(element_name(__i__));
    bench.set("backend", "cuda");
    bench.set("cuda-device-id", device);
    for (int again = 0; again < 3; again++) {
      fail_unless_equals_int(gst_element_set_state(bench.element.get(), GST_STATE_PLAYING),
                             GST_STATE_CHANGE_FAILURE);
      expect_no_gpu_error(bench.bus.get());
      gst_element_set_state(bench.element.get(), GST_STATE_NULL);
    }
    bench.set("backend", "cpu");
    fail_unless_equals_int(gst_element_set_state(bench.element.get(), GST_STATE_PLAYING),
                           GST_STATE_CHANGE_SUCCESS);
    fail_unless(MessageRef(gst_bus_pop_filtered(bench.bus.get(), GST_MESSAGE_ERROR)) == nullptr);
  }
}
GST_END_TEST;

// In a pipeline too; and the same pipeline runs when told to use the CPU.
GST_START_TEST(pipeline_without_a_gpu) {
  Pipeline pipeline("videotestsrc num-buffers=3 ! capsfilter caps=\"" +
                    sink_caps(element_name(__i__), kSize) + "\" ! " + element_name(__i__) +
                    " name=subject backend=cuda ! fakesink name=sink");
  fail_unless_equals_int(gst_element_set_state(pipeline.get(), GST_STATE_PLAYING),
                         GST_STATE_CHANGE_FAILURE);
  fail_unless(contains(pipeline.take_error(), "No NVIDIA GPU can be used"));
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
  const Owned<GstElement> subject = pipeline.element("subject");
  gst_util_set_object_arg(G_OBJECT(subject.get()), "backend", "cpu");
  pipeline.set_state(GST_STATE_PLAYING);
  pipeline.wait_for_eos();
  fail_unless_equals_int(pipeline.buffers(), 3);
}
GST_END_TEST;

// backend=auto means that no GPU is needed, so its number does not matter either.
GST_START_TEST(device_id_without_a_gpu) {
  const std::string caps = sink_caps(element_name(__i__), kSize);
  for (const char *backend : {"auto", "cpu"}) {
    Harness harness(element_name(__i__), {{"backend", backend}, {"cuda-device-id", "99"}});
    fail_unless(harness.set_input(caps));
    fail_unless_equals_int(harness.push(random_frame(video_info(caps), {}, 1)), GST_FLOW_OK);
    harness.push_event(gst_event_new_eos());
    fail_unless_equals_int(harness.waiting(), 1);
    gint active = -1;
    g_object_get(harness.element(), "active-backend", &active, nullptr);
    fail_unless_equals_int(active, 1);
    harness.expect_no_error();
  }
}
GST_END_TEST;

GST_START_TEST(properties_out_of_range) {
  Bench bench(element_name(__i__));
  const struct {
    const char *name;
    gint value, kept;
  } cases[] = {{"n-threads", -1, 3},      {"n-threads", 1025, 3},
               {"cuda-device-id", -2, 5}, {"cuda-device-id", G_MININT, 5},
               {"backend", 3, 2},         {"backend", -1, 2}};
  g_object_set(bench.element.get(), "n-threads", 3, "cuda-device-id", 5, "backend", 2, nullptr);
  for (const auto &[name, value, kept] : cases) {
    // GLib says so itself (newer ones do not); the value stays what it was.
    _gst_check_expecting_log = TRUE;
    g_object_set(bench.element.get(), name, value, nullptr);
    _gst_check_expecting_log = FALSE;
    gint now = 77;
    g_object_get(bench.element.get(), name, &now, nullptr);
    fail_unless(now == kept, "%s: %d", name, now);
  }
  // Words that mean nothing.
  GError *error = nullptr;
  const std::string line = element_name(__i__) + " backend=quantum";
  Owned<GstElement> made(gst_parse_launch(line.c_str(), &error));
  if (made) gst_object_ref_sink(made.get());
  fail_unless(g_error_matches(error, GST_PARSE_ERROR, GST_PARSE_ERROR_COULD_NOT_SET_PROPERTY));
  g_clear_error(&error);
}
GST_END_TEST;

GST_START_TEST(properties_for_reading_only) {
  Bench bench(element_name(__i__));
  for (const char *name : {"stats", "active-backend"}) {
    const GParamSpec *p =
        g_object_class_find_property(G_OBJECT_GET_CLASS(bench.element.get()), name);
    fail_unless(p != nullptr && !(p->flags & G_PARAM_WRITABLE), "%s", name);
  }
}
GST_END_TEST;

// As many threads as may be asked for, on a frame of one row.
GST_START_TEST(more_threads_than_rows) {
  const std::string caps = sink_caps(element_name(__i__), {5, 1});
  Harness harness(element_name(__i__), {{"n-threads", "64"}});
  fail_unless(harness.set_input(caps));
  fail_unless_equals_int(harness.push(random_frame(video_info(caps), {}, 1)), GST_FLOW_OK);
}
GST_END_TEST;

GstFlowReturn answer;

// What downstream says goes up as it is, and is no error of this element.
GST_START_TEST(downstream_refusals) {
  const std::string caps = sink_caps(element_name(__i__), kSize);
  for (GstFlowReturn flow : {GST_FLOW_EOS, GST_FLOW_FLUSHING, GST_FLOW_ERROR,
                             GST_FLOW_NOT_NEGOTIATED, GST_FLOW_NOT_LINKED, GST_FLOW_CUSTOM_ERROR}) {
    Harness harness(element_name(__i__));
    fail_unless(harness.set_input(caps));
    answer = flow;
    gst_pad_set_chain_function(harness.from_element(),
                               [](GstPad *, GstObject *, GstBuffer *buffer) {
                                 gst_buffer_unref(buffer);
                                 return answer;
                               });
    // An element that holds frames back says so a few frames later.
    GstFlowReturn got = GST_FLOW_OK;
    for (guint32 n = 0; n < 64 && got == GST_FLOW_OK; n++)
      got = harness.push(random_frame(video_info(caps), {}, n));
    fail_unless(got == flow, "%s became %s", gst_flow_get_name(flow), gst_flow_get_name(got));
    harness.expect_no_error();
  }
}
GST_END_TEST;

// Downstream takes no caps that the element can make.
GST_START_TEST(downstream_wants_the_impossible) {
  const std::string caps = sink_caps(element_name(__i__), kSize);
  Harness harness(element_name(__i__));
  harness.accept("audio/x-raw");
  harness.set_input(caps);
  const GstFlowReturn flow = harness.push(random_frame(video_info(caps), {}, 1));
  fail_unless(flow == GST_FLOW_NOT_NEGOTIATED, "%s", gst_flow_get_name(flow));
}
GST_END_TEST;

// The application sees why nothing flows.
GST_START_TEST(unsupported_format_in_a_pipeline) {
  Pipeline pipeline(
      "appsrc name=input caps=\"video/x-raw, format=v216, width=64, height=48, framerate=25/1\" "
      "! " +
      element_name(__i__) + " ! fakesink name=sink");
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  GstBuffer *buffer = gst_buffer_new_allocate(nullptr, 64 * 48 * 4, nullptr);
  GstFlowReturn flow = GST_FLOW_OK;
  g_signal_emit_by_name(pipeline.element("input").get(), "push-buffer", buffer, &flow);
  gst_buffer_unref(buffer);
  std::string error;
  pipeline.wait_until([&] { return !(error = pipeline.take_error()).empty(); }, "an error");
  fail_unless(contains(error, "not-negotiated"), "%s", error.c_str());
}
GST_END_TEST;

}  // namespace

void add_bad_setup_cases(Suite *suite) {
  TCase *setup = new_case(suite, "setup");
  tcase_add_loop_test(setup, cuda_without_a_gpu, 0, n_elements());
  tcase_add_loop_test(setup, pipeline_without_a_gpu, 0, n_elements());
  tcase_add_loop_test(setup, device_id_without_a_gpu, 0, n_elements());
  tcase_add_loop_test(setup, properties_out_of_range, 0, n_elements());
  tcase_add_loop_test(setup, properties_for_reading_only, 0, n_elements());
  tcase_add_loop_test(setup, more_threads_than_rows, 0, n_elements());
  tcase_add_loop_test(setup, downstream_refusals, 0, n_elements());
  tcase_add_loop_test(setup, downstream_wants_the_impossible, 0, n_elements());
  tcase_add_loop_test(setup, unsupported_format_in_a_pipeline, 0, n_elements());
}

}  // namespace test
