// SPDX-License-Identifier: LGPL-2.1-or-later
#include "convolve_pictures.h"

#include <cmath>
#include <cstring>
#include <stdexcept>

#include "convolve_reference.h"

namespace coalesce::test {
namespace {

std::vector<std::uint8_t> stored(const Picture &picture, SampleDepth depth) {
  std::vector<std::uint8_t> bytes;
  for (int sample : picture.samples) {
    bytes.push_back(static_cast<std::uint8_t>(sample << depth.shift));
    if (depth.bytes() == 2) bytes.push_back(static_cast<std::uint8_t>(sample << depth.shift >> 8));
  }
  return bytes;
}

struct Elements {
  int width, height;
  std::vector<double> at;
};

Elements elements_of(const FilterSettings &s) {
  if (s.horizontal.empty()) return {s.mask.width, s.mask.height, s.mask.at};
  const std::vector<double> &down = s.vertical.empty() ? s.horizontal : s.vertical;
  Elements e = {static_cast<int>(s.horizontal.size()), static_cast<int>(down.size()), {}};
  for (double v : down)
    for (double u : s.horizontal)
      e.at.push_back(v * u);
  return e;
}

// The table of numerics.md.
void divide_and_shift(const FilterSettings &s, SampleDepth depth, const Elements &h, double *d,
                      double *b) {
  double sum = 0, absolute = 0;
  for (double x : h.at) {
    sum += x;
    absolute += std::abs(x);
  }
  if (std::abs(sum) < 1e-12 * absolute) sum = 0;
  *d = 1;
  *b = 0;
  if (s.normalize && !s.absolute) {
    if (sum > 0)
      *d = sum;
    else
      *b = sum < 0 ? depth.max() : depth.middle();
  }
  if (s.divisor != 0) *d = s.divisor;
  if (s.bias != kAutomatic) *b = s.bias;
}

}  // namespace

Picture filtered(const FilterSettings &settings, SampleDepth depth, const Picture &in,
                 const Surroundings &around) {
  Filter filter;
  FilterError error;
  if (!make_filter(settings, depth, &filter, &error))
    throw std::runtime_error(error.property + " " + error.text);
  const std::vector<std::uint8_t> from = stored(in, depth);
  std::vector<std::uint8_t> to(from.size());
  ConvolvePlanes image;
  const int row_bytes = in.width * depth.bytes();
  const auto pitch = static_cast<std::size_t>(row_bytes);
  image.plane[0].in = {from.data(), row_bytes, in.height, pitch};
  image.plane[0].out = {to.data(), row_bytes, in.height, pitch};
  image.plane[0].role[0] = around.role;
  const Status s = convolve_planes({&filter, around.border, around.value}, image, Queue::cpu());
  if (!s.ok()) throw std::runtime_error(s.message());
  return picture(in.width, in.height, [&](int x, int y) {
    const std::uint8_t *bytes = &to[static_cast<std::size_t>(y * row_bytes + x * depth.bytes())];
    return (depth.bytes() == 1 ? bytes[0] : bytes[0] + 256 * bytes[1]) >> depth.shift;
  });
}

std::vector<double> ideally_filtered(const FilterSettings &settings, SampleDepth depth,
                                     const Picture &in, const Surroundings &around) {
  const Elements h = elements_of(settings);
  double d = 1, b = 0;
  divide_and_shift(settings, depth, h, &d, &b);
  const bool chroma = around.role == ChannelRole::chroma;
  const int zero = chroma ? depth.middle() : 0;
  const int outside = chroma ? depth.middle() : around.value;
  const int ax = settings.anchor_x < 0 ? (h.width - 1) / 2 : settings.anchor_x;
  const int ay = settings.anchor_y < 0 ? (h.height - 1) / 2 : settings.anchor_y;
  const int sign = settings.correlate ? 1 : -1;

  // I(x + ..., y) - zero, for each column of the mask.
  std::vector<int> column_of;
  for (int j = 0; j < h.width; ++j)
    for (int x = 0; x < in.width; ++x)
      column_of.push_back(position_inside(around.border, x + sign * (j - ax), in.width));
  std::vector<double> result;
  for (int y = 0; y < in.height; ++y) {
    std::vector<double> sums(static_cast<std::size_t>(in.width));
    for (int i = 0; i < h.height; ++i) {
      const int row = position_inside(around.border, y + sign * (i - ay), in.height);
      for (int j = 0; j < h.width; ++j) {
        const double weight = h.at[static_cast<std::size_t>(i * h.width + j)];
        const int *columns = &column_of[static_cast<std::size_t>(j * in.width)];
        for (int x = 0; x < in.width; ++x) {
          const int sample = row < 0 || columns[x] < 0 ? outside : in.at(columns[x], row);
          sums[static_cast<std::size_t>(x)] += weight * (sample - zero);
        }
      }
    }
    for (double sum : sums)
      result.push_back((settings.absolute ? std::abs(sum) : sum) / d +
                       (chroma ? depth.middle() : b));
  }
  return result;
}

}  // namespace coalesce::test
