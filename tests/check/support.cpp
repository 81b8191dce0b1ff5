// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <map>
#include <random>

#include "support.h"

namespace test {

// ---- caps and frames -------------------------------------------------------------------------

std::string video_caps(const std::string &format, Size size, const std::string &more) {
  return "video/x-raw, format=" + format + ", width=" + std::to_string(size.width) +
         ", height=" + std::to_string(size.height) + ", framerate=25/1" +
         (more.empty() ? "" : ", " + more);
}

CapsRef parse_caps(const std::string &text) {
  CapsRef caps(gst_caps_from_string(text.c_str()));
  fail_unless(caps != nullptr, "not caps: %s", text.c_str());
  return caps;
}

std::string text_of(const GstCaps *caps) {
  return Owned<char>(gst_caps_to_string(caps)).get();
}

GstVideoInfo video_info(const std::string &caps) {
  GstVideoInfo info;
  fail_unless(gst_video_info_from_caps(&info, parse_caps(caps).get()), "%s", caps.c_str());
  return info;
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

int rows(const GstVideoInfo &info, int plane) {
  switch (GST_VIDEO_INFO_FORMAT(&info)) {
    case GST_VIDEO_FORMAT_I420:
    case GST_VIDEO_FORMAT_YV12:
    case GST_VIDEO_FORMAT_NV12:
    case GST_VIDEO_FORMAT_NV21:
    case GST_VIDEO_FORMAT_P010_10LE:
    case GST_VIDEO_FORMAT_I420_10LE:
      return plane > 0 ? (info.height + 1) / 2 : info.height;
    default:
      return info.height;
  }
}

int row_bytes(const GstVideoInfo &info, int plane) {
  const int half = (info.width + 1) / 2;
  switch (GST_VIDEO_INFO_FORMAT(&info)) {
    case GST_VIDEO_FORMAT_GRAY8:
    case GST_VIDEO_FORMAT_Y444:
    case GST_VIDEO_FORMAT_GBR:
    case GST_VIDEO_FORMAT_RGBP:
    case GST_VIDEO_FORMAT_BGRP:
      return info.width;
    case GST_VIDEO_FORMAT_NV12:
    case GST_VIDEO_FORMAT_NV21:
      return plane == 0 ? info.width : 2 * half;
    case GST_VIDEO_FORMAT_I420:
    case GST_VIDEO_FORMAT_YV12:
    case GST_VIDEO_FORMAT_Y42B:
      return plane == 0 ? info.width : half;
    case GST_VIDEO_FORMAT_GRAY16_LE:
    case GST_VIDEO_FORMAT_Y444_10LE:
    case GST_VIDEO_FORMAT_Y444_16LE:
      return 2 * info.width;
    case GST_VIDEO_FORMAT_I420_10LE:
    case GST_VIDEO_FORMAT_I422_10LE:
      return 2 * (plane == 0 ? info.width : half);
    case GST_VIDEO_FORMAT_P010_10LE:
      return plane == 0 ? 2 * info.width : 4 * half;
    case GST_VIDEO_FORMAT_RGB:
    case GST_VIDEO_FORMAT_BGR:
      return 3 * info.width;
    case GST_VIDEO_FORMAT_RGBx:
    case GST_VIDEO_FORMAT_BGRx:
    case GST_VIDEO_FORMAT_xRGB:
    case GST_VIDEO_FORMAT_xBGR:
    case GST_VIDEO_FORMAT_RGBA:
    case GST_VIDEO_FORMAT_BGRA:
    case GST_VIDEO_FORMAT_ARGB:
    case GST_VIDEO_FORMAT_ABGR:
    case GST_VIDEO_FORMAT_AYUV:
    case GST_VIDEO_FORMAT_VUYA:
      return 4 * info.width;
    case GST_VIDEO_FORMAT_UYVY:
    case GST_VIDEO_FORMAT_VYUY:
    case GST_VIDEO_FORMAT_YUY2:
    case GST_VIDEO_FORMAT_YVYU:
      return 4 * half;
    default:
      return info.stride[plane];  // enough for any other
  }
}

namespace {

struct Placement {
  gsize offset[GST_VIDEO_MAX_PLANES] = {};
  gint stride[GST_VIDEO_MAX_PLANES] = {};
  gsize size = 0;
};

Placement place(const GstVideoInfo &info, const Layout &layout) {
  Placement result;
  if (!layout.with_meta) {
    std::copy_n(info.offset, GST_VIDEO_MAX_PLANES, result.offset);
    std::copy_n(info.stride, GST_VIDEO_MAX_PLANES, result.stride);
    result.size = info.size;
    return result;
  }
  for (int p = 0; p < static_cast<int>(GST_VIDEO_INFO_N_PLANES(&info)); p++) {
    result.offset[p] = result.size + layout.offset;
    result.stride[p] = row_bytes(info, p) + layout.extra_stride;
    // The last row has no padding behind it.
    result.size = result.offset[p] + static_cast<gsize>(result.stride[p]) * (rows(info, p) - 1) +
                  row_bytes(info, p);
  }
  return result;
}

GstBuffer *wrap(const GstVideoInfo &info, const Layout &layout, Placement at, guint8 *bytes) {
  GstBuffer *buffer = gst_buffer_new();
  // Not by the memory's own offset: a pool resets that when the buffer comes back.
  gst_buffer_append_memory(
      buffer, gst_memory_new_wrapped(GstMemoryFlags(0), bytes + layout.misalign, at.size, 0,
                                     at.size, bytes, g_free));
  if (layout.with_meta)
    gst_buffer_add_video_meta_full(buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT(&info),
                                   static_cast<guint>(info.width), static_cast<guint>(info.height),
                                   GST_VIDEO_INFO_N_PLANES(&info), at.offset, at.stride);
  return buffer;
}

}  // namespace

GstBuffer *random_frame(const GstVideoInfo &info, Layout layout, guint32 seed) {
  const Placement at = place(info, layout);
  const gsize size = layout.misalign + at.size;
  auto *bytes = static_cast<guint8 *>(g_malloc(size));
  std::minstd_rand random(seed + 1);
  std::generate_n(bytes, size, [&random] { return static_cast<guint8>(random() >> 8); });
  return wrap(info, layout, at, bytes);
}

// ---- harness ---------------------------------------------------------------------------------

Harness::Harness(const std::string &element, const Properties &properties) : bus_(gst_bus_new()) {
  Owned<GstElement> made(gst_element_factory_make(element.c_str(), nullptr));
  fail_unless(made != nullptr, "no element %s", element.c_str());
  gst_object_ref_sink(made.get());
  for (const auto &[name, value] : properties)
    gst_util_set_object_arg(G_OBJECT(made.get()), name, value);
  gst_element_set_bus(made.get(), bus_.get());
  harness_ = gst_harness_new_with_element(made.get(), "sink", "src");
}

Harness::~Harness() {
  gst_element_set_bus(harness_->element, nullptr);
  gst_harness_teardown(harness_);
}

bool Harness::set_input(const std::string &caps) {
  GstPad *pad = to_element();
  const auto missing = [pad](GstEventType type) {
    return EventRef(gst_pad_get_sticky_event(pad, type, 0)) == nullptr;
  };
  if (missing(GST_EVENT_STREAM_START)) push_event(gst_event_new_stream_start("test"));
  const bool taken = push_event(gst_event_new_caps(parse_caps(caps).get()));
  if (missing(GST_EVENT_SEGMENT)) {
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    push_event(gst_event_new_segment(&segment));
  }
  return taken;
}

void Harness::accept(const std::string &caps) {
  gst_harness_set_sink_caps(harness_, parse_caps(caps).release());
}

CapsRef Harness::output_caps() const {
  return CapsRef(gst_pad_get_current_caps(from_element()));
}

GstVideoInfo Harness::output_info() const {
  const CapsRef caps = output_caps();
  fail_unless(caps != nullptr, "no output caps");
  return video_info(text_of(caps.get()));
}

MessageRef Harness::next(GstMessageType type) {
  while (GstMessage *message = gst_bus_pop(bus_.get()))
    messages_.emplace_back(message);
  const auto found = std::find_if(messages_.begin(), messages_.end(), [type](const MessageRef &m) {
    return GST_MESSAGE_TYPE(m.get()) == type;
  });
  if (found == messages_.end()) return nullptr;
  MessageRef message = std::move(*found);
  messages_.erase(found);
  return message;
}

void Harness::expect_error(GQuark domain, int code, const std::vector<const char *> &words) {
  const MessageRef message = next(GST_MESSAGE_ERROR);
  fail_unless(message != nullptr, "no error message on the bus");
  GError *error = nullptr;
  gchar *debug = nullptr;
  gst_message_parse_error(message.get(), &error, &debug);
  const std::string text = error->message;
  fail_unless(error->domain == domain && error->code == code, "%s %d: %s (%s)",
              g_quark_to_string(error->domain), error->code, error->message, debug);
  g_error_free(error);
  g_free(debug);
  for (const char *word : words)
    fail_unless(contains(text, word), "the error should say \"%s\": %s", word, text.c_str());
  while (next(GST_MESSAGE_ERROR) != nullptr) {
  }
}

std::string Harness::take_warning() {
  const MessageRef message = next(GST_MESSAGE_WARNING);
  if (message == nullptr) return {};
  GError *error = nullptr;
  gst_message_parse_warning(message.get(), &error, nullptr);
  const std::string text = error->message;
  g_error_free(error);
  return text;
}

void Harness::expect_no_error() {
  if (const MessageRef message = next(GST_MESSAGE_ERROR)) {
    GError *error = nullptr;
    gst_message_parse_error(message.get(), &error, nullptr);
    ck_abort_msg("unexpected error: %s", error->message);
  }
}

// ---- a pool that downstream offers -----------------------------------------------------------

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

constexpr Layout kOdd{.extra_stride = 7, .offset = 5, .misalign = 3, .with_meta = true};

Layout layout_of(GstBufferPool *pool) {
  return reinterpret_cast<OddPool *>(pool)->odd ? kOdd : Layout{};
}

gboolean odd_pool_set_config(GstBufferPool *pool, GstStructure *config) {
  auto *self = reinterpret_cast<OddPool *>(pool);
  GstCaps *caps = nullptr;
  guint least = 0, most = 0;
  if (!gst_buffer_pool_config_get_params(config, &caps, nullptr, &least, &most) ||
      !gst_video_info_from_caps(&self->info, caps))
    return FALSE;
  self->odd = gst_buffer_pool_config_has_option(config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  const auto size = static_cast<guint>(place(self->info, layout_of(pool)).size);
  gst_buffer_pool_config_set_params(config, caps, size, least, most);
  return GST_BUFFER_POOL_CLASS(odd_pool_parent_class)->set_config(pool, config);
}

const gchar **odd_pool_get_options(GstBufferPool *) {
  static const gchar *options[] = {GST_BUFFER_POOL_OPTION_VIDEO_META, nullptr};
  return options;
}

GstFlowReturn odd_pool_alloc(GstBufferPool *pool, GstBuffer **buffer,
                             GstBufferPoolAcquireParams *) {
  const GstVideoInfo &info = reinterpret_cast<OddPool *>(pool)->info;
  const Layout layout = layout_of(pool);
  const Placement at = place(info, layout);
  auto *bytes = static_cast<guint8 *>(g_malloc(layout.misalign + at.size));
  std::fill_n(bytes, layout.misalign + at.size, kGuard);
  *buffer = wrap(info, layout, at, bytes);
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
  GstMapInfo map;
  fail_unless(gst_buffer_map(buffer, &map, GST_MAP_READ));
  std::vector<bool> guard(map.size, true);
  const Placement at = place(info, kOdd);
  fail_unless(map.size == at.size, "the buffer is not of the pool");
  for (int p = 0; p < static_cast<int>(GST_VIDEO_INFO_N_PLANES(&info)); p++)
    for (int y = 0; y < rows(info, p); y++) {
      const auto row = guard.begin() + static_cast<gssize>(at.offset[p]) + y * at.stride[p];
      std::fill_n(row, row_bytes(info, p), false);
    }
  for (gsize i = 0; i < map.size; i++)
    fail_if(guard[i] && map.data[i] != kGuard,
            "%dx%d: byte %" G_GSIZE_FORMAT " belongs to no plane and was written", info.width,
            info.height, i);
  gst_buffer_unmap(buffer, &map);
}

void offer_pool(Harness &harness, GstBufferPool *pool, bool video_meta) {
  auto *offer = new Offer{Owned<GstBufferPool>(GST_BUFFER_POOL(gst_object_ref(pool))), video_meta};
  gst_pad_add_probe(harness.from_element(), GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, answer_allocation,
                    offer, [](gpointer data) { delete static_cast<Offer *>(data); });
}

// ---- the plugin ------------------------------------------------------------------------------

namespace {

std::vector<std::string> find_elements() {
  std::vector<std::string> names;
  GList *features = gst_registry_get_feature_list_by_plugin(gst_registry_get(), "coalesce");
  for (GList *item = features; item != nullptr; item = item->next)
    if (GST_IS_ELEMENT_FACTORY(item->data)) names.emplace_back(GST_OBJECT_NAME(item->data));
  gst_plugin_feature_list_free(features);
  std::sort(names.begin(), names.end());
  return names;
}

const std::vector<std::string> &elements() {
  static const std::vector<std::string> found = find_elements();
  return found;
}

// The caps of the sink pad's template that name no memory, or nullptr.
CapsRef system_sink_template(const std::string &element) {
  Owned<GstElementFactory> factory(gst_element_factory_find(element.c_str()));
  fail_unless(factory != nullptr);
  const GList *item = gst_element_factory_get_static_pad_templates(factory.get());
  for (; item != nullptr; item = item->next) {
    auto *pad = static_cast<GstStaticPadTemplate *>(item->data);
    if (pad->direction != GST_PAD_SINK) continue;
    const CapsRef all(gst_static_pad_template_get_caps(pad));
    for (guint i = 0; i < gst_caps_get_size(all.get()); i++)
      if (gst_caps_features_is_equal(gst_caps_get_features(all.get(), i),
                                     GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY))
        return CapsRef(gst_caps_copy_nth(all.get(), i));
  }
  ck_abort_msg("%s has no sink pad for system memory", element.c_str());
  return nullptr;
}

}  // namespace

int n_elements() {
  return static_cast<int>(elements().size());
}

const std::string &element_name(int index) {
  return elements().at(static_cast<gsize>(index));
}

int n_sink_formats(const std::string &element) {
  const CapsRef caps = system_sink_template(element);
  const GValue *formats = gst_structure_get_value(gst_caps_get_structure(caps.get(), 0), "format");
  return GST_VALUE_HOLDS_LIST(formats) ? static_cast<int>(gst_value_list_get_size(formats)) : 1;
}

std::string sink_caps(const std::string &element, Size size, int nth_format,
                      const std::string &framerate) {
  const CapsRef caps = system_sink_template(element);
  const GValue *formats = gst_structure_get_value(gst_caps_get_structure(caps.get(), 0), "format");
  const GValue *format = GST_VALUE_HOLDS_LIST(formats)
                             ? gst_value_list_get_value(formats, static_cast<guint>(nth_format))
                             : formats;
  return "video/x-raw, format=" + std::string(g_value_get_string(format)) +
         ", width=" + std::to_string(size.width) + ", height=" + std::to_string(size.height) +
         ", framerate=" + framerate;
}

// ---- running ---------------------------------------------------------------------------------

bool small_run() {
  return g_getenv("COALESCE_TEST_SMALL") != nullptr;
}

namespace {

using Census = std::map<std::string, int>;
Census before;

// The living objects that GStreamer's leaks tracer knows of, counted by type.
Census living() {
  Census census;
  GList *tracers = gst_tracing_get_active_tracers();
  for (GList *item = tracers; item != nullptr; item = item->next) {
    if (g_strcmp0(G_OBJECT_TYPE_NAME(item->data), "GstLeaksTracer") != 0) continue;
    GstStructure *live = nullptr;
    g_signal_emit_by_name(item->data, "get-live-objects", &live);
    const GValue *list = gst_structure_get_value(live, "live-objects-list");
    for (guint i = 0; i < gst_value_list_get_size(list); i++) {
      const GstStructure *entry = gst_value_get_structure(gst_value_list_get_value(list, i));
      const GValue *object = gst_structure_get_value(entry, "object");
      census[G_VALUE_HOLDS_OBJECT(object) ? G_OBJECT_TYPE_NAME(g_value_get_object(object))
                                          : G_VALUE_TYPE_NAME(object)]++;
    }
    gst_structure_free(live);
  }
  g_list_free_full(tracers, gst_object_unref);
  return census;
}

void take_census() {
  before = living();
}

void compare_census() {
  for (const auto &[type, count] : living())
    fail_unless(count <= before[type], "%d %s left behind", count - before[type], type.c_str());
}

// An installed plugin of the same name would be tested instead without a word.
bool right_plugin() {
  Owned<GstPlugin> plugin(gst_registry_find_plugin(gst_registry_get(), "coalesce"));
  const gchar *file = plugin ? gst_plugin_get_filename(plugin.get()) : "none";
  if (g_strcmp0(file, g_getenv("COALESCE_TEST_PLUGIN")) == 0) return true;
  g_printerr("the plugin under test should be %s, found: %s\n", g_getenv("COALESCE_TEST_PLUGIN"),
             file);
  return false;
}

}  // namespace

TCase *new_case(Suite *suite, const char *name, int timeout_s) {
  TCase *result = tcase_create(name);
  tcase_set_timeout(result, timeout_s);
  tcase_add_checked_fixture(result, take_census, compare_census);
  suite_add_tcase(suite, result);
  return result;
}

int run(int *argc, char ***argv, const char *name, void (*add_cases)(Suite *)) {
  g_setenv("GST_TRACERS", "leaks", FALSE);
  gst_check_init(argc, argv);
  if (!right_plugin() || n_elements() == 0) return 1;
  Suite *suite = suite_create(name);
  add_cases(suite);
  return gst_check_run_suite(suite, name, name);
}

}  // namespace test
