// SPDX-License-Identifier: LGPL-2.1-or-later
// What the two back ends of blur() have in common. Pictures and parameters have been checked.
#pragma once

#include <cstdint>

#include "../convolve/planes.h"
#include "../core/host_device.h"
#include "blur.h"

namespace coalesce {

// Smaller pictures have a plane of 16-bit samples for each component that is filtered. The sample
// in column 0, row 0 has the number -pad in both directions.
struct BlurComponent {
  int number = 0;  // in the format
  ChannelRole role = ChannelRole::level;
  int columns = 0, rows = 0;  // of the picture
  Plane<std::uint16_t> low, smooth;
};

struct BlurJob {
  ConstImage in;
  Image out;
  int log2_factor = 2, pad = 1;
  SampleDepth depth;
  Border border = Border::replicate;
  int outside_level = 0, outside_chroma = 0;  // samples of a constant border
  int reach = 0;
  std::uint16_t tap[2 * Blur::kMostReach] = {};
  int components = 0;
  BlurComponent component[4];

  int factor() const { return 1 << log2_factor; }
  int outside(const BlurComponent &c) const {
    return c.role == ChannelRole::chroma ? outside_chroma : outside_level;
  }
};

// The Gaussian of a smaller picture, down, then across; each a sum with taps. Beside the plane its
// rim is repeated: where that matters, all beyond it is the same.
constexpr int kBlurTapBits = 15;
COALESCE_HOST_DEVICE std::uint16_t smooth_sample(std::uint32_t sum) {
  return static_cast<std::uint16_t>((sum + (1u << (kBlurTapBits - 1))) >> kBlurTapBits);
}

// Of a factor 2^k:
//   low     (sum + half) >> right, of a sum over triangles that add up to 2^2k each way
//   columns three weighted samples of `smooth` below each other become 2^(31 - 2k) times their mean
//   samples three weighted columns, 2^32 times their mean; the uppermost bits are the sample
struct BlurNumbers {
  int log2_factor, right;
  int column_left, column_right;

  // Sum: of 8 bits, 32 bits do.
  template <class Sum>
  COALESCE_HOST_DEVICE std::uint16_t low(Sum sum) const {
    const Sum half = right > 0 ? Sum{1} << (right - 1) : 0;
    return static_cast<std::uint16_t>((sum + half) >> right);
  }
  // Weights of position `at` of a cell, 0 to 2^k - 1, for the cells before and behind; those of the
  // three cells add up to 2^(2k + 1).
  COALESCE_HOST_DEVICE std::uint32_t before(int at) const {
    const int rest = (1 << log2_factor) - at;
    return static_cast<std::uint32_t>(rest * rest);
  }
  COALESCE_HOST_DEVICE std::uint32_t behind(int at) const {
    return static_cast<std::uint32_t>(at * at);
  }
  COALESCE_HOST_DEVICE std::uint32_t column(int at, std::uint32_t a, std::uint32_t b,
                                            std::uint32_t c) const {
    const std::uint32_t first = before(at), last = behind(at);
    const std::uint32_t middle = (2u << 2 * log2_factor) - first - last;
    const std::uint32_t half = column_right > 0 ? 1u << (column_right - 1) : 0;
    return (((first * a + middle * b + last * c) << column_left) + half) >> column_right;
  }
};

// sum: of samples as they are, or as their containers have them (shift more).
inline BlurNumbers blur_numbers(int log2_factor, SampleDepth depth, bool in_container) {
  const int up = 16 - depth.bits - (in_container ? depth.shift : 0);
  const int right = 4 * log2_factor - up, column = 14 - 4 * log2_factor;
  return {log2_factor, right, column > 0 ? column : 0, column < 0 ? -column : 0};
}

void blur_down_cpu(const BlurJob &job, ThreadPool *pool);
void blur_smooth_cpu(const BlurJob &job, ThreadPool *pool);
void blur_up_cpu(const BlurJob &job, ThreadPool *pool);
Status blur_down_cuda(const BlurJob &job, void *stream);
Status blur_smooth_cuda(const BlurJob &job, void *stream);
Status blur_up_cuda(const BlurJob &job, void *stream);

}  // namespace coalesce
