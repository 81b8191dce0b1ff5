// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rectifier.h"

#include "core/layout.h"
#include "object/settings.h"
#include "object/textfile.h"
#include "video/memorycaps.h"

namespace coalesce::gst {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;  // of a file

}  // namespace

// What is in the table.
struct Rectifier::Layout {
  Layout(int width, int height, const void *memory) {
    const std::size_t pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    coalesce::Layout layout(256, memory);
    for (int i = 0; i < 2; i++) {
      point[i] = {layout.at<MapPoint>(pixels), width, height,
                  sizeof(MapPoint) * static_cast<std::size_t>(width)};
      fraction[i] = {layout.at<std::uint16_t>(pixels), width, height,
                     sizeof(std::uint16_t) * static_cast<std::size_t>(width)};
    }
    bytes = layout.end();
  }
  Plane<MapPoint> point[2];
  Plane<std::uint16_t> fraction[2];
  gsize bytes;
};

bool Rectifier::load(const std::string &path) {
  drop();
  if (path.empty()) return true;
  const std::string setting = quote_setting("rectify", path, 200);
  std::string text, problem = read_text_file(path, kMostBytes, &text);
  if (!problem.empty()) {
    GST_ELEMENT_ERROR(element_, RESOURCE, OPEN_READ,
                      ("%s cannot be read: %s; a file with a calibration is required, in "
                       "YAML as OpenCV writes it",
                       setting.c_str(), problem.c_str()),
                      (nullptr));
    return false;
  }
  StereoCalibration calibration;
  if (!parse_stereo_calibration(text, &calibration, &problem)) {
    GST_ELEMENT_ERROR(element_, LIBRARY, SETTINGS, ("%s: %s", setting.c_str(), problem.c_str()),
                      (nullptr));
    return false;
  }
  // Points that are infinitely far have the disparity 0, also where stereoRectify() was called
  // without CALIB_ZERO_DISPARITY.
  calibration.camera[1].projection[2] = calibration.camera[0].projection[2];
  setting_ = setting;
  calibration_ = calibration;
  return true;
}

bool Rectifier::make_maps(int width, int height) {
  if (!is_on() || (width == width_ && height == height_)) return true;
  const struct {
    const char *name;
    int has, wanted, line;
  } sizes[] = {{"width", width, calibration_->width, calibration_->width_line},
               {"height", height, calibration_->height, calibration_->height_line}};
  for (const auto &size : sizes) {
    if (size.line == 0 || size.has == size.wanted) continue;
    GST_ELEMENT_ERROR(element_, STREAM, FORMAT,
                      ("Pads left and right have %dx%d, and %s, line %d, has the %s %d; "
                       "pictures of the calibration's size are required",
                       width, height, setting_.c_str(), size.line, size.name, size.wanted),
                      (nullptr));
    return false;
  }
  width_ = height_ = 0;
  void *memory = table_.make(Layout(width, height, nullptr).bytes);
  if (memory == nullptr) {
    GST_ELEMENT_ERROR(element_, RESOURCE, NO_SPACE_LEFT,
                      ("No memory for the maps of rectify, of %dx%d", width, height), (nullptr));
    return false;
  }
  const Layout layout(width, height, memory);
  for (int i = 0; i < 2; i++)
    make_map(calibration_->camera[i], layout.point[i], layout.fraction[i]);
  width_ = width, height_ = height;
  return true;
}

RemapMap Rectifier::map(int camera) const {
  const Layout layout(width_, height_, table_.data());
  return {layout.point[camera], layout.fraction[camera]};
}

void Rectifier::drop() {
  calibration_.reset();
  table_.drop();
  width_ = height_ = 0;
}

}  // namespace coalesce::gst
