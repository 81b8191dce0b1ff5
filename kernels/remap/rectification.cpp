// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rectification.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace coalesce {
namespace {

using Matrix = std::array<double, 9>;  // row by row

Matrix product(const Matrix &a, const Matrix &b) {
  Matrix c;
  for (std::size_t i = 0; i < 9; ++i) {
    const std::size_t row = i / 3 * 3, column = i % 3;
    c[i] = a[row] * b[column] + a[row + 1] * b[column + 3] + a[row + 2] * b[column + 6];
  }
  return c;
}

Matrix inverse(const Matrix &m) {
  const double a = m[4] * m[8] - m[5] * m[7], b = m[3] * m[8] - m[5] * m[6],
               c = m[3] * m[7] - m[4] * m[6];
  const double d = 1 / (m[0] * a - m[1] * b + m[2] * c);
  return {a * d,  (m[2] * m[7] - m[1] * m[8]) * d, (m[1] * m[5] - m[2] * m[4]) * d,
          -b * d, (m[0] * m[8] - m[2] * m[6]) * d, (m[2] * m[3] - m[0] * m[5]) * d,
          c * d,  (m[1] * m[6] - m[0] * m[7]) * d, (m[0] * m[4] - m[1] * m[3]) * d};
}

// From pixels of the rectified picture to directions of the camera.
Matrix directions(const RectifiedCamera &camera) {
  Matrix p, r;
  for (std::size_t i = 0; i < 9; ++i)
    p[i] = camera.projection[i / 3 * 4 + i % 3], r[i] = camera.rotation[i];
  return inverse(product(p, r));
}

// Of a sensor that is tilted.
Matrix tilt(double x, double y) {
  const double cx = std::cos(x), sx = std::sin(x), cy = std::cos(y), sy = std::sin(y);
  const Matrix r = product({cy, 0, -sy, 0, 1, 0, sy, 0, cy}, {1, 0, 0, 0, cx, sx, 0, -sx, cx});
  return product({r[8], 0, -r[2], 0, r[8], -r[5], 0, 0, 1}, r);
}

// In 32nds of a pixel, halves to even; what is far outside, or no number, as far as a map goes.
int in_units(double pixels) {
  constexpr double kLeast = -kMapUnit * 32768., kMost = kMapUnit * 32768. - 1;
  const double units = pixels * kMapUnit;
  if (!(units > kLeast)) return static_cast<int>(kLeast);
  return static_cast<int>(std::nearbyint(std::min(units, kMost)));
}

}  // namespace

bool can_rectify(const RectifiedCamera &camera) {
  const Matrix to = directions(camera);
  return std::all_of(to.begin(), to.end(), [](double x) { return std::isfinite(x); });
}

void make_map(const RectifiedCamera &camera, const Plane<MapPoint> &point,
              const Plane<std::uint16_t> &fraction) {
  const Matrix to = directions(camera);
  const auto &[k1, k2, p1, p2, k3, k4, k5, k6, s1, s2, s3, s4, tau_x, tau_y] = camera.distortion;
  const Matrix tilted = tilt(tau_x, tau_y);
  for (int row = 0; row < point.height; ++row)
    for (int column = 0; column < point.width; ++column) {
      const double j = column, i = row;
      const double w = 1 / (to[6] * j + (to[7] * i + to[8]));
      const double x = (to[0] * j + (to[1] * i + to[2])) * w;
      const double y = (to[3] * j + (to[4] * i + to[5])) * w;
      const double x2 = x * x, y2 = y * y, r2 = x2 + y2, xy = 2 * x * y;
      const double k =
          (1 + ((k3 * r2 + k2) * r2 + k1) * r2) / (1 + ((k6 * r2 + k5) * r2 + k4) * r2);
      const double xd = x * k + p1 * xy + p2 * (r2 + 2 * x2) + s1 * r2 + s2 * r2 * r2;
      const double yd = y * k + p1 * (r2 + 2 * y2) + p2 * xy + s3 * r2 + s4 * r2 * r2;
      const double z = tilted[6] * xd + tilted[7] * yd + tilted[8];
      const double scale = z != 0 ? 1 / z : 1;
      const double *m = camera.matrix;
      const int u = in_units(m[0] * scale * (tilted[0] * xd + tilted[1] * yd + tilted[2]) + m[2]);
      const int v = in_units(m[4] * scale * (tilted[3] * xd + tilted[4] * yd + tilted[5]) + m[5]);
      point.row(row)[column] = {static_cast<std::int16_t>(u >> kMapBits),
                                static_cast<std::int16_t>(v >> kMapBits)};
      fraction.row(row)[column] =
          static_cast<std::uint16_t>((v & (kMapUnit - 1)) * kMapUnit + (u & (kMapUnit - 1)));
    }
}

}  // namespace coalesce
