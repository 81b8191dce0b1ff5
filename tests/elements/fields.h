// SPDX-License-Identifier: LGPL-2.1-or-later
// coalescefields, an element of the tests on the class Temporal: interlaced GRAY8 to progressive
// GRAY8 of half the height and twice the rate. Each picture is the average of a field and the next
// one in time. So the second picture of a frame looks at one field of the frame after it, where
// there is none at its own field alone. A frame that is marked as droppable becomes none.
//   ahead     false: also where there is one, so that no frame is waited for
//   fail      the number of the frame whose run() fails, counted from 1; 0 = none
//   measures  each frame and the one before it: the average of their first kMeasured bytes
//   delay     empty kernels on the simulated driver before the real ones (elements.h)
#pragma once

#include "base/temporal.h"

namespace coalesce::testing {

GType fields_get_type();

// What has been measured of a frame in hand: kMeasured bytes, or nullptr.
constexpr int kMeasured = 8;
extern void (*look_at_measured)(const std::uint8_t *bytes);

// Before a kernel, where a test wants something there.
extern void (*before_kernel)(const Queue &queue, int delay);

}  // namespace coalesce::testing
