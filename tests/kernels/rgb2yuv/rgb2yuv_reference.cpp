// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rgb2yuv_reference.h"

#include <algorithm>
#include <cmath>

namespace coalesce::test {
namespace {

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

RgbPicture::RgbPicture(const Rgb2yuvParams &params, const ConstImage &in, const PixelFormat &out)
    : params_(params), in_(in), half_width_(false), half_height_(false) {
  if (const PixelComponent *u = out.find(Role::u)) {
    half_width_ = u->log2_width != 0;
    half_height_ = u->log2_height != 0;
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
  if (!half_width_) return only(column);
  return halved(params_.h_cosited, 2 * column, 1, 0, width() - 1);
}

RgbPicture::Taps RgbPicture::rows(int row) const {
  if (!half_height_) return only(row);
  if (!in_.interlaced) return halved(params_.v_cosited, 2 * row, 1, 0, height() - 1);
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

void rgb2yuv_reference(const Rgb2yuvParams &params, const ConstImage &in, const Image &out) {
  const RgbPicture picture(params, in, out.format);
  const YuvComponents components = yuv_quantised(params);
  const auto value = [&](Role role, int x, int y) -> std::uint8_t {
    if (role == Role::alpha) return static_cast<std::uint8_t>(picture.alpha(x, y));
    if (role == Role::u) return rounded(picture.chroma(components.u, x, y));
    if (role == Role::v) return rounded(picture.chroma(components.v, x, y));
    // The last pair of an odd row lacks one.
    return rounded(picture.luma(components.y, std::min(x, picture.width() - 1), y));
  };
  for (int i = 0; i < out.format.components; ++i) {
    const PixelComponent &c = out.format.component[i];
    const Plane<std::uint8_t> &plane = out.of(c);
    for (int y = 0; y < plane.height; ++y)
      for (int x = 0, at = c.first; at < plane.width; ++x, at += c.step)
        plane.row(y)[at] = value(c.role, x, y);
  }
}

}  // namespace coalesce::test
