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

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

[[noreturn]] void fail(const std::string &what, int status = 1) {
  std::fprintf(stderr, "point-cloud: %s\n", what.c_str());
  std::exit(status);
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
    const std::string path = gst_object_get_path_string(GST_MESSAGE_SRC(message));
    for (const char *side : {"left", "right"})
      if (path.find(std::string(":") + side) != std::string::npos) {
        gchar *file = nullptr;
        g_object_get(gst_bin_get_by_name(GST_BIN(pipeline), side), "location", &file, nullptr);
        fail(std::string("cannot read ") + file +
             ", which must be a picture such as a JPEG or PNG file: " + error->message);
      }
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
  const auto fail_to_write = [file_name] {
    fail(std::string("cannot write ") + file_name + ": " + std::strerror(errno));
  };
  std::FILE *file = std::fopen(file_name, "wb");
  if (file == nullptr) fail_to_write();
  std::fprintf(file,
               "ply\nformat binary_little_endian 1.0\nelement vertex %d\n"
               "property float x\nproperty float y\nproperty float z\n"
               "property uchar red\nproperty uchar green\nproperty uchar blue\nend_header\n",
               count);
  std::fwrite(points.data(), 1, points.size(), file);
  if (std::ferror(file) != 0 || std::fclose(file) != 0) fail_to_write();
  std::printf("%d points\n", count);
}

double length_of(const char *text, const char *what) {
  char *end = nullptr;
  const double length = g_ascii_strtod(text, &end);
  if (!(length > 0) || *end != '\0')
    fail(std::string(what) + " " + text + ": a number above 0 is required");
  return length;
}

}  // namespace

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  if (argc < 6)
    fail(
        "usage: point-cloud LEFT RIGHT FOCAL-LENGTH-IN-PIXELS BASELINE-IN-MILLIMETRES POINTS.ply "
        "[PROPERTY=VALUE ...], properties being those of stereodisparity",
        2);
  const double focal_length = length_of(argv[3], "FOCAL-LENGTH");
  const double baseline = length_of(argv[4], "BASELINE");
  std::string properties;
  for (int i = 6; i < argc; i++)
    properties += std::string(argv[i]) + " ";
  if (gst_element_factory_find("stereodisparity") == nullptr)
    fail("there is no element stereodisparity; GST_PLUGIN_PATH must name the plugin's folder");
  // GLib warns of a number that is out of range (from 2.82 on as of a critical), and goes on
  // without it.
  g_log_set_handler(
      "GLib-GObject", GLogLevelFlags(G_LOG_LEVEL_WARNING | G_LOG_LEVEL_CRITICAL),
      [](const gchar *, GLogLevelFlags, const gchar *text, gpointer) {
        fail(std::string(text) + "; gst-inspect-1.0 stereodisparity has the ranges");
      },
      nullptr);
  // (File names are set below: a description would need quotes. The last output= is in use.)
  const std::string description =
      "filesrc name=left ! decodebin name=left-decoder ! videoconvert ! video/x-raw,format=RGB ! "
      "tee name=both "
      "both. ! queue ! videoconvert ! video/x-raw,format=GRAY8 ! depth.left "
      "both. ! queue ! appsink name=colours sync=false "
      "filesrc name=right ! decodebin name=right-decoder ! videoconvert ! video/x-raw,format=GRAY8 "
      "! depth.right "
      "stereodisparity " +
      properties + "name=depth output=depth ! appsink name=depths sync=false";
  GError *error = nullptr;
  GstElement *pipeline = gst_parse_launch(description.c_str(), &error);
  if (pipeline == nullptr || error != nullptr)
    fail(std::string(error->message) + "; gst-inspect-1.0 stereodisparity has the properties");
  const auto set = [pipeline](const char *element, const char *property, auto value) {
    GstElement *found = gst_bin_get_by_name(GST_BIN(pipeline), element);
    g_object_set(found, property, value, nullptr);
    gst_object_unref(found);
  };
  set("left", "location", argv[1]);
  set("right", "location", argv[2]);
  set("depth", "focal-length", focal_length);
  set("depth", "baseline", baseline);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  {
    const Frame depths(pipeline, "depths"), colours(pipeline, "colours");
    write_points(depths, colours, focal_length, argv[5]);
  }
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
  return 0;
}
