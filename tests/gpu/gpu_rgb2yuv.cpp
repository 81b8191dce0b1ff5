// SPDX-License-Identifier: LGPL-2.1-or-later
// rgb2yuv as it ships, on a real GPU: the bytes of its CPU back end, which tests/check has judged.
#include "../support/covering_array.h"
#include "gpu_support.h"

using namespace gpu_test;
using coalesce::test::covering_rows;

namespace {

const char *const kRgb[] = {"RGB",  "BGR",  "RGBx", "BGRx", "xRGB", "xBGR", "RGBA",
                            "BGRA", "ARGB", "ABGR", "GBR",  "RGBP", "BGRP"};
const char *const kYuv[] = {"Y444", "AYUV", "VUYA", "Y42B", "I420", "YV12",
                            "NV12", "NV21", "YUY2", "UYVY", "GRAY8"};

struct Case {
  const char *in, *out;
  int width, height;
  bool in_cuda = true, out_cuda = true;
  std::string in_more = {}, out_more = {};  // further fields of the caps
};

std::string in_caps(const Case &c, bool cuda) {
  return caps_text(c.in, c.width, c.height, cuda) + c.in_more;
}

std::string out_caps(const Case &c, bool cuda) {
  return caps_text(c.out, c.width, c.height, cuda) + c.out_more;
}

void run_case(const Case &c, int frames = 2) {
  compare_with_cpu("rgb2yuv", {in_caps(c, c.in_cuda), out_caps(c, c.out_cuda)},
                   {in_caps(c, false), out_caps(c, false)}, frames);
}

}  // namespace

GST_START_TEST(formats_and_sizes) {
  // Each with each of every other.
  constexpr Size kSizes[] = {{1, 1}, {3, 2}, {33, 17}, {642, 35}};
  const auto all = covering_rows({std::size(kRgb), std::size(kYuv), std::size(kSizes)});
  for (const auto &row : all)
    run_case({kRgb[row[0]], kYuv[row[1]], kSizes[row[2]].width, kSizes[row[2]].height});
}
GST_END_TEST

GST_START_TEST(large_frames) {
  for (const char *in : {"RGB", "BGRx", "ARGB", "GBR"})
    for (const char *out : kYuv)
      run_case({in, out, 1921, 1079});
}
GST_END_TEST

GST_START_TEST(memory_combinations) {
  for (bool in_cuda : {false, true})
    for (bool out_cuda : {false, true})
      for (const char *in : {"RGB", "xBGR", "BGRP"})
        for (const char *out : {"NV12", "I420", "Y444", "AYUV", "UYVY", "GRAY8"})
          run_case({in, out, 641, 359, in_cuda, out_cuda}, 8);
}
GST_END_TEST

GST_START_TEST(frames_in_flight) {
  run_case({"RGB", "NV12", 3840, 2160}, 12);
}
GST_END_TEST

GST_START_TEST(colours) {
  for (const char *in_range : {"1", "2"})
    for (const char *out_range : {"1", "2"})
      for (const char *matrix : {"2", "3", "4", "5", "6"})
        for (const char *out : {"Y444", "NV12"})
          run_case({"RGB", out, 258, 34, true, true,
                    std::string(",colorimetry=(string)") + in_range + ":1:7:1",
                    std::string(",colorimetry=(string)") + out_range + ":" + matrix + ":7:1"});
}
GST_END_TEST

// 720x486 has a row of chroma more in interlaced 4:2:0, in every memory.
GST_START_TEST(sites_and_fields) {
  for (const char *mode : {"progressive", "interleaved"})
    for (const char *site : {"jpeg", "mpeg2", "cosited", "v-cosited"})
      for (const char *out : {"I420", "YV12", "NV12", "NV21", "Y42B", "YUY2"})
        for (auto [width, height] : {std::pair{33, 5}, {720, 486}})
          for (bool cuda : {false, true}) {
            const std::string fields = std::string(",interlace-mode=") + mode;
            run_case(
                {"BGR", out, width, height, cuda, cuda, fields, fields + ",chroma-site=" + site});
          }
}
GST_END_TEST

int main(int argc, char **argv) {
  return run(&argc, &argv, "gpu_rgb2yuv", [](TCase *tests) {
    tcase_add_test(tests, formats_and_sizes);
    tcase_add_test(tests, large_frames);
    tcase_add_test(tests, memory_combinations);
    tcase_add_test(tests, frames_in_flight);
    tcase_add_test(tests, colours);
    tcase_add_test(tests, sites_and_fields);
  });
}
