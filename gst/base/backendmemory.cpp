// SPDX-License-Identifier: LGPL-2.1-or-later
// The memory of frames that come in and go out.
#include <algorithm>
#include <vector>

#include "backend.h"
#include "object/category.h"

namespace coalesce::gst {
namespace {

void add_default_pool(GstElement *element, GstQuery *query, GstCaps *caps) {
  GstVideoInfo info;
  if (caps == nullptr || !gst_video_info_from_caps(&info, caps)) return;
  GstBufferPool *pool = nullptr;
  guint size = static_cast<guint>(GST_VIDEO_INFO_SIZE(&info)), least = 0, most = 0;
  const bool offered = gst_query_get_n_allocation_pools(query) > 0;
  if (offered) gst_query_parse_nth_allocation_pool(query, 0, &pool, &size, &least, &most);
  GST_DEBUG_OBJECT(element, "output frames come from %s",
                   pool != nullptr ? GST_OBJECT_NAME(pool) : "a pool of system memory");
  if (pool == nullptr) pool = system_pool_new();
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
void prefer_page_locked(GstElement *element, GstQuery *query, GstAllocator *page_locked) {
  GstBufferPool *pool = nullptr;
  gst_query_parse_nth_allocation_pool(query, 0, &pool, nullptr, nullptr, nullptr);
  const PoolRef owned(pool);
  if (!is_ordinary(pool)) {
    GST_DEBUG_OBJECT(element, "downloads into the memory of downstream's %s",
                     G_OBJECT_TYPE_NAME(pool));
    return;
  }
  GST_DEBUG_OBJECT(element, "downloads into page-locked memory, unless downstream has its own");
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

bool Backend::propose_memory(GstQuery *query, guint least) {
  GstCaps *caps = nullptr;
  gst_query_parse_allocation(query, &caps, nullptr);
  GstVideoInfo info;
  if (caps == nullptr || !gst_video_info_from_caps(&info, caps)) return false;
  auto size = static_cast<guint>(GST_VIDEO_INFO_SIZE(&info));
  const ContextRef own = context();
  AllocatorRef page_locked;
  PoolRef pool;
  if (caps_are_cuda(caps)) {
    if (own != nullptr) pool = cuda_pool_new(own.get(), caps, &size);
  } else {
    // The allocator is offered, too, for those who make their own pool.
    if (own != nullptr && is_on_gpu()) {
      page_locked = page_locked_allocator_new(own.get());
      gst_query_add_allocation_param(query, page_locked.get(), nullptr);
    }
    pool = system_pool_new(page_locked.get(), caps, size);
  }
  GST_DEBUG_OBJECT(element_, "offers upstream %s for %" GST_PTR_FORMAT,
                   pool == nullptr          ? "no memory"
                   : page_locked != nullptr ? "page-locked memory"
                   : caps_are_cuda(caps)    ? "CUDA memory"
                                            : "system memory",
                   caps);
  if (pool == nullptr) return false;
  gst_query_add_allocation_pool(query, pool.get(), size, least, 0);
  gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr);
  return true;
}

void Backend::decide_memory(GstQuery *query, bool cuda) {
  if (cuda) {
    // Only memory of our own pool has a fence.
    GST_DEBUG_OBJECT(element_, "output frames come from a pool of CUDA memory");
    while (gst_query_get_n_allocation_pools(query) > 0)
      gst_query_remove_nth_allocation_pool(query, 0);
    return;
  }
  GstCaps *caps = nullptr;
  gst_query_parse_allocation(query, &caps, nullptr);
  add_default_pool(element_, query, caps);
  if (is_on_gpu() && has_session() && gst_query_get_n_allocation_pools(query) > 0)
    prefer_page_locked(element_, query, session().page_locked.get());
}

bool Backend::configure_pool(GstQuery *query) {
  GstCaps *caps = nullptr;
  gst_query_parse_allocation(query, &caps, nullptr);
  GstAllocator *allocator = nullptr;
  GstAllocationParams params;
  gst_allocation_params_init(&params);
  if (gst_query_get_n_allocation_params(query) > 0)
    gst_query_parse_nth_allocation_param(query, 0, &allocator, &params);
  const AllocatorRef owned(allocator);
  GstBufferPool *offered = nullptr;
  guint size = 0, least = 0, most = 0;
  gst_query_parse_nth_allocation_pool(query, 0, &offered, &size, &least, &most);
  PoolRef pool(offered);
  GstStructure *config = gst_buffer_pool_get_config(pool.get());
  gst_buffer_pool_config_set_allocator(config, allocator, &params);
  if (gst_buffer_pool_set_config(pool.get(), config)) return true;
  // The pool has changed what it does not like.
  config = gst_buffer_pool_get_config(pool.get());
  if (gst_buffer_pool_config_validate_params(config, caps, size, least, most))
    return gst_buffer_pool_set_config(pool.get(), config);
  gst_structure_free(config);
  pool = system_pool_new(allocator, caps, size);
  if (pool == nullptr) return false;
  gst_query_set_nth_allocation_pool(query, 0, pool.get(), size, 0, 0);
  return true;
}

bool Backend::make_pool(FramePool *pool, GstCaps *caps, guint at_once) {
  if (!pool->make(is_on_gpu() ? session().context.get() : nullptr, caps)) {
    post_gpu_error("no device memory for the frames; backend=cpu requires none");
    return false;
  }
  if (!is_on_gpu()) return true;
  // (Where there is no memory for all of them, frames wait for each other's. A pool's own minimum
  // leaks the first then.)
  std::vector<BufferRef> frames(at_once);
  for (BufferRef &frame : frames)
    frame = pool->acquire();
  return true;
}

}  // namespace coalesce::gst
