// SPDX-License-Identifier: LGPL-2.1-or-later
// Which type the sums of a filter fit, for the CPU back end.
#pragma once

#include <algorithm>

#include "../planes.h"
#include "rows.h"

namespace coalesce {

template <class Sum>
struct SumPlan {
  // Of each channel: added to its sums, and then to their absolute values if these are taken. With
  // `same`, finish.offset says all.
  bool same = false;
  Sum before[4] = {}, after[4] = {};
  RowFinish<Sum> finish;
};

// True, and `plan` filled, if the sums over this plane fit the type. They always fit 64 bits; of
// the others the first one that they fit is the fastest: 16 bits, 32, double.
bool plan_sums(const Filter &filter, const ConvolvePlane &plane, SumPlan<std::uint16_t> *plan);
bool plan_sums(const Filter &filter, const ConvolvePlane &plane, SumPlan<std::uint32_t> *plan);
bool plan_sums(const Filter &filter, const ConvolvePlane &plane, SumPlan<double> *plan);
bool plan_sums(const Filter &filter, const ConvolvePlane &plane, SumPlan<std::uint64_t> *plan);

// Of all of the mask.
std::int64_t sum_of_weights(const Filter &filter);

// Are there fewer products of pairs than single ones? Weights of pairs have 16 bits and sign; of a
// larger one, pair_part() is taken and the rest goes into another pair.
bool pairs_pay(const Filter &filter, bool separable);
inline std::int32_t pair_part(std::int32_t weight) {
  return std::clamp(weight, -INT16_MAX, INT16_MAX);
}

// What a sample costs, about.
int sums_cost(const Filter &filter, const ConvolvePlane &plane, bool separable);

}  // namespace coalesce
