// SPDX-License-Identifier: LGPL-2.1-or-later
// Points in space with their colours, out of two pictures, as a PLY file:
//
//   left picture -> tee -> stereodisparity output=depth -> depths
//                    |      ^                                 +-> points.ply
//                    +------|----------------------> colours -+
//   right picture ----------+
//
// docs/stereodisparity.md has an example. To build it by itself:
//   packages="gstreamer-app-1.0 gstreamer-video-1.0"
//   g++ -std=c++20 point_cloud.cpp $(pkg-config --cflags --libs $packages)
#include <gst/app/app.h>
#include <gst/video/video.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

[[noreturn]] void fail(const std::string &what) {
  std::fprintf(stderr, "point-cloud: %s\n", what.c_str());
  std::exit(1);
}

// What an appsink has got: one frame.
class Frame {
 public:
  Frame(GstElement *pipeline, const char *sink) {
    GstElement *element = gst_bin_get_by_name(GST_BIN(pipeline), sink);
    while (sample_ == nullptr) {
      sample_ = gst_app_sink_try_pull_sample(GST_APP_SINK(element), GST_SECOND / 10);
      fail_after_error(pipeline);
      if (sample_ == nullptr && gst_app_sink_is_eos(GST_APP_SINK(element)))
        fail(std::string("no frame came to ") + sink);
    }
    gst_object_unref(element);
    GstVideoInfo info;
    if (!gst_video_info_from_caps(&info, gst_sample_get_caps(sample_)) ||
        !gst_video_frame_map(&frame_, &info, gst_sample_get_buffer(sample_), GST_MAP_READ))
      fail(std::string("cannot read what came to ") + sink);
  }
  ~Frame() {
    gst_video_frame_unmap(&frame_);
    gst_sample_unref(sample_);
  }
  Frame(const Frame &) = delete;
  Frame &operator=(const Frame &) = delete;

  int width() const { return GST_VIDEO_FRAME_WIDTH(&frame_); }
  int height() const { return GST_VIDEO_FRAME_HEIGHT(&frame_); }
  const guint8 *row(int y) const {
    return static_cast<const guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(&frame_, 0)) +
           static_cast<gsize>(y) * static_cast<gsize>(GST_VIDEO_FRAME_PLANE_STRIDE(&frame_, 0));
  }

 private:
  static void fail_after_error(GstElement *pipeline) {
    GstBus *bus = gst_element_get_bus(pipeline);
    GstMessage *message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR);
    gst_object_unref(bus);
    if (message == nullptr) return;
    GError *error = nullptr;
    gst_message_parse_error(message, &error, nullptr);
    fail(error->message);
  }

  GstSample *sample_ = nullptr;
  GstVideoFrame frame_;
};

// In millimetres from the left camera: x to the right, y down, z ahead. The cameras look along the
// axis through the middle of their pictures.
void write_points(const Frame &depths, const Frame &colours, double focal_length,
                  const char *file_name) {
  std::vector<guint8> points;
  int count = 0;
  for (int y = 0; y < depths.height(); y++)
    for (int x = 0; x < depths.width(); x++) {
      const int depth = GST_READ_UINT16_LE(depths.row(y) + 2 * x);
      if (depth == 0) continue;  // unknown
      const float xyz[] = {
          static_cast<float>((x - (depths.width() - 1) / 2.) * depth / focal_length),
          static_cast<float>((y - (depths.height() - 1) / 2.) * depth / focal_length),
          static_cast<float>(depth)};
      for (const float value : xyz) {
        guint8 bytes[4];
        GST_WRITE_FLOAT_LE(bytes, value);
        points.insert(points.end(), bytes, bytes + 4);
      }
      const guint8 *rgb = colours.row(y) + 3 * x;
      points.insert(points.end(), rgb, rgb + 3);
      count++;
    }
  std::FILE *file = std::fopen(file_name, "wb");
  if (file == nullptr) fail(std::string("cannot write ") + file_name);
  std::fprintf(file,
               "ply\nformat binary_little_endian 1.0\nelement vertex %d\n"
               "property float x\nproperty float y\nproperty float z\n"
               "property uchar red\nproperty uchar green\nproperty uchar blue\nend_header\n",
               count);
  std::fwrite(points.data(), 1, points.size(), file);
  const bool bad = std::ferror(file) != 0;
  if (std::fclose(file) != 0 || bad) fail(std::string("cannot write ") + file_name);
  std::printf("%d points\n", count);
}

}  // namespace

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  if (argc < 6)
    fail(
        "usage: point-cloud LEFT RIGHT FOCAL-LENGTH BASELINE POINTS.ply [PROPERTIES]\n"
        "pictures; pixels; millimetres; of stereodisparity, for example num-disparities=64");
  // (Names are set below: a description would need quotes.)
  const std::string description =
      "filesrc name=left ! decodebin ! videoconvert ! video/x-raw,format=RGB ! tee name=both "
      "both. ! queue ! videoconvert ! video/x-raw,format=GRAY8 ! depth.left "
      "both. ! queue ! appsink name=colours sync=false "
      "filesrc name=right ! decodebin ! videoconvert ! video/x-raw,format=GRAY8 ! depth.right "
      "stereodisparity name=depth output=depth " +
      std::string(argc > 6 ? argv[6] : "") + " ! appsink name=depths sync=false";
  GError *error = nullptr;
  GstElement *pipeline = gst_parse_launch(description.c_str(), &error);
  if (pipeline == nullptr || error != nullptr) fail(error->message);
  const auto set = [pipeline](const char *element, const char *property, const char *value) {
    GstElement *found = gst_bin_get_by_name(GST_BIN(pipeline), element);
    gst_util_set_object_arg(G_OBJECT(found), property, value);
    gst_object_unref(found);
  };
  set("left", "location", argv[1]);
  set("right", "location", argv[2]);
  set("depth", "focal-length", argv[3]);
  set("depth", "baseline", argv[4]);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  {
    const Frame depths(pipeline, "depths"), colours(pipeline, "colours");
    write_points(depths, colours, std::atof(argv[3]), argv[5]);
  }
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
  return 0;
}
