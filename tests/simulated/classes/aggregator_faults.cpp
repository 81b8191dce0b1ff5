// SPDX-License-Identifier: LGPL-2.1-or-later
// A driver that fails under the class Aggregator, at every call in turn: one clear error of the
// element at most, never a wrong frame, no hang, no leak, and all is well again once the driver is.
#include "../driver_faults.h"
#include "pair.h"

using namespace simulated;

namespace {

constexpr unsigned kFrames = 3;

// The second input is always in system memory, so that two streams order one kernel.
struct Mix {
  const char *a, *out;
};
constexpr Mix kMixes[] = {{kCuda, kCuda}, {kSystem, kSystem}};

GstVideoInfo info() {
  return video_info(GST_VIDEO_FORMAT_GRAY8, 37, 11);
}

std::string caps(const char *memory) {
  return video_caps(memory, "GRAY8", 37, 11);
}

// What came out, all of it right or not to be mapped; and the errors of the element.
struct Outcome {
  unsigned right = 0, pictures = 0;
  std::vector<std::string> errors;
};

std::vector<GstBuffer *> make_inputs(GstCudaContext *context, const Mix &mix) {
  std::vector<GstBuffer *> inputs;
  for (unsigned n = 0; n < kFrames; n++) {
    const bool cuda = mix.a == kCuda;
    inputs.push_back(
        timed(cuda ? cuda_frame(context, info(), n + 1) : system_buffer(info(), n + 1), n));
  }
  return inputs;
}

Outcome run(Pair &pair, const std::vector<GstBuffer *> &inputs, const std::string &what) {
  pair.start();
  Outcome outcome;
  for (unsigned n = 0; n < kFrames; n++) {
    pair.push(inputs[n], "a");
    pair.push(timed(system_buffer(info(), n + 101), n), "b");
  }
  pair.end_both();
  while (GstBuffer *buffer = pair.pull()) {
    const auto n = static_cast<unsigned>(GST_BUFFER_PTS(buffer) / kFrame);
    const std::string wrong = wrong_difference(buffer, info(), n + 1, n + 101);
    fail_unless(wrong.empty() || wrong == kNotMapped, "%s: %s", what.c_str(), wrong.c_str());
    outcome.pictures++;
    outcome.right += wrong.empty() ? 1 : 0;
    gst_buffer_unref(buffer);
  }
  pair.wait_for_end();
  pair.stop();
  for (const Message &error : pair.errors())
    if (error.source == "d") outcome.errors.push_back(error.text);
  return outcome;
}

// Was there an nth call?
bool check_fault(const char *name, FakecudaFunction function, int code, int nth, FakecudaFault how,
                 const Mix &mix) {
  static const char *hows[] = {"once", "always", "lost"};
  const std::string what = std::string(name) + " number " + std::to_string(nth) + " fails " +
                           hows[how] + ", " + (mix.a == kCuda ? "CUDA" : "system") + " to " +
                           (mix.out == kCuda ? "CUDA" : "system");
  GstCudaContext *context =
      mix.a == kCuda || function != FAKECUDA_CTX_CREATE ? new_context() : nullptr;
  {
    Pair pair("coalescedifference backend=cuda", caps(mix.a), caps(kSystem),
              any_size(mix.out, "GRAY8"));
    if (context != nullptr) give_context(pair.d(), context);
    const auto inputs = make_inputs(context, mix);
    fakecuda_fail_how(function, nth, code, how);
    const Outcome outcome = run(pair, inputs, what);
    // (Who maps CUDA memory uses the driver, too, after the element is done.)
    const unsigned good = mix.out == kCuda ? outcome.pictures : outcome.right;
    fail_unless(outcome.errors.size() <= 1 && (good == kFrames || outcome.errors.size() == 1),
                "%s: %u pictures, %zu errors", what.c_str(), outcome.pictures,
                outcome.errors.size());
    fakecuda_reset_faults();
    const Outcome again = run(pair, make_inputs(context, mix), what + ", then again");
    fail_unless(again.right == kFrames && again.errors.empty(), "%s: not as before", what.c_str());
  }
  gst_clear_object(&context);
  return fault_was_met(what);
}

void check_every_call(FakecudaFault how) {
  for (const auto &f : kDriverFaults) {
    // A GPU that works on while no one can wait for it does not exist, and no one could survive it.
    if (f.function == FAKECUDA_SYNCHRONIZE && how == FAKECUDA_ALWAYS) continue;
    int met = 0;
    for (const Mix &mix : kMixes)
      for (int nth = 1; check_fault(f.name, f.function, f.code, nth, how, mix);
           nth = next_fault(nth))
        met++;
    fail_unless(met > 0, "%s was never called", f.name);
  }
}

}  // namespace

GST_START_TEST(once) {
  check_every_call(FAKECUDA_ONCE);
}
GST_END_TEST
GST_START_TEST(always) {
  check_every_call(FAKECUDA_ALWAYS);
}
GST_END_TEST
GST_START_TEST(lost) {
  check_every_call(FAKECUDA_LOST);
}
GST_END_TEST

// A run() that fails is one error, on either back end, with the GPU's name or the formats.
GST_START_TEST(run_fails) {
  for (const char *backend : {"cpu", "cuda"}) {
    Pair pair(std::string("coalescedifference fail=3 backend=") + backend, caps(kSystem),
              caps(kSystem), any_size(kSystem, "GRAY8"));
    const Outcome outcome = run(pair, make_inputs(nullptr, {kSystem, kSystem}), backend);
    // (On the GPU the first run is the one that loads the kernels.)
    fail_unless_equals_int(outcome.right, backend == std::string("cpu") ? 2 : 1);
    fail_unless_equals_int(outcome.errors.size(), 1);
    const char *words = backend == std::string("cpu") ? "GRAY8 frame of 37x11" : "Simulated GPU 0";
    fail_unless(
        contains(outcome.errors[0], words) && contains(outcome.errors[0], "the test wanted it so"),
        "%s", outcome.errors[0].c_str());
  }
  assert_nothing_lives();
}
GST_END_TEST

static Suite *aggregator_faults_suite() {
  register_elements();
  Suite *suite = suite_create("aggregator_faults");
  TCase *tests = new_case(suite, "aggregator_faults");
  tcase_add_test(tests, once);
  tcase_add_test(tests, always);
  tcase_add_test(tests, lost);
  tcase_add_test(tests, run_fails);
  return suite;
}
SIMULATED_MAIN(aggregator_faults)
