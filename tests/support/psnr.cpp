// SPDX-License-Identifier: LGPL-2.1-or-later
// How near are the frames that come out of something to those that went in? Runs a pipeline, in
// words as gst-launch-1.0 takes them, with two branches that end in `appsink name=before` and
// `appsink name=after`, and prints how many frames came and their PSNR, over all samples of all
// frames; alpha is not looked at. GStreamer's own elements compare frames only for being equal or
// by SSIM.
#include <gst/app/app.h>
#include <gst/video/video.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

struct Difference {
  uint64_t samples = 0;
  uint64_t squares = 0;
};

[[noreturn]] void fail(const char *reason) {
  std::fprintf(stderr, "psnr: %s\n", reason);
  std::exit(1);
}

// As gst-launch-1.0 prints it.
void fail_if_pipeline_failed(GstElement *pipeline) {
  GstBus *bus = gst_element_get_bus(pipeline);
  GstMessage *message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR);
  gst_object_unref(bus);
  if (!message) return;
  GError *error = nullptr;
  gchar *debug = nullptr;
  gst_message_parse_error(message, &error, &debug);
  std::fprintf(stderr, "ERROR: from element %s: %s\nAdditional debug info:\n%s\n",
               GST_MESSAGE_SRC_NAME(message), error->message, debug ? debug : "");
  std::exit(1);
}

// Null at the end of the stream. An element may fail without one, so we look now and then.
GstSample *next_sample(GstElement *pipeline, GstAppSink *sink) {
  for (;;) {
    GstSample *sample = gst_app_sink_try_pull_sample(sink, 200 * GST_MSECOND);
    fail_if_pipeline_failed(pipeline);
    if (sample || gst_app_sink_is_eos(sink)) return sample;
  }
}

GstVideoFrame map(GstSample *sample) {
  GstVideoInfo info;
  GstVideoFrame frame;
  const GstCaps *caps = gst_sample_get_caps(sample);
  if (!caps || !gst_video_info_from_caps(&info, caps) ||
      !gst_video_frame_map(&frame, &info, gst_sample_get_buffer(sample), GST_MAP_READ))
    fail("a frame is not raw video");
  return frame;
}

void compare_component(const GstVideoFrame &before, const GstVideoFrame &after, int component,
                       Difference &difference) {
  const int width = GST_VIDEO_FRAME_COMP_WIDTH(&before, component);
  const int height = GST_VIDEO_FRAME_COMP_HEIGHT(&before, component);
  if (GST_VIDEO_FRAME_COMP_WIDTH(&after, component) != width ||
      GST_VIDEO_FRAME_COMP_HEIGHT(&after, component) != height ||
      GST_VIDEO_FRAME_COMP_DEPTH(&before, component) != 8 ||
      GST_VIDEO_FRAME_COMP_DEPTH(&after, component) != 8)
    fail("frames before and after are not of one size, in 8 bits");
  const auto row = [component](const GstVideoFrame &frame, int y) {
    return static_cast<const uint8_t *>(GST_VIDEO_FRAME_COMP_DATA(&frame, component)) +
           static_cast<ptrdiff_t>(y) * GST_VIDEO_FRAME_COMP_STRIDE(&frame, component);
  };
  const int before_step = GST_VIDEO_FRAME_COMP_PSTRIDE(&before, component);
  const int after_step = GST_VIDEO_FRAME_COMP_PSTRIDE(&after, component);
  for (int y = 0; y < height; ++y) {
    const uint8_t *a = row(before, y), *b = row(after, y);
    for (int x = 0; x < width; ++x) {
      const int error = a[x * before_step] - b[x * after_step];
      difference.squares += static_cast<uint64_t>(error * error);
    }
  }
  difference.samples += static_cast<uint64_t>(width) * static_cast<uint64_t>(height);
}

void compare_frames(GstSample *before_sample, GstSample *after_sample, Difference &difference) {
  GstVideoFrame before = map(before_sample), after = map(after_sample);
  const auto components = [](const GstVideoFrame &frame) {
    return std::min<int>(GST_VIDEO_FRAME_N_COMPONENTS(&frame), 3);
  };
  if (components(before) != components(after) ||
      GST_VIDEO_INFO_IS_RGB(&before.info) != GST_VIDEO_INFO_IS_RGB(&after.info))
    fail("frames before and after have different components");
  for (int component = 0; component < components(before); ++component)
    compare_component(before, after, component, difference);
  gst_video_frame_unmap(&after);
  gst_video_frame_unmap(&before);
  gst_sample_unref(after_sample);
  gst_sample_unref(before_sample);
}

GstAppSink *find_sink(GstElement *pipeline, const char *name) {
  GstElement *sink = gst_bin_get_by_name(GST_BIN(pipeline), name);
  if (!sink || !GST_IS_APP_SINK(sink))
    fail("the pipeline needs `appsink name=before` and `appsink name=after`");
  g_object_set(sink, "sync", FALSE, "max-buffers", 2, nullptr);
  return GST_APP_SINK(sink);
}

int compare_all(GstElement *pipeline, Difference &difference) {
  GstAppSink *before = find_sink(pipeline, "before"), *after = find_sink(pipeline, "after");
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  int frames = 0;
  for (;; ++frames) {
    GstSample *in = next_sample(pipeline, before), *out = next_sample(pipeline, after);
    if (!in && !out) break;
    if (!in || !out)
      fail(in ? "fewer frames came out than went in" : "more frames came out than went in");
    compare_frames(in, out, difference);
  }
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(before);
  gst_object_unref(after);
  return frames;
}

}  // namespace

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  GError *error = nullptr;
  GstElement *pipeline = gst_parse_launchv(const_cast<const gchar **>(argv + 1), &error);
  if (error) fail(error->message);
  Difference difference;
  const int frames = compare_all(pipeline, difference);
  gst_object_unref(pipeline);
  if (frames == 0) fail("no frames came");
  if (difference.squares == 0)
    std::printf("frames %d, identical\n", frames);
  else
    std::printf("frames %d, PSNR %.2f dB\n", frames,
                10 * std::log10(255.0 * 255.0 * static_cast<double>(difference.samples) /
                                static_cast<double>(difference.squares)));
  return 0;
}
