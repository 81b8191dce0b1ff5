// SPDX-License-Identifier: LGPL-2.1-or-later
// What cartoon has to make of a frame: the reference of tests/kernels/cartoon, with the caps'
// colours.
#pragma once

#include "../../support/elements/elements.h"
#include "cartoon/cartoon.h"

namespace test {

// Range and colour of the settings are not looked at.
struct CartoonFilter {
  coalesce::CartoonSettings settings;
  guint edge_color = 0xff000000;
};

// Empty if every sample of `out` is what the filter makes of `in`; else where not. spare_rows:
// those that only interlaced chroma has are filtered, too.
std::string cartoon_difference(GstBuffer *in, GstBuffer *out, const GstVideoInfo &info,
                               const CartoonFilter &filter, bool interlaced,
                               bool spare_rows = false);

}  // namespace test
