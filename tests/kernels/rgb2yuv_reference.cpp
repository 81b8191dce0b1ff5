// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rgb2yuv_reference.h"

#include <algorithm>
#include <array>
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

int width_of(const Rgb2yuvParams &params, const RgbImage &in) {
  const std::string bytes = rgb_bytes(params.in);
  return in.plane[0].width / (bytes.empty() ? 1 : static_cast<int>(bytes.size()));
}

// 'R', 'G', 'B' or 'x' of a pixel.
int sample(RgbLayout layout, const RgbImage &in, char letter, int x, int y) {
  if (layout == RgbLayout::planar)
    return in.plane[letter == 'R' ? 0 : letter == 'G' ? 1 : 2].row(y)[x];
  const char *bytes = rgb_bytes(layout);
  const auto step = static_cast<int>(std::strlen(bytes));
  return in.plane[0].row(y)[step * x + (std::strchr(bytes, letter) - bytes)];
}

struct Tap {
  int at;
  double weight;
};
using Taps = std::array<Tap, 3>;

// Chroma at sample `at`, or between it and the next; samples lie `step` apart, from first to last.
Taps halved(bool cosited, int at, int step, int first, int last) {
  Taps taps = {Tap{at - step, 0}, Tap{at, 0.5}, Tap{at + step, 0.5}};
  if (cosited) taps = {Tap{at - step, 0.25}, Tap{at, 0.5}, Tap{at + step, 0.25}};
  for (Tap &tap : taps)
    tap.at = std::clamp(tap.at, first, last);
  return taps;
}

Taps only(int at) {
  return {Tap{at, 1}, Tap{at, 0}, Tap{at, 0}};
}

Taps columns(const Rgb2yuvParams &params, int column, int width) {
  if (!yuv_bytes(params.out).half_width) return only(column);
  return halved(params.h_cosited, 2 * column, 1, 0, width - 1);
}

Taps rows(const Rgb2yuvParams &params, int row, int height) {
  if (!yuv_bytes(params.out).half_height) return only(row);
  if (!params.interlaced) return halved(params.v_cosited, 2 * row, 1, 0, height - 1);
  const int field = row % 2;
  if (field >= height) return only(height - 1);  // one row: there is no odd field
  const int last = height - 1 - (height - 1 - field) % 2;
  return halved(params.v_cosited, 4 * (row / 2) + field, 2, field, last);
}

double value(const YuvComponent &component, RgbLayout layout, const RgbImage &in,
             const Taps &across, const Taps &down) {
  double sum = component.offset;
  for (const Tap &row : down) {
    for (const Tap &column : across) {
      const double weight = row.weight * column.weight;
      if (weight == 0) continue;
      const int x = column.at;
      const int y = row.at;
      sum += weight * (component.red * (sample(layout, in, 'R', x, y) - component.black) +
                       component.green * (sample(layout, in, 'G', x, y) - component.black) +
                       component.blue * (sample(layout, in, 'B', x, y) - component.black));
    }
  }
  return sum;
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

double luma_value(const YuvComponent &component, const Rgb2yuvParams &params, const RgbImage &in,
                  int x, int y) {
  return value(component, params.in, in, only(x), only(y));
}

double chroma_value(const YuvComponent &component, const Rgb2yuvParams &params, const RgbImage &in,
                    int column, int row) {
  return value(component, params.in, in, columns(params, column, width_of(params, in)),
               rows(params, row, in.plane[0].height));
}

void rgb2yuv_reference(const Rgb2yuvParams &params, const RgbImage &in, const YuvImage &out) {
  const YuvComponents components = yuv_quantised(params);
  const int last = width_of(params, in) - 1;
  const std::vector<std::string> &planes = yuv_bytes(params.out).planes;
  for (std::size_t p = 0; p < planes.size(); ++p) {
    const std::string &bytes = planes[p];
    const auto size = static_cast<int>(bytes.size());
    for (int y = 0; y < out.plane[p].height; ++y) {
      for (int i = 0, luma = 0; i < out.plane[p].width; ++i) {
        const char letter = bytes[static_cast<std::size_t>(i % size)];
        std::uint8_t &byte = out.plane[p].row(y)[i];
        if (letter == 'Y')
          // The last pair of an odd row has no second luma.
          byte = rounded(luma_value(components.y, params, in, std::min(luma++, last), y));
        else if (letter == 'A')
          byte = params.alpha ? static_cast<std::uint8_t>(sample(params.in, in, 'x', i / size, y))
                              : 255;
        else
          byte = rounded(
              chroma_value(letter == 'U' ? components.u : components.v, params, in, i / size, y));
      }
    }
  }
}

}  // namespace coalesce::test
