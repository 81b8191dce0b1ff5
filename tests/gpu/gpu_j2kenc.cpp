// SPDX-License-Identifier: LGPL-2.1-or-later
// j2kenc as it ships, on a real GPU: the codestreams of its CPU back end, which tests/check has
// judged, in order and with their times.
#include "support/j2k_settings_array.h"

using namespace gpu_test;

namespace {

constexpr const char *kFields = ",interlace-mode=interleaved,field-order=";
constexpr const char *kSettings[] = {
    "lossless=true",
    "wavelet=9/7; lossless=false",
    "quality=90",
    "quality=35",
    "bpp=0.3",
    "bpp=2",
    "bpp=1; wavelet=5/3",
    "bpp=2; visual-weighting=true",
    "bitrate=3000",
    "frame-size=6000",
    "psnr=30",
    "psnr=45",
    "psnr=40; wavelet=5/3",
    "num-layers=5",
    "bpp=2; num-layers=4; layer-rates=0.25 0.5 1",
    "psnr=42; num-layers=3",
    "num-resolutions=1",
    "num-resolutions=8",
    "num-layers=3; progression-order=rlcp",
    "num-layers=3; progression-order=rpcl; precincts=64x64 64x64 32x32; code-block-width=16; "
    "code-block-height=16",
    "num-layers=2; progression-order=pcrl; precincts=128x64; code-block-width=32; "
    "code-block-height=16",
    "num-layers=2; progression-order=cprl; sop=true; eph=true; plt=true",
    "tile-width=64; tile-height=48; tlm=true; plt=true",
    "tile-width=77; tile-height=33; bpp=2; num-layers=3",
    "tile-width=17; tile-height=13; psnr=38",
    "code-block-width=32; code-block-height=32",
    "code-block-width=4; code-block-height=4",
    "code-block-width=1024; code-block-height=4",
    "code-block-width=8; code-block-height=256; bpp=1.5",
    "code-block-style=bypass",
    "code-block-style=reset+termall",
    "code-block-style=causal; code-block-width=32; code-block-height=32",
    "code-block-style=bypass+termall+reset+causal+predictable-termination+segmentation-symbols",
    "code-block-style=bypass+segmentation-symbols; bpp=2; num-layers=3",
    "code-block-style=termall+predictable-termination; frame-size=7000",
    "roi=40,30,50,20; bpp=1",
    "roi=0,0,33,111; quality=70",
    "roi=40,30,50,20; code-block-style=bypass+termall; num-layers=2; bpp=2",
    "guard-bits=5; comment=take 3",
};

}  // namespace

GST_START_TEST(every_format) {
  Cases cases;
  for (const std::string &format : j2k_formats())
    for (Input input : {Input::cuda, Input::page_locked}) {
      cases.encode({format, 67, 35, "", "", "image/x-jpc", "", 3}, input);
      cases.encode({format, 130, 98, "bpp=3; num-layers=3", "", "image/jp2", "", 2}, input);
    }
}
GST_END_TEST

// Heights of which each field has all of its chroma, and for three formats others, too.
GST_START_TEST(fields) {
  Cases cases;
  const std::string top = std::string(kFields) + "top-field-first",
                    bottom = std::string(kFields) + "bottom-field-first";
  for (const std::string &format : j2k_formats())
    for (Input input : {Input::cuda, Input::page_locked}) {
      cases.encode({format, 68, 40, "", top, "image/x-jpc", "", 3}, input);
      cases.encode({format, 68, 40, "psnr=40", bottom, "image/x-j2c", "", 1}, input);
    }
  for (const char *format : {"I420", "NV12", "GRAY8"})
    for (int height : {2, 7, 22})
      cases.encode({format, 33, height, "", top}, Input::cuda);
  cases.encode({"NV12", 68, 40, "", top, "image/jp2"}, Input::cuda);
}
GST_END_TEST

GST_START_TEST(settings) {
  Cases cases;
  for (const char *setting : kSettings) {
    cases.encode({"RGB", 200, 111, setting}, Input::cuda);
    cases.encode({"NV12", 200, 111, setting, "", "image/x-j2c"}, Input::cuda);
    cases.encode({"I422_10LE", 200, 111, setting}, Input::page_locked);
  }
}
GST_END_TEST

