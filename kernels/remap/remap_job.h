// SPDX-License-Identifier: LGPL-2.1-or-later
// One call, checked, and the arithmetic of both back ends.
#pragma once

#include "../core/host_device.h"
#include "../core/thread_pool.h"
#include "remap.h"

namespace coalesce {

struct RemapJob {
  RemapMap map;
  Plane<const std::uint8_t> in;
  int columns, rows;         // of samples
  PixelComponent component;  // of `in`
  Plane<std::uint8_t> out;
};

// A sample of 8 bits, or one of a word, with its bits on top.
COALESCE_HOST_DEVICE int sample_of(const PixelComponent &, std::uint8_t byte) {
  return byte;
}
COALESCE_HOST_DEVICE int sample_of(const PixelComponent &c, std::uint16_t word) {
  return (word >> c.shift & ((1 << c.bits) - 1)) << (16 - c.bits);
}

// Of samples (x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1).
struct FourSamples {
  int at[4];
};

COALESCE_HOST_DEVICE std::uint8_t blend(const FourSamples &s, int fx, int fy, std::uint8_t) {
  const int above = (kMapUnit - fx) * s.at[0] + fx * s.at[1];
  const int below = (kMapUnit - fx) * s.at[2] + fx * s.at[3];
  constexpr int kShift = 2 * kMapBits;
  return static_cast<std::uint8_t>(((kMapUnit - fy) * above + fy * below + (1 << (kShift - 1))) >>
                                   kShift);
}

// As OpenCV's: floats, rounded to nearest, halves to even.
COALESCE_HOST_DEVICE std::uint16_t blend(const FourSamples &s, int fx, int fy, std::uint16_t) {
  constexpr float kUnit = 1.0f / (kMapUnit * kMapUnit);
  constexpr float kWhole = 8388608;  // floats from here on are integers
  const float a =
      static_cast<float>(s.at[0]) * (static_cast<float>((kMapUnit - fx) * (kMapUnit - fy)) * kUnit);
  const float b = static_cast<float>(s.at[1]) * (static_cast<float>(fx * (kMapUnit - fy)) * kUnit);
  const float c = static_cast<float>(s.at[2]) * (static_cast<float>((kMapUnit - fx) * fy) * kUnit);
  const float d = static_cast<float>(s.at[3]) * (static_cast<float>(fx * fy) * kUnit);
  return static_cast<std::uint16_t>(((a + b) + c) + d + kWhole - kWhole);
}

// A pixel. T: a byte or a word.
template <class T, class Load>
COALESCE_HOST_DEVICE T remapped(const RemapJob &job, MapPoint at, int fraction, const Load &load) {
  const int fx = fraction & (kMapUnit - 1), fy = fraction >> kMapBits & (kMapUnit - 1);
  const PixelComponent &c = job.component;
  const auto sample = [&](const T *row, int x) { return sample_of(c, load(row + x * c.step)); };
  const auto row_at = [&](int y) { return reinterpret_cast<const T *>(job.in.row(y)) + c.first; };
  // Most pixels have all four.
  if (at.x >= 0 && at.x < job.columns - 1 && at.y >= 0 && at.y < job.rows - 1) {
    const T *above = row_at(at.y), *below = row_at(at.y + 1);
    return blend({{sample(above, at.x), sample(above, at.x + 1), sample(below, at.x),
                   sample(below, at.x + 1)}},
                 fx, fy, T());
  }
  FourSamples s;
  for (int i = 0; i < 4; ++i) {
    const int x = at.x + (i & 1), y = at.y + (i >> 1);
    const bool inside = x >= 0 && x < job.columns && y >= 0 && y < job.rows;
    s.at[i] = inside ? sample(row_at(y), x) : 0;
  }
  return blend(s, fx, fy, T());
}

// Is a place in a picture of this size, or between its samples?
COALESCE_HOST_DEVICE bool is_inside(MapPoint at, int fraction, int columns, int rows) {
  const int x = kMapUnit * at.x + (fraction & (kMapUnit - 1));
  const int y = kMapUnit * at.y + (fraction >> kMapBits & (kMapUnit - 1));
  return x >= 0 && x <= kMapUnit * (columns - 1) && y >= 0 && y <= kMapUnit * (rows - 1);
}

void remap_cpu(const RemapJob &job, ThreadPool *pool);
Status remap_cuda(const RemapJob &job, void *stream);

}  // namespace coalesce
