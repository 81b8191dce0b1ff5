// SPDX-License-Identifier: LGPL-2.1-or-later
#include "element_session.h"

#include <gst/video/gstvideoaggregator.h>

#include <utility>

// The plugin is linked in: its code is instrumented like the rest.
extern "C" {
GST_PLUGIN_STATIC_DECLARE(coalesce);
}

namespace test {
namespace {

// GLib refuses a value that is out of a property's range, and says so; from 2.83 on as a critical.
struct Refusal {
  const char *property = nullptr;  // that is being set
  bool seen = false;
} refusal;

bool is_refusal(const gchar *message) {
  return refusal.property != nullptr &&
         contains(message, std::string("is invalid or out of range for property '") +
                               refusal.property + "'");
}

void on_log(const gchar *domain, GLogLevelFlags level, const gchar *message, gpointer) {
  if (is_refusal(message)) {
    refusal.seen = true;
  } else if ((level & (G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_ERROR)) != 0) {
    std::fprintf(stderr, "FOUND a critical of %s: %s\n", domain, message);
    std::abort();
  }
}

// A property's value.
class Value {
 public:
  Value(GObject *object, const GParamSpec *spec) {
    g_value_init(&value_, spec->value_type);
    g_object_get_property(object, spec->name, &value_);
  }
  ~Value() { g_value_unset(&value_); }
  Value(const Value &) = delete;
  Value &operator=(const Value &) = delete;
  bool operator==(const Value &other) const {
    const Owned<char> mine(g_strdup_value_contents(&value_)),
        theirs(g_strdup_value_contents(&other.value_));
    return g_str_equal(mine.get(), theirs.get());
  }

