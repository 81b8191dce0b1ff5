// SPDX-License-Identifier: LGPL-2.1-or-later
// A driver that fails, at every call it is asked for in turn: one clear error of the element at
// most, never a wrong frame, no hang, no leak, and all is well again once the driver is.
#include <algorithm>
#include <array>

#include "../driver_faults.h"
#include "../support.h"

using namespace simulated;

namespace {

constexpr unsigned kFrames = 4;

struct Mix {
  const char *in, *out;
};
constexpr Mix kMixes[] = {{kCuda, kCuda}, {kSystem, kCuda}, {kCuda, kSystem}, {kSystem, kSystem}};

struct Fault {
  FakecudaFunction function;
  const char *name;
  int nth, code;
  FakecudaFault how;
};

GstVideoInfo in_info() {
  return video_info(GST_VIDEO_FORMAT_UYVY, 34, 5);
}
GstVideoInfo out_info() {
  return video_info(GST_VIDEO_FORMAT_GRAY8, 34, 5);
}

std::string describe(const Fault &fault, const Mix &mix) {
  return fault_text(fault.name, fault.nth, fault.how) + ", " + memory_text(mix.in) + " to " +
         memory_text(mix.out);
}

std::vector<GstBuffer *> make_inputs(GstCudaContext *context, const Mix &mix) {
  std::vector<GstBuffer *> inputs;
  for (unsigned seed = 1; seed <= kFrames; seed++)
    inputs.push_back(mix.in == kCuda ? plain_cuda_buffer(context, in_info(), seed)
                                     : system_buffer(in_info(), seed));
  return inputs;
}

// False if the caps were refused: then upstream sends nothing further.
bool begin(Bench &bench, GstCudaContext *context, const Mix &mix) {
  if (context != nullptr) give_context(bench.element(), context);
  gst_harness_set_sink_caps_str(bench.harness(), video_caps(mix.out, "GRAY8", 34, 5).c_str());
  gst_harness_push_event(bench.harness(), gst_event_new_stream_start("one"));
  GstCaps *caps = gst_caps_from_string(video_caps(mix.in, "UYVY", 34, 5).c_str());
  const bool taken = gst_harness_push_event(bench.harness(), gst_event_new_caps(caps));
  gst_caps_unref(caps);
  if (!taken) return false;
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  return gst_harness_push_event(bench.harness(), gst_event_new_segment(&segment));
}

// The first refusal is the end.
std::vector<GstBuffer *> push_all(Bench &bench, const std::vector<GstBuffer *> &inputs,
                                  bool refused = false) {
  std::vector<GstBuffer *> outputs;
  for (GstBuffer *input : inputs) {
    if (refused) {
      gst_buffer_unref(input);
      continue;
    }
    refused = bench.push(input) != GST_FLOW_OK;
    if (!refused) outputs.push_back(bench.pull());
  }
  fail_unless_equals_uint64(gst_harness_buffers_in_queue(bench.harness()), 0);
  return outputs;
}

// A frame whose work failed cannot be mapped; no frame is wrong.
void check_outputs(const std::vector<GstBuffer *> &outputs, bool all_good,
                   const std::string &what) {
  for (unsigned i = 0; i < outputs.size(); i++) {
    const std::string wrong = wrong_luma(outputs[i], out_info(), GST_VIDEO_FORMAT_UYVY, i + 1);
    const bool fine = wrong.empty() || (!all_good && wrong == "the frame could not be mapped");
    fail_unless(fine, "%s: %s", what.c_str(), wrong.c_str());
    gst_buffer_unref(outputs[i]);
  }
}

void check_error(const std::string &text, const Fault &fault, const std::string &what) {
  if (fault.function == FAKECUDA_CTX_CREATE) {
    fail_unless(text.find("CUDA context") != std::string::npos, "%s: %s", what.c_str(),
                text.c_str());
    return;
  }
  // A lost device no longer tells its name.
  const char *device = fault.how == FAKECUDA_LOST ? "cuda-device-id 0" : "Simulated GPU 0";
  fail_unless(text.find(device) != std::string::npos, "%s: %s", what.c_str(), text.c_str());
  fail_unless(text.find("CUDA driver 13.0") != std::string::npos, "%s: %s", what.c_str(),
              text.c_str());
  // Where the session is made at the start there are no caps yet.
  const bool has_caps = text.find("input video/x-raw") != std::string::npos &&
                        text.find("output video/x-raw") != std::string::npos;
  fail_unless(has_caps || text.find("stream could not be made") != std::string::npos, "%s: %s",
              what.c_str(), text.c_str());
}

// Was the fault met? `running`: it comes in the middle of a stream, not in its beginning.
bool check_fault(const Fault &fault, const Mix &mix, bool running) {
  const std::string what = describe(fault, mix) + (running ? ", while running" : "");
  GstCudaContext *context =
      mix.in == kCuda || fault.function != FAKECUDA_CTX_CREATE ? new_context() : nullptr;
  {
    Bench bench("uyvy2y");
    if (mix.in == kSystem && mix.out == kSystem)
      gst_util_set_object_arg(G_OBJECT(bench.element()), "backend", "cuda");
    const std::vector<GstBuffer *> inputs = make_inputs(context, mix);
    std::vector<GstBuffer *> before;  // kept, so that further frames need memory of their own
    if (running) {
      fail_unless(begin(bench, context, mix));
      before = push_all(bench, make_inputs(context, mix));
    }
    fakecuda_fail_how(fault.function, fault.nth, fault.code, fault.how);
    const bool begun = running || begin(bench, context, mix);
    const std::vector<GstBuffer *> outputs = push_all(bench, inputs, !begun);
    const bool all = outputs.size() == kFrames;
    check_outputs(outputs, false, what);
    check_outputs(before, false, what);
    const std::vector<std::string> errors = bench.errors();
    fail_unless(errors.size() == (all ? 0 : 1), "%s: %zu errors, %zu frames%s%s", what.c_str(),
                errors.size(), outputs.size(),
                errors.empty() ? "" : "; the last: ", errors.empty() ? "" : errors.back().c_str());
    for (const std::string &error : errors)
      check_error(error, fault, what);
    fakecuda_reset_faults();

    gst_element_set_state(bench.element(), GST_STATE_NULL);
  }
  {
    Bench again("uyvy2y backend=cuda");
    fail_unless(begin(again, context, mix));
    check_outputs(push_all(again, make_inputs(context, mix)), true, what + ", then again");
  }
  gst_clear_object(&context);
  return fault_was_met(what);
}

void check_every_call(FakecudaFault how, bool running) {
  auto mixes = std::to_array(kMixes);
  for (const auto &f : kDriverFaults) {
    std::rotate(mixes.begin(), mixes.begin() + 1, mixes.end());
    // (uyvy2y needs no memory beside its frames.)
    if (!can_happen(f.function, how) || f.function == FAKECUDA_ALLOC) continue;
    int met = 0;
    for (const Mix &mix : mixes) {
      if (is_enough(met)) break;
      met += fail_calls_in_turn([&](int nth) {
        return check_fault({f.function, f.name, nth, f.code, how}, mix, running);
      });
    }
    const bool only_at_start =
        f.function == FAKECUDA_CTX_CREATE || f.function == FAKECUDA_STREAM_CREATE;
    fail_unless(met > 0 || (running && only_at_start), "%s was never called", f.name);
  }
}

}  // namespace

