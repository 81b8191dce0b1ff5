// SPDX-License-Identifier: LGPL-2.1-or-later
// The arithmetic of both back ends. V is a number or a vector of them; masks of vectors select.
#pragma once

#include <cstdint>
#include <type_traits>

#include "../core/host_device.h"
#include "deinterlace_rows.h"

#if defined(__GNUC__) && !defined(__CUDACC__)
#define COALESCE_LINE [[gnu::always_inline]] inline
#define COALESCE_LINE_LAMBDA __attribute__((always_inline))
// (How vectors are passed depends on the target: all of this is inlined.)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"
#else
#define COALESCE_LINE COALESCE_HOST_DEVICE
#define COALESCE_LINE_LAMBDA
#endif

namespace coalesce {

// Samples of one column, of the rows of LineRows: above[i] and below[i] of the kept field;
// before[i] and after[i] of the fields next to it in time, row other[i]; and of the kept field's
// rows above[0] and below[0] one frame earlier and later.
template <class V>
struct LineSamples {
  V above[2], below[2];
  V before[5], after[5];
  V earlier_above, earlier_below, later_above, later_below;
};

template <class V>
COALESCE_LINE V least(const V &a, const V &b) {
  return a < b ? a : b;
}
template <class V>
COALESCE_LINE V most(const V &a, const V &b) {
  return a > b ? a : b;
}
// The same number in every lane, if V has some.
template <class V>
COALESCE_LINE V of_all(int number) {
  if constexpr (std::is_arithmetic_v<V>)
    return number;
  else
    return V{} + static_cast<std::remove_reference_t<decltype(V{}[0])>>(number);
}
template <class V>
COALESCE_LINE V distance(const V &a, const V &b) {
  return most(a, b) - least(a, b);
}

// How far the result may be from the mean in time.
template <class V>
COALESCE_LINE V temporal_range(const LineSamples<V> &s) {
  const V here = distance(s.before[2], s.after[2]) >> 1;
  const V earlier =
      (distance(s.earlier_above, s.above[0]) + distance(s.earlier_below, s.below[0])) >> 1;
  const V later = (distance(s.later_above, s.above[0]) + distance(s.later_below, s.below[0])) >> 1;
  return most<V>(here, most<V>(earlier, later));
}

// A wider one, where the rows two above and below differ from the kept ones in the same direction.
// (No result of a minimum or maximum is negated: between two of them ptxas 13.0 for 9.0 loses
// that.)
template <class V>
COALESCE_LINE V checked_range(const LineSamples<V> &s, const V &mean, const V &range) {
  const V mean_above = (s.before[1] + s.after[1]) >> 1;
  const V mean_below = (s.before[3] + s.after[3]) >> 1;
  const V low = least(least(mean - s.below[0], mean - s.above[0]),
                      most(mean_above - s.above[0], mean_below - s.below[0]));
  const V high = least(least(s.below[0] - mean, s.above[0] - mean),
                       most(s.above[0] - mean_above, s.below[0] - mean_below));
  return most(range, most(low, high));
}

template <class V>
COALESCE_LINE V limited(const V &value, const V &mean, const V &range) {
  const V low = mean - range, high = mean + range;
  return value > high ? high : value < low ? low : value;
}

// column(row, dx): a sample of row above[0] (0) or below[0] (1), dx columns from here. `inner`:
// there are three columns on either side.
template <class V, class Column>
COALESCE_LINE V yadif_prediction(const Column &column, bool inner) {
  V best = (column(0, 0) + column(1, 0)) >> 1;
  if (!inner) return best;
  const auto score = [&](int dx) COALESCE_LINE_LAMBDA {
    return distance(column(0, dx - 1), column(1, -dx - 1)) +
           distance(column(0, dx), column(1, -dx)) +
           distance(column(0, dx + 1), column(1, -dx + 1));
  };
  V least_score = score(0) - V{} - 1;
  // (Calls in place of a loop: columns are registers, which must be known.)
  const auto look = [&](int side) COALESCE_LINE_LAMBDA {
    // The second direction of a side counts only if the first is better than what was.
    const V first = score(side), second = score(2 * side);
    const V first_mean = (column(0, side) + column(1, -side)) >> 1;
    const V second_mean = (column(0, 2 * side) + column(1, -2 * side)) >> 1;
    const auto takes_first = first < least_score;
    const V side_score = second < first ? second : first;
    const V side_mean = second < first ? second_mean : first_mean;
    least_score = takes_first ? side_score : least_score;
    best = takes_first ? side_mean : best;
  };
  look(-1);
  look(1);
  return best;
}

template <class V>
COALESCE_LINE V yadif(const LineSamples<V> &s, const V &prediction, bool checks) {
  const V mean = (s.before[2] + s.after[2]) >> 1;
  V range = temporal_range(s);
  if (checks) range = checked_range(s, mean, range);
  return limited(prediction, mean, range);
}

// The directions of a window of so many columns: the least difference, the steepest of equal ones,
// from upper left to lower right before the other. left, right: columns that there are.
template <class V, class Column>
COALESCE_LINE V ela(const Column &column, int window, int left, int right) {
  V least_score = distance(column(0, 0), column(1, 0));
  V best = (column(0, 0) + column(1, 0) + 1) >> 1;
  const auto look = [&](int dx) COALESCE_LINE_LAMBDA {
    const V score = distance(column(0, dx), column(1, -dx));
    const V mean = (column(0, dx) + column(1, -dx) + 1) >> 1;
    const auto better = score < least_score;
    best = better ? mean : best;
    least_score = better ? score : least_score;
  };
  const int reach = least(window / 2, least(left, right));
  if (reach >= 1) look(-1), look(1);
  if (reach >= 2) look(-2), look(2);
  if (reach >= 3) look(-3), look(3);
  return best;
}

// Weights of BBC PH-2071: of low frequencies out of the kept field, of high ones out of the fields
// next to it, in units of 2^-13 (bwdif) and 2^-15 (w3fdif); and those of bwdif for a field alone.
template <class V>
struct BwdifSums {
  COALESCE_LINE static V within_field(const LineSamples<V> &s) {
    return (5077 * (s.above[0] + s.below[0]) - 981 * (s.above[1] + s.below[1])) >> 13;
  }

