// SPDX-License-Identifier: LGPL-2.1-or-later
#include "soak_support.h"

#include <gst/app/app.h>
#include <gst/cuda/gstcudautils.h>

#include <cstdio>
#include <map>
#include <mutex>
#include <tuple>

namespace soak {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::string elements_of(int kind, const std::string &backend) {
  const std::string here = " backend=" + backend;
  const std::string memory = backend == "cuda" ? "video/x-raw(memory:CUDAMemory)" : "video/x-raw";
  const std::string next = here + " ! " + memory + " ! ";
  switch (kind) {
    case 0:
      return "uyvy2y" + next + "convolve preset=sharpen" + next + "sepconvolve preset=gaussian" +
             next + "convolve preset=emboss" + here;
    case 1:
      return "rgb2yuv" + here + " ! " + memory + ",format=NV12 ! convolve preset=sobel-x" + next +
             "queue ! sepconvolve preset=gaussian" + here;
    default:
      return "convolve mask=\"1 2 1; 2 4 2; 1 2 1\"" + here + " ! queue ! convolve preset=sharpen" +
             here;
  }
}

const char *format_of(int kind) {
  static const char *formats[kKinds] = {"UYVY", "BGRx", "NV12"};
  return formats[kind];
}

Bytes bytes_of(GstSample *sample) {
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, gst_sample_get_caps(sample)))
    give_up("a frame without caps");
  return gpu_test::bytes_of(gst_sample_get_buffer(sample), info);
}

// What the CPU makes of each place, made once.
const Bytes &expected(int kind, const Place &place) {
  static std::mutex lock;
  static std::map<std::tuple<int, std::size_t, std::size_t>, Bytes> known;
  std::lock_guard guard(lock);
  Bytes &bytes = known[{kind, place.size, place.position}];
  if (bytes.empty()) {
    const Line line(kind, "cpu", nullptr);
    line.go_to(place);
    bytes = bytes_of(line.pull().get());
  }
  return bytes;
}

int width_of(GstSample *sample) {
  int width = 0;
  gst_structure_get_int(gst_caps_get_structure(gst_sample_get_caps(sample), 0), "width", &width);
  return width;
}

GstClockTime time_of(const Place &place) {
  return gst_util_uint64_scale(guint64(kPositions[place.position]), GST_SECOND, 30);
}

}  // namespace

Line::Line(int kind, const char *backend, GstCudaContext *context) : kind_(kind) {
  const std::string text = std::string("videotestsrc pattern=ball ! capsfilter name=size ! ") +
                           elements_of(kind, backend) +
                           " ! appsink name=sink sync=false max-buffers=4 caps=video/x-raw";
  pipeline_ = gst_parse_launch(text.c_str(), nullptr);
  if (pipeline_ == nullptr) give_up(text);
  gst_object_ref_sink(pipeline_);
  size_ = gst_bin_get_by_name(GST_BIN(pipeline_), "size");
  sink_ = gst_bin_get_by_name(GST_BIN(pipeline_), "sink");
  if (context != nullptr) {
    GstContext *shared = gst_context_new_cuda_context(context);
    gst_element_set_context(pipeline_, shared);
    gst_context_unref(shared);
  }
  go_to({0, 0});
  gst_element_set_state(pipeline_, GST_STATE_PLAYING);
  if (gst_element_get_state(pipeline_, nullptr, nullptr, 60 * GST_SECOND) !=
      GST_STATE_CHANGE_SUCCESS)
    die("does not start");
}

Line::~Line() {
  gst_element_set_state(pipeline_, GST_STATE_NULL);
  gst_object_unref(size_);
  gst_object_unref(sink_);
  gst_object_unref(pipeline_);
}

void Line::go_to(const Place &place) const {
  const Size &size = kSizes[place.size];
  GstCaps *caps = gst_caps_from_string(
      gpu_test::caps_text(format_of(kind_), size.width, size.height, false).c_str());
  g_object_set(size_, "caps", caps, nullptr);
  gst_caps_unref(caps);
  if (GST_STATE(pipeline_) < GST_STATE_PAUSED) return;
  look_at_bus();
  // New caps make videotestsrc count its frames anew, and a seek sets the count: in this order.
  while (width_of(pull().get()) != size.width) {
  }
  if (!gst_element_seek_simple(pipeline_, GST_FORMAT_TIME,
                               GstSeekFlags(GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE),
                               gint64(time_of(place))))
    die("cannot seek");
}

Sample Line::pull() const {
  Sample sample(gst_app_sink_try_pull_sample(GST_APP_SINK(sink_), 60 * GST_SECOND));
  if (sample == nullptr) die("no frame comes");
  return sample;
}

void Line::check(GstSample *sample, const Place &place) const {
  const GstClockTime time = GST_BUFFER_PTS(gst_sample_get_buffer(sample));
  if (time != time_of(place)) die("not the frame that was asked for");
  if (bytes_of(sample) != expected(kind_, place)) die("wrong bytes");
}

// Else its messages would be kept until the end.
void Line::look_at_bus() const {
  GstBus *bus = gst_element_get_bus(pipeline_);
  while (GstMessage *message = gst_bus_pop(bus)) {
    const bool error = GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR;
    if (error) gst_bus_post(bus, gst_message_ref(message));
    gst_message_unref(message);
    if (error) die("an error");
  }
  gst_object_unref(bus);
}

// With what the bus has to say.
void Line::die(const std::string &what) const {
  std::string text = "pipeline of kind " + std::to_string(kind_) + ": " + what;
  GstBus *bus = gst_element_get_bus(pipeline_);
  while (GstMessage *message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR)) {
    GError *error = nullptr;
    gst_message_parse_error(message, &error, nullptr);
    text += std::string("; ") + GST_OBJECT_NAME(GST_MESSAGE_SRC(message)) + ": " + error->message;
    g_error_free(error);
    gst_message_unref(message);
  }
  give_up(text);
}

}  // namespace soak
