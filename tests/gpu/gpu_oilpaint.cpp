// SPDX-License-Identifier: LGPL-2.1-or-later
// oilpaint on a real GPU: the bytes of its CPU back end, which tests/check has judged.
#include "gpu_support.h"

using namespace gpu_test;

namespace {

const char *const kFormats[] = {"GRAY8", "I420", "NV12", "Y41B", "AYUV",
                                "RGB",   "BGRx", "GBRA", "UYVY"};
const char *const kSettings[] = {
    "",
    "brush-thickest=32 brush-thinnest=4 threshold=30 least-length=2",
    "temporal=true",
    "method=kuwahara",
    "method=kuwahara radius=10",
    "method=mode",
    "method=mode radius=14 ratio=1",  // a little more shared memory than a kernel has without
                                      // asking
    "method=mode radius=15 ratio=1",
};

void compare(const std::string &settings, const char *format, Size size, bool in_cuda,
             bool out_cuda, int frames) {
  const auto caps = [&](bool cuda) { return caps_text(format, size.width, size.height, cuda); };
  compare_with_cpu("oilpaint " + settings, {caps(in_cuda), caps(out_cuda)},
                   {caps(false), caps(false)}, frames);
}

}  // namespace

GST_START_TEST(formats_and_settings) {
  for (int i = first_sample(8); i < 8; i += sample_step())
    for (const char *format : kFormats)
      for (Size size : {Size{2, 3}, Size{67, 35}})
        compare(kSettings[i], format, size, true, true, 2);
}
GST_END_TEST

GST_START_TEST(memory_combinations) {
  for (bool in_cuda : {false, true})
    for (bool out_cuda : {false, true})
      for (const char *settings : {"temporal=true", "method=kuwahara radius=3"})
        compare(settings, "NV12", {130, 58}, in_cuda, out_cuda, 6);
}
GST_END_TEST

// Frames that are in flight together have each other's strokes, in their order; what leaves is
// another thing than without them.
GST_START_TEST(kept_in_flight) {
  const auto caps = [](bool cuda) { return caps_text("RGB", 150, 90, cuda); };
  for (const bool cuda : {false, true}) {
    const CapsPair of_gpu = {caps(cuda), caps(cuda)}, of_cpu = {caps(false), caps(false)};
    const Twins twins("oilpaint temporal=true", of_gpu, of_cpu);
    const Side anew("oilpaint backend=cpu", of_cpu);
    constexpr int kFrames = 8;
    for (int i = 0; i < kFrames; i++)
      for (const Side *side : {&twins.gpu, &twins.cpu, &anew})
        side->push(side->frame(static_cast<unsigned>(i)));
    for (int i = 0; i < kFrames; i++) {
      const Bytes on_gpu = twins.gpu.pull(), on_cpu = twins.cpu.pull();
      fail_unless(on_gpu == on_cpu, "frame %d", i);
      fail_unless((on_cpu == anew.pull()) == (i == 0), "frame %d: are strokes kept?", i);
    }
  }
}
GST_END_TEST

GST_START_TEST(large_frames) {
  if (small_run()) return;
  for (const char *format : {"NV12", "RGB"})
    for (const char *settings : kSettings)
      compare(settings, format, {961, 539}, true, true, 1);
}
GST_END_TEST

int main(int argc, char **argv) {
  return run(&argc, &argv, "gpu_oilpaint", [](TCase *tests) {
    tcase_add_test(tests, formats_and_settings);
    tcase_add_test(tests, memory_combinations);
    tcase_add_test(tests, kept_in_flight);
    tcase_add_test(tests, large_frames);
  });
}
