// SPDX-License-Identifier: LGPL-2.1-or-later
// A driver that fails under the class Aggregator.
#include <algorithm>
#include <array>

#include "inputs_faults.h"
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

std::vector<GstBuffer *> frames(GstCudaContext *context, const char *memory, unsigned seed) {
  std::vector<GstBuffer *> all;
  for (unsigned n = 0; n < kFrames; n++)
    all.push_back(timed(
        memory == kCuda ? cuda_frame(context, info(), n + seed) : system_buffer(info(), n + seed),
        n));
  return all;
}

InputsTrial trial(GstCudaContext *context, const Mix &mix,
                  const std::string &element = "coalescedifference backend=cuda") {
  return {std::make_unique<Pair>(element, caps(mix.a), caps(kSystem), any_size(mix.out, "GRAY8")),
          kFrames,
          [context, mix] {
            return std::vector{frames(context, mix.a, 1), frames(nullptr, kSystem, 101)};
          },
          [](GstBuffer *buffer, const GstVideoInfo &, unsigned n) {
            return wrong_difference(buffer, info(), n + 1, n + 101);
          }};
}

}  // namespace

GST_START_TEST(every_call) {
  const auto how = FakecudaFault(__i__);
  auto mixes = std::to_array(kMixes);
  for (const auto &f : kDriverFaults) {
    std::rotate(mixes.begin(), mixes.begin() + 1, mixes.end());
    // (The element needs no memory beside its frames.)
    if (!can_happen(f.function, how) || f.function == FAKECUDA_ALLOC) continue;
    int met = 0;
    for (const Mix &mix : mixes) {
      if (is_enough(met)) break;
      met += fail_inputs(f, how, mix.a == kCuda, memory_text(mix.a) + " to " + memory_text(mix.out),
                         [&](GstCudaContext *context) { return trial(context, mix); });
    }
    fail_unless(met > 0, "%s was never called", f.name);
  }
}
GST_END_TEST

// A run() that fails is one error, on either back end, with the GPU's name or the formats.
GST_START_TEST(run_fails) {
  for (const char *backend : {"cpu", "cuda"}) {
    const InputsTrial fails = trial(nullptr, {kSystem, kSystem},
                                    std::string("coalescedifference fail=3 backend=") + backend);
    const Outcome outcome = play(fails, fails.make_frames(), backend);
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
  add_fault_test(tests, every_call);
  tcase_add_test(tests, run_fails);
  return suite;
}
SIMULATED_MAIN(aggregator_faults)
