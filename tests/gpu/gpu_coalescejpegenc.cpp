// SPDX-License-Identifier: LGPL-2.1-or-later
// coalescejpegenc on a real GPU: the files are those of its CPU back end, which tests/check has
// judged; from system and from CUDA memory, of little to code and of noise.
#include "gpu_pipeline.h"

using namespace gpu_test;

namespace {

#define CUDA "video/x-raw(memory:CUDAMemory)"

constexpr int kFrames = 12;

std::string source(const char *pattern, const char *format, const char *size) {
  return std::string("videotestsrc num-buffers=12 pattern=") + pattern +
         " ! video/x-raw,framerate=25/1,format=" + format + "," + size + " ! tee name=t  ";
}

std::string branch(const std::string &elements, const char *name) {
  return "t. ! queue ! " + elements + " ! appsink sync=false name=" + name + "  ";
}

void compare(const std::string &source, const std::string &before, const std::string &setting) {
  const auto coder = [&setting](const char *backend) {
    return std::string("coalescejpegenc name=on-") + backend + " backend=" + backend + " " +
           setting;
  };
  Branches pipeline(source + branch(before + coder("cuda"), "gpu") + branch(coder("cpu"), "cpu"));
  fail_unless_equals_int(pipeline.compare(), kFrames);
  fail_unless_equals_uint64(stat(pipeline.element("on-cuda"), "uploads"),
                            before.empty() ? kFrames : 0);
}

}  // namespace

GST_START_TEST(formats) {
  for (const char *format : {"GRAY8", "I420", "NV12", "NV21", "Y42B", "NV16", "UYVY", "YUY2",
                             "Y444", "AYUV", "Y41B", "RGB", "BGRx", "ARGB", "GBR"})
    for (const char *size : {"width=61,height=43", "width=640,height=362"})
      compare(source("smpte", format, size), "", "");
}
GST_END_TEST

GST_START_TEST(settings) {
  for (const char *setting :
       {"quality=1", "quality=100", "optimize=true", "restart-interval=1", "restart-interval=40",
        "restart-interval=7 optimize=true frames-in-flight=8", "max-frame-size=40000",
        "max-frame-size=60000 optimize=true", "frames-in-flight=1"})
    for (const char *pattern : {"smpte", "ball"})
      compare(source(pattern, "NV12", "width=642,height=362"), "", setting);
  for (const char *setting : {"subsampling=444", "subsampling=422", "keep-rgb=true optimize=true"})
    compare(source("smpte", "RGB", "width=642,height=362"), "", setting);
}
GST_END_TEST

// Noise, which has the most bits: tiles learn from many before them.
GST_START_TEST(noise) {
  for (const char *setting : {"quality=100", "quality=98 optimize=true", "restart-interval=0"})
    compare(source("snow", "I420", "width=1920,height=1088"), "", setting);
}
GST_END_TEST

GST_START_TEST(from_cuda_memory) {
  const std::string source =
      "videotestsrc num-buffers=12 pattern=smpte ! "
      "video/x-raw,format=NV12,framerate=25/1,width=642,"
      "height=362 ! tee name=t  ";
  for (const char *setting : {"", "optimize=true frames-in-flight=3"})
    compare(source, "yuv2yuv backend=cuda ! " CUDA ",format=I420 ! ", setting);
}
GST_END_TEST

int main(int argc, char **argv) {
  return run(&argc, &argv, "gpu_coalescejpegenc", [](TCase *tests) {
    tcase_add_test(tests, formats);
    tcase_add_test(tests, settings);
    tcase_add_test(tests, noise);
    tcase_add_test(tests, from_cuda_memory);
  });
}
