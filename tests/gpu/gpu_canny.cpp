// SPDX-License-Identifier: LGPL-2.1-or-later
// canny on a real GPU: the bytes of its CPU back end, which tests/check has judged.
#include "gpu_support.h"

using namespace gpu_test;

namespace {

const char *const kFormats[] = {"GRAY8", "I420", "NV12", "Y41B", "NV24", "AYUV",
                                "RGB",   "BGRx", "RGBP", "GBRA", "UYVY", "YVYU"};
// Frames are noise: many edges, some, and few that hang together over tiles.
const char *const kSettings[] = {
    "",
    "low-threshold=350 high-threshold=900",
    "low-threshold=4000 high-threshold=9000 aperture=5 l2-gradient=true",
    "low-threshold=30000 high-threshold=80000 aperture=7",
    "sigma=1.4 low-threshold=20 high-threshold=60",
    "sigma=12 low-threshold=1 high-threshold=3",
    "output=overlay edge-color=0xffff0000",
    "output=overlay edge-color=0x6000ffff low-threshold=300 high-threshold=1000 sigma=0.6",
};

void compare(const std::string &settings, const char *format, Size size, bool in_cuda,
             bool out_cuda, int frames) {
  const char *out_format = contains(settings, "overlay") ? format : "GRAY8";
  const auto caps = [&](bool in, bool out) {
    return CapsPair{caps_text(format, size.width, size.height, in),
                    caps_text(out_format, size.width, size.height, out)};
  };
  compare_with_cpu("canny " + settings, caps(in_cuda, out_cuda), caps(false, false), frames);
}

}  // namespace

GST_START_TEST(formats_and_settings) {
  for (int i = first_sample(8); i < 8; i += sample_step())
    for (const char *format : kFormats)
      for (Size size : {Size{2, 3}, Size{67, 35}, Size{259, 64}})
        compare(kSettings[i], format, size, true, true, 2);
}
GST_END_TEST

GST_START_TEST(memory_combinations) {
  for (bool in_cuda : {false, true})
    for (bool out_cuda : {false, true})
      for (const char *settings : {kSettings[4], kSettings[7]})
        compare(settings, "NV12", {322, 58}, in_cuda, out_cuda, 6);
}
GST_END_TEST

GST_START_TEST(large_frames) {
  if (small_run()) return;
  for (const char *format : {"GRAY8", "NV12", "RGB", "RGBA"})
    for (const char *settings : kSettings)
      compare(settings, format, {1921, 1079}, true, true, 1);
}
GST_END_TEST

int main(int argc, char **argv) {
  return run(&argc, &argv, "gpu_canny", [](TCase *tests) {
    tcase_add_test(tests, formats_and_settings);
    tcase_add_test(tests, memory_combinations);
    tcase_add_test(tests, large_frames);
  });
}
