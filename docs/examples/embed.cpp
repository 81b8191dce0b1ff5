// SPDX-License-Identifier: LGPL-2.1-or-later
// gst-coalesce inside an application that does CUDA work of its own. Pictures are in device memory
// from beginning to end, in the application's own context:
//
//   the application's picture -> appsrc ! uyvy2y ! convolve ! appsink -> the application
//
// docs/embedding.md explains each step. To build it by itself:
//   packages="gstreamer-app-1.0 gstreamer-video-1.0 gstreamer-cuda-1.0"
//   g++ -std=c++20 embed.cpp -I/usr/local/cuda/include $(pkg-config --cflags --libs $packages)
#include <gst/app/app.h>
#include <gst/video/video.h>

#define GST_USE_UNSTABLE_API
#include <gst/cuda/cuda-gst.h>
#include <gst/cuda/gstcudabufferpool.h>
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>
#include <gst/cuda/gstcudautils.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int kWidth = 1280, kHeight = 720, kFrames = 30;
constexpr int kSkipped = 77;

void check(bool good, const char *what) {
  if (good) return;
  std::fprintf(stderr, "failed: %s\n", what);
  std::exit(1);
}

void check(CUresult result, const char *what) {
  check(result == CUDA_SUCCESS, what);
}

// ---- what the application has: a context, a stream, pictures in device memory -----------------

struct Application {
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  CUdeviceptr picture = 0;  // UYVY
  size_t pitch = 0;

  Application() {
    check(CuDeviceGet(&device, 0), "CuDeviceGet");
    check(CuCtxCreate(&context, 0, device), "CuCtxCreate");
    check(CuStreamCreate(&stream, CU_STREAM_DEFAULT), "CuStreamCreate");
    check(CuMemAllocPitch(&picture, &pitch, 2 * kWidth, kHeight, 16), "CuMemAllocPitch");
  }
  // After everything of GStreamer's that uses the context, which is still current in this thread.
  ~Application() {
    CuMemFree(picture);
    CuStreamDestroy(stream);
    check(CuCtxDestroy(context), "CuCtxDestroy");
  }

  // Device to device, or to and from the host, on the application's stream; does not wait. Stands
  // for the kernels of a real application.
  void copy(CUDA_MEMCPY2D what) const { check(CuMemcpy2DAsync(&what, stream), "CuMemcpy2DAsync"); }
};

guint8 byte_of_frame(int frame, size_t x, int y) {
  return static_cast<guint8>(x * 3 + y * 7 + frame * 11);
}

void draw(const Application &app, int frame) {
  static std::vector<guint8> bytes(size_t{2} * kWidth * kHeight);
  for (size_t i = 0; i < bytes.size(); i++)
    bytes[i] = byte_of_frame(frame, i % (2 * kWidth), static_cast<int>(i / (2 * kWidth)));
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = bytes.data();
  copy.srcPitch = copy.WidthInBytes = 2 * kWidth;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = app.picture;
  copy.dstPitch = app.pitch;
  copy.Height = kHeight;
  app.copy(copy);
  check(CuStreamSynchronize(app.stream), "drawing");  // `bytes` is drawn into again
}

// ---- device pointers in -----------------------------------------------------------------------

GstBufferPool *pool_of_inputs(GstCudaContext *context, GstCaps *caps) {
  GstVideoInfo info;
  check(gst_video_info_from_caps(&info, caps), "caps of the input");
  GstBufferPool *pool = gst_cuda_buffer_pool_new(context);
  GstStructure *config = gst_buffer_pool_get_config(pool);
  gst_buffer_pool_config_set_params(config, caps, GST_VIDEO_INFO_SIZE(&info), 0, 0);
  check(gst_buffer_pool_set_config(pool, config), "the pool of inputs");
  check(gst_buffer_pool_set_active(pool, TRUE), "device memory for inputs");
  return pool;
}

GstBuffer *copy_picture(const Application &app, GstBufferPool *pool, GstCaps *caps) {
  GstVideoInfo info;
  gst_video_info_from_caps(&info, caps);
  GstBuffer *buffer = nullptr;
  check(gst_buffer_pool_acquire_buffer(pool, &buffer, nullptr) == GST_FLOW_OK, "a buffer");
  GstVideoFrame frame;
  const auto flags = static_cast<GstMapFlags>(GST_MAP_WRITE | GST_MAP_CUDA);
  check(gst_video_frame_map(&frame, &info, buffer, flags), "mapping an input");
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = app.picture;
  copy.srcPitch = app.pitch;
  copy.dstDevice = reinterpret_cast<CUdeviceptr>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0));
  copy.dstPitch = static_cast<size_t>(GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0));
  copy.WidthInBytes = 2 * kWidth;
  copy.Height = kHeight;
  app.copy(copy);
  // Whoever gets the buffer may read it at once.
  check(CuStreamSynchronize(app.stream), "writing an input");
  gst_video_frame_unmap(&frame);
  return buffer;
}

// ---- device pointers out ----------------------------------------------------------------------

