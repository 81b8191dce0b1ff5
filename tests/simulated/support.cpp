// SPDX-License-Identifier: LGPL-2.1-or-later
#include "support.h"

#include <atomic>
#include <cstring>
#include <utility>

namespace simulated {

GstVideoInfo video_info(GstVideoFormat format, int width, int height) {
  GstVideoInfo info;
  fail_unless(gst_video_info_set_format(&info, format, width, height));
  return info;
}

GstVideoInfo video_info(const std::string &text) {
  GstVideoInfo info;
  GstCaps *caps = gst_caps_from_string(text.c_str());
  fail_unless(gst_video_info_from_caps(&info, caps), "%s", text.c_str());
  gst_caps_unref(caps);
  return info;
}

std::string video_caps(const char *memory, const char *format, int width, int height) {
  std::string text = "video/x-raw";
  if (*memory != '\0') text += std::string("(") + memory + ")";
  if (*format != '\0') text += std::string(",format=") + format;
  if (width > 0) text += ",width=" + std::to_string(width) + ",height=" + std::to_string(height);
  return text + ",framerate=25/1";
}

guint8 sample(unsigned seed, guint plane, int x, int y) {
  unsigned hash =
      seed * 2654435761u + plane * 40503u + unsigned(y) * 69069u + unsigned(x) * 2246822519u;
  hash = (hash ^ (hash >> 15)) * 2246822519u;
  return static_cast<guint8>(hash >> 24);
}

gint rows(const GstVideoInfo &info, guint plane) {
  gint component[GST_VIDEO_MAX_COMPONENTS];
  gst_video_format_info_component(info.finfo, plane, component);
  const gint height =
      GST_VIDEO_FORMAT_INFO_SCALE_HEIGHT(info.finfo, component[0], GST_VIDEO_INFO_HEIGHT(&info));
  const bool halved = GST_VIDEO_FORMAT_INFO_H_SUB(info.finfo, component[0]) == 1;
  return halved && GST_VIDEO_INFO_IS_INTERLACED(&info) ? GST_ROUND_UP_2(height) : height;
}

gsize row_bytes(const GstVideoInfo &info, guint plane) {
  gint component[GST_VIDEO_MAX_COMPONENTS];
  gst_video_format_info_component(info.finfo, plane, component);
  const gint pixel = GST_VIDEO_FORMAT_INFO_PSTRIDE(info.finfo, component[0]);
  const gint width = GST_VIDEO_INFO_WIDTH(&info);
  // Formats without a pixel stride fill their rows; packed 4:2:2 comes in whole pairs of pixels.
  if (pixel == 0) return static_cast<gsize>(GST_VIDEO_INFO_PLANE_STRIDE(&info, plane));
  if (GST_VIDEO_INFO_N_PLANES(&info) == 1 && GST_VIDEO_FORMAT_INFO_W_SUB(info.finfo, 1) == 1)
    return static_cast<gsize>(width + 1) / 2 * GST_VIDEO_FORMAT_INFO_PSTRIDE(info.finfo, 1);
  return static_cast<gsize>(pixel) *
         GST_VIDEO_FORMAT_INFO_SCALE_WIDTH(info.finfo, component[0], width);
}

void fill(GstBuffer *buffer, const GstVideoInfo &info, unsigned seed) {
  GstVideoFrame frame;
  fail_unless(gst_video_frame_map(&frame, &info, buffer, GST_MAP_WRITE));
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES(&info); p++) {
    for (gint y = 0; y < rows(info, p); y++) {
      auto *row = static_cast<guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, p)) +
                  static_cast<gsize>(y) * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, p);
      for (gsize x = 0; x < row_bytes(info, p); x++)
        row[x] = sample(seed, p, static_cast<int>(x), y);
    }
  }
  gst_video_frame_unmap(&frame);
}

