// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipeline.h"

namespace test {

Pipeline::Pipeline(const std::string &description) {
  GError *error = nullptr;
  pipeline_.reset(gst_parse_launch(description.c_str(), &error));
  fail_unless(error == nullptr && pipeline_ != nullptr, "%s: %s", description.c_str(),
              error ? error->message : "no pipeline");
  gst_object_ref_sink(pipeline_.get());
  const Owned<GstBus> bus(gst_element_get_bus(pipeline_.get()));
  gst_bus_set_sync_handler(bus.get(), note, this, nullptr);
  const Owned<GstElement> sink = element("sink");
  g_object_set(sink.get(), "signal-handoffs", TRUE, nullptr);
  g_signal_connect(sink.get(), "handoff", G_CALLBACK(handoff), this);
}

Pipeline::~Pipeline() {
  gst_element_set_state(pipeline_.get(), GST_STATE_NULL);
}

Owned<GstElement> Pipeline::element(const char *name) const {
  Owned<GstElement> found(gst_bin_get_by_name(GST_BIN(pipeline_.get()), name));
  fail_unless(found != nullptr, "no element is called %s", name);
  return found;
}

void Pipeline::handoff(GstElement *, GstBuffer *buffer, GstPad *pad, gpointer self) {
  auto *pipeline = static_cast<Pipeline *>(self);
  if (pipeline->on_buffer) pipeline->on_buffer(buffer, pad);
  pipeline->buffers_++;
}

GstBusSyncReply Pipeline::note(GstBus *, GstMessage *message, gpointer self) {
  auto *pipeline = static_cast<Pipeline *>(self);
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS) pipeline->eos_ = true;
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
    GError *error = nullptr;
    gchar *debug = nullptr;
    gst_message_parse_error(message, &error, &debug);
    const std::lock_guard guard(pipeline->lock_);
    if (pipeline->error_.empty()) pipeline->error_ = std::string(error->message) + ", " + debug;
    g_error_free(error);
    g_free(debug);
  }
  gst_message_unref(message);
  return GST_BUS_DROP;
}

std::string Pipeline::take_error() {
  const std::lock_guard guard(lock_);
  return std::exchange(error_, {});
}

void Pipeline::fail_on_error() {
  const std::string error = take_error();
  fail_unless(error.empty(), "%s", error.c_str());
}

void Pipeline::set_state(GstState state) {
  const auto change = gst_element_set_state(pipeline_.get(), state);
  fail_on_error();
  fail_if(change == GST_STATE_CHANGE_FAILURE, "no change to %s", gst_element_state_get_name(state));
  const auto reached = gst_element_get_state(pipeline_.get(), nullptr, nullptr, 10 * GST_SECOND);
  fail_on_error();
  if (state <= GST_STATE_READY) eos_ = false;
  fail_unless(reached == GST_STATE_CHANGE_SUCCESS || reached == GST_STATE_CHANGE_NO_PREROLL,
              "%s was not reached", gst_element_state_get_name(state));
}

void Pipeline::wait_for_eos() {
  wait_until(
      [this] {
        fail_on_error();
        return eos_.load();
      },
      "end of stream");
}

void Pipeline::wait_until(const std::function<bool()> &done, const char *what) {
  const gint64 end = g_get_monotonic_time() + 10 * G_USEC_PER_SEC;
  while (!done()) {
    fail_unless(g_get_monotonic_time() < end, "waited too long for %s", what);
    g_usleep(500);
  }
}

void Pipeline::wait_for_buffers(int more) {
  const int target = buffers_ + more;
  wait_until(
      [this, target] {
        fail_on_error();
        return buffers_ >= target;
      },
      "buffers");
}

}  // namespace test
