// SPDX-License-Identifier: LGPL-2.1-or-later
#include "inputs_faults.h"

namespace simulated {

Outcome play(const InputsTrial &trial, const std::vector<std::vector<GstBuffer *>> &frames,
             const std::string &what) {
  SeveralInputs &inputs = *trial.inputs;
  inputs.start();
  Outcome outcome;
  for (unsigned n = 0; n < trial.frames; n++)
    for (std::size_t i = 0; i < frames.size(); i++)
      inputs.push(frames[i][n], inputs.sources()[i].c_str());
  inputs.end_all();
  test::CapsRef caps;
  while (const test::BufferRef buffer{inputs.pull("sink", &caps)}) {
    GstVideoInfo info;
    fail_unless(gst_video_info_from_caps(&info, caps.get()));
    const auto n = static_cast<unsigned>(GST_BUFFER_PTS(buffer.get()) / kFrame);
    const std::string wrong = trial.wrong(buffer.get(), info, n);
    fail_unless(wrong.empty() || wrong == kNotMapped, "%s: %s", what.c_str(), wrong.c_str());
    outcome.pictures++;
    outcome.right += wrong.empty() ? 1 : 0;
  }
  inputs.wait_for_end();
  inputs.stop();
  for (const Message &error : inputs.errors())
    if (error.source == "d") outcome.errors.push_back(error.text);
  return outcome;
}

int fail_inputs(const DriverFault &fault, FakecudaFault how, bool needs_context,
                const std::string &memories,
                const std::function<InputsTrial(GstCudaContext *context)> &make) {
  return fail_calls_in_turn([&](int nth) {
    const std::string what = fault_text(fault.name, nth, how) + ", " + memories;
    GstCudaContext *context =
        needs_context || fault.function != FAKECUDA_CTX_CREATE ? new_context() : nullptr;
    {
      const InputsTrial trial = make(context);
      if (context != nullptr) give_context(trial.inputs->d(), context);
      const auto frames = trial.make_frames();
      fakecuda_fail_how(fault.function, nth, fault.code, how);
      const Outcome outcome = play(trial, frames, what);
      fail_unless(outcome.errors.size() <= 1 &&
                      (outcome.pictures == trial.frames || outcome.errors.size() == 1),
                  "%s: %u pictures, %zu errors", what.c_str(), outcome.pictures,
                  outcome.errors.size());
      fakecuda_reset_faults();
      const Outcome again = play(trial, trial.make_frames(), what + ", then again");
      fail_unless(again.right == trial.frames && again.errors.empty(), "%s: not as before",
                  what.c_str());
    }
    gst_clear_object(&context);
    return fault_was_met(what);
  });
}

void fail_inputs_in_context(FakecudaFault how, const std::string &what,
                            const std::function<InputsTrial(GstCudaContext *context)> &make) {
  for (const auto &f : kDriverFaults) {
    if (!can_happen(f.function, how) || f.function == FAKECUDA_CTX_CREATE) continue;
    const int met = fail_inputs(f, how, true, what, make);
    fail_unless(met > 0 || f.function == FAKECUDA_ALLOC_HOST ||
                    f.function == FAKECUDA_SYNCHRONIZE || f.function == FAKECUDA_COPY,
                "%s was never called", f.name);
  }
}

std::string wrong_picture(GstBuffer *buffer, const GstVideoInfo &info, const Bytes &expected) {
  const Bytes found = picture_if_mapped(buffer, info);
  if (found.empty()) return kNotMapped;
  return found == expected ? "" : "a wrong frame";
}

}  // namespace simulated