std::string wrong_luma(GstBuffer *buffer, const GstVideoInfo &out, GstVideoFormat packed,
                       unsigned seed, int flags, guint8 xor_with) {
  const bool luma_second = packed == GST_VIDEO_FORMAT_UYVY || packed == GST_VIDEO_FORMAT_VYUY;
  GstVideoFrame frame;
  if (!gst_video_frame_map(&frame, &out, buffer, static_cast<GstMapFlags>(flags)))
    return "the frame could not be mapped";
  std::string wrong;
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES(&out) && wrong.empty(); p++) {
    for (gint y = 0; y < rows(out, p) && wrong.empty(); y++) {
      const auto *row = static_cast<const guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, p)) +
                        static_cast<gsize>(y) * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, p);
      for (gsize x = 0; x < row_bytes(out, p) && wrong.empty(); x++) {
        const guint8 luma = sample(seed, 0, static_cast<int>(2 * x + (luma_second ? 1 : 0)), y);
        const guint8 expected = p == 0 ? static_cast<guint8>(luma ^ xor_with) : 128;
        if (row[x] == expected) continue;
        wrong = "picture " + std::to_string(seed) + ", plane " + std::to_string(p) + ", (" +
                std::to_string(x) + ", " + std::to_string(y) + "): " + std::to_string(row[x]) +
                " instead of " + std::to_string(expected);
      }
    }
  }
  gst_video_frame_unmap(&frame);
  return wrong;
}

GstBuffer *system_buffer(const GstVideoInfo &info, unsigned seed) {
  GstBuffer *buffer = gst_buffer_new_allocate(nullptr, GST_VIDEO_INFO_SIZE(&info), nullptr);
  gst_buffer_memset(buffer, 0, 0x5A, GST_VIDEO_INFO_SIZE(&info));
  fill(buffer, info, seed);
  return buffer;
}

void give_context(GstElement *element, GstCudaContext *context) {
  GstContext *wrapped = gst_context_new_cuda_context(context);
  gst_element_set_context(element, wrapped);
  gst_context_unref(wrapped);
}

void to_device(GstBuffer *buffer) {
  GstMapInfo map;
  fail_unless(gst_buffer_map(buffer, &map, static_cast<GstMapFlags>(GST_MAP_READ | GST_MAP_CUDA)));
  gst_buffer_unmap(buffer, &map);
}

GstBufferPool *proposed_pool(GstHarness *harness, const char *caps_text, guint *size,
                             guint max_buffers) {
  GstCaps *caps = gst_caps_from_string(caps_text);
  GstQuery *query = gst_query_new_allocation(caps, TRUE);
  GstBufferPool *pool = nullptr;
  guint bytes = 0, least = 0, most = 0;
  if (gst_pad_peer_query(harness->srcpad, query) && gst_query_get_n_allocation_pools(query) > 0)
    gst_query_parse_nth_allocation_pool(query, 0, &pool, &bytes, &least, &most);
  if (size != nullptr) *size = bytes;
  if (pool != nullptr) {
    GstStructure *config = gst_buffer_pool_get_config(pool);
    gst_buffer_pool_config_set_params(config, caps, bytes, 0, max_buffers);
    fail_unless(gst_buffer_pool_set_config(pool, config));
    fail_unless(gst_buffer_pool_set_active(pool, TRUE));
  }
  gst_query_unref(query);
  gst_caps_unref(caps);
  return pool;
}

void drop_pool(GstBufferPool *pool) {
  if (pool == nullptr) return;
  gst_buffer_pool_set_active(pool, FALSE);
  gst_object_unref(pool);
}

GstBuffer *pool_buffer(GstBufferPool *pool, const GstVideoInfo &info, unsigned seed) {
  GstBuffer *buffer = nullptr;
  fail_unless_equals_int(gst_buffer_pool_acquire_buffer(pool, &buffer, nullptr), GST_FLOW_OK);
  fill(buffer, info, seed);
  if (is_cuda(buffer)) to_device(buffer);
  return buffer;
}

bool is_cuda(GstBuffer *buffer) {
  return gst_is_cuda_memory(gst_buffer_peek_memory(buffer, 0));
}

static GstElement *make(const char *launch) {
  GError *error = nullptr;
  const bool several = strchr(launch, '!') != nullptr;
  GstElement *element = several ? gst_parse_bin_from_description(launch, TRUE, &error)
                                : gst_parse_launch(launch, &error);
  fail_unless(element != nullptr && error == nullptr, "cannot make: %s", launch);
  return element;
}

std::string start_error(GstElement *element) {
  GstBus *bus = gst_bus_new();
  gst_element_set_bus(element, bus);
  fail_unless_equals_int(gst_element_set_state(element, GST_STATE_PAUSED),
                         GST_STATE_CHANGE_FAILURE);
  GstMessage *message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR);
  fail_unless(message != nullptr);
  GError *error = nullptr;
  gst_message_parse_error(message, &error, nullptr);
  const std::string text = error->message;
  g_error_free(error);
  gst_message_unref(message);
  fail_unless(gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR) == nullptr);
  gst_element_set_state(element, GST_STATE_NULL);
  gst_element_set_bus(element, nullptr);
  gst_object_unref(bus);
  return text;
}

