// SPDX-License-Identifier: LGPL-2.1-or-later
// What must hold of every Filter, and the means to compare two.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "convolve/mask/filter.h"

namespace coalesce::test {

__extension__ typedef __int128 Wide;

inline Wide weight(const Filter &filter, int row, int column) {
  const auto r = static_cast<std::size_t>(row), c = static_cast<std::size_t>(column);
  if (filter.separable) return Wide{filter.down[r]} * filter.across[c];
  return filter.weights[r * static_cast<std::size_t>(filter.width) + c];
}

inline bool operator==(const Filter::Offsets &a, const Filter::Offsets &b) {
  return a.before == b.before && a.after == b.after;
}

inline bool same(const Filter &a, const Filter &b) {
  return a.width == b.width && a.height == b.height && a.left == b.left && a.above == b.above &&
         a.separable == b.separable && a.weights == b.weights && a.across == b.across &&
         a.down == b.down && a.divisor == b.divisor && a.absolute == b.absolute &&
         a.level == b.level && a.chroma == b.chroma && a.narrow == b.narrow &&
         a.narrow_across == b.narrow_across && a.exact == b.exact && a.depth.bits == b.depth.bits &&
         a.depth.shift == b.depth.shift;
}

// Sums of the weights above 0, and of the others.
struct Sums {
  Wide up = 0, down = 0;
};

inline Sums sums(const Filter &filter) {
  Sums sums;
  for (int r = 0; r < filter.height; ++r)
    for (int c = 0; c < filter.width; ++c) {
      const Wide w = weight(filter, r, c);
      (w > 0 ? sums.up : sums.down) += w;
    }
  return sums;
}

// Does everything that the comment on Filter lists stay within +-limit, whatever the samples?
inline bool sums_fit(const Filter &filter, Wide limit) {
  const auto fits = [limit](Wide x) { return x >= -limit && x <= limit; };
  const Wide max = filter.depth.max();
  const Sums weights = sums(filter);
  bool good = fits(filter.divisor * (max + 1));
  for (const Filter::Offsets &add : {filter.level, filter.chroma}) {
    const Wide low = weights.down * max + add.before, high = weights.up * max + add.before;
    // The absolute value reaches from 0, since N' does, or from the nearer end.
    const Wide most = filter.absolute ? std::max(-low, high) : high;
    const Wide least = !filter.absolute ? low : low > 0 ? low : high < 0 ? -high : 0;
    good = good && fits(weights.down * max) && fits(weights.up * max) && fits(low) && fits(high) &&
           fits(least + add.after) && fits(most + add.after);
  }
  return good;
}

// Empty if the filter is sound.
inline std::string flaw(const Filter &f) {
  const auto count = [](const auto &values) { return static_cast<int>(values.size()); };
  if (f.width < 1 || f.height < 1 || f.width > kMaxTaps || f.height > kMaxTaps) return "size";
  if (f.separable ? count(f.across) != f.width || count(f.down) != f.height
                  : !f.across.empty() || !f.down.empty() || f.weights.empty())
    return "rows";
  if (!f.weights.empty() && count(f.weights) != f.width * f.height) return "number of weights";
  if (f.divisor < 1) return "divisor";

  bool fit = f.width <= kMaxMaskSize && f.height <= kMaxMaskSize, differ = false;
  bool rim[4] = {};  // weights other than 0 on the left, on the right, above, below
  for (int r = 0; r < f.height; ++r)
    for (int c = 0; c < f.width; ++c) {
      const Wide w = weight(f, r, c);
      fit = fit && w >= -INT32_MAX && w <= INT32_MAX;
      differ = differ ||
               (!f.weights.empty() && w != f.weights[static_cast<std::size_t>(r * f.width + c)]);
      if (w == 0) continue;
      rim[0] = rim[0] || c == 0;
      rim[1] = rim[1] || c == f.width - 1;
      rim[2] = rim[2] || r == 0;
      rim[3] = rim[3] || r == f.height - 1;
    }
  if (differ) return "weights are not the products";
  if (f.weights.empty() == fit) return fit ? "weights are missing" : "weights cannot be right";
  const bool zero = f.width == 1 && f.height == 1 && weight(f, 0, 0) == 0;
  if (zero && (f.left != 0 || f.above != 0)) return "place of a mask of zeros";
  if (!zero && !(rim[0] && rim[1] && rim[2] && rim[3])) return "zeros at the rim";

  const Sums weights = sums(f);
  const Wide middle = f.depth.middle(), divisor = f.divisor;
  if (f.level.before != 0) return "level.before";
  if (f.chroma.before != -middle * (weights.up + weights.down)) return "chroma.before";
  if (f.chroma.after != (divisor * (2 * middle + 1)) / 2) return "chroma.after";
  if (!sums_fit(f, INT64_MAX)) return "sums beyond 64 bits";
  if (f.narrow != sums_fit(f, INT32_MAX)) return "narrow";
  Wide up = 0, down = 0;
  for (std::int32_t u : f.across)
    (u > 0 ? up : down) += u;
  if (f.narrow_across != (std::max(up, -down) * f.depth.max() <= INT32_MAX)) return "narrow_across";
  return "";
}

}  // namespace coalesce::test
