// SPDX-License-Identifier: LGPL-2.1-or-later
// A driver that fails under stereodisparity, at every call in turn, with frames of either pad in
// CUDA memory: one clear error at most, never a wrong frame, and all is well again afterwards.
#include "../driver_faults.h"
#include "stereo.h"

using namespace simulated;

namespace {

constexpr unsigned kFrames = 3;
const Size kSize{37, 11};

struct Mix {
  const char *left, *right, *out;
  std::string properties;
  const char *format;
};
// (Vectors of sgm compare bytes that nobody has written, and drop them: valgrind takes the result
// for one of these.)
const std::vector<Mix> &mixes() {
  static const CalibrationFile file((Calibration()));
  static const std::vector<Mix> all = {
      {kCuda, kSystem, kCuda, "num-disparities=16 method=census speckle-size=5" + file.property(),
       "GRAY16_LE"},
      {kSystem, kCuda, kSystem, "num-disparities=16 method=sad output=turbo", "BGRx"}};
  return all;
}

GstVideoInfo info() {
  return video_info(GST_VIDEO_FORMAT_GRAY8, kSize.width, kSize.height);
}

const std::vector<StereoFrames> &frames() {
  static const auto all = [] {
    std::vector<StereoFrames> made;
    for (guint32 seed = 1; seed <= kFrames; seed++)
      made.emplace_back(info(), seed);
    return made;
  }();
  return all;
}

struct Outcome {
  unsigned right = 0, pictures = 0;
  std::vector<std::string> errors;
};

struct Inputs {
  std::vector<GstBuffer *> left, right;
};

Inputs make_inputs(GstCudaContext *context, const Mix &mix) {
  Inputs inputs;
  for (unsigned n = 0; n < kFrames; n++) {
    const StereoFrames &pair = frames()[n];
    inputs.left.push_back(in_memory(pair.left.get(), context, mix.left, info(), n));
    inputs.right.push_back(in_memory(pair.right.get(), context, mix.right, info(), n));
  }
  return inputs;
}

Outcome run(StereoPair &pair, const Mix &mix, const Inputs &inputs,
            const std::vector<Bytes> &expected, const std::string &what) {
  pair.start();
  Outcome outcome;
  for (unsigned n = 0; n < kFrames; n++) {
    pair.push(inputs.left[n], "l");
    pair.push(inputs.right[n], "r");
  }
  pair.end_both();
  while (GstBuffer *buffer = pair.pull()) {
    const auto n = static_cast<std::size_t>(GST_BUFFER_PTS(buffer) / kFrame);
    const Bytes found = disparities_of(buffer, kSize, mix.format);
    fail_unless(found.empty() || found == expected[n], "%s: a wrong frame", what.c_str());
    outcome.pictures++;
    outcome.right += found.empty() ? 0 : 1;
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
                 const Mix &mix, const std::vector<Bytes> &expected) {
  static const char *hows[] = {"once", "always", "lost"};
  const std::string what = std::string(name) + " number " + std::to_string(nth) + " fails " +
                           hows[how] + ", left " + mix.left + ", right " + mix.right;
  GstCudaContext *context = new_context();
  {
    StereoPair pair(stereo_caps(mix.left, "GRAY8", kSize), stereo_caps(mix.right, "GRAY8", kSize),
                    mix.properties + " backend=cuda",
                    std::string(*mix.out != 0 ? "video/x-raw(memory:CUDAMemory)" : "video/x-raw") +
                        ", format=" + mix.format);
    give_context(pair.d(), context);
    const Inputs inputs = make_inputs(context, mix);
    fakecuda_fail_how(function, nth, code, how);
    const Outcome outcome = run(pair, mix, inputs, expected, what);
    // (Mapping CUDA memory uses the driver, too, after the element is done.)
    const unsigned good = mix.out == kCuda ? outcome.pictures : outcome.right;
    fail_unless(outcome.errors.size() <= 1 && (good == kFrames || outcome.errors.size() == 1),
                "%s: %u pictures, %zu errors", what.c_str(), outcome.pictures,
                outcome.errors.size());
    fakecuda_reset_faults();
    const Outcome again =
        run(pair, mix, make_inputs(context, mix), expected, what + ", then again");
    fail_unless(again.right == kFrames && again.errors.empty(), "%s: not as before", what.c_str());
  }
  gst_clear_object(&context);
  return fault_was_met(what);
}

void check_every_call(FakecudaFault how) {
  for (const Mix &mix : mixes()) {
    const std::vector<Bytes> expected = on_cpu(frames(), info(), mix.properties, mix.format);
    for (const auto &f : kDriverFaults) {
      // A GPU that works on while no one can wait for it does not exist. The context is the test's.
      if (f.function == FAKECUDA_SYNCHRONIZE && how == FAKECUDA_ALWAYS) continue;
      if (f.function == FAKECUDA_CTX_CREATE) continue;
      int met = 0;
      for (int nth = 1; check_fault(f.name, f.function, f.code, nth, how, mix, expected);
           nth = next_fault(nth))
        met++;
      fail_unless(met > 0 || f.function == FAKECUDA_ALLOC_HOST ||
                      f.function == FAKECUDA_SYNCHRONIZE || f.function == FAKECUDA_COPY,
                  "%s was never called", f.name);
    }
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

static Suite *disparities_faults_suite() {
  register_elements();
  Suite *suite = suite_create("disparities_faults");
  TCase *tests = new_case(suite, "disparities_faults");
  tcase_add_test(tests, once);
  tcase_add_test(tests, always);
  tcase_add_test(tests, lost);
  return suite;
}
SIMULATED_MAIN(disparities_faults)
