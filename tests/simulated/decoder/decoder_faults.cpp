// SPDX-License-Identifier: LGPL-2.1-or-later
// coalescejpegdec while each call of the driver fails in turn: every picture that comes is right or
// cannot be mapped; for those that do not come there is a warning or one error; nothing is left,
// and the element starts again.
#include <utility>

#include "../../check/coalescejpegdec/jpegdec_files.h"
#include "../driver_faults.h"

using namespace simulated;

namespace {

constexpr int kFrames = 3;
constexpr const char *kWhole = "image/jpeg, parsed=true, framerate=25/1";

const Bytes &file(int n) {
  static const Bytes files[] = {jpeg_file("I420", {33, 17}, 1), jpeg_file("I420", {33, 17}, 2),
                                jpeg_file("I420", {33, 17}, 3)};
  return files[n % kFrames];
}

std::string raw(const char *memory) {
  return std::string("video/x-raw") + (memory == kCuda ? "(memory:CUDAMemory)" : "") +
         ", format=I420";
}

// And waits for those in flight.
void push_all(Bench &bench) {
  for (int n = 0; n < kFrames; n++)
    if (bench.push(buffer_with(file(n))) != GST_FLOW_OK) break;
  bench.push_event(
      gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty("settle")));
}

// How many outputs there are: right ones, and those that cannot be mapped.
int check_outputs(Bench &bench, const std::string &what) {
  int outputs = 0;
  while (bench.waiting() > 0) {
    const test::BufferRef out(bench.pull());
    const Bytes found = picture_if_mapped(out.get(), bench.output_info());
    outputs++;
    if (found.empty()) continue;
    bool known = false;
    for (int n = 0; n < kFrames; n++)
      known = known || found == decoded(file(n), "I420");
    fail_unless(known, "%s: a wrong picture", what.c_str());
  }
  return outputs;
}

// Was the fault met?
bool check_fault(FakecudaFunction function, const char *name, int code, int nth, FakecudaFault how,
                 const char *memory, bool running) {
  const std::string what = std::string(name) + " " + std::to_string(nth) +
                           (how == FAKECUDA_ONCE ? " once, " : " lost, ") + memory_text(memory) +
                           (running ? ", running" : "");
  {
    Bench bench(memory == kCuda ? "coalescejpegdec" : "coalescejpegdec backend=cuda");
    bench.negotiate(kWhole, raw(memory));
    if (running) {
      push_all(bench);
      fail_unless_equals_int(check_outputs(bench, what), kFrames);
    }
    fakecuda_fail_how(function, nth, code, how);
    push_all(bench);
    bench.push_event(gst_event_new_eos());
    // (To bring CUDA memory to the CPU is not the element's.)
    if (memory == kCuda) fakecuda_reset_faults();
    const int outputs = check_outputs(bench, what);
    const std::vector<std::string> errors = bench.errors();
    fail_unless(errors.size() <= 1, "%s: %zu errors, %s and %s", what.c_str(), errors.size(),
                errors.front().c_str(), errors.back().c_str());
    fail_unless(outputs == kFrames || errors.size() == 1 || !bench.warnings().empty(),
                "%s: %d pictures, and nothing said", what.c_str(), outputs);
    fakecuda_reset_faults();
    gst_element_set_state(bench.element(), GST_STATE_NULL);
  }
  {
    Bench again("coalescejpegdec backend=cuda");
    again.negotiate(kWhole, raw(memory));
    push_all(again);
    fail_unless_equals_int(check_outputs(again, what + ", then again"), kFrames);
  }
  return fault_was_met(what);
}

void check_every_call(FakecudaFault how, bool running) {
  const char *memories[] = {kCuda, kSystem};
  for (const auto &f : kDriverFaults) {
    std::swap(memories[0], memories[1]);
    int met = 0;
    for (const char *memory : memories) {
      if (is_enough(met)) break;
      met += fail_calls_in_turn([&](int nth) {
        return check_fault(f.function, f.name, f.code, nth, how, memory, running);
      });
    }
  }
}

}  // namespace

GST_START_TEST(once) {
  check_every_call(FAKECUDA_ONCE, __i__ == 1);
}
GST_END_TEST

GST_START_TEST(lost) {
  check_every_call(FAKECUDA_LOST, __i__ == 1);
}
GST_END_TEST

static Suite *decoder_faults_suite() {
  Suite *suite = suite_create("decoder_faults");
  TCase *tests = new_case(suite, "faults");
  tcase_add_loop_test(tests, once, 0, 2);
  tcase_add_loop_test(tests, lost, 0, 2);
  return suite;
}

SIMULATED_MAIN(decoder_faults)