  COALESCE_LINE static V with_time(const LineSamples<V> &s) {
    const V high = (5570 * (s.before[2] + s.after[2]) -
                    3801 * (s.before[1] + s.after[1] + s.before[3] + s.after[3]) +
                    1016 * (s.before[0] + s.after[0] + s.before[4] + s.after[4])) >>
                   2;
    return (high + 4309 * (s.above[0] + s.below[0]) - 213 * (s.above[1] + s.below[1])) >> 13;
  }
};

// Sums: BwdifSums, or others that give the same.
template <class V, class Sums = BwdifSums<V>>
COALESCE_LINE V bwdif(const LineSamples<V> &s, LineKind kind, int maximum) {
  const V zero = V{}, top = of_all<V>(maximum);
  if (kind == LineKind::bwdif_intra) return most<V>(zero, least<V>(Sums::within_field(s), top));
  const V mean = (s.before[2] + s.after[2]) >> 1;
  const V still = temporal_range(s);
  V range = still;
  if (kind != LineKind::bwdif_edge) range = checked_range(s, mean, range);
  V prediction = (s.above[0] + s.below[0]) >> 1;
  if (kind == LineKind::bwdif) {
    const auto moves = distance(s.above[0], s.below[0]) > distance(s.before[2], s.after[2]);
    prediction = moves ? Sums::with_time(s) : Sums::within_field(s);
  }
  const V moving = most(zero, least(limited(prediction, mean, range), top));
  return still == zero ? mean : moving;
}

// V holds 2^17 times a sample.
template <class V>
COALESCE_LINE V w3fdif(const LineSamples<V> &s, int maximum) {
  const V sum = 17236 * (s.above[0] + s.below[0]) - 852 * (s.above[1] + s.below[1]) +
                5570 * (s.before[2] + s.after[2]) -
                3801 * (s.before[1] + s.after[1] + s.before[3] + s.after[3]) +
                1016 * (s.before[0] + s.after[0] + s.before[4] + s.after[4]);
  const V zero = V{}, top = of_all<V>(maximum);
  return most(zero, least(V(sum >> 15), top));
}

}  // namespace coalesce

#if defined(__GNUC__) && !defined(__CUDACC__)
#pragma GCC diagnostic pop
#endif