GST_START_TEST(from_the_start) {
  check_every_call(FakecudaFault(__i__), false);
}
GST_END_TEST
GST_START_TEST(while_running) {
  check_every_call(FakecudaFault(__i__), true);
}
GST_END_TEST

// With backend=cuda the GPU is wanted at the start already.
GST_START_TEST(start_fails) {
  for (FakecudaFunction function :
       {FAKECUDA_CTX_CREATE, FAKECUDA_STREAM_CREATE, FAKECUDA_EVENT_CREATE}) {
    for (FakecudaFault how : {FAKECUDA_ONCE, FAKECUDA_ALWAYS, FAKECUDA_LOST}) {
      GstElement *element =
          GST_ELEMENT(gst_object_ref_sink(gst_element_factory_make("uyvy2y", nullptr)));
      gst_util_set_object_arg(G_OBJECT(element), "backend", "cuda");
      GstBus *bus = gst_bus_new();
      gst_element_set_bus(element, bus);
      fakecuda_fail_how(function, 1, CUDA_ERROR_OUT_OF_MEMORY, how);
      fail_unless_equals_int(gst_element_set_state(element, GST_STATE_PAUSED),
                             GST_STATE_CHANGE_FAILURE);
      GstMessage *message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR);
      fail_unless(message != nullptr);
      gst_message_unref(message);
      fail_unless(gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR) == nullptr);
      fakecuda_reset_faults();
      gst_element_set_state(element, GST_STATE_NULL);
      fail_if(gst_element_set_state(element, GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE);
      fail_unless_equals_uint64(counts().streams_live, 1);
      gst_element_set_state(element, GST_STATE_NULL);
      gst_element_set_bus(element, nullptr);
      gst_object_unref(bus);
      gst_object_unref(element);
      assert_nothing_lives();
    }
  }
}
GST_END_TEST

