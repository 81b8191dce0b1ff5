// SPDX-License-Identifier: LGPL-2.1-or-later
#include "hull.h"

#include <algorithm>
#include <bit>

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

// Distortions up to some pass; those of a region's planes apart.
struct Sums {
  Int128 region = 0, rest = 0;

  void add(const Pass &pass, int roi_shift) {
    (roi_shift > 0 && pass.plane >= roi_shift ? region : rest) += distortion_of(pass);
  }
  Int128 all() const { return region + rest; }
  std::int64_t units(const RateBlock &block) const {
    return error_units(region, block.weight, 2 * block.roi_shift) +
           error_units(rest, block.weight, 0);
  }
};

struct Corner {
  Int128 distortion = 0;
  std::uint32_t length = 0;
};

// Is the way from b to c at least as steep as that from a to b? Distortions are below 2^100,
// lengths below 2^26.
bool as_steep(const Corner &a, const Corner &b, const Corner &c) {
  return (c.distortion - b.distortion) * (b.length - a.length) >=
         (b.distortion - a.distortion) * (c.length - b.length);
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
    sums.add(pass, block.roi_shift);
    const Corner corner = {sums.all(), pass.length};
    if (pass.length == 0 || corner.distortion <= corners[count].distortion) continue;
    while (count > 0 && as_steep(corners[count - 1], corners[count], corner))
      --count;
    corners[++count] = corner;
    steps[count - 1] = {sums.units(block), pass.length, 0, static_cast<std::uint8_t>(i + 1)};
  }
  int least = kMaxSlope;
  for (int i = 0; i < count; ++i) {
    const Int128 gain = corners[i + 1].distortion - corners[i].distortion;
    // Quotients are cut off: of two slopes that are almost equal, the second may come out larger.
    least = std::min(least,
                     quantised_slope(static_cast<unsigned __int128>(gain * block.weight.mantissa),
                                     block.weight.exponent - kUnitBits,
                                     corners[i + 1].length - corners[i].length));
    steps[i].slope = static_cast<std::uint16_t>(least);
  }
  sums.rest += block.final_error;
  return {count, sums.units(block)};
}

std::uint32_t final_error(const CodeBlock &block) {
  if (block.fraction_bits == 0) return 0;
  const int right = std::max(block.fraction_bits - 6, 0);
  const int left = std::max(6 - block.fraction_bits, 0);
  std::uint32_t sum = 0;
  for (int y = 0; y < block.height; ++y) {
    const std::int32_t *row = block.samples + y * block.pitch;
    for (int x = 0; x < block.width; ++x) {
      const std::uint32_t sample = static_cast<std::uint32_t>(row[x]);
      const std::uint32_t magnitude = row[x] < 0 ? 0 - sample : sample;
      // In units of 1 / 128: the middle of what was rounded down; the decoder takes 64, or 0.
      const int fraction = static_cast<int>((magnitude >> right << left & 63) * 2 + 1);
      const int error = magnitude >> block.fraction_bits != 0 ? fraction - 64 : fraction;
      sum += static_cast<std::uint32_t>(error * error);
    }
  }
  return (sum + 128) / 256;
}

}  // namespace coalesce::j2k
