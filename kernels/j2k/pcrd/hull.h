// SPDX-License-Identifier: LGPL-2.1-or-later
// Where it pays to cut a block: the convex hull of its passes' lengths and distortions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../core/host_device.h"
#include "../params/layer_budget.h"
#include "rate_block.h"

namespace coalesce::j2k {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

// Tier-1's unit is step^2 / 64.
constexpr int kUnitBits = 6;
constexpr int kErrorBits = 4;
static_assert(1 << kErrorBits == kErrorUnits);

// By how much a pass lowers the error, in units of step^2 / 64.
COALESCE_HOST_DEVICE Int128 distortion_of(const Pass &pass) {
  return static_cast<Int128>(pass.distortion) * (static_cast<Int128>(1) << (2 * pass.plane));
}

// What that is worth when passes are compared, times 2^kWorthBits. Decoders round; as long as there
// are larger errors anywhere, those of the fine planes are better left alone: docs/jpeg2000.md.
constexpr int kWorthBits = 4;
COALESCE_HOST_DEVICE Int128 worth_of(const RateBlock &block, int plane, Int128 distortion) {
  return plane < block.fine_planes ? distortion : distortion * (1 << kWorthBits);
}
COALESCE_HOST_DEVICE Int128 worth_of(const RateBlock &block, const Pass &pass) {
  return worth_of(block, pass.plane, distortion_of(pass));
}

// A sum of distortions in error units, rounded; modulo 2^64.
COALESCE_HOST_DEVICE std::int64_t error_units(Int128 distortion, DistortionWeight weight,
                                              int shift) {
  const Int128 product = distortion * weight.mantissa;
  const int up = weight.exponent - shift - kUnitBits + kErrorBits;
  if (up >= 64) return 0;
  if (up >= 0) return static_cast<std::int64_t>(static_cast<std::uint64_t>(product) << up);
  if (up < -126) return 0;
  return static_cast<std::int64_t>((product + (static_cast<Int128>(1) << (-up - 1))) >> -up);
}

// Distortions up to some pass, those of a region's planes apart; and what they are worth.
struct DistortionSums {
  Int128 region = 0, rest = 0, worth = 0;

  COALESCE_HOST_DEVICE void add(const RateBlock &block, const Pass &pass) {
    const bool in_region = block.roi_shift > 0 && pass.plane >= block.roi_shift;
    (in_region ? region : rest) += distortion_of(pass);
    worth += worth_of(block, pass);
  }
  // less: none where there is a region.
  COALESCE_HOST_DEVICE std::int64_t units(const RateBlock &block, Int128 less = 0) const {
    const std::int64_t of_rest = error_units(rest - less, block.weight, 0);
    if (block.roi_shift == 0) return of_rest;
    return error_units(region, block.weight, 2 * block.roi_shift) + of_rest;
  }
};

// What passes would still gain behind one of them, if the block is of one sample. It is the
// difference of rounded numbers (docs/numerics.md), which often say that a sample is known exactly
// long before it is: so it is taken for at least a quarter of its mean, 4^plane / 12.
class RestOfSample {
 public:
  COALESCE_HOST_DEVICE explicit RestOfSample(const RateBlock &block)
      : is_one_(block.one_sample && block.roi_shift == 0) {
    if (!is_one_) return;
    for (int i = 0; i < block.num_passes; ++i)
      rest_ += distortion_of(block.passes[i]);
  }
  // By how much the rest behind `pass` is too small. For each pass in turn; else 0.
  COALESCE_HOST_DEVICE Int128 missing_behind(const Pass &pass) {
    if (!is_one_) return 0;
    rest_ -= distortion_of(pass);
    const Int128 least = ((static_cast<Int128>(1) << (2 * pass.plane)) - 1) * 4 / 3;
    return rest_ < least ? least - rest_ : 0;
  }

 private:
  bool is_one_;
  Int128 rest_ = 0;
};

struct HullCorner {
  Int128 worth;
  std::uint32_t length;
};
// What a hull is found in: one more than the block has passes, each so many behind the one before.
// (A GPU's threads share memory for them, for as much on its stack each thread that there can be
// would take, whether it runs or not.)
struct HullCorners {
  HullCorner *first;
  std::size_t stride;

