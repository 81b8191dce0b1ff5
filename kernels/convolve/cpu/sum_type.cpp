// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sum_type.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace coalesce {
namespace {

constexpr std::int64_t kMax16 = (1 << 16) - 1;
constexpr std::int64_t kMaxDouble = std::int64_t{1} << 52;  // and a half is exact, too

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

template <class Sum>
void plan_offsets(const Filter &f, const ConvolvePlane &plane, Sum zero, SumPlan<Sum> *plan) {
  bool has_level = false, has_chroma = false;
  for (int c = 0; c < plane.channels; ++c) {
    has_level = has_level || plane.role[c] == ChannelRole::level;
    has_chroma = has_chroma || plane.role[c] == ChannelRole::chroma;
    const Filter::Offsets &o = plane.role[c] == ChannelRole::level ? f.level : f.chroma;
    plan->before[c] = static_cast<Sum>(o.before);
    plan->after[c] = static_cast<Sum>(static_cast<Sum>(o.after) + zero);
  }
  plan->same = !f.absolute && !(has_level && has_chroma);
  if (!plan->same) return;
  const Filter::Offsets &o = has_level ? f.level : f.chroma;
  plan->finish.offset =
      static_cast<Sum>(static_cast<Sum>(o.before) + static_cast<Sum>(o.after) + zero);
}

// With values up to `most`.
template <class Sum>
void plan_finish(const Filter &f, Sum zero, std::int64_t most, RowFinish<Sum> *finish) {
  finish->zero = zero;
  finish->limit = static_cast<Sum>(std::min(f.divisor * (f.depth.max() + 1) - 1, most));
  finish->depth = f.depth;
}

// False if there is none that is exact up to the limit: value / divisor comes out too large by
// value * excess / (divisor << shift), which must be less than 1 / divisor.
bool plan_divider(std::int64_t divisor, std::int64_t limit, Divider16 *divider) {
  if (divisor == 1) return true;
  // With a shift of 16 bits the product's upper half is the quotient; that is cheapest.
  for (const int more :
       {0, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(divisor))) - 1}) {
    const std::int64_t one = std::int64_t{1} << (16 + more);
    const std::int64_t multiplier = (one + divisor - 1) / divisor;
    *divider = {static_cast<std::uint16_t>(multiplier), 16 + more};
    if (multiplier <= kMax16 && limit * (multiplier * divisor - one) < one) return true;
  }
  return false;
}

// Terms for rows of weights, without those by 0.
int count_terms(const std::vector<std::int32_t> &weights) {
  return static_cast<int>(weights.size() - std::count(weights.begin(), weights.end(), 0));
}

// The same with pairs, none of which needs more than two terms.
int count_pairs(const std::vector<std::int32_t> &weights, int width) {
  const auto size = static_cast<int>(weights.size());
  int n = 0;
  for (int row = 0; row < size; row += width)
    for (int c = 0; c < width; ++c) {
      const std::int32_t first = weights[static_cast<std::size_t>(row + c)];
      if (first == 0) continue;
      ++c;
      const std::int32_t second = c < width ? weights[static_cast<std::size_t>(row + c)] : 0;
      n += first == pair_part(first) && second == pair_part(second) ? 1 : 2;
    }
  return n;
}

}  // namespace

bool plan_sums(const Filter &f, const ConvolvePlane &plane, SumPlan<std::uint16_t> *plan) {
  if (!f.narrow || f.depth.bits > 12 || f.divisor > kMax16) return false;
  const Ranges r = ranges(f, plane);
  if (f.absolute && (r.before.low < -kMax16 / 2 || r.before.high > kMax16 / 2)) return false;
  if (r.value.high - r.value.low > kMax16) return false;
  const auto zero = static_cast<std::uint16_t>(-r.value.low);
  plan_offsets(f, plane, zero, plan);
  plan_finish(f, zero, kMax16, &plan->finish);
  return plan_divider(f.divisor, plan->finish.limit, &plan->finish.divider);
}

bool plan_sums(const Filter &f, const ConvolvePlane &plane, SumPlan<std::uint32_t> *plan) {
  if (!f.narrow) return false;
  plan_offsets(f, plane, 0U, plan);
  plan_finish(f, 0U, INT32_MAX, &plan->finish);
  Divider32 &divider = plan->finish.divider;
  divider.any = make_divider(static_cast<std::int32_t>(f.divisor));
  divider.has_bytes = f.depth.bits == 8 && make_byte_finish(f.divisor, &divider.bytes);
  return true;
}

bool plan_sums(const Filter &f, const ConvolvePlane &plane, SumPlan<double> *plan) {
  const Ranges r = ranges(f, plane);
  for (const Range &range : {r.sum, r.before, r.value})
    if (range.low < -kMaxDouble || range.high > kMaxDouble) return false;
  // The quotient, up to max + 1, is off by less than 2^-52 of it, and 0.5 / divisor away from an
  // integer.
  if (f.divisor > (std::int64_t{1} << 50) / (f.depth.max() + 1)) return false;
  plan_offsets(f, plane, 0.5, plan);
  plan_finish(f, 0.5, kMaxDouble, &plan->finish);
  plan->finish.limit += 0.5;
  plan->finish.divider.inverse = 1 / static_cast<double>(f.divisor);
  return true;
}

bool plan_sums(const Filter &f, const ConvolvePlane &plane, SumPlan<std::uint64_t> *plan) {
  plan_offsets(f, plane, std::uint64_t{0}, plan);
  plan_finish(f, std::uint64_t{0}, INT64_MAX, &plan->finish);
  plan->finish.divider = make_divider(f.divisor);
  return true;
}

std::int64_t sum_of_weights(const Filter &f) {
  const auto sum = [](const std::vector<std::int32_t> &weights) {
    return std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  };
  return f.weights.empty() ? sum(f.across) * sum(f.down) : sum(f.weights);
}

bool pairs_pay(const Filter &f, bool separable) {
  const std::vector<std::int32_t> &weights = separable ? f.across : f.weights;
  if (!kMultipliesPairs) return false;
  for (const std::int32_t w : weights)
    if (pair_part(w - pair_part(w)) != w - pair_part(w)) return false;
  return count_pairs(weights, f.width) < count_terms(weights);
}

// Measured: a term with 16-bit sums costs 1, with 32-bit sums 2 (a pair as well), in doubles 4,
// with 64-bit sums 10. The second pass over a line costs about as much as a term.
int sums_cost(const Filter &f, const ConvolvePlane &plane, bool separable) {
  SumPlan<std::uint16_t> plan16;
  SumPlan<double> plan_double;
  int across = 10, down = 10;
  if (plan_sums(f, plane, &plan16)) {
    across = down = 1;
  } else if (f.narrow) {
    across = down = 2;
  } else {
    if (plan_sums(f, plane, &plan_double)) down = 4;
    across = separable ? 4 : down;
    if (down == 4 && separable && f.narrow_across) across = 2;
  }
  const bool pairs = across == 2 && pairs_pay(f, separable);
  const std::vector<std::int32_t> &weights = separable ? f.across : f.weights;
  const int first = across * (pairs ? count_pairs(weights, f.width) : count_terms(weights));
  return separable ? first + down * (count_terms(f.down) + 1) : first;
}

}  // namespace coalesce
