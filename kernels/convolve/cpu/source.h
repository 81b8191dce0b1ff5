// SPDX-License-Identifier: LGPL-2.1-or-later
// Where the CPU back end of convolve gets its samples.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../planes.h"
#include "rows.h"

namespace coalesce {

// A plane and what stands around it.
class Source {
 public:
  Source(const ConvolveParams &params, const ConvolvePlane &plane)
      : in_(plane.in),
        depth_(params.filter->depth),
        border_(params.border),
        channels_(plane.channels),
        width_(plane.in.width / pixel_bytes()) {
    for (int c = 0; c < channels_; ++c) {
      outside_[c] = plane.role[c] == ChannelRole::chroma ? depth_.middle() : params.border_value;
      copies_ = copies_ || plane.role[c] == ChannelRole::copy;
    }
  }

  int width() const { return width_; }
  // Are some channels copied?
  bool copies() const { return copies_; }
  int pixel_bytes() const { return channels_ * depth_.bytes(); }

  // Pixels x to x + pixels - 1 of row y; all of them may lie outside.
  template <class Sample>
  void load(int x, int y, int pixels, Sample *line) const {
    // A pair needs the pixel after it as well.
    constexpr int kMore = std::is_same_v<Sample, SamplePair> ? 1 : 0;
    y = border_position(border_, y, in_.height);
    const int first = y < 0 ? pixels : std::clamp(-x, 0, pixels);
    const int end = y < 0 ? pixels : std::clamp(width_ - kMore - x, first, pixels);
    for (int i = 0; i < first; ++i)
      load_one(x + i, y, line + i * channels_);
    if (end > first)
      widen(pixel(x + first, y), depth_, channels_, (end - first) * channels_,
            line + first * channels_);
    for (int i = end; i < pixels; ++i)
      load_one(x + i, y, line + i * channels_);
  }

 private:
  const std::uint8_t *pixel(int x, int y) const {
    return in_.row(y) + static_cast<std::ptrdiff_t>(x) * pixel_bytes();
  }

  // x and y as border_position() gives them.
  std::uint16_t sample(int x, int y, int c) const {
    if (x < 0 || y < 0) return static_cast<std::uint16_t>(outside_[c]);
    if (depth_.bytes() == 1) return pixel(x, y)[c];
    const int stored = reinterpret_cast<const std::uint16_t *>(pixel(x, y))[c];
    return static_cast<std::uint16_t>((stored >> depth_.shift) & depth_.max());
  }

  template <class Sample>
  void load_one(int x, int y, Sample *line) const {
    const int inside = border_position(border_, x, width_);
    [[maybe_unused]] const auto less_middle = [this](int sample) {
      return static_cast<std::uint16_t>(sample - pair_middle(depth_));
    };
    for (int c = 0; c < channels_; ++c) {
      if constexpr (std::is_same_v<Sample, SamplePair>)
        line[c] = {less_middle(sample(inside, y, c)),
                   less_middle(sample(border_position(border_, x + 1, width_), y, c))};
      else
        line[c] = sample(inside, y, c);
    }
  }

  Plane<const std::uint8_t> in_;
  SampleDepth depth_;
  Border border_;
  int channels_;
  int width_;
  bool copies_ = false;
  int outside_[4] = {};
};

}  // namespace coalesce
