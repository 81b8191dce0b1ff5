// SPDX-License-Identifier: LGPL-2.1-or-later
// Our elements among GStreamer's own, on a real GPU: every pipeline ends in two branches, one over
// the GPU and one over the CPU, that must give the same bytes. What is not there is skipped, and
// said.
#include <gst/app/app.h>

#include <initializer_list>

#include "gpu_support.h"
#include "h264_stream.h"

#define GST_USE_UNSTABLE_API
#include <gst/cuda/cuda-gst.h>

using namespace gpu_test;

namespace {

#define CUDA "video/x-raw(memory:CUDAMemory)"

// Elements of GStreamer's that may be missing: those that nvcodec registers only where NVIDIA's
// video libraries are, above all.
bool skipped(const char *test, std::initializer_list<const char *> elements) {
  for (const char *name : elements) {
    GstElementFactory *factory = gst_element_factory_find(name);
    if (factory == nullptr) {
      g_print("SKIP %s: there is no element %s\n", test, name);
      return true;
    }
    gst_object_unref(factory);
  }
  return false;
}

class Pipeline {
 public:
  explicit Pipeline(const std::string &text) {
    GError *error = nullptr;
    pipeline_ = gst_parse_launch(text.c_str(), &error);
    fail_unless(error == nullptr, "%s: %s", text.c_str(), error ? error->message : "");
    gst_element_set_state(pipeline_, GST_STATE_PLAYING);
  }
  ~Pipeline() {
    gst_element_set_state(pipeline_, GST_STATE_NULL);
    gst_object_unref(pipeline_);
  }
  Pipeline(const Pipeline &) = delete;
  Pipeline &operator=(const Pipeline &) = delete;

  GstElement *element(const char *name) const {  // no reference is given
    GstElement *found = gst_bin_get_by_name(GST_BIN(pipeline_), name);
    gst_object_unref(found);
    return found;
  }

  // Both branches to their end; the number of frames.
  int compare() const {
    for (int frames = 0;; frames++) {
      GstSample *gpu = pull("gpu"), *cpu = pull("cpu");
      fail_unless((gpu == nullptr) == (cpu == nullptr), "one branch ends after %d frames", frames);
      if (gpu == nullptr) return frames;
      fail_unless(bytes(gpu) == bytes(cpu), "frame %d differs", frames);
      gst_sample_unref(gpu);
      gst_sample_unref(cpu);
    }
  }

 private:
  GstSample *pull(const char *sink) const {
    GstSample *sample = gst_app_sink_try_pull_sample(GST_APP_SINK(element(sink)), 30 * GST_SECOND);
    GstBus *bus = gst_element_get_bus(pipeline_);
    GstMessage *message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR);
    gst_object_unref(bus);
    if (message != nullptr) {
      GError *error = nullptr;
      gst_message_parse_error(message, &error, nullptr);
      ck_abort_msg("%s: %s", GST_OBJECT_NAME(GST_MESSAGE_SRC(message)), error->message);
    }
    fail_unless(sample != nullptr || gst_app_sink_is_eos(GST_APP_SINK(element(sink))),
                "no frame comes to %s", sink);
    return sample;
  }

  static std::vector<std::uint8_t> bytes(GstSample *sample) {
    GstVideoInfo info;
    fail_unless(gst_video_info_from_caps(&info, gst_sample_get_caps(sample)));
    return bytes_of(gst_sample_get_buffer(sample), info);
  }

  GstElement *pipeline_;
};

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

GST_START_TEST(h264) {
  if (skipped("nvh264dec", {"h264parse", "nvh264dec", "cudadownload"})) return;
  const Pipeline pipeline(
      "appsrc name=source caps=video/x-h264,stream-format=byte-stream,framerate=25/1 ! h264parse ! "
      "nvh264dec ! " CUDA ",format=NV12 ! " +
      branches("convolve preset=sharpen"));
  gsize size = 0;
  guchar *stream = g_base64_decode(kH264Stream, &size);
  auto *source = GST_APP_SRC(pipeline.element("source"));
  gst_app_src_push_buffer(source, gst_buffer_new_wrapped(stream, size));
  gst_app_src_end_of_stream(source);
  fail_unless_equals_int(pipeline.compare(), kH264Frames);
}
GST_END_TEST

