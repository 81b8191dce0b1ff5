// SPDX-License-Identifier: LGPL-2.1-or-later
#include "fencedmemory.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "object/category.h"
#include "object/guarded.h"
#include "planes.h"

namespace coalesce::gst {
namespace {

// libgstcuda's own functions, beneath ours. There is one allocator, so they need no place in it.
GstMemoryMapFunction parent_map;
GstMemoryCopyFunction parent_copy;

GQuark fence_quark() {
  static const GQuark quark = g_quark_from_static_string("coalesce-fence");
  return quark;
}

// nullptr if it has not been needed yet.
MemoryFence *existing_fence(GstMemory *memory) {
  return static_cast<MemoryFence *>(
      gst_mini_object_get_qdata(GST_MINI_OBJECT_CAST(memory), fence_quark()));
}

// The wait that everyone but us gets.
bool wait_for_fence(GstMemory *memory, GstMapFlags access) {
  MemoryFence *found = existing_fence(memory);
  const CUresult result = found != nullptr ? found->fence.wait(access) : CUDA_SUCCESS;
  if (result != CUDA_SUCCESS)
    GST_ERROR("waiting for the GPU failed: %s", cuda_error_text(result).c_str());
  return result == CUDA_SUCCESS;
}

gpointer fenced_map(GstMemory *memory, gsize maxsize, GstMapFlags flags) {
  const bool for_cuda = (flags & GST_MAP_CUDA) == GST_MAP_CUDA;
  if ((flags & MAP_FENCED) == 0) {
    if (!wait_for_fence(memory, flags)) return nullptr;
    if (for_cuda) memory_fence(memory)->seen_by_others = true;
  }
  gpointer data = parent_map(memory, maxsize, flags);
  return for_cuda || data == nullptr || downloaded(memory) ? data : nullptr;
}

bool known_to_libgstcuda(const GstVideoInfo &info);

// Memory laid out as another that libgstcuda would lay out otherwise, or not at all. (What the
// other says of its rows includes their padding.)
GstMemory *alloc_like(GstMemory *memory) {
  const GstVideoInfo &from = GST_CUDA_MEMORY_CAST(memory)->info;
  GstVideoInfo info;
  gsize offsets[GST_VIDEO_MAX_PLANES];
  gint strides[GST_VIDEO_MAX_PLANES];
  if (!gst_video_info_set_interlaced_format(
          &info, GST_VIDEO_INFO_FORMAT(&from), GST_VIDEO_INFO_INTERLACE_MODE(&from),
          static_cast<guint>(from.width), static_cast<guint>(from.height)))
    return nullptr;
  GstMemory *made =
      fenced_memory_alloc(GST_CUDA_MEMORY_CAST(memory)->context, info, offsets, strides);
  if (made != nullptr) GST_CUDA_MEMORY_CAST(made)->info = from;
  return made;
}

// The whole of such memory, on the default stream, as libgstcuda copies. Padding and all, it may be
// longer than a row of a rectangle can be.
GstMemory *copy_as_laid_out(GstMemory *memory) {
  GstMapInfo in, out;
  if (!gst_memory_map(memory, &in, GstMapFlags(GST_MAP_READ | GST_MAP_CUDA))) return nullptr;
  bool copied = false;
  GstMemory *copy = alloc_like(memory);
  if (copy != nullptr && gst_memory_map(copy, &out, GstMapFlags(GST_MAP_WRITE | GST_MAP_CUDA))) {
    ContextScope scope(GST_CUDA_MEMORY_CAST(memory)->context);
    copied = out.size == in.size &&
             cuda_driver()->memcpy_dtod_async(reinterpret_cast<CUdeviceptr>(out.data),
                                              reinterpret_cast<CUdeviceptr>(in.data), in.size,
                                              nullptr) == CUDA_SUCCESS;
    gst_memory_unmap(copy, &out);
  }
  gst_memory_unmap(memory, &in);
  if (copied || copy == nullptr) return copy;
  gst_memory_unref(copy);
  return nullptr;
}

// The copy within the device is on the default stream, nobody waits, and our streams are not
// ordered with that one. Copies are rare: wait here.
GstMemory *fenced_copy(GstMemory *memory, gssize offset, gssize size) {
  const bool whole = offset == 0 && (size == -1 || gsize(size) == memory->size);
  GstMemory *copy = whole && !known_to_libgstcuda(GST_CUDA_MEMORY_CAST(memory)->info)
                        ? copy_as_laid_out(memory)
                        : parent_copy(memory, offset, size);
  if (copy == nullptr) return nullptr;
  ContextScope scope(GST_CUDA_MEMORY_CAST(memory)->context);
  const CUresult result = cuda_driver()->stream_synchronize(nullptr);
  if (result == CUDA_SUCCESS) return copy;
  GST_ERROR("copying CUDA memory failed: %s", cuda_error_text(result).c_str());
  gst_memory_unref(copy);
  return nullptr;
}

void init_allocator(GTypeInstance *instance, gpointer) {
  auto *allocator = reinterpret_cast<GstAllocator *>(instance);
  parent_map = allocator->mem_map;
  parent_copy = allocator->mem_copy;
  allocator->mem_map = guarded<fenced_map>;
  allocator->mem_copy = guarded<fenced_copy>;
}

// The sizes are asked for: GstCudaAllocator and its class grew in 1.24 while the library kept its
// soname, and we may have been compiled against the smaller ones.
GType allocator_type() {
  static const GType type = [] {
    GTypeQuery parent;
    g_type_query(GST_TYPE_CUDA_ALLOCATOR, &parent);
    return g_type_register_static_simple(GST_TYPE_CUDA_ALLOCATOR, "GstCoalesceAllocator",
                                         parent.class_size, nullptr, parent.instance_size,
                                         init_allocator, GTypeFlags(0));
  }();
  return type;
}

GstCudaAllocator *allocator() {
  static auto *instance = [] {
    auto *made = static_cast<GstCudaAllocator *>(g_object_new(allocator_type(), nullptr));
    gst_object_ref_sink(made);
    // One for the life of the process, as libgstcuda's own is.
    GST_OBJECT_FLAG_SET(made, GST_OBJECT_FLAG_MAY_BE_LEAKED);
    fenced_allocator = GST_ALLOCATOR_CAST(made);
    return made;
  }();
  return instance;
}

// Can libgstcuda lay this frame out? Its allocator asserts on other formats, puts the chroma
// planes of three-plane 4:2:0 with an odd height half a row too early, and forgets the last row of
// interlaced 4:2:0; from 1.24 on it leaves too little room for NV21 with an odd height.
bool known_to_libgstcuda(const GstVideoInfo &info) {
  const bool has_spare_row = GST_VIDEO_INFO_IS_INTERLACED(&info) &&
                             GST_VIDEO_INFO_N_PLANES(&info) > 1 && wants_spare_row(info, 1);
  switch (GST_VIDEO_INFO_FORMAT(&info)) {
    case GST_VIDEO_FORMAT_I420:
    case GST_VIDEO_FORMAT_YV12:
    case GST_VIDEO_FORMAT_I420_10LE:
      if (cuda_misplaces_third_plane()) return false;
      [[fallthrough]];
    case GST_VIDEO_FORMAT_NV21:
      return GST_VIDEO_INFO_HEIGHT(&info) % 2 == 0 && !has_spare_row;
    case GST_VIDEO_FORMAT_NV12:
    case GST_VIDEO_FORMAT_P010_10LE:
    case GST_VIDEO_FORMAT_P016_LE:
      return !has_spare_row;
    case GST_VIDEO_FORMAT_Y42B:
    case GST_VIDEO_FORMAT_I422_10LE:
    case GST_VIDEO_FORMAT_I422_12LE:
    case GST_VIDEO_FORMAT_Y444:
    case GST_VIDEO_FORMAT_Y444_16LE:
    case GST_VIDEO_FORMAT_RGBP:
    case GST_VIDEO_FORMAT_BGRP:
    case GST_VIDEO_FORMAT_GBR:
    case GST_VIDEO_FORMAT_GBRA:
    case GST_VIDEO_FORMAT_BGRA:
    case GST_VIDEO_FORMAT_RGBA:
    case GST_VIDEO_FORMAT_RGBx:
    case GST_VIDEO_FORMAT_BGRx:
    case GST_VIDEO_FORMAT_ARGB:
    case GST_VIDEO_FORMAT_ABGR:
    case GST_VIDEO_FORMAT_RGB:
    case GST_VIDEO_FORMAT_BGR:
    case GST_VIDEO_FORMAT_BGR10A2_LE:
    case GST_VIDEO_FORMAT_RGB10A2_LE:
    case GST_VIDEO_FORMAT_YUY2:
    case GST_VIDEO_FORMAT_UYVY:
      return true;
    default:
      return false;
  }
}

// An RGBA picture as wide as the widest plane's row and as high as all planes together. (The number
// of its rows comes later: GStreamer makes no picture of 4 GiB.)
bool surrogate_for(const GstVideoInfo &info, GstVideoInfo *surrogate,
                   gint rows[GST_VIDEO_MAX_PLANES]) {
  gint widest = 0, height = 0;
  for (guint plane = 0; plane < GST_VIDEO_INFO_N_PLANES(&info); plane++) {
    rows[plane] = plane_rows(info, plane);
    if (GST_VIDEO_INFO_IS_INTERLACED(&info) && wants_spare_row(info, plane)) rows[plane]++;
    widest = std::max(widest, GST_VIDEO_INFO_PLANE_STRIDE(&info, plane));
    height += rows[plane];
  }
  if (!gst_video_info_set_format(surrogate, GST_VIDEO_FORMAT_RGBA, (widest + 3) / 4, 1))
    return false;
  surrogate->height = height;
  surrogate->size *= static_cast<gsize>(height);
  return true;
}

}  // namespace

std::atomic<GstAllocator *> fenced_allocator{nullptr};

bool downloaded(GstMemory *memory) {
  if (cuda_download_is_checked()) return true;
  ContextScope scope(GST_CUDA_MEMORY_CAST(memory)->context);
  const CUresult result = cuda_driver()->stream_synchronize(nullptr);
  if (result == CUDA_SUCCESS) return true;
  GST_ERROR("copying a frame to the host failed: %s", cuda_error_text(result).c_str());
  GST_MINI_OBJECT_FLAG_SET(memory, GST_CUDA_MEMORY_TRANSFER_NEED_DOWNLOAD);  // as it still does
  return false;
}

GstMemory *fenced_memory_alloc(GstCudaContext *context, const GstVideoInfo &info,
                               gsize offsets[GST_VIDEO_MAX_PLANES],
                               gint strides[GST_VIDEO_MAX_PLANES]) {
  if (known_to_libgstcuda(info)) {
    GstMemory *memory = cuda_allocator_alloc(allocator(), context, &info);
    if (memory == nullptr) return nullptr;
    const GstVideoInfo &real = GST_CUDA_MEMORY_CAST(memory)->info;
    std::copy_n(real.offset, GST_VIDEO_MAX_PLANES, offsets);
    std::copy_n(real.stride, GST_VIDEO_MAX_PLANES, strides);
    return memory;
  }
  GstVideoInfo surrogate;
  gint rows[GST_VIDEO_MAX_PLANES] = {};
  if (!surrogate_for(info, &surrogate, rows)) return nullptr;
  GstMemory *memory = cuda_allocator_alloc(allocator(), context, &surrogate);
  if (memory == nullptr) return nullptr;
  // What is there, for those who look here and not at the GstVideoMeta: GStreamer's converter does.
  GstVideoInfo &said = GST_CUDA_MEMORY_CAST(memory)->info;
  const gint pitch = said.stride[0];
  said = info;
  said.size = memory->size;
  gsize offset = 0;
  for (guint plane = 0; plane < GST_VIDEO_MAX_PLANES; plane++) {
    offsets[plane] = said.offset[plane] = offset;
    strides[plane] = said.stride[plane] = pitch;
    offset += static_cast<gsize>(pitch) * rows[plane];
  }
  GST_LOG("%s of %dx%d has a layout that libgstcuda lacks, with a pitch of %d bytes",
          GST_VIDEO_INFO_NAME(&info), GST_VIDEO_INFO_WIDTH(&info), GST_VIDEO_INFO_HEIGHT(&info),
          pitch);
  return memory;
}

MemoryFence::~MemoryFence() {
  (void)fence.wait(GST_MAP_WRITE);  // a failure is reported where the frame is made
}

void MemoryFence::written(std::shared_ptr<Event> event, const std::shared_ptr<Stream> &stream) {
  fence.written(std::move(event), stream);
  seen_by_others = false;
}

CUresult MemoryFence::order(const Stream &stream, GstMapFlags access) {
  const CUresult result = fence.order(stream, access);
  return result == CUDA_SUCCESS ? order_behind_others(stream) : result;
}

CUresult MemoryFence::order_behind_others(const Stream &stream) {
  return seen_by_others ? stream.follow(nullptr) : CUDA_SUCCESS;
}

MemoryFence *memory_fence(GstMemory *memory) {
  if (MemoryFence *found = existing_fence(memory)) return found;
  static std::mutex creation;
  std::lock_guard guard(creation);
  MemoryFence *fence = existing_fence(memory);
  if (fence == nullptr) {
    fence = new MemoryFence;
    gst_mini_object_set_qdata(GST_MINI_OBJECT_CAST(memory), fence_quark(), fence,
                              [](gpointer data) { delete static_cast<MemoryFence *>(data); });
  }
  return fence;
}

CUresult order_behind_stream_of(GstMemory *memory, const Stream &stream) {
  const std::optional<CUstream> theirs = cuda_memory_stream(memory);
  return theirs ? stream.follow(*theirs) : CUDA_SUCCESS;
}

}  // namespace coalesce::gst
