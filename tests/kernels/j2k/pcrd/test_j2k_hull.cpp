// SPDX-License-Identifier: LGPL-2.1-or-later
// Slopes and convex hulls of blocks, against what they are by definition.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "../../../support/doctest.h"
#include "../../../support/random.h"
#include "j2k/pcrd/hull.h"
#include "j2k_rate_tables.h"

namespace coalesce::test {
namespace {

using namespace j2k;

TEST_CASE("slopes") {
  Random random = random_of_run(1);
  for (int i = 0; i < 200000; ++i) {
    const int bits = random.between(1, 116);
    unsigned __int128 gain = random.bits();
    gain = gain << 64 | random.bits();
    gain = gain >> (128 - bits) | 1;
    const auto bytes =
        static_cast<std::uint32_t>((random.bits() & ((1u << random.between(1, 20)) - 1)) + 1);
    const int exponent = random.between(-60, 30);
    const long double exact =
        kSlopeOne + 256 * (std::log2(static_cast<long double>(gain)) + exponent -
                           std::log2(static_cast<long double>(bytes)));
    const long double slope = quantised_slope(gain, exponent, bytes);
    if (exact < 0 || exact > kMaxSlope)
      CHECK_MESSAGE(slope == (exact < 0 ? 0 : kMaxSlope), exact, " becomes ", slope);
    else
      CHECK_MESSAGE((slope <= exact + 1e-4L && slope > exact - 1.0001L), exact, " becomes ", slope);
  }
  // Ratios that are powers of two are exact.
  for (int log2 = -90; log2 < 150; ++log2)
    CHECK_MESSAGE(quantised_slope(3 << 5, log2 - 5, 3) == kSlopeOne + 256 * log2, "2^", log2);
  // The larger one never gets the smaller number.
  for (int i = 0; i < 200000; ++i) {
    const std::uint64_t gain = random.bits() >> random.below(60) | 1;
    const auto bytes = static_cast<std::uint32_t>(random.below(100000) + 1);
    const int slope = quantised_slope(gain, -20, bytes);
    CHECK_MESSAGE(quantised_slope(static_cast<unsigned __int128>(gain) + 1, -20, bytes) >= slope,
                  "gain");
    CHECK_MESSAGE(quantised_slope(gain, -20, bytes + 1) <= slope, "bytes");
  }
}

struct Point {
  Int128 worth;
  std::int64_t length;
  int passes;
};

// By how much the passes behind the first n gain less than what a block of one sample is taken to
// have left, in Tier-1's units.
Int128 missing_behind(const RateBlock &block, int n) {
  if (!block.one_sample || block.roi_shift > 0 || n == 0) return 0;
  Int128 rest = 0;
  for (int i = n; i < block.num_passes; ++i)
    rest += static_cast<Int128>(block.passes[i].distortion) << int{2 * block.passes[i].plane};
  const Int128 quarter =
      ((static_cast<Int128>(64) << int{2 * block.passes[n - 1].plane}) - 64) / 48;
  return rest < quarter ? quarter - rest : 0;
}

// By definition: what no other cut, nor a mixture of two others, is as good as; of equals, the
// first. Without bytes there is no cut, nor before passes that cost none.
std::vector<Point> corners_by_definition(const RateBlock &block) {
  std::vector<Point> all = {{0, 0, 0}};
  Int128 worth = 0;
  for (int i = 0; i < block.num_passes; ++i) {
    const Pass &pass = block.passes[i];
    const Int128 distortion = static_cast<Int128>(pass.distortion) << int{2 * pass.plane};
    worth += pass.plane < block.fine_planes ? distortion : 16 * distortion;
    const bool free = i + 1 < block.num_passes && block.passes[i + 1].length == pass.length;
    const int part = pass.plane < block.fine_planes ? 1 : 16;
    if (pass.length > 0 && !free)
      all.push_back({worth - part * missing_behind(block, i + 1), pass.length, i + 1});
  }
  std::vector<Point> corners;
  for (const Point &p : all) {
    bool corner = p.passes > 0;
    for (const Point &a : all)
      if (a.passes < p.passes) {
        corner = corner && a.worth < p.worth;
        for (const Point &b : all)
          if (b.passes > p.passes && b.worth > p.worth)
            corner = corner && (p.worth - a.worth) * (b.length - p.length) >
                                   (b.worth - p.worth) * (p.length - a.length);
      }
    if (corner) corners.push_back(p);
  }
  return corners;
}

// What a corner has in units of slopes, if the one before has `most`.
int slope_of(const RateBlock &block, const Point &from, const Point &to, int most) {
  if (block.passes[0].plane < block.fine_planes) return block.rounding_slope;
  const auto gain = static_cast<unsigned __int128>((to.worth - from.worth) * block.weight.mantissa);
  const auto bytes = static_cast<std::uint32_t>(to.length - from.length);
  const int slope =
      quantised_slope(gain, block.weight.exponent - 6 - 4, bytes) + block.visual_slope;
  return std::max(0, std::min(slope, most));
}

// To `bound` units, and what floats lose.
bool is_near(std::int64_t units, long double exact, long double bound) {
  return std::abs(exact) >= 0x1p62L || std::abs(static_cast<long double>(units) - exact) <=
                                           bound + 0.001L + std::abs(exact) * 1e-15L;
}

void test_hull(const RateBlock &block) {
  std::vector<Point> corners = corners_by_definition(block);
  // Nothing but fine planes: all or nothing, and a part of the gain, and of what is left.
  const bool rounding = !corners.empty() && block.passes[0].plane < block.fine_planes;
  if (rounding) corners.erase(corners.begin(), corners.end() - 1);
  const long double part = rounding ? block.rounding / 256.0L : 1;
  const auto units_of = [&block](Int128 distortion) {
    return std::ldexp(static_cast<long double>(distortion) * block.weight.mantissa,
                      block.weight.exponent - 6) *
           kErrorUnits;
  };
  const auto gain_at = [&](int n) {
    return gain_of(block, n) * kErrorUnits - units_of(missing_behind(block, n));
  };
  const long double total =
      gain_of(block, block.num_passes) * kErrorUnits + units_of(block.final_error);
  const long double all = rounding ? std::min(gain_at(corners[0].passes), total) : 0;
  const long double error = rounding ? all * part + (total - all) * std::min(part, 1.0L) : total;
  // Sums are rounded to nearest, those of a region's planes apart. Of a block of rounding the part
  // is cut off after that; and the part of what is left, of the difference of both sums, is
  // rounded. The error is gain * (part - min(part, 1)) + total * min(part, 1), so the sums count
  // `part` times.
  const long double sums_off = (block.roi_shift > 0 ? 2 : 1) * 0.5L * part;
  const long double gain_off = sums_off + (rounding ? 1 : 0);
  const long double error_off = gain_off + (rounding ? 0.5L : 0);
  std::vector<HullStep> steps(static_cast<std::size_t>(block.num_passes));
  const Hull hull = convex_hull(block, steps.data());
  CHECK_MESSAGE(hull.steps == static_cast<int>(corners.size()), hull.steps, " corners instead of ",
                corners.size());
  if (hull.steps != static_cast<int>(corners.size())) return;
  Point before = {0, 0, 0};
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Point &corner = corners[i];
    const HullStep &step = steps[i];
    CHECK_MESSAGE((step.passes == corner.passes && step.length == corner.length), "corner ", i);
    const int slope = slope_of(block, before, corner, i == 0 ? kMaxSlope : steps[i - 1].slope);
    CHECK_MESSAGE(step.slope == slope, "corner ", i, ": ", step.slope, " instead of ", slope);
    const long double gain = std::min(gain_at(corner.passes), total) * part;
    CHECK_MESSAGE((is_near(step.gain, gain, gain_off) || std::abs(error) >= 0x1p62L), "gain ",
                  step.gain, " of ", gain);
    before = corner;
  }
  CHECK_MESSAGE(is_near(hull.error, error, error_off), "error ", hull.error, " of ", error);
}

TEST_CASE("hulls") {
  Random random = random_of_run(2);
  std::size_t corners = 0, passes = 0;
  for (int i = 0; i < 600; ++i) {
    Blocks blocks = random_blocks(random, i % 3 == 0 ? Passes::likely : Passes::unlikely, 3,
                                  i % 8 == 0 ? 32 : 8);
    for (RateBlock &block : blocks.blocks) {
      if (random.below(4) == 0) block.roi_shift = random.between(1, 12);
      if (random.below(2) == 0) block.fine_planes = random.below(8);
      if (random.below(2) == 0) block.visual_slope = -random.below(3000);
      block.rounding_slope = static_cast<std::uint16_t>(random.below(1 << 16));
      if (random.below(2) == 0) block.rounding = static_cast<std::uint32_t>(random.below(5000));
      block.one_sample = random.below(3) == 0;
      test_hull(block);
      corners += corners_by_definition(block).size();
      passes += static_cast<std::size_t>(block.num_passes);
    }
  }
  std::printf("%zu corners of %zu passes\n", corners, passes);
}

// Two slopes that differ by less than their quotients show: the second must not come out larger.
TEST_CASE("nearly straight") {
  Random random = random_of_run(3);
  for (int i = 0; i < 20000; ++i) {
    std::vector<Pass> passes;
    std::uint32_t length = 0;
    for (int k = 0; k < 4; ++k) {
      const int bytes = random.between(1, 3);
      length += static_cast<std::uint32_t>(bytes);
      Pass pass = {};
      pass.length = length;
      pass.plane = static_cast<std::uint8_t>(31 - k);
      pass.distortion = bytes * (1 << (2 * k + 20)) - random.below(2);
      passes.push_back(pass);
    }
    RateBlock block;
    block.passes = passes.data();
    block.num_passes = 4;
    HullStep steps[4];
    const int count = convex_hull(block, steps).steps;
    for (int k = 1; k < count; ++k)
      CHECK_MESSAGE(steps[k].slope <= steps[k - 1].slope, steps[k].slope, " after ",
                    steps[k - 1].slope);
  }
}

// Against the definition in docs/numerics.md, in floats.
TEST_CASE("final error") {
  Random random = random_of_run(4);
  for (int i = 0; i < 300; ++i) {
    const int width = random.between(1, 40), height = random.between(1, 40);
    const int pitch = width + random.below(3), fraction = random.pick({0, 1, 3, 6, 6, 6, 9, 30});
    std::vector<std::int32_t> samples;
    for (int k = 0; k < pitch * height; ++k)
      samples.push_back(static_cast<std::int32_t>(random.bits()) >> random.below(31));
    samples[0] = INT32_MIN;
    CodeBlock block = {};
    block.samples = samples.data();
    block.pitch = pitch;
    block.width = width;
    block.height = height;
    block.fraction_bits = fraction;
    double sum = 0;
    for (int y = 0; y < height && fraction > 0; ++y)
      for (int x = 0; x < width; ++x) {
        const double v =
            std::abs(static_cast<double>(samples[static_cast<std::size_t>(y * pitch + x)]));
        const double steps = std::ldexp(v, -fraction);
        const double below = std::floor((steps - std::floor(steps)) * 64) / 64 + 1.0 / 128;
        const double error = steps >= 1 ? below - 0.5 : below;
        sum += error * error * 64;
      }
    CHECK_MESSAGE(final_error(block) == std::floor(sum + 0.5), final_error(block), " instead of ",
                  sum, ", ", fraction, " bits");
  }
}

}  // namespace
}  // namespace coalesce::test
