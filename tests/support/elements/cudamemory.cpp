// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cudamemory.h"

#include <dlfcn.h>

namespace test {
namespace {

// Those that the libgstcuda of 1.22 lacks, or has otherwise.
template <class Function>
Function function(const char *name) {
  void *symbol = dlsym(RTLD_DEFAULT, name);
  fail_unless(symbol != nullptr, "libgstcuda lacks %s", name);
  return reinterpret_cast<Function>(symbol);
}

}  // namespace

bool is_cuda(GstBuffer *buffer) {
  return gst_is_cuda_memory(gst_buffer_peek_memory(buffer, 0));
}

void give_context(GstElement *element, GstCudaContext *context) {
  GstContext *wrapped = gst_context_new_cuda_context(context);
  gst_element_set_context(element, wrapped);
  gst_context_unref(wrapped);
}

bool skip_without_cuda_streams() {
  if (coalesce::gst::running_on(1, 23)) return false;
  skip("GStreamer has GstCudaStream from 1.24 on");
  return true;
}

void *cuda_stream_new(GstCudaContext *context) {
  void *stream = function<void *(*)(GstCudaContext *)>("gst_cuda_stream_new")(context);
  fail_unless(stream != nullptr);
  return stream;
}

CUstream cuda_stream_handle(void *stream) {
  return function<CUstream (*)(void *)>("gst_cuda_stream_get_handle")(stream);
}

GstBuffer *buffer_of(GstMemory *memory, const GstVideoInfo &info, gsize *offsets, gint *strides) {
  GstBuffer *buffer = gst_buffer_new();
  gst_buffer_append_memory(buffer, memory);
  gst_buffer_add_video_meta_full(buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT(&info),
                                 static_cast<guint>(info.width), static_cast<guint>(info.height),
                                 GST_VIDEO_INFO_N_PLANES(&info), offsets, strides);
  return buffer;
}

GstBuffer *cuda_buffer(GstCudaContext *context, const GstVideoInfo &info, void *stream) {
  using Alloc = GstMemory *(*)(GstCudaAllocator *, GstCudaContext *, void *, const GstVideoInfo *);
  gst_cuda_memory_init_once();
  const Owned<GstAllocator> found(gst_allocator_find(GST_CUDA_MEMORY_TYPE_NAME));
  fail_unless(found != nullptr);
  auto *allocator = reinterpret_cast<GstCudaAllocator *>(found.get());
  GstMemory *memory =
      stream != nullptr
          ? function<Alloc>("gst_cuda_allocator_alloc")(allocator, context, stream, &info)
          : coalesce::gst::cuda_allocator_alloc(allocator, context, &info);
  fail_unless(memory != nullptr);
  GstVideoInfo &layout = GST_CUDA_MEMORY_CAST(memory)->info;
  return buffer_of(memory, info, layout.offset, layout.stride);
}

void forget_stream(GstBuffer *buffer) {
  constexpr auto kNeedSync = GST_MEMORY_FLAG_LAST << 2;  // of 1.24
  GstMemory *memory = gst_buffer_peek_memory(buffer, 0);
  fail_unless(GST_MEMORY_FLAG_IS_SET(memory, kNeedSync));
  GST_MEMORY_FLAG_UNSET(memory, kNeedSync);
}

}  // namespace test
