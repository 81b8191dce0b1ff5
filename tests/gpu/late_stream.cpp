// SPDX-License-Identifier: LGPL-2.1-or-later
#include "late_stream.h"

#include <dlfcn.h>

#include <algorithm>

namespace gpu_test {
namespace {

constexpr auto kNeedSync = GST_MEMORY_FLAG_LAST << 2;  // of 1.24
constexpr std::size_t kRow = std::size_t(1) << 20, kScratch = 256 * kRow;

// Of 1.24, or otherwise before.
template <class Function>
Function function(const char *name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

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

}  // namespace

void paint(GstBuffer *buffer, const GstVideoInfo &info, unsigned picture) {
  unsigned seed = 5000 * picture;
  write_rows(buffer, info, [&seed](std::uint8_t *row, std::size_t count) {
    const auto random = random_bytes(count, seed++);
    std::copy(random.begin(), random.end(), row);
  });
}

LateStream::LateStream(GstCudaContext *context, Kind kind) : context_(context), kind_(kind) {
  gst_cuda_context_push(context_);
  if (kind == Kind::named) {
    named_ = function<void *(*)(GstCudaContext *)>("gst_cuda_stream_new")(context_);
    handle_ = function<CUstream (*)(void *)>("gst_cuda_stream_get_handle")(named_);
  } else {
    const auto flags = kind == Kind::ordered ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING;
    fail_unless_equals_int(CuStreamCreate(&handle_, flags), CUDA_SUCCESS);
  }
  fail_unless_equals_int(CuMemAlloc(&scratch_, 2 * kScratch), CUDA_SUCCESS);
}

LateStream::~LateStream() {
  wait();
  for (GstBuffer *buffer : kept_)
    gst_buffer_unref(buffer);
  CuMemFree(scratch_);
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
  GstBuffer *frame = alloc(info);
  paint(frame, info, before);
  GstBuffer *source = alloc(info);
  paint(source, info, after);
  copy(source, frame, info);
  kept_.push_back(source);
  kept_.push_back(gst_buffer_ref(frame));
  return frame;
}

GstBuffer *LateStream::copy_of(GstBuffer *frame, const GstVideoInfo &info) {
  GstBuffer *target = alloc(info);
  copy(frame, target, info);
  return target;
}

GstBuffer *LateStream::alloc(const GstVideoInfo &info) const {
  using Alloc = GstMemory *(*)(GstCudaAllocator *, GstCudaContext *, void *, const GstVideoInfo *);
  gst_cuda_memory_init_once();
  GstAllocator *found = gst_allocator_find(GST_CUDA_MEMORY_TYPE_NAME);
  GstCudaAllocator *allocator = GST_CUDA_ALLOCATOR(found);
  GstMemory *memory =
      kind_ == Kind::named
          ? function<Alloc>("gst_cuda_allocator_alloc")(allocator, context_, named_, &info)
          : coalesce::gst::cuda_allocator_alloc(allocator, context_, &info);
  gst_object_unref(found);
  fail_unless(memory != nullptr);
  GstVideoInfo &layout = GST_CUDA_MEMORY_CAST(memory)->info;
  GstBuffer *buffer = gst_buffer_new();
  gst_buffer_append_memory(buffer, memory);
  gst_buffer_add_video_meta_full(buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT(&info),
                                 GST_VIDEO_INFO_WIDTH(&info), GST_VIDEO_INFO_HEIGHT(&info),
                                 GST_VIDEO_INFO_N_PLANES(&info), layout.offset, layout.stride);
  return buffer;
}

void LateStream::copy(GstBuffer *from, GstBuffer *to, const GstVideoInfo &info) const {
  GstVideoFrame in, out;
  fail_unless(gst_video_frame_map(&in, &info, from, GstMapFlags(GST_MAP_READ | GST_MAP_CUDA)));
  fail_unless(gst_video_frame_map(&out, &info, to, GstMapFlags(GST_MAP_READWRITE | GST_MAP_CUDA)));
  wait();
  for (int i = 0; i < 160; i++)
    copy_on(handle_, {scratch_, kRow}, {scratch_ + kScratch, kRow}, kRow, kScratch / kRow);
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES(&info); p++)
    copy_on(handle_, plane(in, p), plane(out, p), std::size_t(info.stride[p]),
            std::size_t(GST_VIDEO_FORMAT_INFO_SCALE_HEIGHT(info.finfo, p, info.height)));
  gst_video_frame_unmap(&out);
  gst_video_frame_unmap(&in);
}

void forget_stream(GstBuffer *frame) {
  GstMemory *memory = gst_buffer_peek_memory(frame, 0);
  fail_unless(GST_MEMORY_FLAG_IS_SET(memory, kNeedSync));
  GST_MEMORY_FLAG_UNSET(memory, kNeedSync);
}

}  // namespace gpu_test
