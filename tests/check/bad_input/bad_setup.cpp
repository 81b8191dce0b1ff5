// SPDX-License-Identifier: LGPL-2.1-or-later
// Properties out of range, a GPU that is not there, and downstream's refusals.
#include "../../support/elements/pipeline.h"
#include "bad_cases.h"

namespace test {
namespace {

const Size kSize{64, 48};

Owned<GstElement> make(const std::string &name) {
  GstElement *element = gst_element_factory_make(name.c_str(), nullptr);
  fail_unless(element != nullptr);
  return Owned<GstElement>(GST_ELEMENT(gst_object_ref_sink(element)));
}

void set(const Owned<GstElement> &element, const char *property, const char *value) {
  gst_util_set_object_arg(G_OBJECT(element.get()), property, value);
}

// The error that backend=cuda ends in where there is none.
void expect_no_gpu_error(const Message &error) {
  const std::string &text = error.text;
  fail_unless(error.is(GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND), "%s", text.c_str());
  fail_unless(contains(text, "No NVIDIA GPU can be used: "), "%s", text.c_str());
  // One of the ways in which there can be none, and the way out.
  fail_unless(contains(text, "no CUDA kernels") || contains(text, "libcuda.so.1") ||
                  contains(text, "could not be initialised") || contains(text, "no device"),
              "%s", text.c_str());
  fail_unless(contains(text, "backend=cpu"), "%s", text.c_str());
}

GST_START_TEST(cuda_without_a_gpu) {
  for (const char *device : {"-1", "0", "99"}) {
    const Owned<GstElement> element = make(element_name(__i__));
    set(element, "backend", "cuda");
    set(element, "cuda-device-id", device);
    for (int again = 0; again < 3; again++)
      expect_no_gpu_error(start_error(element.get()));
    set(element, "backend", "cpu");
    Harness harness(element.get());
    const std::string caps = sink_caps(element_name(__i__), kSize);
    fail_unless(harness.set_input(caps));
    fail_unless_equals_int(harness.push(random_frame(video_info(caps), {}, 1)), GST_FLOW_OK);
    harness.expect_no_error();
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
  gst_util_set_object_arg(G_OBJECT(pipeline.element("subject")), "backend", "cpu");
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
    expect_string(active_backend(harness.element()), "cpu");
    harness.expect_no_error();
  }
}
GST_END_TEST;

GST_START_TEST(properties_out_of_range) {
  const Owned<GstElement> element = make(element_name(__i__));
  const struct {
    const char *name;
    gint value, kept;
  } cases[] = {{"n-threads", -1, 3},      {"n-threads", 1025, 3},
               {"cuda-device-id", -2, 5}, {"cuda-device-id", G_MININT, 5},
               {"backend", 3, 2},         {"backend", -1, 2}};
  g_object_set(element.get(), "n-threads", 3, "cuda-device-id", 5, "backend", 2, nullptr);
  for (const auto &[name, value, kept] : cases) {
    // GLib says so itself (newer ones do not); the value stays what it was.
    _gst_check_expecting_log = TRUE;
    g_object_set(element.get(), name, value, nullptr);
    _gst_check_expecting_log = FALSE;
    gint now = 77;
    g_object_get(element.get(), name, &now, nullptr);
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
  const Owned<GstElement> element = make(element_name(__i__));
  for (const char *name : {"stats", "active-backend"}) {
    const GParamSpec *p = g_object_class_find_property(G_OBJECT_GET_CLASS(element.get()), name);
    fail_unless(p != nullptr && !(p->flags & G_PARAM_WRITABLE), "%s", name);
  }
}
GST_END_TEST;

// As many threads as may be asked for, on a frame of one row.
GST_START_TEST(more_threads_than_rows) {
  const std::string caps = sink_caps(element_name(__i__), {5, 1});
  Harness harness(element_name(__i__), {{"n-threads", small_run() ? "8" : "64"}});
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

// Downstream takes no caps that the element can make: one error, however often it is tried.
GST_START_TEST(downstream_wants_the_impossible) {
  const std::string caps = sink_caps(element_name(__i__), kSize);
  Harness harness(element_name(__i__));
  harness.accept("audio/x-raw");
  harness.set_input(caps);
  for (int i = 0; i < 2; i++) {
    const GstFlowReturn flow = harness.push(random_frame(video_info(caps), {}, 1));
    fail_unless(flow == GST_FLOW_NOT_NEGOTIATED, "%s", gst_flow_get_name(flow));
  }
  const std::vector<std::string> errors = harness.errors();
  fail_unless_equals_int(errors.size(), 1);
  fail_unless(contains(errors[0], "downstream accepts "), "%s", errors[0].c_str());
}
GST_END_TEST;

// The application sees why nothing flows.
GST_START_TEST(unsupported_format_in_a_pipeline) {
  Pipeline pipeline(
      "appsrc name=source caps=\"video/x-raw, format=v216, width=64, height=48, framerate=25/1\" "
      "! " +
      element_name(__i__) + " ! fakesink name=sink");
  pipeline.start();
  pipeline.push(gst_buffer_new_allocate(nullptr, 64 * 48 * 4, nullptr));
  pipeline.wait_for_end();
  const std::string error = pipeline.take_error();
  for (const char *words : {"The input has format=v216, but format={ ", "videoconvert"})
    fail_unless(contains(error, words), "%s", error.c_str());
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
