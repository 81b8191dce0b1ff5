// SPDX-License-Identifier: LGPL-2.1-or-later
// docs/numerics.md, section rgb2yuv, in the plainest words: a sample at a time, in doubles. With
// the quantised weights every double is exact, so that the result is that of exact integers; with
// the weights of the formula it is the float64 that they are judged by.
#pragma once

#include <array>

#include "rgb2yuv/rgb2yuv.h"

namespace coalesce::test {

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
  // `out`: the format whose chroma is asked for.
  RgbPicture(const Rgb2yuvParams &params, const ConstImage &in, const PixelFormat &out);

  int width() const { return in_.width; }
  int height() const { return in_.height; }
  double luma(const YuvComponent &component, int x, int y) const;
  double chroma(const YuvComponent &component, int column, int row) const;
  int alpha(int x, int y) const { return in_.format.has(Role::alpha) ? sample(3, x, y) : 255; }

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
  int sample(int i, int x, int y) const {
    const PixelComponent &c = in_.format.component[i];
    return in_.of(c).row(y)[c.first + c.step * x];
  }

  Rgb2yuvParams params_;
  ConstImage in_;
  bool half_width_, half_height_;
};

// The whole operation.
void rgb2yuv_reference(const Rgb2yuvParams &params, const ConstImage &in, const Image &out);

}  // namespace coalesce::test