GST_START_TEST(jpeg) {
  if (skipped("nvjpegdec", {"jpegenc", "nvjpegdec", "cudadownload"})) return;
  const Pipeline pipeline(
      "videotestsrc num-buffers=12 ! video/x-raw,format=I420,width=640,height=480 ! jpegenc ! "
      "nvjpegdec ! " CUDA " ! " +
      branches("sepconvolve preset=gaussian sigma=2"));
  fail_unless_equals_int(pipeline.compare(), kFrames);
}
GST_END_TEST

GST_START_TEST(uploaded) {
  if (skipped("cudaupload", {"cudaupload"})) return;
  const Pipeline pipeline(
      kSource +
      "tee name=t  t. ! queue ! cudaupload ! " CUDA ",format=UYVY ! uyvy2y name=first ! " CUDA
      ",format=NV12 ! convolve preset=sharpen ! " CUDA
      " ! sepconvolve preset=gaussian ! video/x-raw ! appsink name=gpu sync=false  "
      "t. ! queue ! uyvy2y backend=cpu ! video/x-raw,format=NV12 ! convolve preset=sharpen "
      "backend=cpu ! sepconvolve preset=gaussian backend=cpu ! appsink name=cpu sync=false");
  fail_unless_equals_int(pipeline.compare(), kFrames);
  fail_unless_equals_uint64(statistic(pipeline.element("first"), "uploads"), 0);
}
GST_END_TEST

// One frame in CUDA memory for the GPU, and, brought down by an element of ours, for the CPU.
GST_START_TEST(tee_to_cpu_and_gpu) {
  const Pipeline pipeline(kSource + "uyvy2y backend=cuda ! " CUDA
                                    ",format=NV12 ! tee name=t  "
                                    "t. ! queue ! convolve preset=emboss ! " CUDA
                                    " ! convolve mask=1 ! video/x-raw ! appsink name=gpu "
                                    "sync=false  t. ! queue ! convolve mask=1 ! video/x-raw ! "
                                    "convolve preset=emboss backend=cpu ! "
                                    "appsink name=cpu sync=false");
  fail_unless_equals_int(pipeline.compare(), kFrames);
}
GST_END_TEST

// From one GPU to the other and back. What comes from the other one is copied.
GST_START_TEST(two_gpus) {
  int devices = 0;
  fail_unless(CuDeviceGetCount(&devices) == CUDA_SUCCESS);
  if (devices < 2) {
    g_print("SKIP two GPUs: this machine has one\n");
    return;
  }
  const Pipeline pipeline(
      kSource +
      "tee name=t  t. ! queue ! uyvy2y cuda-device-id=0 ! " CUDA
      ",format=NV12 ! convolve name=there preset=sharpen cuda-device-id=1 ! " CUDA
      " ! queue ! sepconvolve name=back preset=gaussian cuda-device-id=0 ! video/x-raw ! "
      "appsink name=gpu sync=false  t. ! queue ! uyvy2y backend=cpu ! video/x-raw,format=NV12 ! "
      "convolve preset=sharpen backend=cpu ! sepconvolve preset=gaussian backend=cpu ! "
      "appsink name=cpu sync=false");
  fail_unless_equals_int(pipeline.compare(), kFrames);
  for (const char *name : {"there", "back"})
    fail_unless_equals_uint64(statistic(pipeline.element(name), "uploads"), kFrames);
}
GST_END_TEST

int main(int argc, char **argv) {
  return run(&argc, &argv, "gpu_neighbours", [](TCase *tests) {
    tcase_add_test(tests, h264);
    tcase_add_test(tests, jpeg);
    tcase_add_test(tests, uploaded);
    tcase_add_test(tests, tee_to_cpu_and_gpu);
    tcase_add_test(tests, two_gpus);
  });
}
