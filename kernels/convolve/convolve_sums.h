// SPDX-License-Identifier: LGPL-2.1-or-later
// Which type the sums of a filter fit, for the CPU back end.
#pragma once

#include "convolve.h"
#include "convolve_rows.h"

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

// Do the sums over `across` fit a double?
bool across_fits_double(const Filter &filter);

// Can samples be multiplied in pairs: of up to 10 bits, by signed 16-bit weights?
bool fits_pairs(const Filter &filter, bool separable);

// What a sample costs, about.
int sums_cost(const Filter &filter, const ConvolvePlane &plane, bool separable);

}  // namespace coalesce
