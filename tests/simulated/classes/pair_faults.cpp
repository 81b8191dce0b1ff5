// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pair_faults.h"

namespace simulated {

Outcome play(const PairTrial &trial, const std::array<std::vector<GstBuffer *>, 2> &inputs,
             const std::string &what) {
  TwoInputs &pair = *trial.pair;
  pair.start();
  Outcome outcome;
  for (unsigned n = 0; n < trial.frames; n++)
    for (std::size_t i = 0; i < 2; i++)
      pair.push(inputs[i][n], pair.sources()[i]);
  pair.end_both();
  while (const test::BufferRef buffer{pair.pull()}) {
    const auto n = static_cast<unsigned>(GST_BUFFER_PTS(buffer.get()) / kFrame);
    const std::string wrong = trial.wrong(buffer.get(), n);
    fail_unless(wrong.empty() || wrong == kNotMapped, "%s: %s", what.c_str(), wrong.c_str());
    outcome.pictures++;
    outcome.right += wrong.empty() ? 1 : 0;
  }
  pair.wait_for_end();
  pair.stop();
  for (const Message &error : pair.errors())
    if (error.source == "d") outcome.errors.push_back(error.text);
  return outcome;
}

int fail_pair(const DriverFault &fault, FakecudaFault how, bool needs_context,
              const std::string &memories,
              const std::function<PairTrial(GstCudaContext *context)> &make) {
  return fail_calls_in_turn([&](int nth) {
    const std::string what = fault_text(fault.name, nth, how) + ", " + memories;
    GstCudaContext *context =
        needs_context || fault.function != FAKECUDA_CTX_CREATE ? new_context() : nullptr;
    {
      const PairTrial trial = make(context);
      if (context != nullptr) give_context(trial.pair->d(), context);
      const auto inputs = trial.make_inputs();
      fakecuda_fail_how(fault.function, nth, fault.code, how);
      const Outcome outcome = play(trial, inputs, what);
      const unsigned good = trial.to_device ? outcome.pictures : outcome.right;
      fail_unless(
          outcome.errors.size() <= 1 && (good == trial.frames || outcome.errors.size() == 1),
          "%s: %u pictures, %zu errors", what.c_str(), outcome.pictures, outcome.errors.size());
      fakecuda_reset_faults();
      const Outcome again = play(trial, trial.make_inputs(), what + ", then again");
      fail_unless(again.right == trial.frames && again.errors.empty(), "%s: not as before",
                  what.c_str());
    }
    gst_clear_object(&context);
    return fault_was_met(what);
  });
}

}  // namespace simulated
