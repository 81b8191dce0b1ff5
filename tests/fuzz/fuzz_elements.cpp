// SPDX-License-Identifier: LGPL-2.1-or-later
// An element between two pads, driven by the bytes of an input: caps, properties, frames, events,
// in any order. A wrong sample, a critical of GLib, an error that is not told, a crash or a hang is
// a finding.
#include <cstdarg>

#include "element_judges.h"

// The plugin is linked in: its code is instrumented like the rest.
extern "C" {
GST_PLUGIN_STATIC_DECLARE(coalesce);
}

// In place of libgstcheck's, which report to the test suite that it runs.
void _mark_point(const char *, int) {}

void _ck_assert_failed(const char *file, int line, const char *expr, ...) {
  std::fprintf(stderr, "FOUND %s:%d: %s: ", file, line, expr);
  va_list args;
  va_start(args, expr);
  if (const char *format = va_arg(args, const char *)) std::vfprintf(stderr, format, args);
  va_end(args);
  std::fprintf(stderr, "\n");
  std::abort();
}

namespace test {
namespace {

// Of larger ones only the caps are tried, and of somewhat smaller ones the samples are not
// compared: the references are slow.
constexpr gsize kLargestFrame = 1 << 20, kLargestJudged = 1 << 14;

class Session {
 public:
  Session(const std::string &element, Input &in)
      : in_(in),
        name_(element),
        harness_(element, {{"backend", "cpu"}, {"n-threads", in.once_in(8) ? "3" : "1"}}),
        bus_(gst_element_get_bus(harness_.element())) {
    if (in_.once_in(4)) {
      pool_.reset(odd_pool_new());
      offer_pool(harness_, pool_.get(), true);
    }
  }

  void run() {
    constexpr int kMostSteps = 40;
    change_caps();
    for (int i = 0; i < kMostSteps && !in_.at_end(); i++)
      step();
  }

 private:
  void step() {
    switch (in_.below(16)) {
      case 0:
      case 1:
        change_caps();
        break;
      case 2:
        send_event();
        break;
      case 3:
        restart();
        break;
      case 4:
      case 5:
      case 6:
      case 7:
      case 8:
        set_property();
        break;
      default:
        push_frame();
    }
  }

  void send_start() { harness_.push_event(gst_event_new_stream_start("fuzz")); }

  void send_segment() {
    GstSegment segment;
    gst_segment_init(&segment, in_.once_in(8) ? GST_FORMAT_BYTES : GST_FORMAT_TIME);
    harness_.push_event(gst_event_new_segment(&segment));
  }

  void change_caps() {
    if (in_.flag()) harness_.accept(any_output_caps(in_, name_));
    const std::string text = any_input_caps(in_, name_);
    const CapsRef caps = parse_caps(text);
    send_start();
    harness_.push_event(gst_event_new_caps(caps.get()));
    send_segment();
    const std::string error = take_messages();
    // (A pad keeps events that were refused, and says nothing but that they are pending.)
    negotiated_ = playing_ && !GST_PAD_HAS_PENDING_EVENTS(harness_.to_element());
    eos_ = false;
    if (!negotiated_) return;
    fail_unless(gst_video_info_from_caps(&info_, caps.get()), "taken: %s", text.c_str());
    fail_unless(error.empty(), "%s: taken, but: %s", text.c_str(), error.c_str());
  }

  void send_event() {
    switch (in_.below(6)) {
      case 0:
        harness_.push_event(gst_event_new_flush_start());
        harness_.push_event(gst_event_new_flush_stop(TRUE));
        send_segment();
        eos_ = false;
        break;
      case 1:
        harness_.push_event(gst_event_new_eos());
        eos_ = true;
        break;
      case 2:
        harness_.push_event(gst_event_new_gap(in_.word(), in_.word()));
        break;
      case 3:
        send_segment();
        break;
      case 4:
        harness_.push_event(gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM,
                                                 gst_structure_new_empty("application/fuzz")));
        break;
      default:
        gst_harness_push_upstream_event(harness_.get(), gst_event_new_reconfigure());
    }
    while (harness_.pull() != nullptr) {
    }
    take_messages();
  }