// The caps that there is no memory for are in the error, and not those before them.
GST_START_TEST(no_memory_for_new_caps) {
  Bench bench("uyvy2y");
  bench.negotiate(video_caps(kSystem, "UYVY", 34, 5), video_caps(kCuda, "GRAY8", 0, 0));
  check_outputs(push_all(bench, make_inputs(nullptr, {kSystem, kCuda})), true, "before");
  fakecuda_fail(FAKECUDA_ALLOC_PITCH, 1, CUDA_ERROR_OUT_OF_MEMORY);
  gst_harness_set_src_caps_str(bench.harness(), video_caps(kSystem, "UYVY", 34, 77).c_str());
  const std::vector<std::string> errors = bench.errors();
  fail_unless_equals_int(errors.size(), 1);
  fail_unless(errors[0].find("height=(int)77") != std::string::npos &&
                  errors[0].find("height=(int)5") == std::string::npos,
              "%s", errors[0].c_str());
}
GST_END_TEST

// A driver that is not ready yet: an error, or the CPU, and the GPU from the first start after it
// is.
GST_START_TEST(driver_comes_late) {
  constexpr int kSystemNotReady = 802;
  GstElement *element =
      GST_ELEMENT(gst_object_ref_sink(gst_element_factory_make("uyvy2y", nullptr)));
  gst_util_set_object_arg(G_OBJECT(element), "backend", "cuda");
  fakecuda_fail_how(FAKECUDA_INIT, 1, kSystemNotReady, FAKECUDA_ALWAYS);
  for (int attempt = 0; attempt < 2; attempt++) {
    const std::string error = start_error(element).text;
    fail_unless(error.find("could not be initialised") != std::string::npos, "%s", error.c_str());
  }
  {
    Bench bench("uyvy2y");
    bench.negotiate(video_caps(kSystem, "UYVY", 34, 5), video_caps(kSystem, "GRAY8", 34, 5));
    check_outputs(push_all(bench, make_inputs(nullptr, {kSystem, kSystem})), true, "on the CPU");
    fail_unless(active_backend(bench.element()) == "cpu");
  }
  fakecuda_reset_faults();
  fail_if(gst_element_set_state(element, GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE);
  fail_unless_equals_uint64(counts().streams_live, 1);
  gst_element_set_state(element, GST_STATE_NULL);
  gst_object_unref(element);
  {
    Bench bench("uyvy2y");
    bench.negotiate(video_caps(kSystem, "UYVY", 34, 5), video_caps(kCuda, "GRAY8", 34, 5));
    check_outputs(push_all(bench, make_inputs(nullptr, {kSystem, kCuda})), true, "on the GPU");
  }
  assert_nothing_lives();
}
GST_END_TEST

// Buffers that are not what their caps say end in one error, not in a read past their end.
GST_START_TEST(wrong_buffers) {
  GstCudaContext *context = new_context();
  const struct {
    GstVideoFormat format;
    int width, height;
  } cases[] = {{GST_VIDEO_FORMAT_UYVY, 32, 5},
               {GST_VIDEO_FORMAT_UYVY, 34, 4},
               {GST_VIDEO_FORMAT_YUY2, 34, 5}};
  for (const auto &c : cases) {
    for (const Mix &mix : kMixes) {
      Bench bench("uyvy2y backend=cuda");
      fail_unless(begin(bench, context, mix));
      const GstVideoInfo info = video_info(c.format, c.width, c.height);
      fail_unless(push_all(bench, {plain_cuda_buffer(context, info, 1)}).empty());
      const std::vector<std::string> errors = bench.errors();
      fail_unless_equals_int(errors.size(), 1);
      fail_unless(errors[0].find("GstVideoMeta") != std::string::npos, "%s", errors[0].c_str());
    }
  }
  for (const char *out : {kSystem, kCuda}) {
    Bench bench("uyvy2y backend=cuda");
    fail_unless(begin(bench, context, {kSystem, out}));
    const GstVideoInfo shorter = video_info(GST_VIDEO_FORMAT_UYVY, 34, 4);
    fail_unless(push_all(bench, {system_buffer(shorter, 1)}).empty());
    const std::vector<std::string> errors = bench.errors();
    fail_unless_equals_int(errors.size(), 1);
    fail_unless(errors[0].find("could not be mapped") != std::string::npos, "%s",
                errors[0].c_str());
  }
  gst_object_unref(context);
  assert_clean();
  assert_nothing_lives();
}
GST_END_TEST

static Suite *faults_suite() {
  Suite *suite = suite_create("faults");
  TCase *tests = new_case(suite, "faults");
  add_fault_test(tests, from_the_start);
  add_fault_test(tests, while_running);
  tcase_add_test(tests, start_fails);
  tcase_add_test(tests, no_memory_for_new_caps);
  tcase_add_test(tests, driver_comes_late);
  tcase_add_test(tests, wrong_buffers);
  return suite;
}
SIMULATED_MAIN(faults)
