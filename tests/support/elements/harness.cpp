// SPDX-License-Identifier: LGPL-2.1-or-later
#include "harness.h"

#include <algorithm>

#include "../cameras.h"

namespace test {

std::string at_work(const std::string &launch) {
  const struct {
    const char *element, *property;
    std::string work;
  } at_work[] = {
      {"coalescedeinterlace", "mode=", " mode=interlaced method=linear"},
      // Else the input's buffer goes on, with the lines.
      {"linedetect", "draw=", " draw=true"},
      // Few candidates, for these tests are of elements.
      {"multiview", "cameras=", " num-depths=4 cameras=" + camera_file()},
      {"stereodisparity", "num-disparities=", " num-disparities=16"},
  };
  for (const auto &[element, property, work] : at_work) {
    const std::string name = element;
    if (launch.rfind(name, 0) == 0 && !contains(launch, property))
      return name + work + launch.substr(name.size());
  }
  return launch;
}

namespace {

GstElement *make(const std::string &line, const Properties &properties) {
  const std::string launch = at_work(line);
  GError *error = nullptr;
  GstElement *element = contains(launch, "!")
                            ? gst_parse_bin_from_description(launch.c_str(), TRUE, &error)
                            : gst_parse_launch(launch.c_str(), &error);
  fail_unless(element != nullptr && error == nullptr, "%s: %s", launch.c_str(),
              error != nullptr ? error->message : "no element");
  for (const auto &[name, value] : properties)
    gst_util_set_object_arg(G_OBJECT(element), name, value);
  return element;
}

}  // namespace

Harness::Harness(const std::string &launch, const Properties &properties)
    : Harness(make(launch, properties)) {}

// The harness sets the element to PLAYING: what it says then is missed without a bus from before.
Harness::Harness(GstElement *element) : bus_(gst_bus_new()) {
  const Owned<GstElement> owned(GST_ELEMENT(gst_object_ref_sink(element)));
  gst_element_set_bus(element, bus_.get());
  const Owned<GstPad> sink(gst_element_get_static_pad(element, "sink"));
  harness_ = gst_harness_new_with_element(element, sink != nullptr ? "sink" : nullptr, "src");
}

Harness::~Harness() {
  gst_element_set_bus(element(), nullptr);
  gst_harness_teardown(harness_);
}

bool Harness::set_input(const std::string &caps) {
  GstPad *pad = to_element();
  const auto missing = [pad](GstEventType type) {
    return EventRef(gst_pad_get_sticky_event(pad, type, 0)) == nullptr;
  };
  if (missing(GST_EVENT_STREAM_START)) push_event(gst_event_new_stream_start("test"));
  const bool taken = push_event(gst_event_new_caps(parse_caps(caps).get()));
  if (missing(GST_EVENT_SEGMENT)) push_event(segment_event());
  return taken;
}

void Harness::accept(const std::string &caps) {
  gst_harness_set_sink_caps(harness_, parse_caps(caps).release());
}

GstVideoInfo Harness::output_info() const {
  const CapsRef caps = output_caps();
  fail_unless(caps != nullptr, "no output caps");
  return video_info(text_of(caps.get()));
}

MessageRef Harness::next(GstMessageType type) {
  // The others go: some of them own contexts.
  constexpr auto kKept = static_cast<GstMessageType>(GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
  while (GstMessage *message = gst_bus_pop_filtered(bus_.get(), kKept))
    messages_.emplace_back(message);
  const auto found = std::find_if(messages_.begin(), messages_.end(), [type](const MessageRef &m) {
    return GST_MESSAGE_TYPE(m.get()) == type;
  });
  if (found == messages_.end()) return nullptr;
  MessageRef message = std::move(*found);
  messages_.erase(found);
  return message;
}

std::vector<std::string> Harness::take_all(GstMessageType type) {
  std::vector<std::string> texts;
  while (const MessageRef message = next(type)) {
    const Message said = parse(message.get());
    texts.push_back(said.text + said.details);
  }
  return texts;
}

void Harness::expect_error(GQuark domain, int code, const std::vector<const char *> &words) {
  const MessageRef message = next(GST_MESSAGE_ERROR);
  fail_unless(message != nullptr, "no error message on the bus");
  const Message error = parse(message.get());
  fail_unless(error.is(domain, code), "%s %d: %s (%s)", g_quark_to_string(error.domain), error.code,
              error.text.c_str(), error.details.c_str());
  for (const char *word : words)
    fail_unless(contains(error.text, word), "the error should say \"%s\": %s", word,
                error.text.c_str());
  errors();
}

std::string Harness::take_warning() {
  const MessageRef message = next(GST_MESSAGE_WARNING);
  return message != nullptr ? parse(message.get()).text : std::string();
}

void Harness::expect_no_error() {
  if (const MessageRef message = next(GST_MESSAGE_ERROR))
    ck_abort_msg("unexpected error: %s", parse(message.get()).text.c_str());
}

void set(Harness &harness, const char *name, const char *value) {
  gst_util_set_object_arg(G_OBJECT(harness.element()), name, value);
}

GstEvent *segment_event() {
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  return gst_event_new_segment(&segment);
}

Message start_error(GstElement *element) {
  const Owned<GstBus> bus(gst_bus_new());
  gst_element_set_bus(element, bus.get());
  fail_unless_equals_int(gst_element_set_state(element, GST_STATE_PAUSED),
                         GST_STATE_CHANGE_FAILURE);
  gst_element_set_state(element, GST_STATE_NULL);
  gst_element_set_bus(element, nullptr);
  const MessageRef error(gst_bus_pop_filtered(bus.get(), GST_MESSAGE_ERROR));
  fail_unless(error != nullptr, "no error message");
  fail_unless(MessageRef(gst_bus_pop_filtered(bus.get(), GST_MESSAGE_ERROR)) == nullptr,
              "a second error message");
  return parse(error.get());
}

}  // namespace test
