// SPDX-License-Identifier: LGPL-2.1-or-later
// Where it pays to cut a block: the convex hull of its passes' lengths and distortions.
#pragma once

#include <cstdint>

#include "rate.h"

namespace coalesce::j2k {

__extension__ typedef __int128 Int128;

// The slope of a gain of `distortion` * 2^exponent for so many bytes (neither is 0), as rate.h has
// it.
int quantised_slope(unsigned __int128 distortion, int exponent, std::uint32_t bytes);

// By how much a pass lowers the error, in units of step^2 / 64.
inline Int128 distortion_of(const Pass &pass) {
  return static_cast<Int128>(pass.distortion) * (static_cast<Int128>(1) << (2 * pass.plane));
}

// What that is worth when passes are compared, times 2^kWorthBits. Decoders round; as long as there
// are larger errors anywhere, those of the fine planes are better left alone: docs/jpeg2000.md.
constexpr int kWorthBits = 4;
inline Int128 worth_of(const RateBlock &block, const Pass &pass) {
  const Int128 distortion = distortion_of(pass);
  return pass.plane < block.fine_planes ? distortion : distortion * (1 << kWorthBits);
}

// A step from one corner of the hull to the next.
struct HullStep {
  std::int64_t gain;     // of error units, from the first pass on
  std::uint32_t length;  // of bytes behind it
  std::uint16_t slope;   // never above that of the step before
  std::uint8_t passes;   // up to its end
};

struct Hull {
  int steps;
  std::int64_t error;  // in error units, if nothing is decoded
};

// The steps are at most as many as passes. (Passes that need no bytes come with the one before; the
// first, with the first that does.)
Hull convex_hull(const RateBlock &block, HullStep *steps);

}  // namespace coalesce::j2k
