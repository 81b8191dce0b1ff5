// SPDX-License-Identifier: LGPL-2.1-or-later
// Rows whose samples are each made of those above and below alone, on the CPU.
#pragma once

#include "deinterlace_args.h"

namespace coalesce {

// Makes row y of a plane, which the picture's field has not, of lanes of words as they are in
// memory. Returns how many columns it has made: all, of packed 4:2:2 all but an incomplete group at
// the end, or 0 where rows of this kind or format are not made so.
int make_lanes(const DeinterlaceArgs &args, const FieldPicture &picture, int plane, int y,
               const LineRows &rows);

}  // namespace coalesce
