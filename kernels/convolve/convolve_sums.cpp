// SPDX-License-Identifier: LGPL-2.1-or-later
#include "convolve_sums.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace coalesce {
namespace {

constexpr std::int64_t kMax16 = (1 << 16) - 1;
constexpr std::int64_t kMaxDouble = std::int64_t{1} << 53;

// The values something can have.
struct Range {
  std::int64_t low = 0, high = 0;
};

// The sum of the negative and that of the positive weights.
Range sums_of(const std::vector<std::int32_t> &weights) {
  Range sums;
  for (const std::int64_t w : weights)
    (w < 0 ? sums.low : sums.high) += w;
  return sums;
}

// Of the weighted sum, and of every part of it.
Range sum_range(const Filter &f) {
  Range weights;
  if (f.weights.empty()) {
    const Range u = sums_of(f.across), v = sums_of(f.down);
    weights = {v.low * u.high + v.high * u.low, v.low * u.low + v.high * u.high};
  } else {
    weights = sums_of(f.weights);
  }
  return {weights.low * f.depth.max(), weights.high * f.depth.max()};
}

struct Ranges {
  Range sum;     // as above
  Range before;  // with `before` of any channel, and its absolute value
  Range value;   // what is divided
};

Ranges ranges(const Filter &f, const ConvolvePlane &plane) {
  Ranges r = {sum_range(f), {}, {}};
  for (int c = 0; c < plane.channels; ++c) {
    if (plane.role[c] == ChannelRole::copy) continue;
    const Filter::Offsets &o = plane.role[c] == ChannelRole::level ? f.level : f.chroma;
    Range value = {r.sum.low + o.before, r.sum.high + o.before};
    r.before = {std::min(r.before.low, value.low), std::max(r.before.high, value.high)};
    if (f.absolute) value = {0, std::max(std::abs(value.low), std::abs(value.high))};
    r.value.low = std::min(r.value.low, value.low + o.after);
    r.value.high = std::max(r.value.high, value.high + o.after);
  }
  return r;
}

// What does not depend on the type's arithmetic. zero: see Finish.
template <class T>
void fill(const Filter &f, const ConvolvePlane &plane, std::int64_t zero, std::int64_t highest,
          Finish<T> *finish) {
  for (int c = 0; c < 4; ++c) {
    const Filter::Offsets &o = plane.role[c] == ChannelRole::chroma ? f.chroma : f.level;
    // Unsigned, so that it may wrap where the channel does not exist.
    const auto before = static_cast<std::uint64_t>(o.before);
    const auto after = static_cast<std::uint64_t>(o.after) + static_cast<std::uint64_t>(zero);
    finish->start[c] =
        static_cast<T>(static_cast<std::int64_t>(f.absolute ? before : before + after));
    finish->after[c] = static_cast<T>(static_cast<std::int64_t>(after));
  }
  finish->absolute = f.absolute;
  finish->zero = static_cast<T>(zero);
  finish->limit = static_cast<T>(std::min(f.divisor * (f.depth.max() + 1) - 1, highest));
  finish->divisor = static_cast<T>(f.divisor);
  finish->shifts = std::has_single_bit(static_cast<std::uint64_t>(f.divisor));
  finish->shift = std::bit_width(static_cast<std::uint64_t>(f.divisor)) - 1;
  finish->depth = f.depth;
}

// A multiplier of kBits bits instead of the divisor. False if it is not exact up to the limit:
// value / divisor may be too large by value * excess / (divisor << shift), which must be less than
// 1 / divisor.
template <int kBits, class T>
bool multiply(Finish<T> *finish) {
  if (finish->shifts) return true;
  finish->shift += kBits;
  const std::uint64_t one = std::uint64_t{1} << finish->shift;
  const std::uint64_t multiplier = one / finish->divisor + 1;
  finish->multiplier = static_cast<T>(multiplier);
  const std::uint64_t excess = multiplier * finish->divisor - one;
  return finish->limit < (one + excess - 1) / excess;
}

}  // namespace

bool make_finish(const Filter &f, const ConvolvePlane &plane, Finish<std::uint16_t> *finish) {
  if (!f.narrow || f.depth.bits > 10 || f.divisor > kMax16) return false;
  const Ranges r = ranges(f, plane);
  if (f.absolute && (r.before.low < -kMax16 / 2 || r.before.high > kMax16 / 2)) return false;
  if (r.value.high - r.value.low > kMax16) return false;
  fill(f, plane, -r.value.low, kMax16, finish);
  return multiply<16>(finish);
}

bool make_finish(const Filter &f, const ConvolvePlane &plane, Finish<std::uint32_t> *finish) {
  if (!f.narrow) return false;
  const Ranges r = ranges(f, plane);
  fill(f, plane, -r.value.low, INT32_MAX, finish);
  return multiply<32>(finish);
}

bool make_finish(const Filter &f, const ConvolvePlane &plane, Finish<double> *finish) {
  const Ranges r = ranges(f, plane);
  for (const Range &range : {r.sum, r.before, r.value})
    if (range.low < -kMaxDouble || range.high > kMaxDouble) return false;
  if (f.divisor > kMaxDouble / (f.depth.max() + 1)) return false;
  fill(f, plane, 0, kMaxDouble, finish);
  finish->shifts = false;
  finish->multiplier = 1 / finish->divisor;
  return true;
}

bool make_finish(const Filter &f, const ConvolvePlane &plane, Finish<std::uint64_t> *finish) {
  fill(f, plane, -ranges(f, plane).value.low, INT64_MAX, finish);
  return true;
}

}  // namespace coalesce