 private:
  GValue value_ = G_VALUE_INIT;
};

// As g_object_set_property() finds out: neither question alone is right for every double.
bool in_range(const GParamSpec *spec, const GValue *value) {
  auto *asked = const_cast<GParamSpec *>(spec);
  GValue valid = G_VALUE_INIT;
  g_value_init(&valid, spec->value_type);
  g_value_copy(value, &valid);
  const bool changed = g_param_value_validate(asked, &valid);
  g_value_unset(&valid);
  return !changed || g_param_value_is_valid(asked, value);
}

// A value that GLib refuses must not reach the element.
template <class Set>
void set_and_check(GObject *object, const GParamSpec *spec, bool fits, Set set) {
  const Value before(object, spec);
  refusal = {spec->name, false};
  set();
  const bool refused = std::exchange(refusal, {}).seen;
  fail_unless(fits || refused, "%s: no word of a value out of range", spec->name);
  fail_unless(!refused || Value(object, spec) == before, "%s: a refused value was taken",
              spec->name);
}

// One of the values, or one more, which is none.
gint any_choice(const GParamSpec *spec, int number) {
  const GEnumClass *choices = G_PARAM_SPEC_ENUM(spec)->enum_class;
  const guint n = static_cast<guint>(number) % (choices->n_values + 1);
  return n < choices->n_values ? choices->values[n].value : choices->maximum + 1;
}

}  // namespace

Session::Session(const std::string &element, Input &in)
    : in_(in),
      name_(element),
      harness_(element, {{"backend", "cpu"}, {"n-threads", in.once_in(8) ? "3" : "1"}}),
      bus_(gst_element_get_bus(harness_.element())) {}

void Session::run(int most_steps) {
  change_caps();
  for (int i = 0; i < most_steps && !in_.at_end(); i++)
    step();
}

void Session::step() {
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

void Session::send_start() {
  harness_.push_event(gst_event_new_stream_start("fuzz"));
}

void Session::send_segment() {
  GstSegment segment;
  gst_segment_init(&segment, in_.once_in(8) ? GST_FORMAT_BYTES : GST_FORMAT_TIME);
  harness_.push_event(gst_event_new_segment(&segment));
}

void Session::change_caps() {
  if (in_.flag()) harness_.accept(any_downstream());
  const std::string text = any_input_caps(in_, name_);
  const CapsRef caps = parse_caps(text);
  send_start();
  harness_.push_event(gst_event_new_caps(caps.get()));
  send_segment();
  const std::string error = take_messages().error;
  eos_ = false;
  look_at_caps();
  fail_unless(!negotiated_ || error.empty(), "%s: taken, but: %s", text.c_str(), error.c_str());
}

// (A pad keeps events that were refused, and says nothing but that they are pending. They come
// again with the next frame, and other settings may accept them.)
void Session::look_at_caps() {
  negotiated_ = playing_ && !GST_PAD_HAS_PENDING_EVENTS(harness_.to_element());
  if (!negotiated_) return;
  const CapsRef caps = current_caps(harness_.to_element());
  fail_unless(caps != nullptr && gst_video_info_from_caps(&info_, caps.get()), "no video caps");
}

void Session::send_event() {
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

void Session::restart() {
  gst_element_set_state(harness_.element(), in_.flag() ? GST_STATE_NULL : GST_STATE_READY);
  for (int i = in_.below(4); i > 0; i--)
    set_property();
  playing_ =
      gst_element_set_state(harness_.element(), GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE;
  const std::string error = take_messages().error;
  fail_unless(playing_ || !error.empty(), "%s does not start and says nothing", name_.c_str());
  negotiated_ = eos_ = false;
  info_ = {};
  restarted();
}

std::vector<GParamSpec *> Session::properties() const {
  guint count = 0;
  GParamSpec **all = g_object_class_list_properties(G_OBJECT_GET_CLASS(harness_.element()), &count);
  std::vector<GParamSpec *> ours;
  for (guint i = 0; i < count; i++)
    if (!g_type_is_a(GST_TYPE_BASE_TRANSFORM, all[i]->owner_type) &&
        !g_type_is_a(GST_TYPE_VIDEO_AGGREGATOR, all[i]->owner_type) &&
        (all[i]->flags & G_PARAM_WRITABLE) != 0 && !g_str_equal(all[i]->name, "backend") &&
        !g_str_equal(all[i]->name, "cuda-device-id") && !g_str_equal(all[i]->name, "n-threads"))
      ours.push_back(all[i]);
  g_free(all);
  return ours;
}

double Session::any_double() {
  constexpr double kNumbers[] = {0, 1, -1, 0.5, 16, 255, 1e-3, 1e9, G_MAXDOUBLE, -G_MAXDOUBLE};
  return in_.once_in(4) ? in_.bits_of_double() : in_.flag() ? in_.pick(kNumbers) : in_.byte() / 8.0;
}

void Session::set_property() {
  const std::vector<GParamSpec *> ours = properties();
  if (!ours.empty()) set_any(ours[static_cast<gsize>(in_.below(static_cast<int>(ours.size())))]);
}

void Session::set_any(const GParamSpec *spec) {
  auto *object = G_OBJECT(harness_.element());
  const int number = any_number();
  if (in_.once_in(8)) {
    const std::string text = any_text(spec);
    set_and_check(object, spec, true,
                  [&] { gst_util_set_object_arg(object, spec->name, text.c_str()); });
    return;
  }
  GValue value = G_VALUE_INIT;
  g_value_init(&value, spec->value_type);
  if (G_VALUE_HOLDS_STRING(&value))
    g_value_set_string(&value, any_text(spec).c_str());
  else if (G_VALUE_HOLDS_INT(&value))
    g_value_set_int(&value, number);
  else if (G_VALUE_HOLDS_UINT(&value))
    g_value_set_uint(&value, static_cast<guint>(number));
  else if (G_VALUE_HOLDS_FLAGS(&value))
    g_value_set_flags(&value, static_cast<guint>(number));
  else if (G_VALUE_HOLDS_DOUBLE(&value))
    g_value_set_double(&value, any_double());
  else if (G_VALUE_HOLDS_BOOLEAN(&value))
    g_value_set_boolean(&value, number & 1);
  else if (G_VALUE_HOLDS_ENUM(&value))
    g_value_set_enum(&value, any_choice(spec, number));
  else
    fail_unless(false, "%s is of a type that is not fuzzed", spec->name);
  set_and_check(object, spec, in_range(spec, &value),
                [&] { g_object_set_property(object, spec->name, &value); });
  g_value_unset(&value);
}

Session::Told Session::take_messages() {
  Told told;
  while (const MessageRef message{gst_bus_pop(bus_.get())}) {
    const GstMessageType type = GST_MESSAGE_TYPE(message.get());
    if (type != GST_MESSAGE_ERROR && type != GST_MESSAGE_WARNING) continue;
    GError *error = nullptr;
    type == GST_MESSAGE_ERROR ? gst_message_parse_error(message.get(), &error, nullptr)
                              : gst_message_parse_warning(message.get(), &error, nullptr);
    const std::string text = error->message;
    g_error_free(error);
    fail_unless(!text.empty() && g_utf8_validate(text.c_str(), -1, nullptr),
                "a message that cannot be read: %s", text.c_str());
    check_message(text);
    told.errors += type == GST_MESSAGE_ERROR;
    failed_ = failed_ || type == GST_MESSAGE_ERROR;
    (type == GST_MESSAGE_ERROR ? told.error : told.warning) = text;
  }
  return told;
}

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
  g_log_set_default_handler(test::on_log, nullptr);
  g_log_set_always_fatal(static_cast<GLogLevelFlags>(G_LOG_LEVEL_ERROR | G_LOG_FLAG_RECURSION));
  return 0;
}
