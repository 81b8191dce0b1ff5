// SPDX-License-Identifier: LGPL-2.1-or-later
#include "stereo_pair.h"

#include <cstring>

#include "../../support/random.h"

namespace test {

StereoFrames::StereoFrames(const GstVideoInfo &info, guint32 seed, bool noisy)
    : left(random_frame(info, {}, seed)), right(gst_buffer_copy_deep(left.get())) {
  coalesce::test::Random random(seed);
  const int width = GST_VIDEO_INFO_WIDTH(&info);
  each_row(right.get(), info, GST_MAP_READWRITE, [&](int plane, int, guint8 *row) {
    const int bytes = row_bytes(info, plane), moved = 5 * (bytes / width);
    if (plane == 0 && moved < bytes)
      std::memmove(row, row + moved, static_cast<std::size_t>(bytes - moved));
    for (int x = 0; noisy && x < bytes; x++)
      if (random.below(4) == 0) row[x] = static_cast<guint8>(random.below(256));
  });
}

void StereoPair::push_frames(const StereoFrames &frames, unsigned n) const {
  push_frame("l", timed(gst_buffer_copy_deep(frames.left.get()), n));
  push_frame("r", timed(gst_buffer_copy_deep(frames.right.get()), n));
}

Calibration::Calibration(double focal_length, double baseline) {
  const double f = focal_length;
  for (int i = 0; i < 2; i++) {
    matrix[i] = {f, 0, 30, 0, f, 10, 0, 0, 1};
    distortion[i] = {0, 0, 0, 0};
    rotation[i] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    projection[i] = {f, 0, 30, 0, 0, f, 10, 0, 0, 0, 1, 0};
  }
  projection[1][3] = -f * baseline;
}

std::string Calibration::text() const {
  std::string text = head;
  const auto add = [&text](const std::string &name, int camera, const Numbers &numbers, int rows) {
    text += name + std::to_string(camera + 1) +
            ": !!opencv-matrix\n   rows: " + std::to_string(rows) +
            "\n   cols: " + std::to_string(numbers.size() / static_cast<gsize>(rows)) +
            "\n   dt: d\n   data: [ ";
    for (gsize i = 0; i < numbers.size(); i++) {
      char number[G_ASCII_DTOSTR_BUF_SIZE];
      text += g_ascii_dtostr(number, sizeof number, numbers[i]);
      text += i + 1 < numbers.size() ? i % 4 == 3 ? ",\n       " : ", " : " ]\n";
    }
  };
  for (int i = 0; i < 2; i++) {
    add("M", i, matrix[i], 3);
    add("D", i, distortion[i], 1);
    add("R", i, rotation[i], 3);
    add("P", i, projection[i], 3);
  }
  return text;
}

void CalibrationFile::write(const std::string &text) const {
  if (!g_file_set_contents(name().c_str(), text.data(), static_cast<gssize>(text.size()), nullptr))
    g_error("%s cannot be written", name().c_str());
}

}  // namespace test
