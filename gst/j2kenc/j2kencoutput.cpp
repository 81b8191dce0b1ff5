// SPDX-License-Identifier: LGPL-2.1-or-later
// The buffers that frames go out in.
#include "j2kencstate.h"

#define GST_CAT_DEFAULT gst_j2kenc_debug

namespace coalesce::gst {
namespace {

// In page-locked memory where the GPU writes it, unless downstream has memory of its own.
BufferRef acquire(GstJ2kEnc *self, gsize bytes) {
  Backend &backend = backend_of(self);
  std::unique_ptr<BytePool> &pool = self->state->output_pool;
  GstAllocator *allocator = nullptr;
  GstAllocationParams params;
  gst_base_transform_get_allocator(GST_BASE_TRANSFORM(self), &allocator, &params);
  const AllocatorRef owned(allocator);
  if (!backend.is_on_gpu() || !is_ordinary(allocator)) {
    GST_LOG_OBJECT(self, "codestream in memory of %s",
                   allocator != nullptr ? allocator->mem_type : GST_ALLOCATOR_SYSMEM);
    return BufferRef(gst_buffer_new_allocate(allocator, bytes, &params));
  }
  if (pool == nullptr)
    pool = std::make_unique<BytePool>(backend.session().page_locked.get(), params);
  return pool->acquire(bytes);
}

}  // namespace

// Of two fields, is the top one first in time, and so in the buffer?
bool j2k_is_top_first(const GstVideoInfo &info, GstBuffer *buffer) {
  const GstVideoFieldOrder order = GST_VIDEO_INFO_FIELD_ORDER(&info);
  if (order != GST_VIDEO_FIELD_ORDER_UNKNOWN) return order == GST_VIDEO_FIELD_ORDER_TOP_FIELD_FIRST;
  return GST_BUFFER_FLAG_IS_SET(buffer, GST_VIDEO_BUFFER_FLAG_TFF);
}

BufferRef j2k_map_output(GstJ2kEnc *self, gsize bytes, GstMapInfo *map) {
  BufferRef out = acquire(self, bytes);
  if (out != nullptr && gst_buffer_map(out.get(), map, GST_MAP_WRITE)) return out;
  GST_ELEMENT_ERROR(self, RESOURCE, NO_SPACE_LEFT,
                    ("No memory for an encoded frame of %" G_GSIZE_FORMAT " bytes", bytes),
                    (nullptr));
  return nullptr;
}

}  // namespace coalesce::gst