  void restart() {
    gst_element_set_state(harness_.element(), in_.flag() ? GST_STATE_NULL : GST_STATE_READY);
    for (int i = in_.below(4); i > 0; i--)
      set_property();
    playing_ =
        gst_element_set_state(harness_.element(), GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE;
    const std::string error = take_messages();
    fail_unless(playing_ || !error.empty(), "%s does not start and says nothing", name_.c_str());
    negotiated_ = eos_ = false;
    info_ = {};
  }

  // Those of our own classes, but not the choice of the back end.
  GParamSpec *any_property() {
    guint count = 0;
    GParamSpec **all =
        g_object_class_list_properties(G_OBJECT_GET_CLASS(harness_.element()), &count);
    std::vector<GParamSpec *> ours;
    for (guint i = 0; i < count; i++)
      if (!g_type_is_a(GST_TYPE_BASE_TRANSFORM, all[i]->owner_type) &&
          (all[i]->flags & G_PARAM_WRITABLE) != 0 && !g_str_equal(all[i]->name, "backend") &&
          !g_str_equal(all[i]->name, "cuda-device-id") && !g_str_equal(all[i]->name, "n-threads"))
        ours.push_back(all[i]);
    g_free(all);
    return ours.empty() ? nullptr
                        : ours[static_cast<gsize>(in_.below(static_cast<int>(ours.size())))];
  }

  std::string any_text() {
    constexpr const char *kTexts[] = {
        "1",
        "1 2 1; 2 4 2; 1 2 1",
        "-1 0 1",
        "0.1, 0.2, 0.3; 1 1 1",
        "1 4 6 4 1",
        "0 0; 0 1",
        "",
        "1e300 -1e300",
        "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"};
    return in_.flag() ? in_.pick(kTexts) : in_.text();
  }

  double any_double() {
    constexpr double kNumbers[] = {0, 1, -1, 0.5, 16, 255, 1e-3, 1e9, G_MAXDOUBLE, -G_MAXDOUBLE};
    return in_.once_in(4) ? in_.bits_of_double()
           : in_.flag()   ? in_.pick(kNumbers)
                          : in_.byte() / 8.0;
  }

  // One of the values, or one more, which is none.
  static gint any_choice(const GParamSpec *spec, int number) {
    const GEnumClass *choices = G_PARAM_SPEC_ENUM(spec)->enum_class;
    const guint n = static_cast<guint>(number) % (choices->n_values + 1);
    return n < choices->n_values ? choices->values[n].value : choices->maximum + 1;
  }

  void set_property() {
    const GParamSpec *spec = any_property();
    if (spec == nullptr) return;
    auto *object = G_OBJECT(harness_.element());
    GValue value = G_VALUE_INIT;
    g_value_init(&value, spec->value_type);
    const int number = in_.once_in(8) ? static_cast<int>(in_.word()) : in_.between(-2, 70);
    if (in_.once_in(8))
      gst_util_set_object_arg(object, spec->name, any_text().c_str());
    else if (G_VALUE_HOLDS_STRING(&value))
      g_value_set_string(&value, any_text().c_str());
    else if (G_VALUE_HOLDS_INT(&value))
      g_value_set_int(&value, number);
    else if (G_VALUE_HOLDS_DOUBLE(&value))
      g_value_set_double(&value, any_double());
    else if (G_VALUE_HOLDS_BOOLEAN(&value))
      g_value_set_boolean(&value, number & 1);
    else if (G_VALUE_HOLDS_ENUM(&value))
      g_value_set_enum(&value, any_choice(spec, number));
    else
      fail_unless(false, "%s is of a type that is not fuzzed", spec->name);
    g_object_set_property(object, spec->name, &value);
    g_value_unset(&value);
  }

  void push_frame() {
    if (info_.finfo == nullptr || GST_VIDEO_INFO_SIZE(&info_) > kLargestFrame) return;
    AnyFrame frame = any_frame(in_, info_);
    // The memory of such a pool is not aligned to 16 bits.
    const bool must_do =
        frame.good && negotiated_ && !eos_ && !(pool_ && GST_VIDEO_INFO_COMP_DEPTH(&info_, 0) > 8);
    const GstFlowReturn flow = harness_.push(gst_buffer_ref(frame.buffer.get()));
    const std::string error = take_messages();
    fail_unless(flow == GST_FLOW_OK || !must_do, "a good frame: %s: %s", gst_flow_get_name(flow),
                error.c_str());
    fail_unless(flow != GST_FLOW_ERROR || !error.empty(), "an error that is not told");
    fail_unless(flow != GST_FLOW_OK || error.empty(), "done, but: %s", error.c_str());
    const BufferRef out = harness_.pull();
    fail_unless((flow == GST_FLOW_OK) == (out != nullptr), "%s, and %s frame",
                gst_flow_get_name(flow), out != nullptr ? "a" : "no");
    if (out == nullptr) return;
    const GstVideoInfo out_info = harness_.output_info();
    fail_unless(out_info.width == info_.width && out_info.height == info_.height);
    if (pool_ && out->pool == pool_.get()) check_guards(out.get(), out_info);
    if (GST_VIDEO_INFO_SIZE(&info_) <= kLargestJudged)
      judge({harness_.element(), frame.buffer.get(), out.get(), info_, out_info});
  }

  // All that is on the bus, which must be readable: the text of the last error, or nothing.
  std::string take_messages() {
    std::string error;
    while (const MessageRef message{gst_bus_pop(bus_.get())}) {
      const GstMessageType type = GST_MESSAGE_TYPE(message.get());
      if (type != GST_MESSAGE_ERROR && type != GST_MESSAGE_WARNING) continue;
      GError *told = nullptr;
      type == GST_MESSAGE_ERROR ? gst_message_parse_error(message.get(), &told, nullptr)
                                : gst_message_parse_warning(message.get(), &told, nullptr);
      const std::string text = told->message;
      g_error_free(told);
      fail_unless(!text.empty() && g_utf8_validate(text.c_str(), -1, nullptr),
                  "a message that cannot be read: %s", text.c_str());
      if (type == GST_MESSAGE_ERROR) error = text;
    }
    return error;
  }

  Input &in_;
  const std::string name_;
  Harness harness_;
  const Owned<GstBus> bus_;
  GstVideoInfo info_{};        // of the last caps that were taken
  Owned<GstBufferPool> pool_;  // downstream's, with odd strides, if there is one
  bool playing_ = true;
  bool negotiated_ = false;
  bool eos_ = false;
};

}  // namespace
}  // namespace test

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  // No GPU, no plugin but ours, nothing of the machine's settings.
  g_setenv("CUDA_VISIBLE_DEVICES", "-1", TRUE);
  g_setenv("GST_REGISTRY_DISABLE", "yes", TRUE);
  for (const char *name : {"GST_PLUGIN_PATH", "GST_PLUGIN_PATH_1_0", "GST_PLUGIN_SYSTEM_PATH",
                           "GST_PLUGIN_SYSTEM_PATH_1_0"})
    g_setenv(name, "", TRUE);
  gst_init(nullptr, nullptr);
  GST_PLUGIN_STATIC_REGISTER(coalesce);
  // Properties out of their range are warned of, thousands a second.
  g_log_set_default_handler(
      [](const gchar *domain, GLogLevelFlags level, const gchar *message, gpointer) {
        if ((level & (G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_ERROR)) != 0)
          std::fprintf(stderr, "FOUND a critical of %s: %s\n", domain, message);
      },
      nullptr);
  g_log_set_always_fatal(
      static_cast<GLogLevelFlags>(G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_ERROR | G_LOG_FLAG_RECURSION));
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  test::Input in(data, size);
  const auto &elements = test::video_filters();
  test::Session(elements[in.byte() % elements.size()], in).run();
  return 0;
}
