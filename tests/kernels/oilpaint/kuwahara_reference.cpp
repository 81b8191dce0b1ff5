// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

#include "oilpaint_reference.h"

namespace coalesce::test {
namespace {

struct Tensor {
  int e = 0, f = 0, g = 0;
};

int sample(const OilPixels &in, int x, int y, std::size_t c) {
  return in.at(std::clamp(x, 0, in.width - 1), std::clamp(y, 0, in.height - 1))[c];
}

Tensor gradient(const OilPixels &in, int x, int y) {
  Tensor t;
  for (std::size_t c = 0; c < 3; ++c) {
    int gx = 0, gy = 0;
    for (int i = -1; i <= 1; ++i) {
      const int weight = i == 0 ? 2 : 1;
      gx += weight * (sample(in, x + 1, y + i, c) - sample(in, x - 1, y + i, c));
      gy += weight * (sample(in, x + i, y + 1, c) - sample(in, x + i, y - 1, c));
    }
    t.e += gx * gx, t.f += gx * gy, t.g += gy * gy;
  }
  return t;
}

int rounded(int sum) {
  return static_cast<int>(std::floor(sum / 256. + 0.5));
}

template <class At>
Tensor smoothed(const At &at) {
  constexpr int kTaps[] = {7, 17, 32, 46, 52, 46, 32, 17, 7};
  Tensor sum;
  for (int i = 0; i < 9; ++i) {
    const Tensor t = at(i - 4);
    sum.e += kTaps[i] * t.e, sum.f += kTaps[i] * t.f, sum.g += kTaps[i] * t.g;
  }
  return {rounded(sum.e), rounded(sum.f), rounded(sum.g)};
}

Tensor tensor_at(const std::vector<Tensor> &gradients, const OilPixels &in, int x, int y) {
  return smoothed([&](int j) {
    return smoothed([&](int i) {
      const int column = std::clamp(x + i, 0, in.width - 1);
      const int row = std::clamp(y + j, 0, in.height - 1);
      return gradients[static_cast<std::size_t>(row * in.width + column)];
    });
  });
}

// Of 32, by products in double, which are exact.
int direction_of(const Tensor &t) {
  const double x = t.e - t.g, y = 2. * t.f;
  if (x == 0 && y == 0) return 0;
  const double small = std::min(std::abs(x), std::abs(y));
  const double large = std::max(std::abs(x), std::abs(y));
  int steps = 0;
  for (const double tangent : {6455., 19880., 35030., 53784.})
    steps += small * 65536 >= large * tangent ? 1 : 0;
  int angle = std::abs(y) > std::abs(x) ? 8 - steps : steps;
  if (x < 0) angle = 16 - angle;
  if (y < 0) angle = 32 - angle;
  return angle % 32;
}

// The nearest of 0 to 7 sevenths.
int level_of(const Tensor &t) {
  const double sum = t.e + t.g, x = t.e - t.g, y = 2. * t.f;
  if (sum == 0) return 0;
  int level = 0;
  while (level < 7 && 196 * (x * x + y * y) >= (2 * level + 1) * (2 * level + 1) * sum * sum)
    ++level;
  return level;
}

int to_int(double value) {
  return static_cast<int>(std::lround(value));
}

// Integer quotients are cut off towards zero.
int weight(int radius, int direction, int level, int sector, int i, int j) {
  const double pi = std::acos(-1), along = (direction + 16) % 32 * pi / 32;
  const int cosine = to_int(16384 * std::cos(along)), sine = to_int(16384 * std::sin(along));
  const int u = (cosine * i + sine * j) * 7 / (16 * (7 + level) * radius);
  const int v = (cosine * j - sine * i) * (7 + level) / (16 * 7 * radius);
  if (u * u + v * v >= 1024 * 1024) return 0;
  const int c = to_int(1024 * std::cos(sector * pi / 4)),
            s = to_int(1024 * std::sin(sector * pi / 4));
  const int ahead = (c * u + s * v) / 1024, aside = (c * v - s * u) / 1024;
  const int overlap = 2048 / radius, slope = (overlap + 857) * 10 / 3;
  const int t = ahead + overlap - slope * (aside * aside / 1024) / 1024;
  const int fall = (1024 * 1024 - u * u - v * v) / 4096;
  return t > 0 ? t * t / 1024 * (fall * fall / 16) / 1024 : 0;
}

struct Sector {
  std::array<std::int64_t, 3> mean = {};
  std::int64_t variance = 0;
};

struct Tap {
  int i, j;
  std::int64_t weight;
};

std::vector<Tap> make_taps(int radius, int direction, int level, int sector) {
  std::vector<Tap> taps;
  std::int64_t all = 0, before = 0;
  for (int j = -2 * radius; j <= 2 * radius; ++j)
    for (int i = -2 * radius; i <= 2 * radius; ++i)
      if (const int w = weight(radius, direction, level, sector, i, j); w > 0) {
        all += w;
        taps.push_back({i, j, all});
      }
  for (Tap &tap : taps) {
    const std::int64_t up_to = 4096 * tap.weight / all;
    tap.weight = up_to - before;
    before = up_to;
  }
  return taps;
}

// The same for each pixel with this direction and level.
class Taps {
 public:
  explicit Taps(int radius) : radius_(radius) {}
  const std::vector<Tap> &of(int direction, int level, int sector) {
    std::vector<Tap> &taps = made_[{direction, level, sector}];
    if (taps.empty()) taps = make_taps(radius_, direction, level, sector);
    return taps;
  }

