// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cudastream.h"

#include <cuda.h>
#include <dlfcn.h>

extern "C" {
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, CUstream stream);
CUresult cuStreamSynchronize(CUstream stream);
}

namespace simulated {
namespace {

// Those that the libgstcuda of 1.22 lacks, or has otherwise.
template <class Function>
Function function(const char *name) {
  void *symbol = dlsym(RTLD_DEFAULT, name);
  fail_unless(symbol != nullptr, "libgstcuda lacks %s", name);
  return reinterpret_cast<Function>(symbol);
}

}  // namespace

GstBuffer *buffer_of(GstMemory *memory, const GstVideoInfo &info, gsize *offsets, gint *strides) {
  GstBuffer *buffer = gst_buffer_new();
  gst_buffer_append_memory(buffer, memory);
  gst_buffer_add_video_meta_full(buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT(&info),
                                 GST_VIDEO_INFO_WIDTH(&info), GST_VIDEO_INFO_HEIGHT(&info),
                                 GST_VIDEO_INFO_N_PLANES(&info), offsets, strides);
  return buffer;
}

void copy_on(CUstream stream, GstBuffer *from, GstBuffer *to) {
  GstCudaContext *context = GST_CUDA_MEMORY_CAST(gst_buffer_peek_memory(to, 0))->context;
  GstMapInfo in, out;
  fail_unless(gst_buffer_map(from, &in, GstMapFlags(GST_MAP_READ | GST_MAP_CUDA)));
  fail_unless(gst_buffer_map(to, &out, GstMapFlags(GST_MAP_WRITE | GST_MAP_CUDA)));
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = reinterpret_cast<CUdeviceptr>(in.data);
  copy.dstDevice = reinterpret_cast<CUdeviceptr>(out.data);
  copy.srcPitch = copy.dstPitch = copy.WidthInBytes = in.size;
  copy.Height = 1;
  fail_unless(gst_cuda_context_push(context));
  fail_unless_equals_int(cuMemcpy2DAsync_v2(&copy, stream), CUDA_SUCCESS);
  fail_unless(gst_cuda_context_pop(nullptr));
  gst_buffer_unmap(to, &out);
  gst_buffer_unmap(from, &in);
}

CudaStream::CudaStream(GstCudaContext *context)
    : context_(GST_CUDA_CONTEXT(gst_object_ref(context))),
      stream_(function<void *(*)(GstCudaContext *)>("gst_cuda_stream_new")(context)) {
  fail_unless(stream_ != nullptr);
}

CudaStream::~CudaStream() {
  gst_cuda_context_push(context_);
  cuStreamSynchronize(handle());
  gst_cuda_context_pop(nullptr);
  for (GstMemory *memory : kept_)
    gst_memory_unref(memory);
  gst_mini_object_unref(GST_MINI_OBJECT(stream_));
  gst_object_unref(context_);
}

CUstream CudaStream::handle() const {
  return function<CUstream (*)(void *)>("gst_cuda_stream_get_handle")(stream_);
}

void CudaStream::keep(GstBuffer *buffer) {
  kept_.push_back(gst_buffer_get_memory(buffer, 0));
}

GstBuffer *CudaStream::alloc(const GstVideoInfo &info) {
  using Alloc =
      GstMemory *(*)(GstCudaAllocator *, GstCudaContext *, void *stream, const GstVideoInfo *);
  GstMemory *memory =
      function<Alloc>("gst_cuda_allocator_alloc")(nullptr, context_, stream_, &info);
  fail_unless(memory != nullptr);
  GstVideoInfo &layout = GST_CUDA_MEMORY_CAST(memory)->info;
  GstBuffer *buffer = buffer_of(memory, info, layout.offset, layout.stride);
  keep(buffer);
  return buffer;
}

GstBuffer *CudaStream::buffer_in_flight(const GstVideoInfo &info, unsigned seed) {
  GstBuffer *buffer = alloc(info);
  GstBuffer *source = plain_cuda_buffer(context_, info, seed);
  copy_on(handle(), source, buffer);
  keep(source);
  gst_buffer_unref(source);
  return buffer;
}

GstBuffer *CudaStream::buffer_written(const GstVideoInfo &info, unsigned seed) {
  GstBuffer *buffer = alloc(info);
  fill(buffer, info, seed);
  return buffer;
}

void forget_stream(GstBuffer *buffer) {
  constexpr auto kNeedSync = GST_MEMORY_FLAG_LAST << 2;
  GstMemory *memory = gst_buffer_peek_memory(buffer, 0);
  fail_unless(GST_MEMORY_FLAG_IS_SET(memory, kNeedSync));
  GST_MEMORY_FLAG_UNSET(memory, kNeedSync);
}

}  // namespace simulated
