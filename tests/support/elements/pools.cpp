// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pools.h"

#include <algorithm>

namespace test {

GstBufferPool *proposed_pool(GstHarness *harness, const char *caps_text, guint *size,
                             guint max_buffers) {
  return proposed_pool(harness->srcpad, caps_text, size, max_buffers);
}

GstBufferPool *proposed_pool(GstPad *source, const char *caps_text, guint *size,
                             guint max_buffers) {
  const CapsRef caps = parse_caps(caps_text);
  const QueryRef query(gst_query_new_allocation(caps.get(), TRUE));
  GstBufferPool *pool = nullptr;
  guint bytes = 0;
  if (gst_pad_peer_query(source, query.get()) && gst_query_get_n_allocation_pools(query.get()) > 0)
    gst_query_parse_nth_allocation_pool(query.get(), 0, &pool, &bytes, nullptr, nullptr);
  if (size != nullptr) *size = bytes;
  if (pool == nullptr) return nullptr;
  GstStructure *config = gst_buffer_pool_get_config(pool);
  gst_buffer_pool_config_set_params(config, caps.get(), bytes, 0, max_buffers);
  fail_unless(gst_buffer_pool_set_config(pool, config));
  fail_unless(gst_buffer_pool_set_active(pool, TRUE));
  return pool;
}

GstBuffer *acquire(GstBufferPool *pool) {
  GstBuffer *buffer = nullptr;
  fail_unless_equals_int(gst_buffer_pool_acquire_buffer(pool, &buffer, nullptr), GST_FLOW_OK);
  return buffer;
}

void drop_pool(GstBufferPool *pool) {
  if (pool == nullptr) return;
  gst_buffer_pool_set_active(pool, FALSE);
  gst_object_unref(pool);
}

struct OddPool {
  GstBufferPool parent;
  GstVideoInfo info;
  bool odd;
};
struct OddPoolClass {
  GstBufferPoolClass parent_class;
};
GType odd_pool_get_type();
G_DEFINE_TYPE(OddPool, odd_pool, GST_TYPE_BUFFER_POOL)

namespace {

constexpr guint8 kGuard = 0xa5;
constexpr Layout kOdd{.extra_stride = 7, .offset = 5, .misalign = 3, .with_meta = true};

OddPool *odd(GstBufferPool *pool) {
  return reinterpret_cast<OddPool *>(pool);
}

Layout layout_of(GstBufferPool *pool) {
  return odd(pool)->odd ? kOdd : Layout{};
}

gboolean odd_pool_set_config(GstBufferPool *pool, GstStructure *config) {
  GstCaps *caps = nullptr;
  guint least = 0, most = 0;
  if (!gst_buffer_pool_config_get_params(config, &caps, nullptr, &least, &most) ||
      !gst_video_info_from_caps(&odd(pool)->info, caps))
    return FALSE;
  odd(pool)->odd = gst_buffer_pool_config_has_option(config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  const auto size = static_cast<guint>(frame_bytes(odd(pool)->info, layout_of(pool)));
  gst_buffer_pool_config_set_params(config, caps, size, least, most);
  return GST_BUFFER_POOL_CLASS(odd_pool_parent_class)->set_config(pool, config);
}

const gchar **odd_pool_get_options(GstBufferPool *) {
  static const gchar *options[] = {GST_BUFFER_POOL_OPTION_VIDEO_META, nullptr};
  return options;
}

GstFlowReturn odd_pool_alloc(GstBufferPool *pool, GstBuffer **buffer,
                             GstBufferPoolAcquireParams *) {
  *buffer = plain_frame(odd(pool)->info, layout_of(pool), kGuard);
  return GST_FLOW_OK;
}

struct Offer {
  Owned<GstBufferPool> pool;
  bool video_meta;
};

GstPadProbeReturn answer_allocation(GstPad *, GstPadProbeInfo *info, gpointer data) {
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY(info);
  if (GST_QUERY_TYPE(query) != GST_QUERY_ALLOCATION) return GST_PAD_PROBE_OK;
  const auto *offer = static_cast<const Offer *>(data);
  GstCaps *caps = nullptr;
  gst_query_parse_allocation(query, &caps, nullptr);
  const GstVideoInfo video = video_info(text_of(caps));
  if (offer->video_meta) gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr);
  gst_query_add_allocation_pool(query, offer->pool.get(), static_cast<guint>(video.size), 0, 0);
  return GST_PAD_PROBE_HANDLED;
}

}  // namespace

static void odd_pool_class_init(OddPoolClass *klass) {
  auto *pool_class = GST_BUFFER_POOL_CLASS(klass);
  pool_class->get_options = odd_pool_get_options;
  pool_class->set_config = odd_pool_set_config;
  pool_class->alloc_buffer = odd_pool_alloc;
}

static void odd_pool_init(OddPool *) {}

GstBufferPool *odd_pool_new() {
  return GST_BUFFER_POOL(gst_object_ref_sink(g_object_new(odd_pool_get_type(), nullptr)));
}

void check_guards(GstBuffer *buffer, const GstVideoInfo &info) {
  const Bytes bytes = bytes_of(buffer);
  fail_unless(bytes.size() == frame_bytes(info, kOdd), "the buffer is not of the pool");
  std::vector<bool> guard(bytes.size(), true);
  each_row_of_layout(info, kOdd, [&guard](gsize offset, int row) {
    std::fill_n(guard.begin() + static_cast<gssize>(offset), row, false);
  });
  for (gsize i = 0; i < bytes.size(); i++)
    fail_if(guard[i] && bytes[i] != kGuard,
            "%dx%d: byte %" G_GSIZE_FORMAT " belongs to no plane and was written", info.width,
            info.height, i);
}

void offer_pool(Harness &harness, GstBufferPool *pool, bool video_meta) {
  auto *offer = new Offer{Owned<GstBufferPool>(GST_BUFFER_POOL(gst_object_ref(pool))), video_meta};
  gst_pad_add_probe(harness.from_element(), GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, answer_allocation,
                    offer, [](gpointer data) { delete static_cast<Offer *>(data); });
}

}  // namespace test
