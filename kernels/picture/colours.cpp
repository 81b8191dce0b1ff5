// SPDX-License-Identifier: LGPL-2.1-or-later
#include "colours.h"

#include <cmath>

namespace coalesce {
namespace {

struct RedBlue {
  double red, blue;
};

// Shares of red and blue in luma: ITU-R BT.601, BT.709, BT.2020, SMPTE 240M, FCC 73.682.
RedBlue shares(YuvMatrix matrix) {
  switch (matrix) {
    case YuvMatrix::bt709:
      return {0.2126, 0.0722};
    case YuvMatrix::bt2020:
      return {0.2627, 0.0593};
    case YuvMatrix::smpte240m:
      return {0.212, 0.087};
    case YuvMatrix::fcc:
      return {0.30, 0.11};
    case YuvMatrix::bt601:
      break;
  }
  return {0.299, 0.114};
}

std::int32_t nearest(double value) {
  return static_cast<std::int32_t>(std::floor(value + 0.5));
}

// Each weight to the nearest integer; what their sum then lacks goes to those that rounding has
// moved furthest the other way.
void quantise(double red, double green, double blue, double one, std::int32_t (&weight)[3]) {
  const double exact[3] = {red * one, green * one, blue * one};
  int missing = nearest(exact[0] + exact[1] + exact[2]);
  for (int i = 0; i < 3; ++i) {
    weight[i] = nearest(exact[i]);
    missing -= weight[i];
  }
  for (; missing != 0; missing -= missing > 0 ? 1 : -1) {
    const int step = missing > 0 ? 1 : -1;
    int furthest = 0;
    for (int i = 1; i < 3; ++i)
      if (step * (exact[i] - weight[i]) > step * (exact[furthest] - weight[furthest])) furthest = i;
    weight[furthest] += step;
  }
}

}  // namespace

ColourWeights rgb_to_yuv(YuvMatrix matrix, SampleScale in, SampleScale out, int q) {
  const double levels = in.levels();
  const double luma = out.levels() / levels;
  const double chroma = out.chroma_levels() / levels;
  const auto [red, blue] = shares(matrix);
  const double green = 1 - red - blue;
  const double u = chroma / (2 * (1 - blue));
  const double v = chroma / (2 * (1 - red));
  const double one = std::ldexp(1.0, q);
  ColourWeights w;
  quantise(luma * red, luma * green, luma * blue, one, w.weight[0]);
  quantise(-u * red, -u * green, u * (1 - blue), one, w.weight[1]);
  quantise(v * (1 - red), -v * green, -v * blue, one, w.weight[2]);
  return w;
}

ColourWeights yuv_to_rgb(YuvMatrix matrix, SampleScale in, SampleScale out, int q) {
  const auto [red, blue] = shares(matrix);
  const double green = 1 - red - blue;
  const double one = std::ldexp(1.0, q);
  const double luma = one * out.levels() / in.levels();
  const double chroma = one * out.levels() / in.chroma_levels();
  const std::int32_t y = nearest(luma);
  return {{{y, 0, nearest(chroma * 2 * (1 - red))},
           {y, nearest(chroma * -2 * blue * (1 - blue) / green),
            nearest(chroma * -2 * red * (1 - red) / green)},
           {y, nearest(chroma * 2 * (1 - blue)), 0}}};
}

}  // namespace coalesce
