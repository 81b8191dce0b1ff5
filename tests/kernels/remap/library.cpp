// SPDX-License-Identifier: LGPL-2.1-or-later
// Calibrations, maps and remapped pictures of the CPU back end, for opencv_test.py.
#include <cstdio>
#include <cstring>

#include "picture/formats.h"
#include "remap/calibration.h"

using namespace coalesce;

// A map of a camera, 0 or 1, of a file's text; false and an error of at most 255 bytes.
extern "C" int coalesce_make_map(const char *text, int camera, int width, int height,
                                 std::int16_t *points, std::uint16_t *fractions, char *error) {
  StereoCalibration calibration;
  std::string problem;
  const bool good = parse_stereo_calibration(text, &calibration, &problem);
  std::snprintf(error, 256, "%s", problem.c_str());
  if (!good) return 0;
  make_map(
      calibration.camera[camera],
      {reinterpret_cast<MapPoint *>(points), width, height, 4 * static_cast<std::size_t>(width)},
      {fractions, width, height, 2 * static_cast<std::size_t>(width)});
  return 1;
}

// Of bytes, or of words.
extern "C" int coalesce_remap(int bytes, const std::int16_t *points, const std::uint16_t *fractions,
                              int out_width, int out_height, const std::uint8_t *in, int width,
                              int height, std::uint8_t *out) {
  const PixelFormat format = pixel_format(bytes == 1 ? "GRAY8" : "GRAY16_LE");
  const auto row = [bytes](int n) { return bytes * n; };
  const auto pitch = [bytes](int n) { return static_cast<std::size_t>(bytes * n); };
  const RemapMap map = {
      {reinterpret_cast<const MapPoint *>(points), out_width, out_height,
       4 * static_cast<std::size_t>(out_width)},
      {fractions, out_width, out_height, 2 * static_cast<std::size_t>(out_width)}};
  const ConstImage from = {format, width, height, false, {{in, row(width), height, pitch(width)}}};
  const Image to = {
      format, out_width, out_height, false, {{out, row(out_width), out_height, pitch(out_width)}}};
  return remap(map, from, to, Queue::cpu()).ok();
}