// The map waits until the elements have written the frame; the pointer may then be used on any
// stream. The buffer must live until that work is done.
std::vector<guint8> take_picture(const Application &app, GstSample *sample) {
  GstVideoInfo info;
  GstVideoFrame frame;
  const auto flags = static_cast<GstMapFlags>(GST_MAP_READ | GST_MAP_CUDA);
  check(gst_video_info_from_caps(&info, gst_sample_get_caps(sample)), "caps of the output");
  check(gst_video_frame_map(&frame, &info, gst_sample_get_buffer(sample), flags), "an output");
  std::vector<guint8> bytes(size_t{kWidth} * kHeight);
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = reinterpret_cast<CUdeviceptr>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0));
  copy.srcPitch = static_cast<size_t>(GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0));
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = bytes.data();
  copy.dstPitch = copy.WidthInBytes = kWidth;
  copy.Height = kHeight;
  app.copy(copy);
  check(CuStreamSynchronize(app.stream), "reading an output");
  gst_video_frame_unmap(&frame);
  return bytes;
}

// The negative of the luma is what this pipeline makes of a picture.
void check_picture(const std::vector<guint8> &bytes, int frame) {
  for (int y = 0; y < kHeight; y++)
    for (size_t x = 0; x < kWidth; x++)
      check(bytes[static_cast<size_t>(y) * kWidth + x] == 255 - byte_of_frame(frame, 2 * x + 1, y),
            "a picture is not the negative of its luma");
}

void report(GstElement *pipeline) {
  for (const char *name : {"luma", "negative"}) {
    GstElement *element = gst_bin_get_by_name(GST_BIN(pipeline), name);
    GstStructure *stats = nullptr;
    g_object_get(element, "stats", &stats, nullptr);
    gchar *text = gst_structure_to_string(stats);
    std::printf("%s: %s\n", name, text);
    guint64 frames = 0, uploads = 0, downloads = 0;
    gst_structure_get(stats, "frames", G_TYPE_UINT64, &frames, "uploads", G_TYPE_UINT64, &uploads,
                      "downloads", G_TYPE_UINT64, &downloads, nullptr);
    check(frames == kFrames && uploads == 0 && downloads == 0, "no frame leaves the GPU");
    g_free(text);
    gst_structure_free(stats);
    gst_object_unref(element);
  }
}

// ---- the pipeline -----------------------------------------------------------------------------

void run(const Application &app, GstCudaContext *context) {
  GError *error = nullptr;
  GstElement *pipeline = gst_parse_launch(
      "appsrc name=in format=time ! uyvy2y name=luma ! convolve name=negative mask=-1 bias=255 ! "
      "appsink name=out sync=false caps=video/x-raw(memory:CUDAMemory),format=GRAY8",
      &error);
  check(pipeline != nullptr, error ? error->message : "making the pipeline");
  // Before it starts: every element now works in the application's context.
  GstContext *shared = gst_context_new_cuda_context(context);
  gst_element_set_context(pipeline, shared);
  gst_context_unref(shared);

  GstElement *in = gst_bin_get_by_name(GST_BIN(pipeline), "in");
  GstElement *out = gst_bin_get_by_name(GST_BIN(pipeline), "out");
  GstCaps *caps = gst_caps_from_string("video/x-raw(memory:CUDAMemory),format=UYVY");
  gst_caps_set_simple(caps, "width", G_TYPE_INT, kWidth, "height", G_TYPE_INT, kHeight, "framerate",
                      GST_TYPE_FRACTION, 30, 1, nullptr);
  gst_app_src_set_caps(GST_APP_SRC(in), caps);
  GstBufferPool *pool = pool_of_inputs(context, caps);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);

  for (int i = 0; i < kFrames; i++) {
    draw(app, i);
    check(gst_app_src_push_buffer(GST_APP_SRC(in), copy_picture(app, pool, caps)) == GST_FLOW_OK,
          "pushing a frame");
    GstSample *sample = gst_app_sink_try_pull_sample(GST_APP_SINK(out), 20 * GST_SECOND);
    check(sample != nullptr, "a frame comes out");
    check_picture(take_picture(app, sample), i);
    gst_sample_unref(sample);
  }
  report(pipeline);

  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_buffer_pool_set_active(pool, FALSE);
  gst_object_unref(pool);
  gst_caps_unref(caps);
  gst_object_unref(in);
  gst_object_unref(out);
  gst_object_unref(pipeline);
}

}  // namespace

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  if (!gst_cuda_load_library() || CuInit(0) != CUDA_SUCCESS) {
    std::printf("no NVIDIA GPU can be used on this machine\n");
    return kSkipped;
  }
  gst_cuda_memory_init_once();
  Application app;
  GstCudaContext *context = gst_cuda_context_new_wrapped(app.context, app.device);
  check(context != nullptr, "sharing the context");
  run(app, context);
  gst_object_unref(context);
  std::printf("%d pictures, all right\n", kFrames);
  return 0;
}
