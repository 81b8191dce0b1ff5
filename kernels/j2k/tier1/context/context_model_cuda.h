// SPDX-License-Identifier: LGPL-2.1-or-later
// Context modelling on the GPU: what ContextModel makes of each block, for the blocks of a frame.
#pragma once

#include "../../../core/status.h"
#include "../../device/device_frame.h"

namespace coalesce::j2k {

// What decides how much shared memory a block takes: computed once for a format.
struct ModelShape {
  int lanes;   // that share a block: 16 or 32
  int words;   // most of a block, of 4 x 16 samples
  int framed;  // the same with a frame of one word on each side, one stripe above and below
};
// plan is in host memory here.
ModelShape model_shape(const BlockPlan *plan, int blocks);

// Enqueues `count` blocks from `first` on, whose coefficients are there: they get their planes,
// symbols and pass sizes. A block of more planes than its band may have, which no quantiser makes,
// gets nothing but its planes.
Status model_blocks(const DeviceFrame &frame, const ModelShape &shape, int first, int count,
                    void *stream);

}  // namespace coalesce::j2k
