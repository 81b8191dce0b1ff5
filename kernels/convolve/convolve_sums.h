// SPDX-License-Identifier: LGPL-2.1-or-later
// Which type the sums of a filter fit, for the CPU back end.
#pragma once

#include "convolve.h"
#include "convolve_rows.h"

namespace coalesce {

// True, and `finish` filled, if the sums over this plane fit the type. They always fit 64 bits; of
// the others the first one that they fit is the fastest: 16 bits, 32, double.
bool make_finish(const Filter &filter, const ConvolvePlane &plane, Finish<std::uint16_t> *finish);
bool make_finish(const Filter &filter, const ConvolvePlane &plane, Finish<std::uint32_t> *finish);
bool make_finish(const Filter &filter, const ConvolvePlane &plane, Finish<double> *finish);
bool make_finish(const Filter &filter, const ConvolvePlane &plane, Finish<std::uint64_t> *finish);

}  // namespace coalesce
