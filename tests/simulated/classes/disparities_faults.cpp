// SPDX-License-Identifier: LGPL-2.1-or-later
// A driver that fails under stereodisparity, with frames of either pad in CUDA memory.
#include "inputs_faults.h"
#include "pair.h"
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
const std::vector<Mix> &mixes() {
  static const CalibrationFile file((Calibration()));
  static const std::vector<Mix> all = {
      {kCuda, kSystem, kCuda, "num-disparities=16 method=sgm speckle-size=5" + file.property(),
       "GRAY16_LE"},
      {kSystem, kCuda, kSystem, "num-disparities=16 method=sad output=turbo", "BGRx"}};
  return all;
}

GstVideoInfo in_info() {
  return video_info(GST_VIDEO_FORMAT_GRAY8, kSize.width, kSize.height);
}

const std::vector<StereoFrames> &frames() {
  static const auto all = [] {
    std::vector<StereoFrames> made;
    for (guint32 seed = 1; seed <= kFrames; seed++)
      made.emplace_back(in_info(), seed);
    return made;
  }();
  return all;
}

std::vector<GstBuffer *> inputs(GstCudaContext *context, const char *memory,
                                test::BufferRef StereoFrames::*eye) {
  std::vector<GstBuffer *> all;
  for (unsigned n = 0; n < kFrames; n++)
    all.push_back(in_memory((frames()[n].*eye).get(), context, memory, in_info(), n));
  return all;
}

InputsTrial trial(GstCudaContext *context, const Mix &mix, const std::vector<Bytes> &expected) {
  return {std::make_unique<StereoPair>(
              stereo_caps(mix.left, "GRAY8", kSize), stereo_caps(mix.right, "GRAY8", kSize),
              mix.properties + " backend=cuda", any_size(mix.out, mix.format)),
          kFrames,
          [context, mix] {
            return std::vector{inputs(context, mix.left, &StereoFrames::left),
                               inputs(context, mix.right, &StereoFrames::right)};
          },
          [&expected](GstBuffer *buffer, const GstVideoInfo &info, unsigned n) {
            return wrong_picture(buffer, info, expected[n]);
          }};
}

}  // namespace

GST_START_TEST(every_call) {
  const auto how = FakecudaFault(__i__);
  for (const Mix &mix : mixes()) {
    const std::vector<Bytes> expected = on_cpu(frames(), in_info(), mix.properties, mix.format);
    fail_inputs_in_context(how,
                           "left " + memory_text(mix.left) + ", right " + memory_text(mix.right),
                           [&](GstCudaContext *context) { return trial(context, mix, expected); });
  }
}
GST_END_TEST

static Suite *disparities_faults_suite() {
  register_elements();
  Suite *suite = suite_create("disparities_faults");
  TCase *tests = new_case(suite, "disparities_faults");
  add_fault_test(tests, every_call);
  return suite;
}
SIMULATED_MAIN(disparities_faults)
