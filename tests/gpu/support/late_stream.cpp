// SPDX-License-Identifier: LGPL-2.1-or-later
#include "late_stream.h"

#include <gmodule.h>
#include <gst/cuda/cuda-gst.h>

namespace gpu_test {
namespace {

struct Rows {
  CUdeviceptr data;
  std::size_t pitch;
};

Rows plane(const GstVideoFrame &frame, guint p) {
  return {reinterpret_cast<CUdeviceptr>(GST_VIDEO_FRAME_PLANE_DATA(&frame, p)),
          std::size_t(GST_VIDEO_FRAME_PLANE_STRIDE(&frame, p))};
}

void copy_on(CUstream stream, const Rows &from, const Rows &to, std::size_t bytes,
             std::size_t rows) {
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = from.data;
  copy.srcPitch = from.pitch;
  copy.dstDevice = to.data;
  copy.dstPitch = to.pitch;
  copy.WidthInBytes = bytes;
  copy.Height = rows;
  fail_unless_equals_int(CuMemcpy2DAsync(&copy, stream), CUDA_SUCCESS);
}

// Which libgstcuda lacks.
void call_on(CUstream stream, void(CUDAAPI *function)(void *), void *data) {
  gpointer symbol = nullptr;
  GModule *driver = g_module_open("libcuda.so.1", G_MODULE_BIND_LAZY);
  fail_unless(driver != nullptr && g_module_symbol(driver, "cuLaunchHostFunc", &symbol));
  const auto call =
      reinterpret_cast<CUresult(CUDAAPI *)(CUstream, void(CUDAAPI *)(void *), void *)>(symbol);
  fail_unless_equals_int(call(stream, function, data), CUDA_SUCCESS);
  g_module_close(driver);
}

}  // namespace

LateStream::LateStream(GstCudaContext *context, Kind kind, int milliseconds)
    : context_(context), milliseconds_(milliseconds) {
  gst_cuda_context_push(context_);
  if (kind == Kind::named) {
    named_ = cuda_stream_new(context_);
    handle_ = cuda_stream_handle(named_);
  } else {
    const auto flags = kind == Kind::ordered ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING;
    fail_unless_equals_int(CuStreamCreate(&handle_, flags), CUDA_SUCCESS);
  }
}

LateStream::~LateStream() {
  wait();
  for (GstBuffer *buffer : kept_)
    gst_buffer_unref(buffer);
  if (named_ != nullptr)
    gst_mini_object_unref(GST_MINI_OBJECT(named_));
  else
    CuStreamDestroy(handle_);
  gst_cuda_context_pop(nullptr);
}

void LateStream::wait() const {
  fail_unless_equals_int(CuStreamSynchronize(handle_), CUDA_SUCCESS);
}

GstBuffer *LateStream::frame(const GstVideoInfo &info, unsigned before, unsigned after) {
  GstBuffer *frame = cuda_buffer(context_, info, named_);
  paint(frame, info, before);
  GstBuffer *source = cuda_buffer(context_, info, named_);
  paint(source, info, after);
  copy(source, frame, info);
  kept_.push_back(source);
  kept_.push_back(gst_buffer_ref(frame));
  return frame;
}

GstBuffer *LateStream::copy_of(GstBuffer *frame, const GstVideoInfo &info) {
  GstBuffer *target = cuda_buffer(context_, info, named_);
  copy(frame, target, info);
  return target;
}

void LateStream::begin(void *self) {
  auto *late = static_cast<LateStream *>(self);
  g_usleep(gulong(late->milliseconds_) * 1000);
  late->begun_ = true;
}

void LateStream::copy(GstBuffer *from, GstBuffer *to, const GstVideoInfo &info) {
  GstVideoFrame in, out;
  fail_unless(gst_video_frame_map(&in, &info, from, GstMapFlags(GST_MAP_READ | GST_MAP_CUDA)));
  fail_unless(gst_video_frame_map(&out, &info, to, GstMapFlags(GST_MAP_READWRITE | GST_MAP_CUDA)));
  wait();
  begun_ = false;
  call_on(handle_, begin, this);
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES(&info); p++)
    copy_on(handle_, plane(in, p), plane(out, p), std::size_t(info.stride[p]),
            std::size_t(GST_VIDEO_FORMAT_INFO_SCALE_HEIGHT(info.finfo, p, info.height)));
  gst_video_frame_unmap(&out);
  gst_video_frame_unmap(&in);
}

}  // namespace gpu_test
