// SPDX-License-Identifier: LGPL-2.1-or-later
#include "filterpools.h"

#include <algorithm>

#include "filterframe.h"

#define GST_CAT_DEFAULT gst_coalesce_debug

namespace coalesce::gst {
namespace {

PoolRef active_pool(Backend &backend, GstCaps *caps) {
  PoolRef pool = active_cuda_pool_new(backend.session().context.get(), caps);
  if (pool == nullptr)
    backend.post_gpu_error("no device memory for the frames; backend=cpu requires none");
  return pool;
}

void add_default_pool(GstCoalesceFilter *self, GstQuery *query, GstCaps *caps) {
  GstVideoInfo info;
  if (caps == nullptr || !gst_video_info_from_caps(&info, caps)) return;
  GstBufferPool *pool = nullptr;
  guint size = static_cast<guint>(GST_VIDEO_INFO_SIZE(&info)), least = 0, most = 0;
  const bool offered = gst_query_get_n_allocation_pools(query) > 0;
  if (offered) gst_query_parse_nth_allocation_pool(query, 0, &pool, &size, &least, &most);
  GST_DEBUG_OBJECT(self, "output frames come from %s",
                   pool != nullptr ? GST_OBJECT_NAME(pool) : "a pool of system memory");
  if (pool == nullptr) pool = gst_video_buffer_pool_new();
  size = std::max(size, static_cast<guint>(GST_VIDEO_INFO_SIZE(&info)));  // some downstream says 0
  GstStructure *config = gst_buffer_pool_get_config(pool);
  gst_buffer_pool_config_set_params(config, caps, size, least, most);
  // Strides other than the default only if downstream said that it can read them.
  if (gst_query_find_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr))
    gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  gst_buffer_pool_set_config(pool, config);
  if (offered)
    gst_query_set_nth_allocation_pool(query, 0, pool, size, least, most);
  else
    gst_query_add_allocation_pool(query, pool, size, least, most);
  gst_object_unref(pool);
}

// Memory that downstream has of its own is used, be it special; ordinary memory gives way.
void prefer_page_locked(GstCoalesceFilter *self, GstQuery *query, GstAllocator *page_locked) {
  GstBufferPool *pool = nullptr;
  gst_query_parse_nth_allocation_pool(query, 0, &pool, nullptr, nullptr, nullptr);
  const GType type = G_OBJECT_TYPE(pool);
  gst_object_unref(pool);
  if (type != GST_TYPE_VIDEO_BUFFER_POOL && type != GST_TYPE_BUFFER_POOL) {
    GST_DEBUG_OBJECT(self, "downloads into the memory of downstream's %s", g_type_name(type));
    return;
  }
  GST_DEBUG_OBJECT(self, "downloads into page-locked memory, unless downstream has its own");
  if (gst_query_get_n_allocation_params(query) == 0) {
    gst_query_add_allocation_param(query, page_locked, nullptr);
    return;
  }
  GstAllocator *theirs = nullptr;
  GstAllocationParams params;
  gst_query_parse_nth_allocation_param(query, 0, &theirs, &params);
  if (is_ordinary(theirs)) gst_query_set_nth_allocation_param(query, 0, page_locked, &params);
  if (theirs != nullptr) gst_object_unref(theirs);
}

}  // namespace

void filter_drop_pools(GstCoalesceFilter *self) {
  for (PoolRef *pool : {&self->priv->upload_pool, &self->priv->output_pool}) {
    if (*pool) gst_buffer_pool_set_active(pool->get(), FALSE);
    pool->reset();
  }
}

bool filter_make_pools(GstCoalesceFilter *self) {
  GstCoalesceFilterPrivate &priv = *self->priv;
  Backend &backend = backend_of(self);
  filter_drop_pools(self);
  if (!backend.is_on_gpu()) return true;
  priv.output_pool = active_pool(backend, priv.out_caps);
  if (priv.output_pool) priv.upload_pool = active_pool(backend, priv.in_caps);
  if (!priv.output_pool || !priv.upload_pool) return false;
  // With two buffers, the frames that are in two streams do not wait for each other's memory.
  // (Where there is none for the second, they do. A pool's own minimum leaks the first then.)
  const BufferRef one(pool_acquire(priv.output_pool.get())),
      two(pool_acquire(priv.output_pool.get()));
  return true;
}

void filter_choose_pools(GstCoalesceFilter *self, GstQuery *query) {
  if (self->priv->out_cuda) {
    // CUDA output comes from our own pool: only its memory has a fence.
    GST_DEBUG_OBJECT(self, "output frames come from %" GST_PTR_FORMAT,
                     self->priv->output_pool.get());
    while (gst_query_get_n_allocation_pools(query) > 0)
      gst_query_remove_nth_allocation_pool(query, 0);
    return;
  }
  GstCaps *caps = nullptr;
  gst_query_parse_allocation(query, &caps, nullptr);
  add_default_pool(self, query, caps);
  Backend &backend = backend_of(self);
  if (backend.is_on_gpu() && backend.has_session() && gst_query_get_n_allocation_pools(query) > 0)
    prefer_page_locked(self, query, backend.session().page_locked.get());
}

}  // namespace coalesce::gst
