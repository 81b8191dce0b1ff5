// SPDX-License-Identifier: LGPL-2.1-or-later
#include "line.h"

#include <utility>

namespace simulated {

std::vector<guint8> picture(GstBuffer *buffer, const GstVideoInfo &info, int flags) {
  std::vector<guint8> bytes;
  GstVideoFrame frame;
  if (!gst_video_frame_map(&frame, &info, buffer, static_cast<GstMapFlags>(flags))) return bytes;
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES(&info); p++)
    for (gint y = 0; y < rows(info, p); y++) {
      const auto *row = static_cast<const guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, p)) +
                        static_cast<gsize>(y) * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, p);
      bytes.insert(bytes.end(), row, row + row_bytes(info, p));
    }
  gst_video_frame_unmap(&frame);
  return bytes;
}

int threads_of_process() {
  GDir *tasks = g_dir_open("/proc/self/task", 0, nullptr);
  fail_unless(tasks != nullptr);
  int threads = 0;
  while (g_dir_read_name(tasks) != nullptr)
    threads++;
  g_dir_close(tasks);
  return threads;
}

static bool is_eos(GstElement *appsink) {
  gboolean eos = FALSE;
  g_object_get(appsink, "eos", &eos, nullptr);
  return eos == TRUE;
}

Line::Line(const std::string &elements, const std::string &in_caps, const std::string &out_caps) {
  const std::string text = "appsrc name=source format=time caps=\"" + in_caps + "\" ! " + elements +
                           " ! appsink name=sink sync=false caps=\"" + out_caps + "\"";
  GError *error = nullptr;
  pipeline_ = gst_parse_launch(text.c_str(), &error);
  fail_unless(pipeline_ != nullptr && error == nullptr, "cannot make: %s", text.c_str());
  gst_object_ref_sink(pipeline_);
  bus_ = gst_element_get_bus(pipeline_);
}

Line::~Line() {
  gst_object_unref(bus_);
  drop_pipeline(pipeline_);
}

GstElement *Line::element(const char *name) const {
  GstElement *found = gst_bin_get_by_name(GST_BIN(pipeline_), name);
  fail_unless(found != nullptr, "no element %s", name);
  gst_object_unref(found);
  return found;
}

void Line::start() {
  gst_element_set_state(pipeline_, GST_STATE_PLAYING);
}

// What waits on the bus goes with a stop; errors are kept.
void Line::stop() {
  take_messages();
  fail_if(gst_element_set_state(pipeline_, GST_STATE_NULL) == GST_STATE_CHANGE_FAILURE);
}

GstFlowReturn Line::push(GstBuffer *buffer) {
  GstFlowReturn flow = GST_FLOW_ERROR;
  g_signal_emit_by_name(element("source"), "push-buffer", buffer, &flow);
  gst_buffer_unref(buffer);
  return flow;
}

// An appsink does not notice that upstream has failed; the bus does.
GstBuffer *Line::pull(const char *sink) {
  GstElement *from = element(sink);
  GstBuffer *buffer = nullptr;
  const bool over = eventually([&] {
    GstSample *sample = nullptr;
    g_signal_emit_by_name(from, "try-pull-sample", guint64{10 * GST_MSECOND}, &sample);
    if (sample == nullptr) {
      take_messages();
      return !errors_.empty() || is_eos(from);
    }
    buffer = gst_buffer_ref(gst_sample_get_buffer(sample));
    gst_sample_unref(sample);
    return true;
  });
  fail_unless(over, "neither a frame nor an end has come");
  return buffer;
}

void Line::end() {
  GstFlowReturn flow = GST_FLOW_ERROR;
  g_signal_emit_by_name(element("source"), "end-of-stream", &flow);
}

void Line::wait_for_end() {
  fail_unless(eventually([this] {
    take_messages();
    return !errors_.empty() || is_eos(element("sink"));
  }));
}

void Line::take_messages() {
  while (GstMessage *message = gst_bus_pop_filtered(bus_, GST_MESSAGE_ERROR)) {
    GError *error = nullptr;
    gst_message_parse_error(message, &error, nullptr);
    errors_.push_back({GST_OBJECT_NAME(GST_MESSAGE_SRC(message)), error->message});
    g_error_free(error);
    gst_message_unref(message);
  }
}

std::vector<Line::Error> Line::errors() {
  take_messages();
  return std::exchange(errors_, {});
}

}  // namespace simulated
