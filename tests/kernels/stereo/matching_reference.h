// SPDX-License-Identifier: LGPL-2.1-or-later
// What the references of stereo and multiview share, as the operations share stereo/matching.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../sample_bits.h"
#include "picture/image.h"
#include "picture/luma.h"

namespace coalesce::test {

struct Grid {
  int width, height;
  std::vector<int> cells;

  Grid(int w, int h, int value = 0)
      : width(w),
        height(h),
        cells(static_cast<std::size_t>(w) * static_cast<std::size_t>(h), value) {}
  int &at(int x, int y) { return cells[static_cast<std::size_t>(y * width + x)]; }
  int at(int x, int y) const { return cells[static_cast<std::size_t>(y * width + x)]; }
  // Outside, the nearest one.
  int near(int x, int y) const {
    return at(std::clamp(x, 0, width - 1), std::clamp(y, 0, height - 1));
  }
  bool contains(int x, int y) const { return x >= 0 && x < width && y >= 0 && y < height; }
};

inline Grid samples_of(const ConstImage &in) {
  const PixelComponent &c = *luma_by_itself(in.format);
  Grid samples(in.width, in.height);
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x)
      samples.at(x, y) = read_bits(in.of(c).row(y), c, x);
  return samples;
}

inline Grid bytes_of(const ConstImage &in) {
  const int bits = luma_by_itself(in.format)->bits;
  Grid bytes = samples_of(in);
  for (int &v : bytes.cells)
    v = static_cast<int>(std::min(255.0, std::floor(v / std::pow(2.0, bits - 8) + 0.5)));
  return bytes;
}

struct Moments {
  std::int64_t sum = 0, squares = 0;
};
inline Moments moments_of(const Grid &bytes, int half, int x, int y) {
  Moments m;
  for (int j = -half; j <= half; ++j)
    for (int i = -half; i <= half; ++i) {
      const int v = bytes.near(x + i, y + j) - 128;
      m.sum += v, m.squares += v * v;
    }
  return m;
}

inline float deviation(int count, const Moments &m) {
  const std::int64_t variance = count * m.squares - m.sum * m.sum;
  return variance == 0 ? 0.0f : 1.0f / std::sqrt(static_cast<float>(variance));
}

// Of windows around (x, y) and, in the other picture, (to_x, y).
inline int correlation_cost(const Grid &from, const Grid &to, int half, int x, int y, int to_x) {
  const int count = (2 * half + 1) * (2 * half + 1);
  const Moments left = moments_of(from, half, x, y), right = moments_of(to, half, to_x, y);
  std::int64_t products = 0;
  for (int j = -half; j <= half; ++j)
    for (int i = -half; i <= half; ++i)
      products += (from.near(x + i, y + j) - 128) * (to.near(to_x + i, y + j) - 128);
  const float mean = static_cast<float>(right.sum) / static_cast<float>(count);
  const float level = static_cast<float>(left.sum) * mean;
  const float covariance = static_cast<float>(products) - level;
  const float one = covariance * deviation(count, right);
  const float two = static_cast<float>(16384 * count) * deviation(count, left);
  const float score = one * two;
  return static_cast<int>(std::clamp(16384.5f - score, 0.0f, 32768.0f));
}

}  // namespace coalesce::test
