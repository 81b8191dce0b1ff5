// SPDX-License-Identifier: LGPL-2.1-or-later
#include "views.h"

#include <cmath>

namespace test {
namespace {

std::vector<SeveralInputs::Source> sources(const std::vector<std::string> &caps,
                                           const std::string &front,
                                           const std::vector<int> &numbers) {
  std::vector<SeveralInputs::Source> all;
  for (int i = 0; i < static_cast<int>(caps.size()); i++) {
    const auto n = static_cast<std::size_t>(i);
    all.push_back({Views::source(i), "sink_" + std::to_string(numbers.empty() ? i : numbers[n]),
                   caps[n], front});
  }
  return all;
}

}  // namespace

GstBuffer *scene_frame(const GstVideoInfo &info, int i, guint32 seed) {
  GstBuffer *buffer = random_frame(info, {}, seed + static_cast<guint32>(i));
  double m[3][4];
  camera_matrix(i, m);
  const int width = GST_VIDEO_INFO_WIDTH(&info);
  each_row(buffer, info, GST_MAP_READWRITE, [&](int plane, int y, guint8 *row) {
    if (plane > 0) return;
    const int bytes = row_bytes(info, plane), of_pixel = std::max(1, bytes / width);
    for (int b = 0; b < bytes; b++) {
      const int x = b / of_pixel;
      const auto wave = [&](double depth, double *at_x) {
        *at_x = ((x - m[0][2]) * depth - m[0][3]) / m[0][0];
        const double at_y = ((y - m[1][2]) * depth - m[1][3]) / m[1][1];
        const double size = 30 + seed % 5;
        return std::sin(*at_x / size) + std::sin(at_y / (size + 7)) +
               std::sin((*at_x + 2 * at_y) / (2.3 * size));
      };
      double at = 0, light = wave(1200, &at);
      if (at < 0 || at > 400) light = wave(2500, &at);
      row[b] = static_cast<guint8>(128 + 40 * light);
    }
  });
  return buffer;
}

std::vector<BufferRef> scene_frames(const GstVideoInfo &info, int n, guint32 seed) {
  std::vector<BufferRef> frames;
  for (int i = 0; i < n; i++)
    frames.emplace_back(scene_frame(info, i, seed));
  return frames;
}

Views::Views(const std::vector<std::string> &caps, const std::string &properties,
             const std::string &out, const std::string &front, const std::vector<int> &numbers)
    : SeveralInputs(test::sources(caps, front, numbers),
                    "multiview cameras=" + camera_file() + " " + properties, out) {}

GstFlowReturn Views::push_view(int i, GstBuffer *buffer, GstClockTime time) const {
  GST_BUFFER_PTS(buffer) = time;
  GST_BUFFER_DURATION(buffer) = kFrame;
  return push(buffer, source(i).c_str());
}

void Views::push_views(const std::vector<BufferRef> &frames, unsigned n) const {
  for (std::size_t i = 0; i < sources().size(); i++)
    push_frame(sources()[i], timed(gst_buffer_copy_deep(frames[i].get()), n));
}

}  // namespace test
