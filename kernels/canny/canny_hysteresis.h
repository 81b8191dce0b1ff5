// SPDX-License-Identifier: LGPL-2.1-or-later
// CPU: open pixels that hang together with edges become edges.
#pragma once

#include "canny_scratch.h"

namespace coalesce {

// Of rows first to last - 1, from whatever edges there are in them. Takes time that grows with the
// number of words and of pixels that become edges, whatever their shape.
void canny_spread(const CannyCpuScratch &maps, int first, int last);

// Across the upper edge of each range of rows that starts[] has; then every edge is found.
void canny_join_ranges(const CannyCpuScratch &maps);

}  // namespace coalesce
