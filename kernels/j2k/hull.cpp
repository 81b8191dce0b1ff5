// SPDX-License-Identifier: LGPL-2.1-or-later
#include "hull.h"

#include <algorithm>
#include <bit>

#include "final_error.h"

namespace coalesce::j2k {
namespace {

constexpr int kSlopeFraction = 8;

// Tier-1's unit is step^2 / 64.
constexpr int kUnitBits = 6;
constexpr int kErrorBits = 4;
static_assert(1 << kErrorBits == kErrorUnits);

// 256 log2 of m / 2^31, rounded down; m has its bit 31 set. Each squaring gives a bit.
int log2_fraction(std::uint32_t m) {
  std::uint64_t x = m;
  int bits = 0;
  for (int i = 0; i < kSlopeFraction; ++i) {
    x = x * x >> 31;
    const int bit = static_cast<int>(x >> 32);
    bits = 2 * bits + bit;
    x >>= bit;
  }
  return bits;
}

int bit_width(unsigned __int128 v) {
  const auto high = static_cast<std::uint64_t>(v >> 64);
  return high != 0 ? 64 + std::bit_width(high) : std::bit_width(static_cast<std::uint64_t>(v));
}

// A sum of distortions in error units, rounded; modulo 2^64.
std::int64_t error_units(Int128 distortion, DistortionWeight weight, int shift) {
  const Int128 product = distortion * weight.mantissa;
  const int up = weight.exponent - shift - kUnitBits + kErrorBits;
  if (up >= 64) return 0;
  if (up >= 0) return static_cast<std::int64_t>(static_cast<std::uint64_t>(product) << up);
  if (up < -126) return 0;
  return static_cast<std::int64_t>((product + (static_cast<Int128>(1) << (-up - 1))) >> -up);
}

// Distortions up to some pass, those of a region's planes apart; and what they are worth.
struct Sums {
  Int128 region = 0, rest = 0, worth = 0;

  void add(const RateBlock &block, const Pass &pass) {
    const bool in_region = block.roi_shift > 0 && pass.plane >= block.roi_shift;
    (in_region ? region : rest) += distortion_of(pass);
    worth += worth_of(block, pass);
  }
  std::int64_t units(const RateBlock &block) const {
    return error_units(region, block.weight, 2 * block.roi_shift) +
           error_units(rest, block.weight, 0);
  }
};

struct Corner {
  Int128 worth = 0;
  std::uint32_t length = 0;
};

// Is the way from b to c at least as steep as that from a to b? What passes are worth is below
// 2^101, lengths below 2^25.
bool as_steep(const Corner &a, const Corner &b, const Corner &c) {
  return (c.worth - b.worth) * (b.length - a.length) >= (b.worth - a.worth) * (c.length - b.length);
}

// A block of fine planes only holds what its samples were rounded by, or little more. Coded in
// part, it would make rounded pictures worse: it comes last and at once, square by square, so that
// one part of the picture is (nearly) exact and the other as it was.
bool is_rounding(const RateBlock &block) {
  return block.num_passes > 0 && block.passes[0].plane < block.fine_planes;
}

std::uint16_t rounding_slope(const RateBlock &block) {
  return static_cast<std::uint16_t>(kLeastSlope - 1 - std::min(block.square, kLeastSlope - 1));
}

// Of the steps that end at corners 1 to count.
void set_slopes(const RateBlock &block, const Corner *corners, int count, HullStep *steps) {
  int least = kMaxSlope;
  for (int i = 0; i < count; ++i) {
    const Int128 gain = corners[i + 1].worth - corners[i].worth;
    const int slope = quantised_slope(static_cast<unsigned __int128>(gain * block.weight.mantissa),
                                      block.weight.exponent - kUnitBits - kWorthBits,
                                      corners[i + 1].length - corners[i].length);
    // Quotients are cut off: of two slopes that are almost equal, the second may come out larger.
    least = std::clamp(slope + block.visual_slope, kLeastSlope, least);
    steps[i].slope = static_cast<std::uint16_t>(least);
  }
}

}  // namespace

int quantised_slope(unsigned __int128 distortion, int exponent, std::uint32_t bytes) {
  const int shift = bit_width(distortion) - 64;
  const auto top =
      static_cast<std::uint64_t>(shift >= 0 ? distortion >> shift : distortion << -shift);
  const std::uint64_t quotient = top / bytes;  // at least 2^31
  const int width = std::bit_width(quotient);
  const int fraction = log2_fraction(static_cast<std::uint32_t>(quotient >> (width - 32)));
  const int log2 = width - 1 + shift + exponent;
  return std::clamp(kSlopeOne + log2 * (1 << kSlopeFraction) + fraction, 0, kMaxSlope);
}

Hull convex_hull(const RateBlock &block, HullStep *steps) {
  Corner corners[kMaxPasses + 1];  // the first is where nothing is decoded
  Sums sums;
  int count = 0;
  for (int i = 0; i < block.num_passes; ++i) {
    const Pass &pass = block.passes[i];
    sums.add(block, pass);
    const Corner corner = {sums.worth, pass.length};
    const bool free = i + 1 < block.num_passes && block.passes[i + 1].length == pass.length;
    if (free || pass.length == 0 || corner.worth <= corners[count].worth) continue;
    while (count > 0 && as_steep(corners[count - 1], corners[count], corner))
      --count;
    corners[++count] = corner;
    steps[count - 1] = {sums.units(block), pass.length, 0, static_cast<std::uint8_t>(i + 1)};
  }
  set_slopes(block, corners, count, steps);
  sums.rest += block.final_error;
  std::int64_t error = sums.units(block);
  // Distortions are rounded, which a block of a few samples shows: no error is below 0.
  for (int i = 0; i < count; ++i)
    steps[i].gain = std::min(steps[i].gain, error);
  if (count > 0 && is_rounding(block)) {
    steps[0] = {steps[count - 1].gain / 2, steps[count - 1].length, rounding_slope(block),
                steps[count - 1].passes};
    count = 1;
    error /= 2;  // decoders round about as much of it away
  }
  return {count, error};
}

std::uint32_t final_error(const CodeBlock &block) {
  if (block.fraction_bits == 0) return 0;
  std::uint32_t sum = 0;
  for (int y = 0; y < block.height; ++y)
    for (int x = 0; x < block.width; ++x)
      sum += final_error_of(block.samples[y * block.pitch + x], block.fraction_bits);
  return final_error_sum(sum);
}

}  // namespace coalesce::j2k
