// SPDX-License-Identifier: LGPL-2.1-or-later
// docs/numerics.md, section rgb2yuv, in the plainest words: a sample at a time, in doubles. With
// the quantised weights every double is exact, so that the result is that of exact integers; with
// the weights of the formula it is the float64 that they are judged by.
#pragma once

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

// A component before it is rounded: luma at (x, y), chroma sample (column, row).
double luma_value(const YuvComponent &component, const Rgb2yuvParams &params, const RgbImage &in,
                  int x, int y);
double chroma_value(const YuvComponent &component, const Rgb2yuvParams &params, const RgbImage &in,
                    int column, int row);

// The whole operation.
void rgb2yuv_reference(const Rgb2yuvParams &params, const RgbImage &in, const YuvImage &out);

}  // namespace coalesce::test
