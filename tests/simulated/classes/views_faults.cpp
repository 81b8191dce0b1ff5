// SPDX-License-Identifier: LGPL-2.1-or-later
// A driver that fails under multiview, with frames of some pads in CUDA memory.
#include "gpu_views.h"
#include "inputs_faults.h"

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

InputsTrial trial(GstCudaContext *context, const Mix &mix, const std::vector<ViewFrames> &frames,
                  const std::vector<Bytes> &expected) {
  auto views = std::make_unique<GpuViews>(mix.in, mix.format, kSize,
                                          std::string(mix.properties) + " backend=cuda", mix.out,
                                          "{ GRAY16_LE, BGRx }");
  const auto make_frames = [context, &mix, &frames, &views = *views] {
    std::vector<std::vector<GstBuffer *>> all(mix.in.size());
    for (std::size_t i = 0; i < all.size(); i++)
      for (unsigned n = 0; n < kFrames; n++)
        all[i].push_back(views.input(frames[n], i, context, n));
    return all;
  };
  return {std::move(views), kFrames, make_frames,
          [&expected](GstBuffer *buffer, const GstVideoInfo &info, unsigned n) {
            return wrong_picture(buffer, info, expected[n]);
          }};
}

}  // namespace

GST_START_TEST(every_call) {
  const auto how = FakecudaFault(__i__);
  for (const Mix &mix : kMixes) {
    const GstVideoInfo info =
        video_info(gst_video_format_from_string(mix.format), kSize.width, kSize.height);
    std::vector<ViewFrames> frames;
    for (guint32 seed = 1; seed <= kFrames; seed++)
      frames.push_back(test::scene_frames(info, static_cast<int>(mix.in.size()), seed));
    const std::vector<Bytes> expected = views_on_cpu(frames, mix.format, kSize, mix.properties);
    fail_inputs_in_context(how, mix.properties, [&](GstCudaContext *context) {
      return trial(context, mix, frames, expected);
    });
  }
}
GST_END_TEST

static Suite *views_faults_suite() {
  register_elements();
  Suite *suite = suite_create("views_faults");
  TCase *tests = new_case(suite, "views_faults");
  add_fault_test(tests, every_call);
  return suite;
}
SIMULATED_MAIN(views_faults)
