// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gpu_pipeline.h"

#include <gst/app/app.h>

namespace gpu_test {
namespace {

// Of raw video what belongs to pixels, of all else everything.
std::vector<std::uint8_t> bytes(GstSample *sample) {
  GstVideoInfo info;
  GstBuffer *buffer = gst_sample_get_buffer(sample);
  const GstCaps *caps = gst_sample_get_caps(sample);
  if (gst_structure_has_name(gst_caps_get_structure(caps, 0), "video/x-raw")) {
    fail_unless(gst_video_info_from_caps(&info, caps));
    return bytes_of(buffer, info);
  }
  std::vector<std::uint8_t> all(gst_buffer_get_size(buffer));
  fail_unless_equals_uint64(gst_buffer_extract(buffer, 0, all.data(), all.size()), all.size());
  return all;
}

}  // namespace

bool skipped(const char *test, std::initializer_list<const char *> elements) {
  for (const char *name : elements) {
    GstElementFactory *factory = gst_element_factory_find(name);
    if (factory == nullptr) {
      g_print("SKIP %s: there is no element %s\n", test, name);
      return true;
    }
    gst_object_unref(factory);
  }
  return false;
}

Pipeline::Pipeline(const std::string &text) {
  GError *error = nullptr;
  pipeline_ = gst_parse_launch(text.c_str(), &error);
  fail_unless(error == nullptr, "%s: %s", text.c_str(), error ? error->message : "");
  gst_element_set_state(pipeline_, GST_STATE_PLAYING);
}

Pipeline::~Pipeline() {
  gst_element_set_state(pipeline_, GST_STATE_NULL);
  gst_object_unref(pipeline_);
}

GstElement *Pipeline::element(const char *name) const {
  GstElement *found = gst_bin_get_by_name(GST_BIN(pipeline_), name);
  fail_unless(found != nullptr, "no element %s", name);
  gst_object_unref(found);
  return found;
}

void Pipeline::feed(const char *source, const void *bytes, std::size_t count) const {
  auto *appsrc = GST_APP_SRC(element(source));
  gst_app_src_push_buffer(appsrc, gst_buffer_new_memdup(bytes, count));
  gst_app_src_end_of_stream(appsrc);
}

void Pipeline::fail_on_error() const {
  GstBus *bus = gst_element_get_bus(pipeline_);
  GstMessage *message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR);
  gst_object_unref(bus);
  if (message == nullptr) return;
  GError *error = nullptr;
  gst_message_parse_error(message, &error, nullptr);
  die(std::string(GST_OBJECT_NAME(GST_MESSAGE_SRC(message))) + ": " + error->message);
}

void Pipeline::die(const std::string &why) const {
  gst_element_set_state(pipeline_, GST_STATE_NULL);
  ck_abort_msg("%s", why.c_str());
}

GstSample *Pipeline::pull(const char *sink) const {
  GstSample *sample = gst_app_sink_try_pull_sample(GST_APP_SINK(element(sink)), 30 * GST_SECOND);
  fail_on_error();
  if (sample == nullptr && !gst_app_sink_is_eos(GST_APP_SINK(element(sink))))
    die(std::string("no frame comes to ") + sink);
  return sample;
}

int Pipeline::compare() const {
  for (int frames = 0;; frames++) {
    GstSample *gpu = pull("gpu"), *cpu = pull("cpu");
    if ((gpu == nullptr) != (cpu == nullptr))
      die("one branch ends after " + std::to_string(frames) + " frames");
    if (gpu == nullptr) return frames;
    if (bytes(gpu) != bytes(cpu)) die("frame " + std::to_string(frames) + " differs");
    gst_sample_unref(gpu);
    gst_sample_unref(cpu);
  }
}

void Pipeline::run() const {
  GstBus *bus = gst_element_get_bus(pipeline_);
  GstMessage *message = gst_bus_timed_pop_filtered(
      bus, 60 * GST_SECOND, GstMessageType(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  if (message == nullptr) die("it does not end");
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) gst_bus_post(bus, gst_message_ref(message));
  gst_message_unref(message);
  gst_object_unref(bus);
  fail_on_error();
}

}  // namespace gpu_test