Bench::Bench(const char *launch) : Bench(make(launch)) {}

// The harness sets the element to PLAYING, so whatever start() has to say would be missed without a
// bus from before.
Bench::Bench(GstElement *element)
    : element_(GST_ELEMENT(gst_object_ref_sink(element))), bus_(gst_bus_new()) {
  gst_element_set_bus(element_, bus_);
  harness_ = gst_harness_new_with_element(element_, "sink", "src");
}

Bench::~Bench() {
  gst_element_set_bus(element_, nullptr);
  gst_object_unref(bus_);
  gst_harness_teardown(harness_);
  gst_object_unref(element_);
}

void Bench::negotiate(const std::string &in, const std::string &out) {
  if (!out.empty()) gst_harness_set_sink_caps_str(harness_, out.c_str());
  gst_harness_set_src_caps_str(harness_, in.c_str());
}

std::string Bench::out_caps() const {
  GstCaps *caps = gst_pad_get_current_caps(harness_->sinkpad);
  if (caps == nullptr) return {};
  gchar *text = gst_caps_to_string(caps);
  std::string result = text;
  g_free(text);
  gst_caps_unref(caps);
  return result;
}

// What is popped is looked at, since a filter drops the rest.
void Bench::take_messages() {
  constexpr auto kTypes = static_cast<GstMessageType>(GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
  while (GstMessage *message = gst_bus_pop_filtered(bus_, kTypes)) {
    const bool is_error = GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR;
    GError *error = nullptr;
    gchar *details = nullptr;
    (is_error ? gst_message_parse_error : gst_message_parse_warning)(message, &error, &details);
    const std::string text = std::string(error->message) + (details ? details : "");
    (is_error ? errors_ : warnings_).push_back(text);
    g_free(details);
    g_error_free(error);
    gst_message_unref(message);
  }
}

std::vector<std::string> Bench::errors() {
  take_messages();
  return std::exchange(errors_, {});
}

std::vector<std::string> Bench::warnings() {
  take_messages();
  return std::exchange(warnings_, {});
}

void drop_pipeline(GstElement *pipeline) {
  std::atomic<bool> gone{false};
  g_object_weak_ref(
      G_OBJECT(pipeline),
      [](gpointer data, GObject *) { *static_cast<std::atomic<bool> *>(data) = true; }, &gone);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
  fail_unless(eventually([&] { return gone.load(); }), "a pipeline lives on");
}

Passing::Passing(const Bench &bench) : pad_(gst_element_get_static_pad(bench.element(), "src")) {
  const auto all = static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_DATA_DOWNSTREAM |
                                                GST_PAD_PROBE_TYPE_EVENT_FLUSH);
  probe_ = gst_pad_add_probe(pad_, all, note, this, nullptr);
}

Passing::~Passing() {
  gst_pad_remove_probe(pad_, probe_);
  gst_object_unref(pad_);
}

GstPadProbeReturn Passing::note(GstPad *, GstPadProbeInfo *info, gpointer self) {
  std::string &seen = static_cast<Passing *>(self)->seen;
  seen += seen.empty() ? "" : " ";
  seen += info->type & GST_PAD_PROBE_TYPE_BUFFER
              ? std::to_string(GST_BUFFER_OFFSET(GST_PAD_PROBE_INFO_BUFFER(info)))
              : GST_EVENT_TYPE_NAME(GST_PAD_PROBE_INFO_EVENT(info));
  return GST_PAD_PROBE_OK;
}

GstEvent *segment_event() {
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  return gst_event_new_segment(&segment);
}

guint64 stat(GstElement *element, const char *name) {
  GstStructure *stats = nullptr;
  g_object_get(element, "stats", &stats, nullptr);
  guint64 value = 0;
  fail_unless(gst_structure_get_uint64(stats, name, &value), "no field %s in stats", name);
  gst_structure_free(stats);
  return value;
}

std::string active_backend(GstElement *element) {
  GValue value = G_VALUE_INIT;
  g_object_get_property(G_OBJECT(element), "active-backend", &value);
  const std::string nick = g_enum_get_value(G_ENUM_CLASS(g_type_class_peek(G_VALUE_TYPE(&value))),
                                            g_value_get_enum(&value))
                               ->value_nick;
  g_value_unset(&value);
  return nick;
}

}  // namespace simulated
