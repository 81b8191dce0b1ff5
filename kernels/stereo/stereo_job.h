// SPDX-License-Identifier: LGPL-2.1-or-later
// One call, checked, and the arithmetic of both back ends.
#pragma once

#include <math.h>

#include "../core/host_device.h"
#include "../core/thread_pool.h"
#include "stereo.h"

namespace coalesce {

constexpr int kMostDifference = 127;                // of sad
constexpr int kCensusColumns = 4, kCensusRows = 3;  // on either side
constexpr int kCensusBits = 31;
constexpr int kCostOutside = 10;  // of sgm, for candidates left of the right picture
constexpr int kNccOne = 1 << 14;  // cost of no correlation; that of -1 is twice as much
constexpr unsigned kNoCost = 0xFFFF, kNoIndex = 0xFFFF;

struct StereoJob {
  StereoParams params;
  Plane<const std::uint8_t> in[2];  // left, right
  PixelComponent component;
  int width = 0, height = 0;
  Plane<std::uint16_t> found;  // disparities before the median
  std::uint8_t penalty[256];   // of sgm, for larger steps, by the difference of two pixels
  void *scratch = nullptr;

  std::size_t pixels() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  }
  bool uses_census() const {
    return params.method == StereoMethod::census || params.method == StereoMethod::sgm;
  }
  bool checks_right() const { return params.left_right >= 0; }
};

// Of `disparities`, speckles become 0.
struct SpeckleJob {
  Plane<std::uint16_t> disparities;
  int size = 0;   // pixels of the largest speckle
  int range = 0;  // of disparities
  void *scratch = nullptr;
};

// A sample as a byte.
COALESCE_HOST_DEVICE int byte_of(int sample, int bits) {
  if (bits == 8) return sample;
  const int byte = (sample + (1 << (bits - 9))) >> (bits - 8);
  return byte < 255 ? byte : 255;
}

// Is a pixel of the window, but the one in the middle, part of the census transform?
COALESCE_HOST_DEVICE constexpr bool is_in_census(int column, int row) {
  return ((column + row) & 1) == 0 && (column != 0 || row != 0);
}

// What no other candidate may reach, for a best one that is unique: costs up to this one.
COALESCE_HOST_DEVICE int uniqueness_limit(int best, int uniqueness) {
  return 100 * best / (100 - uniqueness);
}

// In 16ths of a pixel, -8 to 8, by the costs beside the best one; the one before is above it.
COALESCE_HOST_DEVICE int subpixel_offset(int before, int best, int behind) {
  const int a = before - best, b = behind - best, most = a > b ? a : b;
  const int numerator = 16 * (a - b) + most;
  const int quotient = numerator / (2 * most);
  return quotient * 2 * most > numerator ? quotient - 1 : quotient;
}

COALESCE_HOST_DEVICE int stored_disparity(int disparity, int offset) {
  const int value = kDisparityUnit * disparity + offset;
  return value > 1 ? value : 1;
}

// Of ncc, with samples less 128: of the left picture's window the sum of its samples, of the right
// one's their mean; and what makes a correlation of their covariance.
struct alignas(8) NccWindow {
  float level, scale;
};
COALESCE_HOST_DEVICE float ncc_deviation(int count, int sum, int squares) {
  const std::int64_t variance = std::int64_t{count} * squares - std::int64_t{sum} * sum;
  return variance > 0 ? 1.0f / sqrtf(static_cast<float>(variance)) : 0.0f;
}
COALESCE_HOST_DEVICE NccWindow ncc_left(int count, int sum, int squares) {
  return {static_cast<float>(sum),
          static_cast<float>(count * kNccOne) * ncc_deviation(count, sum, squares)};
}
COALESCE_HOST_DEVICE NccWindow ncc_right(int count, int sum, int squares) {
  return {static_cast<float>(sum) / static_cast<float>(count), ncc_deviation(count, sum, squares)};
}
// products: the sum of those of the windows' samples.
COALESCE_HOST_DEVICE unsigned ncc_cost(int products, NccWindow left, NccWindow right) {
  const float covariance = static_cast<float>(products) - left.level * right.level;
  const float cost = kNccOne + 0.5f - covariance * right.scale * left.scale;
  return static_cast<unsigned>(cost < 0 ? 0 : cost > 2 * kNccOne ? 2 * kNccOne : cost);
}

Status find_disparities_cpu(const StereoJob &job, ThreadPool *pool);
Status find_disparities_cuda(const StereoJob &job, void *stream);
Status filter_speckles_cpu(const SpeckleJob &job, ThreadPool *pool);
Status filter_speckles_cuda(const SpeckleJob &job, void *stream);

}  // namespace coalesce
