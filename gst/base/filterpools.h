// SPDX-License-Identifier: LGPL-2.1-or-later
// Where a filter's frames lie: its own pools of device memory, and the pool for its output.
#pragma once

#include "filter.h"

namespace coalesce::gst {

// For the caps that have been set. Posts an error where it returns false.
bool filter_make_pools(GstCoalesceFilter *self);
void filter_drop_pools(GstCoalesceFilter *self);

// What downstream offers, and what is used of it, before GstBaseTransform decides.
void filter_choose_pools(GstCoalesceFilter *self, GstQuery *query);

}  // namespace coalesce::gst
