// SPDX-License-Identifier: LGPL-2.1-or-later
// Two GPUs in one pipeline: cuda-device-id selects, and what lies on the other GPU is copied, never
// misread. Each pipeline's end on the GPUs must give the bytes of its end on the CPU. With fewer
// GPUs only the refusal is tried.
#include "gpu_pipeline.h"

#include <gst/cuda/cuda-gst.h>

using namespace gpu_test;

namespace {

#define CUDA "video/x-raw(memory:CUDAMemory)"

constexpr int kFrames = 24;
const std::string kSource =
    "videotestsrc num-buffers=24 pattern=smpte ! video/x-raw,format=UYVY,width=646,height=362 ! "
    "tee name=t  t. ! queue ! ";
const std::string kOnGpu = " ! video/x-raw ! appsink name=gpu sync=false  t. ! queue ! ";
const std::string kLuma = "uyvy2y backend=cpu ! video/x-raw,format=NV12 ! ";
const std::string kOnCpu = " ! appsink name=cpu sync=false";
const std::string kBoth =
    "convolve preset=sharpen backend=cpu ! sepconvolve preset=gaussian backend=cpu";

int gpus() {
  int devices = 0;
  return CuDeviceGetCount(&devices) == CUDA_SUCCESS ? devices : 0;
}

bool skip_with_one_gpu() {
  if (gpus() > 1) return false;
  skip("this machine has one GPU");
  return true;
}

guint64 uploads(const Branches &pipeline, const char *name) {
  return stat(pipeline.element(name), "uploads");
}

// The text of the error that a pipeline ends with.
std::string error_of(const std::string &text) {
  Pipeline pipeline(text);
  pipeline.start();
  pipeline.wait_for_end();
  return pipeline.take_error();
}

}  // namespace

GST_START_TEST(no_such_gpu) {
  const std::string id = std::to_string(gpus());
  for (const char *element : {"uyvy2y", "uyvy2y backend=cuda"}) {
    const std::string said = error_of("videotestsrc num-buffers=1 ! " + std::string(element) +
                                      " cuda-device-id=" + id + " ! fakesink");
    for (const std::string &part : {"cuda-device-id=" + id, "this machine has " + id})
      fail_unless(said.find(part) != std::string::npos, "%s: %s", element, said.c_str());
  }
}
GST_END_TEST

// Those that name no GPU go where their neighbour is: nothing is copied.
GST_START_TEST(second_gpu_alone) {
  if (skip_with_one_gpu()) return;
  Branches pipeline(kSource +
                    "uyvy2y cuda-device-id=1 ! " CUDA
                    ",format=NV12 ! convolve name=next preset=sharpen ! " CUDA
                    " ! sepconvolve name=last preset=gaussian" +
                    kOnGpu + kLuma + kBoth + kOnCpu);
  fail_unless_equals_int(pipeline.compare(), kFrames);
  for (const char *name : {"next", "last"})
    fail_unless_equals_uint64(uploads(pipeline, name), 0);
}
GST_END_TEST

GST_START_TEST(there_and_back) {
  if (skip_with_one_gpu()) return;
  Branches pipeline(kSource +
                    "uyvy2y cuda-device-id=0 ! " CUDA
                    ",format=NV12 ! convolve name=there preset=sharpen cuda-device-id=1 ! " CUDA
                    " ! queue ! sepconvolve name=back preset=gaussian cuda-device-id=0" +
                    kOnGpu + kLuma + kBoth + kOnCpu);
  fail_unless_equals_int(pipeline.compare(), kFrames);
  for (const char *name : {"there", "back"})
    fail_unless_equals_uint64(uploads(pipeline, name), kFrames);
}
GST_END_TEST

// The same frames read on both, at the same time.
GST_START_TEST(tee_to_both) {
  if (skip_with_one_gpu()) return;
  Branches pipeline(
      kSource +
      "uyvy2y cuda-device-id=0 ! " CUDA
      ",format=NV12 ! tee name=both  both. ! queue ! convolve preset=emboss "
      "cuda-device-id=0 ! " CUDA
      " ! fakesink sync=false  both. ! queue ! convolve preset=sharpen cuda-device-id=1 "
      "! " CUDA " ! sepconvolve name=last preset=gaussian" +
      kOnGpu + kLuma + kBoth + kOnCpu);
  fail_unless_equals_int(pipeline.compare(), kFrames);
  fail_unless_equals_uint64(uploads(pipeline, "last"), 0);
}
GST_END_TEST

// GStreamer's own memory on the other GPU.
GST_START_TEST(uploaded_to_the_other) {
  if (skip_with_one_gpu()) return;
  if (skip_without({"cudaupload"})) return;
  for (const std::string id : {"0", "1"}) {
    Branches pipeline(kSource +
                      "cudaupload cuda-device-id=1 ! " CUDA
                      ",format=UYVY ! uyvy2y name=first cuda-device-id=" +
                      id +
                      " ! " CUDA ",format=NV12 ! convolve preset=sharpen ! " CUDA
                      " ! sepconvolve preset=gaussian" +
                      kOnGpu + kLuma + kBoth + kOnCpu);
    fail_unless_equals_int(pipeline.compare(), kFrames);
    fail_unless_equals_uint64(uploads(pipeline, "first"), id == "0" ? kFrames : 0);
  }
}
GST_END_TEST

GST_START_TEST(coded_on_the_other) {
  if (skip_with_one_gpu()) return;
  Branches pipeline(
      kSource +
      "uyvy2y cuda-device-id=0 ! " CUDA
      ",format=NV12 ! j2kenc name=coder cuda-device-id=1 ! appsink name=gpu sync=false  "
      "t. ! queue ! " +
      kLuma + "j2kenc backend=cpu" + kOnCpu);
  fail_unless_equals_int(pipeline.compare(), kFrames);
  fail_unless_equals_uint64(uploads(pipeline, "coder"), kFrames);
}
GST_END_TEST

int main(int argc, char **argv) {
  return run(&argc, &argv, "gpu_two_gpus", [](TCase *tests) {
    tcase_add_test(tests, no_such_gpu);
    tcase_add_test(tests, second_gpu_alone);
    tcase_add_test(tests, there_and_back);
    tcase_add_test(tests, tee_to_both);
    tcase_add_test(tests, uploaded_to_the_other);
    tcase_add_test(tests, coded_on_the_other);
  });
}
