// SPDX-License-Identifier: LGPL-2.1-or-later
#include "convolve_reference.h"

#include <algorithm>
#include <cstring>

namespace coalesce::test {
namespace {

// Where the sample begins.
std::size_t offset(const ConvolvePlane &plane, SampleDepth depth, int channel, int x) {
  return static_cast<std::size_t>((x * plane.channels + channel) * depth.bytes());
}

int load_sample(const ConvolvePlane &plane, SampleDepth depth, int channel, int x, int y) {
  const std::uint8_t *bytes = plane.in.row(y) + offset(plane, depth, channel, x);
  const int stored = depth.bytes() == 1 ? bytes[0] : bytes[0] + 256 * bytes[1];
  return (stored >> depth.shift) & depth.max();  // the other bits of the word do not count
}

std::vector<std::int64_t> weights_of(const Filter &filter) {
  if (!filter.separable) return {filter.weights.begin(), filter.weights.end()};
  std::vector<std::int64_t> weights;
  for (std::int64_t v : filter.down)
    for (std::int64_t u : filter.across)
      weights.push_back(v * u);
  return weights;
}

void filter_channel(const ConvolveParams &params, const ConvolvePlane &plane, int channel,
                    BorderRule rule) {
  const Filter &f = *params.filter;
  const std::vector<std::int64_t> weights = weights_of(f);
  const Surrounded in(params, plane, channel, f.left, f.above, f.width - 1 - f.left,
                      f.height - 1 - f.above, rule);
  const int width = pixels_across(plane, f.depth);
  for (int y = 0; y < plane.out.height; ++y)
    for (int x = 0; x < width; ++x) {
      std::int64_t sum = 0;  // numerics.md: it fits
      const std::int64_t *weight = weights.data();
      for (int r = 0; r < f.height; ++r) {
        const int *samples = in.row(y + r) + x;
        for (int c = 0; c < f.width; ++c)
          sum += *weight++ * samples[c];
      }
      store_sample(plane, f.depth, channel, x, y, finished(sum, f, plane.role[channel]));
    }
}

void copy_channel(const ConvolvePlane &plane, SampleDepth depth, int channel) {
  const auto bytes = static_cast<std::size_t>(depth.bytes());
  for (int y = 0; y < plane.out.height; ++y)
    for (int x = 0; x < pixels_across(plane, depth); ++x) {
      const std::size_t at = offset(plane, depth, channel, x);
      std::memcpy(plane.out.row(y) + at, plane.in.row(y) + at, bytes);
    }
}

}  // namespace

int pixels_across(const ConvolvePlane &plane, SampleDepth depth) {
  return plane.in.width / (plane.channels * depth.bytes());
}

void store_sample(const ConvolvePlane &plane, SampleDepth depth, int channel, int x, int y,
                  int value) {
  std::uint8_t *bytes = plane.out.row(y) + offset(plane, depth, channel, x);
  const int stored = value << depth.shift;
  bytes[0] = static_cast<std::uint8_t>(stored);
  if (depth.bytes() == 2) bytes[1] = static_cast<std::uint8_t>(stored >> 8);
}

// Step by step towards the picture.
int position_inside(Border border, int position, int size) {
  while (position < 0 || position >= size) {
    const bool before = position < 0;
    switch (border) {
      case Border::constant:
        return -1;
      case Border::replicate:
        position += before ? 1 : -1;
        break;
      case Border::wrap:
        position += before ? size : -size;
        break;
      case Border::reflect:
        position = before ? -1 - position : 2 * size - 1 - position;
        break;
      case Border::reflect_101:
        if (size == 1) return 0;
        position = before ? -position : 2 * (size - 1) - position;
        break;
    }
  }
  return position;
}

Surrounded::Surrounded(const ConvolveParams &params, const ConvolvePlane &plane, int channel,
                       int left, int above, int right, int below, BorderRule rule) {
  const SampleDepth depth = params.filter->depth;
  const int inner = pixels_across(plane, depth);
  const int outside =
      plane.role[channel] == ChannelRole::chroma ? depth.middle() : params.border_value;
  width = left + inner + right;
  height = above + plane.in.height + below;
  std::vector<int> columns;
  for (int x = 0; x < width; ++x)
    columns.push_back(rule(params.border, x - left, inner));
  samples.reserve(static_cast<std::size_t>(width * height));
  for (int y = 0; y < height; ++y) {
    const int row = rule(params.border, y - above, plane.in.height);
    for (int column : columns)
      samples.push_back(row < 0 || column < 0 ? outside
                                              : load_sample(plane, depth, channel, column, row));
  }
}

int finished(Wide sum, const Filter &filter, ChannelRole role) {
  const Filter::Offsets &add = role == ChannelRole::chroma ? filter.chroma : filter.level;
  sum += add.before;
  if (filter.absolute && sum < 0) sum = -sum;
  sum += add.after;
  Wide quotient = sum / filter.divisor;
  if (sum % filter.divisor < 0) --quotient;  // down, not towards 0
  return static_cast<int>(std::clamp<Wide>(quotient, 0, filter.depth.max()));
}

void convolve_reference(const ConvolveParams &params, const ConvolvePlanes &image,
                        BorderRule rule) {
  for (int i = 0; i < image.planes; ++i) {
    const ConvolvePlane &plane = image.plane[i];
    for (int c = 0; c < plane.channels; ++c) {
      if (plane.role[c] == ChannelRole::copy)
        copy_channel(plane, params.filter->depth, c);
      else
        filter_channel(params, plane, c, rule);
    }
  }
}

}  // namespace coalesce::test
