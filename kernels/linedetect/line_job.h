// SPDX-License-Identifier: LGPL-2.1-or-later
// One call, checked, and the arithmetic of both back ends: how far a pixel is from a chord, which
// line is longer, and the fitted line.
#pragma once

#include <cmath>
#include <cstdint>

#include "../core/host_device.h"
#include "../core/thread_pool.h"
#include "linedetect.h"

namespace coalesce {

struct LineJob {
  Plane<const std::uint8_t> in[3];
  PixelComponent channel[3];  // luma or grey; or three
  int channels = 1;
  Plane<const std::uint8_t> edges;
  int width = 0, height = 0;
  std::int64_t tolerance = 0;  // its square, in 256ths of a square pixel
  int min_length = 0, max_lines = 0;
  Line *lines = nullptr;
  LineCount *count = nullptr;
  void *scratch = nullptr;
};

// Steps of a chain that are split by themselves.
constexpr int kLineWindow = 256;

// A pixel as one number, in the order of rows: y << 15 | x.
using LinePixel = std::uint32_t;
COALESCE_HOST_DEVICE constexpr LinePixel line_pixel(int x, int y) {
  return static_cast<LinePixel>(y) << 15 | static_cast<LinePixel>(x);
}
COALESCE_HOST_DEVICE constexpr int pixel_x(LinePixel p) {
  return static_cast<int>(p & 0x7fff);
}
COALESCE_HOST_DEVICE constexpr int pixel_y(LinePixel p) {
  return static_cast<int>(p >> 15);
}

COALESCE_HOST_DEVICE constexpr std::int64_t squared(std::int64_t v) {
  return v * v;
}

// Can a chain of so many pixels have a line?
COALESCE_HOST_DEVICE constexpr bool may_have_line(std::int64_t pixels, int min_length) {
  return 2 * squared(pixels - 1) >= squared(min_length);
}
constexpr int kMinChain = 5;  // pixels, whatever the parameters
static_assert(may_have_line(kMinChain, kMinLineLength) &&
                  !may_have_line(kMinChain - 1, kMinLineLength),
              "of a chain that may have a line");

// From one end of a piece to the other.
struct Chord {
  int x, y;              // where it begins
  int dx, dy;            // from there to its end
  std::int64_t length2;  // its square
  COALESCE_HOST_DEVICE Chord(LinePixel from, LinePixel to)
      : x(pixel_x(from)), y(pixel_y(from)), dx(pixel_x(to) - x), dy(pixel_y(to) - y) {
    length2 = squared(dx) + squared(dy);
  }
  // The square of the distance to the chord, and not to the line through it, times length2. (At
  // most 2^62.)
  COALESCE_HOST_DEVICE std::int64_t deviation(LinePixel p) const {
    const std::int64_t px = pixel_x(p) - x, py = pixel_y(p) - y;
    const std::int64_t along = px * dx + py * dy;
    if (along < 0) return (px * px + py * py) * length2;
    if (along > length2) return (squared(px - dx) + squared(py - dy)) * length2;
    return squared(dx * py - dy * px);
  }
  // What deviations must exceed. (tolerance: as in LineJob)
  COALESCE_HOST_DEVICE std::int64_t limit(std::int64_t tolerance) const {
    return tolerance * length2 >> 8;
  }
};

// Longer lines have larger keys; of equally long ones the upper and then the left one, by the pixel
// where the chain comes to them first. No two lines have the same.
COALESCE_HOST_DEVICE constexpr std::uint64_t line_key(std::int64_t length2, LinePixel first) {
  return static_cast<std::uint64_t>(length2) << 30 | (0x3fffffffu - first);
}

// Of a piece's pixels, relative to its first one.
struct LineSums {
  std::int64_t n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  COALESCE_HOST_DEVICE void add(int px, int py) {
    ++n, x += px, y += py;
    xx += std::int64_t{px} * px, xy += std::int64_t{px} * py, yy += std::int64_t{py} * py;
  }
};

COALESCE_HOST_DEVICE std::int32_t rounded(double v) {
  return static_cast<std::int32_t>(floor(v + 0.5));
}

// The line of the least squared distances.
struct FittedLine {
  double x, y;    // a point of it, relative to the piece's first pixel
  double ux, uy;  // its direction, of length 1
  int nx, ny;     // across it, in 2^-14
};
COALESCE_HOST_DEVICE_CALL FittedLine fit_line(const LineSums &s, int dx, int dy) {
  const double n = static_cast<double>(s.n), sx = static_cast<double>(s.x);
  const double sy = static_cast<double>(s.y);
  FittedLine f = {sx / n, sy / n, static_cast<double>(dx), static_cast<double>(dy), 0, 0};
  const double a = (static_cast<double>(s.xx) - sx * f.x) - (static_cast<double>(s.yy) - sy * f.y);
  const double b = 2 * (static_cast<double>(s.xy) - sx * f.y);
  const double r = sqrt(a * a + b * b);
  if (r > 0) {
    f.ux = a >= 0 ? a + r : b;
    f.uy = a >= 0 ? b : r - a;
  }
  double length = sqrt(f.ux * f.ux + f.uy * f.uy);
  if (f.ux * dx + f.uy * dy < 0) length = -length;
  f.ux /= length, f.uy /= length;
  f.nx = rounded(-f.uy * 16384), f.ny = rounded(f.ux * 16384);
  return f;
}

// Where a pixel is across it.
COALESCE_HOST_DEVICE constexpr int across(const FittedLine &f, int px, int py) {
  return px * f.nx + py * f.ny;
}

// slope: the largest of the channels' sums of gradients, across().
COALESCE_HOST_DEVICE double slope_across(const FittedLine &f, std::int64_t gx, std::int64_t gy) {
  return fabs(static_cast<double>(gy) * f.ux - static_cast<double>(gx) * f.uy);
}
COALESCE_HOST_DEVICE_CALL Line line_of(const FittedLine &f, LinePixel from, LinePixel to, int least,
                                       int most, std::int64_t n, double slope) {
  const int x = pixel_x(from), y = pixel_y(from);
  const double dx = pixel_x(to) - x - f.x, dy = pixel_y(to) - y - f.y;
  const double begin = -f.x * f.ux - f.y * f.uy, end = dx * f.ux + dy * f.uy;
  Line line;
  line.x0 = 256 * x + rounded(256 * (f.x + begin * f.ux));
  line.y0 = 256 * y + rounded(256 * (f.y + begin * f.uy));
  line.x1 = 256 * x + rounded(256 * (f.x + end * f.ux));
  line.y1 = 256 * y + rounded(256 * (f.y + end * f.uy));
  line.width = 256 + ((most - least + 32) >> 6);
  line.strength = rounded(64 * slope / static_cast<double>(n));
  if (to > from) return line;
  return {line.x1, line.y1, line.x0, line.y0, line.width, line.strength};
}

Status linedetect_cpu(const LineJob &job, ThreadPool *pool);
Status linedetect_cuda(const LineJob &job, void *stream);

}  // namespace coalesce