 private:
  int radius_;
  std::map<std::array<int, 3>, std::vector<Tap>> made_;
};

// side -1: of the sector opposite.
Sector sector_at(const OilPixels &in, const std::vector<Tap> &taps, int side, int x, int y) {
  std::array<std::int64_t, 3> sum = {};
  std::int64_t squares = 0;
  for (const Tap &tap : taps)
    for (std::size_t c = 0; c < 3; ++c) {
      const std::int64_t value = sample(in, x + side * tap.i, y + side * tap.j, c);
      sum[c] += tap.weight * value, squares += tap.weight * value * value;
    }
  Sector result;
  for (std::size_t c = 0; c < 3; ++c) {
    result.mean[c] = (sum[c] + 8) / 16;
    squares -= (result.mean[c] * result.mean[c] + 8) / 16;
  }
  result.variance = std::max<std::int64_t>(squares, 0) / 1024;
  return result;
}

}  // namespace

OilPixels kuwahara_reference(const OilpaintParams &params, const OilPixels &in) {
  OilPixels out = in;
  std::vector<Tensor> gradients;
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x)
      gradients.push_back(gradient(in, x, y));
  Taps taps(params.kuwahara_radius);
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x) {
      const Tensor t = tensor_at(gradients, in, x, y);
      std::array<Sector, 8> sectors;
      for (int s = 0; s < 8; ++s)
        sectors[static_cast<std::size_t>(s)] =
            sector_at(in, taps.of(direction_of(t), level_of(t), s % 4), s < 4 ? 1 : -1, x, y);
      const std::int64_t least =
          std::min_element(sectors.begin(), sectors.end(), [](const Sector &a, const Sector &b) {
            return a.variance < b.variance;
          })->variance;
      std::array<std::int64_t, 3> sum = {};
      std::int64_t all = 0;
      for (const Sector &s : sectors) {
        const std::int64_t ratio = 16384 * (least + 4) / (s.variance + 4);
        const std::int64_t square = ratio * ratio / 16384, w = square * square / 65536;
        all += w;
        for (std::size_t c = 0; c < 3; ++c)
          sum[c] += w * s.mean[c];
      }
      for (std::size_t c = 0; c < 3; ++c)
        out.at(x, y)[c] = static_cast<int>((sum[c] + 128 * all) / (256 * all));
    }
  return out;
}

}  // namespace coalesce::test
