// SPDX-License-Identifier: LGPL-2.1-or-later
// One dimension of a rectangle, and which part of it a band is: shared by the host and the kernels.
#pragma once

#include "../../core/host_device.h"

namespace coalesce::j2k {

// Coordinates of samples, or of coefficients of a band. From 0.
struct Interval {
  int first, end;

  COALESCE_HOST_DEVICE int size() const { return end - first; }
  COALESCE_HOST_DEVICE bool empty() const { return end <= first; }
  COALESCE_HOST_DEVICE bool contains(int i) const { return i >= first && i < end; }
};

// The even samples are low-pass, coefficient k being at 2k; the odd ones high-pass, at 2k + 1.
COALESCE_HOST_DEVICE Interval low_half(Interval samples) {
  return {samples.first - samples.first / 2, samples.end - samples.end / 2};
}
COALESCE_HOST_DEVICE Interval high_half(Interval samples) {
  return {samples.first / 2, samples.end / 2};
}
// Pairs of samples 2k and 2k + 1 of which there is at least one.
COALESCE_HOST_DEVICE Interval pairs_of(Interval samples) {
  return {samples.first / 2, samples.end - samples.end / 2};
}

// LL after so many levels.
COALESCE_HOST_DEVICE Interval low_after(Interval samples, int levels) {
  for (int i = 0; i < levels; ++i)
    samples = low_half(samples);
  return samples;
}

// Of a band at that level (0: of the samples themselves), the coefficients that samples of a region
// depend on; they may be outside of the band. A low-pass basis function reaches low_reach samples
// to either side, a high-pass one a sample further.
COALESCE_HOST_DEVICE Interval reaching_into(Interval region, bool high, int level, int low_reach) {
  for (int i = 1; i <= level; ++i) {
    const int odd = high && i == level, reach = low_reach + odd;
    region = {(region.first - reach - odd + 1) >> 1, ((region.end - 1 + reach - odd) >> 1) + 1};
  }
  return region;
}

}  // namespace coalesce::j2k
