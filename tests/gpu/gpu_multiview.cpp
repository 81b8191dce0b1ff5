// SPDX-License-Identifier: LGPL-2.1-or-later
// multiview on a real GPU: the bytes of its CPU back end, which tests/check has judged.
#include "../check/multiview/views.h"
#include "support/inputs_side.h"

using namespace gpu_test;

namespace {

const char *const kFormats[] = {"GRAY8", "GRAY16_LE", "I420",      "NV12",
                                "UYVY",  "AYUV",      "P010_10LE", "BGRx"};
const char *const kSettings[] = {
    "depth-scale=7.5",
    "method=ncc window-size=7",
    "num-depths=256 window-size=21 tolerance=3",
    "window-size=3 min-count=1 reference=1 output=depth-confidence",
    "method=ncc window-size=15 output=confidence",
    "num-depths=100 output=float",
    "window-size=9 output=turbo",
    "method=ncc output=viridis",
};
constexpr int kAll = int(std::size(kSettings));

// Which inputs, and is the output in CUDA memory?
struct Memories {
  std::vector<bool> in;
  bool out;
};

std::unique_ptr<SeveralInputs> views(const char *format, Size size, const std::string &properties,
                                     const Memories &memories) {
  std::vector<std::string> caps;
  for (const bool cuda : memories.in)
    caps.push_back(caps_text(format, size.width, size.height, cuda));
  return std::make_unique<Views>(caps, kSceneProperties + properties, out_in(memories.out));
}

void compare(const std::string &settings, const char *format, Size size, const Memories &memories,
             unsigned frames) {
  const std::vector<bool> none(memories.in.size());
  InputsSide gpu(views(format, size, settings + " backend=cuda", memories), format, size,
                 memories.in, true);
  InputsSide cpu(views(format, size, settings + " backend=cpu", {none, false}), format, size, none,
                 false);
  for (unsigned n = 0; n < frames; n++) {
    const auto pictures = scene_frames(gpu.info(), int(none.size()), n + 1);
    std::vector<GstBuffer *> all;
    for (const BufferRef &picture : pictures)
      all.push_back(picture.get());
    for (InputsSide *side : {&gpu, &cpu})
      side->push(all);
  }
  for (unsigned n = 0; n < frames; n++)
    fail_unless(gpu.pull() == cpu.pull(), "%s, %s of %dx%d, %zu views, picture %u",
                settings.c_str(), format, size.width, size.height, none.size(), n);
  gpu.end();
  fail_unless(active_backend(gpu.d()) == "cuda");
}

}  // namespace

GST_START_TEST(formats_and_settings) {
  for (int i = first_sample(kAll); i < kAll; i += sample_step())
    for (const char *format : kFormats)
      for (Size size : {Size{2, 3}, Size{67, 35}, Size{259, 64}})
        compare(kSettings[i], format, size, {{true, true, true}, true}, 2);
}
GST_END_TEST

GST_START_TEST(memory_combinations) {
  for (int mix = 0; mix < 16; mix++)
    for (const char *settings : {kSettings[0], kSettings[4], kSettings[6]})
      compare(settings, "NV12", {162, 58},
              {{(mix & 1) != 0, (mix & 2) != 0, (mix & 4) != 0}, (mix & 8) != 0}, 6);
}
GST_END_TEST

GST_START_TEST(numbers_of_views) {
  for (std::size_t count : {2, 5, 16})
    for (const char *settings : {kSettings[0], kSettings[1]})
      compare(settings, "GRAY8", {131, 50}, {std::vector<bool>(count, true), true}, 2);
}
GST_END_TEST

GST_START_TEST(large_frames) {
  if (small_run()) return;
  for (const char *settings : kSettings)
    compare(settings, "GRAY8", {1921, 1079}, {{true, true, true}, true}, 1);
}
GST_END_TEST

int main(int argc, char **argv) {
  return run(&argc, &argv, "gpu_multiview", [](TCase *tests) {
    tcase_add_test(tests, formats_and_settings);
    tcase_add_test(tests, memory_combinations);
    tcase_add_test(tests, numbers_of_views);
    tcase_add_test(tests, large_frames);
  });
}