  COALESCE_HOST_DEVICE HullCorner &operator[](int i) const {
    return first[static_cast<std::size_t>(i) * stride];
  }
};

// Is the way from b to c at least as steep as that from a to b? What passes are worth is below
// 2^101, lengths below 2^25.
COALESCE_HOST_DEVICE bool as_steep(const HullCorner &a, const HullCorner &b, const HullCorner &c) {
  return (c.worth - b.worth) * (b.length - a.length) >= (b.worth - a.worth) * (c.length - b.length);
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

// A block of fine planes only holds what its samples were rounded by, or little more. Coded in
// part, it would make rounded pictures worse: it comes at once, square by square, so that one part
// of the picture is (nearly) exact and the other as it was.
COALESCE_HOST_DEVICE bool is_rounding(const RateBlock &block) {
  return block.num_passes > 0 && block.passes[0].plane < block.fine_planes;
}

// 256 log2 of m / 2^31, rounded down; m has its bit 31 set. Each squaring gives a bit.
COALESCE_HOST_DEVICE int log2_fraction(std::uint32_t m) {
  std::uint64_t x = m;
  int bits = 0;
  for (int i = 0; i < 8; ++i) {
    x = x * x >> 31;
    const int bit = static_cast<int>(x >> 32);
    bits = 2 * bits + bit;
    x >>= bit;
  }
  return bits;
}

// Of a number that is not 0.
COALESCE_HOST_DEVICE int bit_width(std::uint64_t v) {
#if defined(__CUDA_ARCH__)
  return 64 - __clzll(static_cast<long long>(v));
#else
  return 64 - __builtin_clzll(v);
#endif
}

// The slope of a gain of `distortion` * 2^exponent for so many bytes (neither is 0), as
// layer_budget.h has it.
COALESCE_HOST_DEVICE int quantised_slope(UInt128 distortion, int exponent, std::uint32_t bytes) {
  const auto high = static_cast<std::uint64_t>(distortion >> 64);
  const int shift =
      high != 0 ? bit_width(high) : bit_width(static_cast<std::uint64_t>(distortion)) - 64;
  const auto top =
      static_cast<std::uint64_t>(shift >= 0 ? distortion >> shift : distortion << -shift);
  const std::uint64_t quotient = top / bytes;  // at least 2^31
  const int width = bit_width(quotient);
  const int fraction = log2_fraction(static_cast<std::uint32_t>(quotient >> (width - 32)));
  const int slope = kSlopeOne + (width - 1 + shift + exponent) * 256 + fraction;
  return slope < 0 ? 0 : slope > kMaxSlope ? kMaxSlope : slope;
}

// Of the steps that end at corners 1 to count.
COALESCE_HOST_DEVICE void set_slopes(const RateBlock &block, const HullCorners &corners, int count,
                                     HullStep *steps) {
  int least = kMaxSlope;
  HullCorner here = corners[0], next = count > 0 ? corners[1] : here;
  for (int i = 0; i < count; ++i) {
    const HullCorner there = next;
    if (i + 1 < count) next = corners[i + 2];  // read before it is looked at
    const Int128 gain = there.worth - here.worth;
    const int slope =
        block.visual_slope + quantised_slope(static_cast<UInt128>(gain * block.weight.mantissa),
                                             block.weight.exponent - kUnitBits - kWorthBits,
                                             there.length - here.length);
    here = there;
    // Quotients are cut off: of two slopes that are almost equal, the second may come out larger.
    least = slope < 0 ? 0 : slope > least ? least : slope;
    steps[i].slope = static_cast<std::uint16_t>(least);
  }
}

// The steps are at most as many as passes. (Passes that need no bytes come with the one before; the
// first, with the first that does.)
COALESCE_HOST_DEVICE Hull convex_hull(const RateBlock &block, const HullCorners &corners,
                                      HullStep *steps) {
  DistortionSums sums;
  RestOfSample rest(block);
  HullCorner before = {0, 0}, last = {0, 0};  // corners count - 1 and count
  corners[0] = last;                          // where nothing is decoded
  int count = 0;
  // Passes are read long before they are looked at, as far as they will be: a GPU would wait for
  // each.
  const auto pass_at = [&block](int i) {
    if (i >= block.num_passes) return Pass{};
    const Pass &pass = block.passes[i];
    return Pass{pass.length, pass.distortion, PassType{}, pass.plane, false, false};
  };
  Pass next = pass_at(0), after = pass_at(1);
  for (int i = 0; i < block.num_passes; ++i) {
    const Pass pass = next;
    next = after;
    after = pass_at(i + 2);
    sums.add(block, pass);
    const Int128 missing = rest.missing_behind(pass);
    const HullCorner corner = {sums.worth - worth_of(block, pass.plane, missing), pass.length};
    const bool free = i + 1 < block.num_passes && next.length == pass.length;
    if (free || pass.length == 0 || corner.worth <= last.worth) continue;
    for (; count > 0 && as_steep(before, last, corner); --count) {
      last = before;
      if (count > 1) before = corners[count - 2];
    }
    before = last;
    last = corner;
    corners[++count] = corner;
    steps[count - 1] = {sums.units(block, missing), pass.length, 0,
                        static_cast<std::uint8_t>(i + 1)};
  }
  set_slopes(block, corners, count, steps);
  sums.rest += block.final_error;
  std::int64_t error = sums.units(block);
  // Distortions are rounded, which a block of a few samples shows: no error is below 0.
  for (int i = 0; i < count; ++i)
    if (steps[i].gain > error) steps[i].gain = error;
  if (count > 0 && is_rounding(block)) {
    const HullStep &all = steps[count - 1];
    const std::int64_t part = block.rounding < 256 ? block.rounding : 256;
    const std::int64_t left = ((error - all.gain) * part + 128) / 256;
    const std::int64_t gain = all.gain * block.rounding / 256;
    steps[0] = {gain, all.length, block.rounding_slope, all.passes};
    count = 1;
    error = gain + left;
  }
  return {count, error};
}

inline Hull convex_hull(const RateBlock &block, HullStep *steps) {
  HullCorner corners[kMaxPasses + 1];
  return convex_hull(block, {corners, 1}, steps);
}

}  // namespace coalesce::j2k
