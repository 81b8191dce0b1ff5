// SPDX-License-Identifier: LGPL-2.1-or-later
// One call, checked, and the arithmetic of both back ends.
#pragma once

#include "combing.h"

namespace coalesce {

constexpr int kCombingRows = 4;       // that are looked at together
constexpr int kCombingColumns = 4;    // of which one is looked at
constexpr int kCombingThreshold = 8;  // of 255: noise

struct CombingJob {
  Plane<const std::uint8_t> before, current;
  PixelComponent component;
  int columns, rows;
  Combing *parts;

  // The first group of rows of a part; groups begin at every row but the last three.
  COALESCE_HOST_DEVICE int first_group(int part) const {
    const int groups = rows < kCombingRows ? 0 : rows - kCombingRows + 1;
    return static_cast<int>(std::int64_t{groups} * part / kCombingParts);
  }
  // Of a sample, so that all depths have one range.
  COALESCE_HOST_DEVICE int shift() const { return component.bits > 8 ? component.bits - 8 : 0; }
};

COALESCE_HOST_DEVICE int least(int a, int b) {
  return a < b ? a : b;
}
COALESCE_HOST_DEVICE int most(int a, int b) {
  return a < b ? b : a;
}

// By how much rows a and c stand out of rows b and d, or these out of those.
COALESCE_HOST_DEVICE int combing_of(int a, int b, int c, int d) {
  const int up = least(a, c) - most(b, d), down = least(b, d) - most(a, c);
  return most(most(up, down) - kCombingThreshold, 0);
}

Status measure_combing_cpu(const CombingJob &job, ThreadPool *pool);
Status measure_combing_cuda(const CombingJob &job, void *stream);

}  // namespace coalesce
