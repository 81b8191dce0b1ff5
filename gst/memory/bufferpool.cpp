// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bufferpool.h"

#include <algorithm>
#include <utility>

#include "object/category.h"
#include "object/guarded.h"
#include "object/owned.h"

using namespace coalesce::gst;

struct GstCoalesceBufferPool {
  GstBufferPool parent;
  GstCudaContext *context;  // a part
  GstVideoInfo info;
  gsize bytes;  // of a buffer; the base class has 32 bits for them
};
using GstCoalesceBufferPoolClass = GstBufferPoolClass;

GType gst_coalesce_buffer_pool_get_type();
G_DEFINE_TYPE(GstCoalesceBufferPool, gst_coalesce_buffer_pool, GST_TYPE_BUFFER_POOL)

// GStreamer's, in memory that begins as zeros.
using GstCoalesceSystemPool = GstVideoBufferPool;
using GstCoalesceSystemPoolClass = GstVideoBufferPoolClass;

GType gst_coalesce_system_pool_get_type();
G_DEFINE_TYPE(GstCoalesceSystemPool, gst_coalesce_system_pool, GST_TYPE_VIDEO_BUFFER_POOL)

namespace {

GstCoalesceBufferPool *self_of(GstBufferPool *pool) {
  return reinterpret_cast<GstCoalesceBufferPool *>(pool);
}

const gchar **get_options(GstBufferPool *) {
  static const gchar *options[] = {GST_BUFFER_POOL_OPTION_VIDEO_META, nullptr};
  return options;
}

GstBuffer *new_buffer(GstCoalesceBufferPool *self) {
  gsize offsets[GST_VIDEO_MAX_PLANES];
  gint strides[GST_VIDEO_MAX_PLANES];
  GstMemory *memory = fenced_memory_alloc(self->context, self->info, offsets, strides);
  if (memory == nullptr) return nullptr;
  GstBuffer *buffer = gst_buffer_new();
  gst_buffer_append_memory(buffer, memory);
  gst_buffer_add_video_meta_full(
      buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT(&self->info),
      GST_VIDEO_INFO_WIDTH(&self->info), GST_VIDEO_INFO_HEIGHT(&self->info),
      GST_VIDEO_INFO_N_PLANES(&self->info), offsets, strides);
  return buffer;
}

gboolean set_config(GstBufferPool *pool, GstStructure *config) {
  GstCoalesceBufferPool *self = self_of(pool);
  GstCaps *caps = nullptr;
  guint size = 0, min_buffers = 0, max_buffers = 0;
  GstVideoInfo info;
  if (!gst_buffer_pool_config_get_params(config, &caps, &size, &min_buffers, &max_buffers) ||
      caps == nullptr || !gst_video_info_from_caps(&info, caps)) {
    GST_WARNING_OBJECT(pool, "configuration without raw video caps");
    return FALSE;
  }
  self->info = info;
  // Only an allocation tells the pitch, and the base class discards buffers whose size is not the
  // configured one: those of 4 GiB and more are allocated each time.
  GstBuffer *trial = new_buffer(self);
  if (trial == nullptr) {
    GST_WARNING_OBJECT(pool, "no CUDA memory for %" GST_PTR_FORMAT, caps);
    return FALSE;
  }
  self->bytes = gst_buffer_get_size(trial);
  size = static_cast<guint>(std::min<gsize>(self->bytes, G_MAXUINT));
  gst_buffer_unref(trial);
  gst_buffer_pool_config_set_params(config, caps, size, min_buffers, max_buffers);
  return GST_BUFFER_POOL_CLASS(gst_coalesce_buffer_pool_parent_class)->set_config(pool, config);
}

GstFlowReturn alloc_buffer(GstBufferPool *pool, GstBuffer **buffer, GstBufferPoolAcquireParams *) {
  *buffer = new_buffer(self_of(pool));
  return *buffer != nullptr ? GST_FLOW_OK : GST_FLOW_ERROR;
}

// The base class cuts a buffer to the configured size.
void reset_buffer(GstBufferPool *pool, GstBuffer *buffer) {
  GST_BUFFER_POOL_CLASS(gst_coalesce_buffer_pool_parent_class)->reset_buffer(pool, buffer);
  if (const gsize bytes = self_of(pool)->bytes; bytes > G_MAXUINT)
    gst_buffer_set_size(buffer, static_cast<gssize>(bytes));
}

GstFlowReturn alloc_zeros(GstBufferPool *pool, GstBuffer **buffer,
                          GstBufferPoolAcquireParams *params) {
  const GstFlowReturn flow = GST_BUFFER_POOL_CLASS(gst_coalesce_system_pool_parent_class)
                                 ->alloc_buffer(pool, buffer, params);
  if (flow == GST_FLOW_OK) gst_buffer_memset(*buffer, 0, 0, static_cast<gsize>(-1));
  return flow;
}

}  // namespace

