// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rgb2yuv_reference.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

namespace coalesce::test {
namespace {

// The bytes of a pixel.
const char *rgb_bytes(RgbLayout layout) {
  static const char *const bytes[] = {"RGB", "BGR", "RGBx", "BGRx", "xRGB", "xBGR", ""};
  return bytes[static_cast<int>(layout)];
}

// The bytes of a row, again and again. With U and V among them a group has one of each, and the
// luma of all pixels that share these.
struct YuvBytes {
  std::vector<std::string> planes;
  bool half_width;
  bool half_height;
};

const YuvBytes &yuv_bytes(YuvLayout layout) {
  static const YuvBytes bytes[] = {
      {{"Y"}, false, false},            // gray
      {{"Y", "U", "V"}, false, false},  // planar444
      {{"Y", "U", "V"}, true, false},   // planar422
      {{"Y", "U", "V"}, true, true},    // planar420
      {{"Y", "UV"}, true, true},        // nv12
      {{"Y", "VU"}, true, true},        // nv21
      {{"AYUV"}, false, false},         // ayuv
      {{"VUYA"}, false, false},         // vuya
      {{"YUYV"}, true, false},          // yuy2
      {{"UYVY"}, true, false},          // uyvy
  };
  return bytes[static_cast<int>(layout)];
}

bool has(const std::string &bytes, char letter) {
  return bytes.find(letter) != std::string::npos;
}

std::uint8_t rounded(double value) {
  return static_cast<std::uint8_t>(std::clamp(std::floor(value + 0.5), 0.0, 255.0));
}

// To units of 2^-15, with the nearest sum.
void quantise(YuvComponent &component) {
  double *const weights[] = {&component.red, &component.green, &component.blue};
  double exact_sum = 0;
  double sum = 0;
  double error[3];  // what is missing from each
  for (int i = 0; i < 3; ++i) {
    const double exact = *weights[i] * 32768;
    *weights[i] = std::floor(exact + 0.5);
    error[i] = exact - *weights[i];
    exact_sum += exact;
    sum += *weights[i];
  }
  const double missing = std::floor(exact_sum + 0.5) - sum;
  if (missing > 0) *weights[std::max_element(error, error + 3) - error] += 1;
  if (missing < 0) *weights[std::min_element(error, error + 3) - error] -= 1;
  for (double *weight : weights)
    *weight /= 32768;
}

}  // namespace

std::vector<PlaneSize> rgb_plane_sizes(RgbLayout layout, int width, int height) {
  if (layout == RgbLayout::planar) return {{width, height}, {width, height}, {width, height}};
  return {{static_cast<int>(std::strlen(rgb_bytes(layout))) * width, height}};
}

std::vector<PlaneSize> yuv_plane_sizes(YuvLayout layout, int width, int height, bool spare_row) {
  const YuvBytes &bytes = yuv_bytes(layout);
  std::vector<PlaneSize> sizes;
  for (const std::string &plane : bytes.planes) {
    const bool half_width = bytes.half_width && (has(plane, 'U') || has(plane, 'V'));
    const bool half_height = bytes.half_height && !has(plane, 'Y');
    const int groups = half_width ? (width + 1) / 2 : width;
    sizes.push_back({groups * static_cast<int>(plane.size()),
                     half_height ? (height + 1) / 2 + (spare_row ? 1 : 0) : height});
  }
  return sizes;
}

bool may_have_spare_row(const Rgb2yuvParams &params, int height) {
  return params.interlaced && yuv_bytes(params.out).half_height && (height + 1) / 2 % 2 == 1;
}

bool has_fourth_byte(RgbLayout layout) {
  return std::strchr(rgb_bytes(layout), 'x') != nullptr;
}

YuvComponents yuv_formula(const Rgb2yuvParams &params) {
  static const double shares[][2] = {
      {0.299, 0.114}, {0.2126, 0.0722}, {0.2627, 0.0593}, {0.212, 0.087}, {0.30, 0.11}};
  const double kr = shares[static_cast<int>(params.matrix)][0];
  const double kb = shares[static_cast<int>(params.matrix)][1];
  const double kg = 1 - kr - kb;
  const bool from_limited = params.in_range == SampleRange::limited;
  const bool to_limited = params.out_range == SampleRange::limited;
  const double black = from_limited ? 16 : 0;
  const double levels = from_limited ? 219 : 255;
  const double y = (to_limited ? 219 : 255) / levels;
  const double u = (to_limited ? 224 : 255) / (2 * (1 - kb)) / levels;
  const double v = (to_limited ? 224 : 255) / (2 * (1 - kr)) / levels;
  return {{y * kr, y * kg, y * kb, black, to_limited ? 16.0 : 0.0},
          {u * -kr, u * -kg, u * (1 - kb), black, 128},
          {v * (1 - kr), v * -kg, v * -kb, black, 128}};
}

YuvComponents yuv_quantised(const Rgb2yuvParams &params) {
  YuvComponents components = yuv_formula(params);
  quantise(components.y);
  quantise(components.u);
  quantise(components.v);
  return components;
}

RgbPicture::RgbPicture(const Rgb2yuvParams &params, const RgbImage &in)
    : params_(params), width_(in.plane[0].width), step_(1) {
  std::copy_n(in.plane, 3, component_);
  const std::string bytes = rgb_bytes(params.in);
  if (bytes.empty()) return;
  step_ = static_cast<int>(bytes.size());
  width_ /= step_;
  for (int i = 0; i < 4; ++i) {
    component_[i] = in.plane[0];
    if (has(bytes, "RGBx"[i])) component_[i].data += bytes.find("RGBx"[i]);
  }
}

double RgbPicture::luma(const YuvComponent &component, int x, int y) const {
  return value(component, only(x), only(y));
}

double RgbPicture::chroma(const YuvComponent &component, int column, int row) const {
  return value(component, columns(column), rows(row));
}

// At sample `at`, or between it and the next; samples lie `step` apart, from first to last.
RgbPicture::Taps RgbPicture::halved(bool cosited, int at, int step, int first, int last) {
  Taps taps = {Tap{at - step, 0}, Tap{at, 0.5}, Tap{at + step, 0.5}};
  if (cosited) taps = {Tap{at - step, 0.25}, Tap{at, 0.5}, Tap{at + step, 0.25}};
  for (Tap &tap : taps)
    tap.at = std::clamp(tap.at, first, last);
  return taps;
}

RgbPicture::Taps RgbPicture::columns(int column) const {
  if (!yuv_bytes(params_.out).half_width) return only(column);
  return halved(params_.h_cosited, 2 * column, 1, 0, width() - 1);
}

RgbPicture::Taps RgbPicture::rows(int row) const {
  if (!yuv_bytes(params_.out).half_height) return only(row);
  if (!params_.interlaced) return halved(params_.v_cosited, 2 * row, 1, 0, height() - 1);
  const int field = row % 2;
  if (field >= height()) return only(0);  // of one row there is no odd field
  const int last = height() - 1 - (height() - 1 - field) % 2;
  return halved(params_.v_cosited, 4 * (row / 2) + field, 2, field, last);
}

double RgbPicture::value(const YuvComponent &component, const Taps &across,
                         const Taps &down) const {
  double sum = component.offset;
  for (const Tap &row : down) {
    for (const Tap &column : across) {
      const double weight = row.weight * column.weight;
      if (weight == 0) continue;
      const double red = sample(0, column.at, row.at) - component.black;
      const double green = sample(1, column.at, row.at) - component.black;
      const double blue = sample(2, column.at, row.at) - component.black;
      sum += weight * (component.red * red + component.green * green + component.blue * blue);
    }
  }
  return sum;
}

void rgb2yuv_reference(const Rgb2yuvParams &params, const RgbImage &in, const YuvImage &out) {
  const RgbPicture picture(params, in);
  const YuvComponents components = yuv_quantised(params);
  const std::vector<std::string> &planes = yuv_bytes(params.out).planes;
  for (std::size_t p = 0; p < planes.size(); ++p) {
    const std::string &bytes = planes[p];
    const auto size = static_cast<int>(bytes.size());
    for (int y = 0; y < out.plane[p].height; ++y) {
      int x = 0;  // of the next luma sample
      for (int i = 0; i < out.plane[p].width; ++i) {
        const char letter = bytes[static_cast<std::size_t>(i % size)];
        std::uint8_t &byte = out.plane[p].row(y)[i];
        if (letter == 'Y') {
          byte = rounded(picture.luma(components.y, x, y));
          x = std::min(x + 1, picture.width() - 1);  // the last pair of an odd row lacks one
        } else if (letter == 'A') {
          byte = params.alpha ? static_cast<std::uint8_t>(picture.fourth_byte(i / size, y)) : 255;
        } else {
          byte = rounded(picture.chroma(letter == 'U' ? components.u : components.v, i / size, y));
        }
      }
    }
  }
}

}  // namespace coalesce::test
