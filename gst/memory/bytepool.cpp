// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bytepool.h"

#include "object/category.h"

namespace coalesce::gst {

BytePool::BytePool(GstAllocator *allocator, const GstAllocationParams &params)
    : allocator_(GST_ALLOCATOR(gst_object_ref(allocator))), params_(params) {}

// Buffers that are out keep their memory.
void BytePool::drop() {
  if (pool_) gst_buffer_pool_set_active(pool_.get(), FALSE);
  pool_.reset();
  room_ = 0;
}

bool BytePool::grow(gsize bytes) {
  constexpr gsize kUnit = 1 << 16;
  drop();
  const gsize room = (bytes + bytes / 4 + kUnit - 1) / kUnit * kUnit;
  if (room > G_MAXUINT) return false;
  pool_.reset(gst_buffer_pool_new());
  GstStructure *config = gst_buffer_pool_get_config(pool_.get());
  gst_buffer_pool_config_set_params(config, nullptr, static_cast<guint>(room), 0, 0);
  gst_buffer_pool_config_set_allocator(config, allocator_.get(), &params_);
  if (!gst_buffer_pool_set_config(pool_.get(), config) ||
      !gst_buffer_pool_set_active(pool_.get(), TRUE)) {
    pool_.reset();
    return false;
  }
  room_ = room;
  GST_DEBUG_OBJECT(pool_.get(), "%s, %" G_GSIZE_FORMAT " bytes a buffer", allocator_->mem_type,
                   room);
  return true;
}

BufferRef BytePool::acquire(gsize bytes) {
  if (bytes > room_ && !grow(bytes)) return nullptr;
  BufferRef buffer(pool_acquire(pool_.get()));
  if (buffer == nullptr) return nullptr;
  // GStreamer's pool gives a buffer that comes back the room before its bytes, too.
  gsize offset = 0;
  gst_buffer_get_sizes(buffer.get(), &offset, nullptr);
  gst_buffer_resize(buffer.get(), static_cast<gssize>(params_.prefix) - static_cast<gssize>(offset),
                    static_cast<gssize>(bytes));
  return buffer;
}

}  // namespace coalesce::gst