static void gst_coalesce_system_pool_class_init(GstCoalesceSystemPoolClass *klass) {
  GST_BUFFER_POOL_CLASS(klass)->alloc_buffer = alloc_zeros;
}

static void gst_coalesce_system_pool_init(GstCoalesceSystemPool *) {}

static void gst_coalesce_buffer_pool_class_init(GstCoalesceBufferPoolClass *klass) {
  auto *pool_class = GST_BUFFER_POOL_CLASS(klass);
  pool_class->get_options = guarded<get_options>;
  pool_class->set_config = guarded<set_config>;
  pool_class->alloc_buffer = guarded<alloc_buffer>;
  pool_class->reset_buffer = guarded<reset_buffer>;
}

static void gst_coalesce_buffer_pool_init(GstCoalesceBufferPool *) {}

namespace coalesce::gst {

PoolRef cuda_pool_new(GstCudaContext *context, GstCaps *caps, guint *size) {
  PoolRef pool(GST_BUFFER_POOL(
      gst_object_ref_sink(g_object_new(gst_coalesce_buffer_pool_get_type(), nullptr))));
  self_of(pool.get())->context =
      add_part<ContextRef>(pool.get(), ContextRef(GST_CUDA_CONTEXT(gst_object_ref(context))))
          ->get();
  GstStructure *config = gst_buffer_pool_get_config(pool.get());
  gst_buffer_pool_config_set_params(config, caps, 0, 0, 0);
  if (!gst_buffer_pool_set_config(pool.get(), config)) return nullptr;
  config = gst_buffer_pool_get_config(pool.get());
  gst_buffer_pool_config_get_params(config, nullptr, size, nullptr, nullptr);
  gst_structure_free(config);
  GST_DEBUG_OBJECT(pool.get(),
                   "CUDA memory of %" GST_PTR_FORMAT ", %u bytes a frame of %" GST_PTR_FORMAT,
                   context, *size, caps);
  return pool;
}

GstBufferPool *system_pool_new() {
  return GST_BUFFER_POOL(
      gst_object_ref_sink(g_object_new(gst_coalesce_system_pool_get_type(), nullptr)));
}

PoolRef system_pool_new(GstAllocator *allocator, GstCaps *caps, guint size) {
  PoolRef pool(system_pool_new());
  GstStructure *config = gst_buffer_pool_get_config(pool.get());
  gst_buffer_pool_config_set_params(config, caps, size, 0, 0);
  if (allocator != nullptr) gst_buffer_pool_config_set_allocator(config, allocator, nullptr);
  if (!gst_buffer_pool_set_config(pool.get(), config)) return nullptr;
  GST_DEBUG_OBJECT(pool.get(), "%s, %u bytes a frame of %" GST_PTR_FORMAT,
                   allocator != nullptr ? allocator->mem_type : GST_ALLOCATOR_SYSMEM, size, caps);
  return pool;
}

bool is_ordinary(GstAllocator *allocator) {
  return allocator == nullptr || g_strcmp0(allocator->mem_type, GST_ALLOCATOR_SYSMEM) == 0;
}

bool is_ordinary(GstBufferPool *pool) {
  const GType type = G_OBJECT_TYPE(pool);
  return type == GST_TYPE_VIDEO_BUFFER_POOL || type == GST_TYPE_BUFFER_POOL ||
         type == gst_coalesce_system_pool_get_type();
}

GstBuffer *pool_acquire(GstBufferPool *pool) {
  GstBuffer *buffer = nullptr;
  return gst_buffer_pool_acquire_buffer(pool, &buffer, nullptr) == GST_FLOW_OK ? buffer : nullptr;
}

bool FramePool::activate(PoolRef pool) {
  if (pool == nullptr || !gst_buffer_pool_set_active(pool.get(), TRUE)) return false;
  pool_ = std::move(pool);
  return true;
}

bool FramePool::activate_in(GstAllocator *allocator, GstCaps *caps) {
  GstVideoInfo info;
  return gst_video_info_from_caps(&info, caps) &&
         activate(system_pool_new(allocator, caps, static_cast<guint>(info.size)));
}

bool FramePool::make_in(GstAllocator *allocator, GstCaps *caps) {
  drop();
  return activate_in(allocator, caps);
}

bool FramePool::make(GstCudaContext *context, GstCaps *caps) {
  drop();
  guint size = 0;
  if (context != nullptr) return activate(cuda_pool_new(context, caps, &size));
  system_caps_.reset(gst_caps_ref(caps));
  return true;
}

void FramePool::drop() {
  if (pool_ != nullptr) gst_buffer_pool_set_active(pool_.get(), FALSE);
  pool_.reset();
  system_caps_.reset();
}

BufferRef FramePool::acquire() {
  if (system_caps_ != nullptr) {
    if (!activate_in(nullptr, system_caps_.get())) return nullptr;
    system_caps_.reset();
  }
  return BufferRef(pool_ != nullptr ? pool_acquire(pool_.get()) : nullptr);
}

}  // namespace coalesce::gst
