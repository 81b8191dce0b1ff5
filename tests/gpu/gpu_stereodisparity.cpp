// SPDX-License-Identifier: LGPL-2.1-or-later
// stereodisparity on a real GPU: the bytes of its CPU back end, which tests/check has judged.
#include "support/stereo_side.h"

using namespace gpu_test;

namespace {

const char *const kFormats[] = {"GRAY8", "GRAY16_LE", "I420",      "NV12",
                                "UYVY",  "AYUV",      "P010_10LE", "I420_12LE"};
const char *const kSettings[] = {
    "num-disparities=64",
    "num-disparities=128 paths=4 adaptive-p2=false p1=6 p2=60 min-disparity=3",
    "num-disparities=16 median=5 speckle-size=30 speckle-range=1 uniqueness=15",
    "method=sad num-disparities=32 window-size=15 left-right-check=-1",
    "method=ncc num-disparities=64 window-size=5 subpixel=false",
    "method=census num-disparities=128 window-size=21",
    "num-disparities=64 output=depth focal-length=700.5 baseline=63",
    "method=sad num-disparities=64 output=turbo",
    "method=census num-disparities=64 output=viridis median=0",
};
constexpr int kAll = int(std::size(kSettings));

void compare(const std::string &settings, const char *format, Size size, const Memories &memories,
             unsigned frames) {
  StereoSide gpu(format, size, settings, "cuda", memories);
  StereoSide cpu(format, size, settings, "cpu", {});
  for (StereoSide *side : {&gpu, &cpu})
    for (unsigned n = 0; n < frames; n++)
      side->push(StereoFrames(side->info(), n + 1, n % 2 == 1));
  for (unsigned n = 0; n < frames; n++)
    fail_unless(gpu.pull() == cpu.pull(), "%s, %s of %dx%d, picture %u", settings.c_str(), format,
                size.width, size.height, n);
  gpu.end();
  fail_unless(active_backend(gpu.d()) == "cuda");
}

}  // namespace

GST_START_TEST(formats_and_settings) {
  for (int i = first_sample(kAll); i < kAll; i += sample_step())
    for (const char *format : kFormats)
      for (Size size : {Size{2, 3}, Size{67, 35}, Size{259, 64}})
        compare(kSettings[i], format, size, {true, true, true}, 2);
}
GST_END_TEST

GST_START_TEST(memory_combinations) {
  for (bool left : {false, true})
    for (bool right : {false, true})
      for (bool out : {false, true})
        for (const char *settings : {kSettings[0], kSettings[3], kSettings[7]})
          compare(settings, "NV12", {322, 58}, {left, right, out}, 6);
}
GST_END_TEST

GST_START_TEST(large_frames) {
  if (small_run()) return;
  for (const char *settings : kSettings)
    compare(settings, "GRAY8", {1921, 1079}, {true, true, true}, 1);
}
GST_END_TEST

// By default 5.5 GB for each of two frames, which GStreamer describes as no picture.
GST_START_TEST(more_than_4_gib_beside_the_frames) {
  constexpr std::size_t kNeeded = std::size_t{12} << 30;
  GstCudaContext *context = gst_cuda_context_new(0);
  const std::size_t free = device_memory(context).free;
  gst_object_unref(context);
  if (small_run() || free < kNeeded) return;
  compare("", "GRAY8", {3840, 2160}, {true, true, true}, 3);
}
GST_END_TEST

int main(int argc, char **argv) {
  return run(&argc, &argv, "gpu_stereodisparity", [](TCase *tests) {
    tcase_add_test(tests, formats_and_settings);
    tcase_add_test(tests, memory_combinations);
    tcase_add_test(tests, large_frames);
    tcase_add_test(tests, more_than_4_gib_beside_the_frames);
  });
}