// Profiles and large frames, of few pictures, for the CPU takes its time; without a GPU, where it
// does all, two of them.
GST_START_TEST(large_frames) {
  Cases cases;
  cases.encode({"GRAY16_LE", 1919, 1079, "psnr=50; tile-width=500; tile-height=300"},
               Input::page_locked, 2);
  cases.encode({"v210", 1919, 1079, "bpp=2"}, Input::cuda, 2);
  if (small_run()) return;
  cases.encode({"GBR_12LE", 1998, 1080, "profile=cinema-2k"}, Input::cuda, 2);
  cases.encode({"GBR_12LE", 3996, 2160, "profile=cinema-4k"}, Input::cuda, 2);
  cases.encode({"I422_10LE", 1920, 1080, "profile=broadcast-single"}, Input::cuda, 2);
  cases.encode({"v210", 1919, 1079, ""}, Input::cuda, 2);
  for (const char *format : {"RGB", "P010_10LE", "UYVY"})
    for (const char *setting : {"", "bpp=2"})
      cases.encode({format, 1919, 1079, setting}, Input::cuda, 2);
}
GST_END_TEST

GST_START_TEST(odd_sizes) {
  Cases cases;
  constexpr std::pair<int, int> sizes[] = {{1, 1},    {2, 1},     {1, 9},    {2, 3},
                                           {17, 33},  {31, 2},    {1, 70},   {300, 1},
                                           {65, 129}, {255, 257}, {641, 359}};
  for (const auto &[width, height] : sizes)
    for (const char *format : {"RGB", "GRAY8", "NV12", "Y41B", "v210", "P010_10LE", "ARGB64"})
      for (const char *setting : {"", "quality=75"})
        cases.encode({format, width, height, setting}, Input::cuda, 3);
}
GST_END_TEST

GST_START_TEST(frames_in_flight) {
  Cases cases;
  for (int frames : {0, 1, 2, 3, 4, 5, 6, 7, 8, 16})
    for (Input input : {Input::cuda, Input::page_locked, Input::pageable})
      for (const char *setting : {"", "bpp=2; num-layers=3"})
        cases.encode({"NV12", 322, 182, setting, "", "image/x-jpc", "", frames}, input,
                     small_run() ? 20 : 40);
}
GST_END_TEST

// Settings and caps in mid-stream, some of them alone and some together, and flushes between.
GST_START_TEST(changes) {
  const Coding steps[] = {{"NV12", 130, 98, ""},
                          {"NV12", 130, 98, "bpp=2; num-layers=2"},
                          {"RGB", 67, 35, "bpp=2; num-layers=2"},
                          {"RGB", 320, 180, "code-block-style=bypass"},
                          {"RGB", 320, 180, "tile-width=100; psnr=40"},
                          {"v210", 100, 40, "psnr=40", std::string(kFields) + "top-field-first"},
                          {"GRAY16_LE", 33, 17, ""},
                          {"GRAY16_LE", 33, 17, "quality=50; progression-order=rpcl"}};
  Cases cases;
  for (int frames : {0, 1, 2, 5, 8})
    for (Input input : {Input::cuda, Input::page_locked, Input::pageable})
      cases.attempt([&] {
        J2kHarness h(steps[0], input);
        for (int i = 0; i < 40; i++) {
          Coding step = steps[std::size_t(i) * 5 % std::size(steps)];
          step.frames_in_flight = i % 3 == 0 ? frames : 3;
          h.change(step);
          h.push(i % 7);
          h.check();
          if (i % 10 == 9) h.flush();
          if (i % 20 == 19) h.restart();
        }
        h.push(6);
        h.end();
      });
}
GST_END_TEST

// Behind another element of ours, in CUDA memory.
GST_START_TEST(behind_a_filter) {
  Cases cases;
  for (const char *format : {"NV12", "RGB", "P010_10LE", "GRAY8"})
    for (Input input : {Input::cuda, Input::page_locked})
      cases.attempt([&] {
        J2kHarness h({format, 322, 182, "bpp=4", "", "image/x-jpc", "convolve preset=sharpen"},
                     input);
        h.push(20);
        h.end();
        if (h.statistic("uploads") != 0) throw Failure("j2kenc has uploaded");
      });
}
GST_END_TEST

int main(int argc, char **argv) {
  return run(&argc, &argv, "gpu_j2kenc", [](TCase *tests) {
    tcase_add_test(tests, every_format);
    tcase_add_test(tests, fields);
    tcase_add_test(tests, settings);
    tcase_add_test(tests, odd_sizes);
    tcase_add_test(tests, frames_in_flight);
    tcase_add_test(tests, changes);
    tcase_add_test(tests, behind_a_filter);
    tcase_add_test(tests, large_frames);
  });
}
