// SPDX-License-Identifier: LGPL-2.1-or-later
// Elements of the tests on the class Aggregator.
//
// coalescedifference: |a - b|, byte by byte, of its first two inputs (sink_%u), of one format and
// size; further inputs are required and not looked at.
//   fail   the number of the picture whose run() fails, counted from 1; 0 = none
//   delay  empty kernels on the simulated driver before the real ones (elements.h)
//   heavy  system memory is worth the trip to the GPU
//
// coalesceanydifference: the same, where one input suffices: a missing one is like the other.
//
// coalesceleftright: |left - right| of the upper halves of two inputs of one rate, in GRAY8, from
// the luma of any two formats. An input of one row is refused.
#pragma once

#include "base/aggregator.h"

namespace coalesce::testing {

GType difference_get_type();
GType any_difference_get_type();
GType left_right_get_type();

}  // namespace coalesce::testing
