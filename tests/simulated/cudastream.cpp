// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cudastream.h"

#include <cuda.h>

extern "C" {
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, CUstream stream);
CUresult cuStreamSynchronize(CUstream stream);
}

namespace simulated {

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
    : context_(GST_CUDA_CONTEXT(gst_object_ref(context))), stream_(cuda_stream_new(context)) {}

CudaStream::~CudaStream() {
  gst_cuda_context_push(context_);
  cuStreamSynchronize(handle());
  gst_cuda_context_pop(nullptr);
  for (GstMemory *memory : kept_)
    gst_memory_unref(memory);
  gst_mini_object_unref(GST_MINI_OBJECT(stream_));
  gst_object_unref(context_);
}

void CudaStream::keep(GstBuffer *buffer) {
  kept_.push_back(gst_buffer_get_memory(buffer, 0));
}

GstBuffer *CudaStream::alloc(const GstVideoInfo &info) {
  GstBuffer *buffer = cuda_buffer(context_, info, stream_);
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

}  // namespace simulated
