// SPDX-License-Identifier: LGPL-2.1-or-later
// A driver that fails under multiview, at every call in turn, with frames of some pads in CUDA
// memory: one clear error at most, never a wrong frame, and all is well again afterwards.
#include "../driver_faults.h"
#include "gpu_views.h"

using namespace simulated;

namespace {

constexpr unsigned kFrames = 3;
const Size kSize{37, 11};

struct Mix {
  std::vector<const char *> in;
  const char *out, *format, *properties;
};
const Mix kMixes[] = {{{kSystem, kCuda, kCuda}, kCuda, "GRAY8", "output=depth-confidence"},
                      {{kCuda, kSystem}, kSystem, "RGB", "method=ncc output=turbo"}};

struct Outcome {
  unsigned right = 0, pictures = 0;
  std::vector<std::string> errors;
};

Outcome play(GpuViews &views, const Mix &mix, const std::vector<std::vector<GstBuffer *>> &inputs,
             const std::vector<Bytes> &expected, const std::string &what) {
  views.start();
  Outcome outcome;
  for (unsigned n = 0; n < kFrames; n++)
    for (std::size_t i = 0; i < mix.in.size(); i++)
      views.push_view(static_cast<int>(i), inputs[n][i], n * test::kViewTime);
  views.end_all();
  test::CapsRef caps;
  while (const test::BufferRef buffer{views.pull("sink", &caps)}) {
    const auto n = static_cast<std::size_t>(GST_BUFFER_PTS(buffer.get()) / test::kViewTime);
    const Bytes found = bytes_out(buffer.get(), caps.get());
    fail_unless(found.empty() || found == expected[n], "%s: a wrong frame", what.c_str());
    outcome.pictures++;
    outcome.right += found.empty() ? 0 : 1;
  }
  views.wait_for_end();
  views.stop();
  for (const Message &error : views.errors())
    if (error.source == "d") outcome.errors.push_back(error.text);
  return outcome;
}

// Was there an nth call?
bool check_fault(const std::string &what, FakecudaFunction function, int code, int nth,
                 FakecudaFault how, const Mix &mix, const std::vector<ViewFrames> &frames,
                 const std::vector<Bytes> &expected) {
  GstCudaContext *context = new_context();
  {
    GpuViews views(mix.in, mix.format, kSize, std::string(mix.properties) + " backend=cuda",
                   mix.out, "{ GRAY16_LE, BGRx }");
    give_context(views.d(), context);
    const auto inputs = [&] {
      std::vector<std::vector<GstBuffer *>> all(kFrames);
      for (unsigned n = 0; n < kFrames; n++)
        for (std::size_t i = 0; i < mix.in.size(); i++)
          all[n].push_back(views.input(frames[n], i, context));
      return all;
    };
    const auto given = inputs();
    fakecuda_fail_how(function, nth, code, how);
    const Outcome outcome = play(views, mix, given, expected, what);
    // (Mapping CUDA memory uses the driver, too, after the element is done.)
    const unsigned good = *mix.out != 0 ? outcome.pictures : outcome.right;
    fail_unless(outcome.errors.size() <= 1 && (good == kFrames || outcome.errors.size() == 1),
                "%s: %u pictures, %zu errors", what.c_str(), outcome.pictures,
                outcome.errors.size());
    fakecuda_reset_faults();
    const Outcome again = play(views, mix, inputs(), expected, what + ", then again");
    fail_unless(again.right == kFrames && again.errors.empty(), "%s: not as before", what.c_str());
  }
  gst_clear_object(&context);
  return fault_was_met(what);
}

}  // namespace

GST_START_TEST(every_call) {
  const auto how = static_cast<FakecudaFault>(__i__);
  for (const Mix &mix : kMixes) {
    const GstVideoInfo info =
        video_info(gst_video_format_from_string(mix.format), kSize.width, kSize.height);
    std::vector<ViewFrames> frames;
    for (guint32 seed = 1; seed <= kFrames; seed++)
      frames.push_back(test::scene_frames(info, static_cast<int>(mix.in.size()), seed));
    const std::vector<Bytes> expected = views_on_cpu(frames, mix.format, kSize, mix.properties);
    for (const auto &f : kDriverFaults) {
      // A GPU that works on while no one can wait for it does not exist. The context is the test's.
      if (f.function == FAKECUDA_SYNCHRONIZE && how == FAKECUDA_ALWAYS) continue;
      if (f.function == FAKECUDA_CTX_CREATE) continue;
      int met = 0;
      const auto check = [&](int nth) {
        const std::string what = std::string(f.name) + " number " + std::to_string(nth) + ", way " +
                                 std::to_string(how) + ", " + mix.properties;
        return check_fault(what, f.function, f.code, nth, how, mix, frames, expected);
      };
      for (int nth = 1; check(nth); nth = next_fault(nth))
        met++;
      fail_unless(met > 0 || f.function == FAKECUDA_ALLOC_HOST ||
                      f.function == FAKECUDA_SYNCHRONIZE || f.function == FAKECUDA_COPY,
                  "%s was never called", f.name);
    }
  }
}
GST_END_TEST

static Suite *views_faults_suite() {
  register_elements();
  Suite *suite = suite_create("views_faults");
  TCase *tests = new_case(suite, "views_faults");
  tcase_add_loop_test(tests, every_call, FAKECUDA_ONCE, FAKECUDA_LOST + 1);
  return suite;
}
SIMULATED_MAIN(views_faults)
