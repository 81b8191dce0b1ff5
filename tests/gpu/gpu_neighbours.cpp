// SPDX-License-Identifier: LGPL-2.1-or-later
// Our elements among GStreamer's own, on a real GPU: every pipeline ends in two branches, one over
// the GPU and one over the CPU, that must give the same bytes. What is not there is skipped, and
// said.
#include "gpu_pipeline.h"
#include "support/h264_stream.h"

using namespace gpu_test;

namespace {

#define CUDA "video/x-raw(memory:CUDAMemory)"

// The branches behind a tee named t that carries CUDA memory: our filter on the GPU, and what
// cudadownload makes of the same frames through our filter on the CPU.
std::string branches(const std::string &filter) {
  return "tee name=t  t. ! queue ! " + filter +
         " ! " CUDA
         " ! cudadownload ! video/x-raw ! appsink name=gpu sync=false  t. ! queue ! cudadownload ! "
         "video/x-raw ! " +
         filter + " backend=cpu ! appsink name=cpu sync=false";
}

constexpr int kFrames = 12;
const std::string kSource =
    "videotestsrc num-buffers=12 pattern=smpte ! video/x-raw,format=UYVY,width=1278,height=722 ! ";

}  // namespace

static int decode_and_compare(const char *stream, const std::string &filter) {
  Branches pipeline(
      "appsrc name=source caps=video/x-h264,stream-format=byte-stream,framerate=25/1 ! h264parse ! "
      "nvh264dec ! " CUDA ",format=NV12 ! " +
      branches(filter));
  gsize size = 0;
  guchar *bytes = g_base64_decode(stream, &size);
  pipeline.feed(bytes, size);
  g_free(bytes);
  return pipeline.compare();
}

GST_START_TEST(h264) {
  if (skip_without({"h264parse", "nvh264dec", "cudadownload"})) return;
  fail_unless_equals_int(decode_and_compare(kH264Stream, "convolve preset=sharpen"), kH264Frames);
}
GST_END_TEST

// Every frame becomes two pictures by what the decoder says of it.
GST_START_TEST(interlaced_h264) {
  if (skip_without({"h264parse", "nvh264dec", "cudadownload"})) return;
  for (const char *method : {"yadif", "bwdif", "best", "w3fdif", "ela", "linear"})
    fail_unless_equals_int(
        decode_and_compare(kInterlacedH264Stream,
                           std::string("coalescedeinterlace fields=all method=") + method),
        2 * kH264Frames);
}
GST_END_TEST

GST_START_TEST(jpeg) {
  if (skip_without({"jpegenc", "nvjpegdec", "cudadownload"})) return;
  Branches pipeline(
      "videotestsrc num-buffers=12 ! video/x-raw,format=I420,width=640,height=480 ! jpegenc ! "
      "nvjpegdec ! " CUDA " ! " +
      branches("sepconvolve preset=gaussian sigma=2"));
  fail_unless_equals_int(pipeline.compare(), kFrames);
}
GST_END_TEST

GST_START_TEST(uploaded) {
  if (skip_without({"cudaupload"})) return;
  Branches pipeline(
      kSource +
      "tee name=t  t. ! queue ! cudaupload ! " CUDA ",format=UYVY ! uyvy2y name=first ! " CUDA
      ",format=NV12 ! convolve preset=sharpen ! " CUDA
      " ! sepconvolve preset=gaussian ! video/x-raw ! appsink name=gpu sync=false  "
      "t. ! queue ! uyvy2y backend=cpu ! video/x-raw,format=NV12 ! convolve preset=sharpen "
      "backend=cpu ! sepconvolve preset=gaussian backend=cpu ! appsink name=cpu sync=false");
  fail_unless_equals_int(pipeline.compare(), kFrames);
  fail_unless_equals_uint64(stat(pipeline.element("first"), "uploads"), 0);
}
GST_END_TEST

// GStreamer's converter, which from 1.24 on leaves its work in flight on a GstCudaStream: behind
// ours, in front of ours, and in between. (1.22 and 1.24 need an NVRTC before CUDA 13 for it.)
GST_START_TEST(converted) {
  if (skip_without({"cudaupload", "cudaconvertscale", "cudadownload"})) return;
  const std::string scaled = "cudaconvertscale ! " CUDA ",format=RGBA,width=962,height=540 ! ";
  const std::string back =
      "cudaconvertscale ! " CUDA ",format=NV12 ! cudadownload ! video/x-raw ! ";
  Branches pipeline(
      kSource +
      "tee name=t  t. ! queue ! uyvy2y backend=cuda ! " CUDA
      ",format=NV12 ! convolve preset=gaussian ! " CUDA " ! " +
      scaled + "convolve name=last preset=sharpen ! " CUDA " ! " + back +
      "appsink name=gpu sync=false  "
      "t. ! queue ! uyvy2y backend=cpu ! video/x-raw,format=NV12 ! "
      "convolve preset=gaussian backend=cpu ! cudaupload ! " +
      scaled + "cudadownload ! video/x-raw ! convolve preset=sharpen backend=cpu ! cudaupload ! " +
      back + "appsink name=cpu sync=false");
  fail_unless_equals_int(pipeline.compare(), kFrames);
  fail_unless_equals_uint64(stat(pipeline.element("last"), "uploads"), 0);
}
GST_END_TEST

// It looks at what memory says of itself, also where libgstcuda would have laid it out otherwise.
GST_START_TEST(converted_planes) {
  if (skip_without({"cudaupload", "cudaconvertscale", "cudadownload"})) return;
  for (const std::string format : {"I420", "YV12", "I420_10LE"})
    for (const std::string height : {"361", "362"}) {
      const std::string sink = "cudaconvertscale ! " CUDA
                               ",format=RGBA ! cudadownload ! video/x-raw ! appsink "
                               "sync=false name=";
      Branches pipeline(
          "videotestsrc num-buffers=4 ! video/x-raw,width=642,format=" + format + ",height=" +
          height + " ! tee name=t  t. ! queue ! convolve preset=sharpen backend=cuda ! " + sink +
          "gpu  t. ! queue ! convolve preset=sharpen backend=cpu ! cudaupload ! " + sink + "cpu");
      fail_unless_equals_int(pipeline.compare(), 4);
    }
}
GST_END_TEST

// One frame in CUDA memory for the GPU, and, brought down by an element of ours, for the CPU.
GST_START_TEST(tee_to_cpu_and_gpu) {
  Branches pipeline(kSource + "uyvy2y backend=cuda ! " CUDA
                              ",format=NV12 ! tee name=t  "
                              "t. ! queue ! convolve preset=emboss ! " CUDA
                              " ! convolve mask=1 ! video/x-raw ! appsink name=gpu "
                              "sync=false  t. ! queue ! convolve mask=1 ! video/x-raw ! "
                              "convolve preset=emboss backend=cpu ! "
                              "appsink name=cpu sync=false");
  fail_unless_equals_int(pipeline.compare(), kFrames);
}
GST_END_TEST

int main(int argc, char **argv) {
  return run(&argc, &argv, "gpu_neighbours", [](TCase *tests) {
    tcase_add_test(tests, h264);
    tcase_add_test(tests, interlaced_h264);
    tcase_add_test(tests, jpeg);
    tcase_add_test(tests, uploaded);
    tcase_add_test(tests, converted);
    tcase_add_test(tests, converted_planes);
    tcase_add_test(tests, tee_to_cpu_and_gpu);
  });
}
