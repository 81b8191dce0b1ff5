// SPDX-License-Identifier: LGPL-2.1-or-later
#include "numbers.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace coalesce {
namespace {

struct Taps {
  std::int64_t least = 0, most = 0;         // of all, 0 included
  std::int64_t negative = 0, positive = 0;  // sums, without sign

  explicit Taps(const std::vector<std::int32_t> &row) {
    for (const std::int64_t w : row) {
      least = std::min(least, w);
      most = std::max(most, w);
      (w < 0 ? negative : positive) += std::abs(w);
    }
  }
  bool within(std::int64_t low, std::int64_t high, int scale) const {
    return least * (std::int64_t{1} << scale) >= low && most << scale <= high;
  }
  bool is_signed() const { return least < 0; }
};

struct Problem {
  std::int64_t max;  // of a sample
  Taps down, across;
  std::int64_t divisor;
  int log2 = -1;  // of the divisor; -1: no power of two
  std::int64_t level, chroma;

  explicit Problem(const Filter &f)
      : max(f.depth.max()),
        down(f.down),
        across(f.across),
        divisor(f.divisor),
        level(f.level.before + f.level.after),
        chroma(f.chroma.before + f.chroma.after) {
    for (int bits = 0; bits < 62; ++bits)
      if (divisor == std::int64_t{1} << bits) log2 = bits;
  }
  std::int64_t least_add() const { return std::min(level, chroma); }
  std::int64_t most_add() const { return std::max(level, chroma); }
};

// Sums down have 16 bits and so have those across of either of their bytes. A sample is the third
// byte of lower + 256 * upper + add, which has three.
bool choose_packed(const Problem &p, MmaNumbers *n) {
  if (p.down.is_signed() || p.across.is_signed() || p.log2 < 0 || p.log2 > 16) return false;
  const int scale = 16 - p.log2;
  if (p.least_add() < 0 || p.most_add() > p.divisor * 256) return false;
  if ((p.level << scale) % 256 != 0 || (p.chroma << scale) % 256 != 0) return false;
  const auto fits = [](const Taps &taps, int by) {
    return taps.within(0, 255, by) && taps.positive << by <= 257;
  };
  for (int down = 0; down <= scale; ++down) {
    const int across = scale - down;
    if (!fits(p.down, down) || !fits(p.across, across)) continue;
    if ((p.max * p.down.positive * p.across.positive + p.most_add()) << scale >= 1 << 24)
      return false;
    *n = {SeparableSums::packed, down, across, 16, 0, 0, 0};
    // Two sums in a word, both less their lowest byte.
    n->level = (p.level << scale >> 8) * 0x10001;
    n->chroma = (p.chroma << scale >> 8) * 0x10001;
    return true;
  }
  return false;
}

// The upper half of t * reciprocal exceeds t / divisor by less than 1 / divisor if
// t * (reciprocal * divisor - 2^32) < 2^32.
bool choose_divided(const Problem &p, MmaNumbers *n) {
  if (!p.down.within(0, 255, 0) || !p.across.within(0, 255, 0) || p.down.positive > 257)
    return false;
  if (p.divisor < 2 || p.divisor > 1 << 22 || p.least_add() < 0) return false;
  if (p.most_add() >= 256 * p.divisor) return false;
  const std::int64_t top = p.max * p.down.positive * p.across.positive + p.most_add();
  if (top >= 256 * p.divisor || top > INT32_MAX) return false;
  const std::int64_t reciprocal = ((std::int64_t{1} << 32) + p.divisor - 1) / p.divisor;
  if (top * (reciprocal * p.divisor - (std::int64_t{1} << 32)) >> 32 != 0) return false;
  *n = {SeparableSums::divided, 0, 0, 0, static_cast<std::uint32_t>(reciprocal), 0, 0};
  n->level = p.level;
  n->chroma = p.chroma;
  return true;
}

// Sums down have 15 bits and sign, and so those across are less than 2^28 (63 taps of 2^7).
bool choose_shifted(const Problem &p, MmaNumbers *n) {
  if (!p.down.within(-128, 127, 0) || !p.across.within(-128, 127, 0) || p.log2 < 0 || p.log2 > 31)
    return false;
  if (p.max * std::max(p.down.positive, p.down.negative) > INT16_MAX) return false;
  if (std::max(std::abs(p.least_add()), std::abs(p.most_add())) >= 1 << 30) return false;
  *n = {SeparableSums::shifted, 0, 0, p.log2, 0, 0, 0};
  n->level = p.level;
  n->chroma = p.chroma;
  return true;
}

// With at most 63 taps, the sums over products of two bytes each of which one level of the result
// is made are below 2^23; with the level above, 256 times as much, and what comes from below, they
// are 2.12e9 at most, which fits 32 bits.
bool choose_wide(const Problem &p, MmaNumbers *n) {
  if (p.down.is_signed() && p.across.is_signed()) return false;
  if (p.log2 < 0) return false;
  const auto fits = [](const Taps &taps, int by) {
    return by < 16 && (taps.is_signed() ? taps.within(INT16_MIN, INT16_MAX, by)
                                        : taps.within(0, UINT16_MAX, by));
  };
  const auto sums_fit = [&](int by) {
    return p.max * (std::max(p.down.positive, p.down.negative) << by) < INT32_MAX - (1 << 23);
  };
  int down = 0, across = 0;
  if (!fits(p.down, down) || !fits(p.across, across) || !sums_fit(0)) return false;
  while (p.log2 + down + across < 33) {
    if (fits(p.down, down + 1) && sums_fit(down + 1))
      ++down;
    else if (fits(p.across, across + 1))
      ++across;
    else
      return false;
  }
  // The lower 32 bits of what is added must be 0: of that before scaling, 2 at least.
  const int zeros = 32 - (down + across);
  for (const std::int64_t add : {p.level, p.chroma})
    if (add % (std::int64_t{1} << zeros) != 0 || std::abs(add >> zeros) >= 1 << 30) return false;
  *n = {p.across.is_signed() ? SeparableSums::wide_across
        : p.down.is_signed() ? SeparableSums::wide_down
                             : SeparableSums::wide,
        down,
        across,
        p.log2 + down + across - 32,
        0,
        p.level >> zeros,
        p.chroma >> zeros};
  return true;
}

// The same for samples of 16 bits, the taps being without sign.
bool choose_deep(const Problem &p, MmaNumbers *n) {
  if (p.down.is_signed() || p.across.is_signed() || !choose_wide(p, n)) return false;
  n->sums = SeparableSums::deep;
  return true;
}

// The sums over one byte of the samples fit 31 bits and sign, those of all 39. (Those of a Filter
// fit 62.)
bool choose_deep_long(const Problem &p, MmaNumbers *n) {
  for (const Taps &taps : {p.down, p.across})
    if (taps.positive + taps.negative >= 1 << 23) return false;
  *n = {SeparableSums::deep_long, 0, 0, 0, 0, p.level, p.chroma};
  return true;
}

}  // namespace

std::optional<MmaNumbers> choose_mma_numbers(const Filter &filter) {
  if (!filter.separable || filter.absolute) return {};
  const Problem problem(filter);
  MmaNumbers n;
  const bool found = filter.depth.bits == 8
                         ? choose_packed(problem, &n) || choose_divided(problem, &n) ||
                               choose_shifted(problem, &n) || choose_wide(problem, &n)
                         : choose_deep(problem, &n) || choose_deep_long(problem, &n);
  return found ? std::optional(n) : std::nullopt;
}

}  // namespace coalesce
