// SPDX-License-Identifier: LGPL-2.1-or-later
// bilateral, convolve, sepconvolve and median as they ship, on a real GPU: the bytes of their CPU
// back end, which tests/check has judged.
#include "../support/covering_array.h"
#include "gpu_support.h"

using namespace gpu_test;
using coalesce::test::covering_rows;

namespace {

const char *const kFormats[] = {
    "GRAY8",     "GRAY16_LE", "I420",      "YV12",      "NV12",      "NV21",     "Y42B", "Y444",
    "P010_10LE", "I420_10LE", "I422_10LE", "Y444_10LE", "Y444_16LE", "RGB",      "BGR",  "RGBx",
    "BGRx",      "xRGB",      "xBGR",      "RGBA",      "BGRA",      "ARGB",     "ABGR", "AYUV",
    "VUYA",      "GBR",       "RGBP",      "BGRP",      "P012_LE",   "Y444_12LE"};
const char *const kBorders[] = {"replicate", "reflect", "reflect-101", "wrap", "constant"};
const char *const kFilters[] = {
    "convolve mask=1",
    "convolve mask=\"1 2 3; 0 5 7; 4 1 2\"",
    "convolve mask=\"0.3 -0.7; 0.11 2.5\" filter-alpha=true correlate=true",
    "convolve mask=\"1 2 3 2 1; 2 5 7 -4 2; 3 7 9 1 3; 2 4 6 5 2; 1 2 3 2 0\"",
    "convolve mask=\"1 0 -3 2 1; 2 5 7 -4 2; 3 -7 9 1 3; -2 4 6 -5 2; 1 2 -3 2 4\" absolute=true",
    "convolve preset=sobel-x",
    "convolve preset=gaussian sigma=1.5",
    "convolve preset=emboss planes=all absolute=true",
    "convolve preset=laplacian-of-gaussian size=15",
    "convolve preset=unsharp size=31",
    "convolve mask=\"1 1 1 1\" anchor-x=3 bias=10",
    "sepconvolve horizontal=\"1 4 6 4 1\"",
    "sepconvolve preset=gaussian size=63 filter-alpha=true",
    "sepconvolve preset=gaussian-y sigma=2",
    "bilateral",
    "bilateral radius=5 sigma-space=4 sigma-range=60 iterations=2",
    "bilateral radius=9 sigma-space=6 sigma-range=300 filter-alpha=true",
    "median",
    "median size=7",
    "median size=31 height=5 percentile=20 filter-alpha=true",
    "sepconvolve preset=blur sigma=9",
    "sepconvolve preset=blur sigma=50 filter-alpha=true",
};

struct Case {
  std::string filter;
  const char *format;
  int width, height;
  bool in_cuda = true, out_cuda = true;
};

void run_case(const Case &c, int frames = 2) {
  const auto caps = [&c](bool cuda) { return caps_text(c.format, c.width, c.height, cuda); };
  compare_with_cpu(c.filter, {caps(c.in_cuda), caps(c.out_cuda)}, {caps(false), caps(false)},
                   frames);
}

}  // namespace

GST_START_TEST(formats_borders_and_masks) {
  // Each with each of every other.
  constexpr Size kSizes[] = {{3, 2}, {67, 35}};
  const auto all = covering_rows(
      {std::size(kFormats), std::size(kBorders), std::size(kFilters), std::size(kSizes)});
  for (const auto &row : all)
    run_case({std::string(kFilters[row[2]]) + " border-value=77 border=" + kBorders[row[1]],
              kFormats[row[0]], kSizes[row[3]].width, kSizes[row[3]].height});
}
GST_END_TEST

GST_START_TEST(large_frames) {
  for (const char *format : {"GRAY8", "NV12", "RGB", "RGBA", "P010_10LE", "Y444_16LE"})
    for (const char *filter : kFilters)
      run_case({filter, format, 1921, 1079});
  // Rows of whole blocks, all aligned.
  for (const char *format : {"GRAY8", "NV12", "RGBA"})
    for (const char *filter : kFilters)
      run_case({filter, format, 3840, 2160}, 1);
}
GST_END_TEST

GST_START_TEST(memory_combinations) {
  for (bool in_cuda : {false, true})
    for (bool out_cuda : {false, true})
      for (const char *format : kFormats)
        run_case({"convolve preset=sharpen", format, 641, 359, in_cuda, out_cuda}, 8);
}
GST_END_TEST

// A mask set between two frames does not reach the one that is in flight.
GST_START_TEST(changes_in_flight) {
  const auto caps = [](bool cuda) { return caps_text("NV12", 3840, 2160, cuda); };
  const Twins twins("convolve", {caps(true), caps(true)}, {caps(false), caps(false)});
  const char *const masks[] = {"1 2 1; 2 4 2; 1 2 1", "0 -1 0; -1 5 -1; 0 -1 0", "1 1 1 1 1", "1",
                               "0.5; 0.25; 0.1"};
  for (const Side *side : {&twins.gpu, &twins.cpu}) {
    GstElement *element = gst_harness_find_element(side->get(), "convolve");
    const BufferRef frame = side->frame(1);
    for (const char *mask : masks) {
      g_object_set(element, "mask", mask, nullptr);
      side->push(frame);
    }
    gst_object_unref(element);
  }
  for (const char *mask : masks)
    twins.expect_same_frames(mask);
}
GST_END_TEST

int main(int argc, char **argv) {
  return run(&argc, &argv, "gpu_convolve", [](TCase *tests) {
    tcase_add_test(tests, formats_borders_and_masks);
    tcase_add_test(tests, large_frames);
    tcase_add_test(tests, memory_combinations);
    tcase_add_test(tests, changes_in_flight);
  });
}
