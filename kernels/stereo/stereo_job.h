// SPDX-License-Identifier: LGPL-2.1-or-later
// One call, checked, and the arithmetic of both back ends.
#pragma once

#include "../core/host_device.h"
#include "../core/thread_pool.h"
#include "matching.h"
#include "stereo.h"

namespace coalesce {

constexpr int kCensusColumns = 4, kCensusRows = 3;  // on either side
constexpr int kCensusBits = 31;
constexpr int kCostOutside = 10;  // of sgm, for candidates left of the right picture
constexpr unsigned kNoIndex = 0xFFFF;

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

// Is a pixel of the window, but the one in the middle, part of the census transform?
COALESCE_HOST_DEVICE constexpr bool is_in_census(int column, int row) {
  return ((column + row) & 1) == 0 && (column != 0 || row != 0);
}

// What no other candidate may reach, for a best one that is unique: costs up to this one.
COALESCE_HOST_DEVICE int uniqueness_limit(int best, int uniqueness) {
  return 100 * best / (100 - uniqueness);
}

COALESCE_HOST_DEVICE int stored_disparity(int disparity, int offset) {
  const int value = kDisparityUnit * disparity + offset;
  return value > 1 ? value : 1;
}

Status find_disparities_cpu(const StereoJob &job, ThreadPool *pool);
Status find_disparities_cuda(const StereoJob &job, void *stream);
Status filter_speckles_cpu(const SpeckleJob &job, ThreadPool *pool);
Status filter_speckles_cuda(const SpeckleJob &job, void *stream);

}  // namespace coalesce
