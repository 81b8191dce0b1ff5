// SPDX-License-Identifier: LGPL-2.1-or-later
// docs/numerics.md, section rgb2yuv, in the plainest words: a sample at a time, in doubles. With
// the quantised weights every double is exact, so that the result is that of exact integers; with
// the weights of the formula it is the float64 that they are judged by.
#pragma once

#include <array>
#include <vector>

#include "rgb2yuv/rgb2yuv.h"

namespace coalesce::test {

struct PlaneSize {
  int row_bytes;
  int height;
};
std::vector<PlaneSize> rgb_plane_sizes(RgbLayout layout, int width, int height);
// `spare_row`: one chroma row more, as interlaced pictures may have.
std::vector<PlaneSize> yuv_plane_sizes(YuvLayout layout, int width, int height, bool spare_row);
bool may_have_spare_row(const Rgb2yuvParams &params, int height);
bool has_fourth_byte(RgbLayout layout);

// offset + red * (R - black) + green * (G - black) + blue * (B - black)
struct YuvComponent {
  double red, green, blue;
  double black;
  double offset;
};
struct YuvComponents {
  YuvComponent y, u, v;
};
YuvComponents yuv_formula(const Rgb2yuvParams &params);
YuvComponents yuv_quantised(const Rgb2yuvParams &params);

// A picture and what each sample of its conversion is before it is rounded.
class RgbPicture {
 public:
  RgbPicture(const Rgb2yuvParams &params, const RgbImage &in);

  int width() const { return width_; }
  int height() const { return component_[0].height; }
  double luma(const YuvComponent &component, int x, int y) const;
  double chroma(const YuvComponent &component, int column, int row) const;
  int fourth_byte(int x, int y) const { return sample(3, x, y); }

 private:
  struct Tap {
    int at;
    double weight;
  };
  using Taps = std::array<Tap, 3>;
  static Taps only(int at) { return {Tap{at, 1}, Tap{at, 0}, Tap{at, 0}}; }
  static Taps halved(bool cosited, int at, int step, int first, int last);
  Taps columns(int column) const;
  Taps rows(int row) const;
  double value(const YuvComponent &component, const Taps &across, const Taps &down) const;
  int sample(int i, int x, int y) const { return component_[i].row(y)[step_ * x]; }

  Rgb2yuvParams params_;
  int width_;
  int step_;                                // from pixel to pixel
  Plane<const std::uint8_t> component_[4];  // R, G, B, x: from the first of each
};

// The whole operation.
void rgb2yuv_reference(const Rgb2yuvParams &params, const RgbImage &in, const YuvImage &out);

}  // namespace coalesce::test
