// SPDX-License-Identifier: LGPL-2.1-or-later
// What linedetect has to make of a frame: the references of tests/kernels, with the caps' colours.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "../../support/elements/elements.h"
#include "canny/canny.h"
#include "linedetect/linedetect.h"

namespace test {

// linedetect without a Gaussian, with everything spelled out.
struct LineFilter {
  coalesce::CannyParams edges = {70, 140, 3, false};
  coalesce::LineParams lines;
  bool draw = false;
  int thickness = 2;
  guint line_color = 0xff00ff00;
};

// x0, y0, x1, y1, width, strength.
using LineRecord = std::array<float, 6>;
struct LinesSaid {
  std::vector<LineRecord> lines;
  guint count, found;
};
// By a meta, or by a message. The structure has the fields.
LinesSaid lines_of(const GstStructure *structure);
// On a buffer; there must be some meta of them.
LinesSaid lines_on(GstBuffer *buffer);
bool has_lines(GstBuffer *buffer);

// Empty if `out` is what the filter makes of `in`, with its lines; else what is wrong.
std::string lines_difference(GstBuffer *in, const GstVideoInfo &in_info, GstBuffer *out,
                             const GstVideoInfo &out_info, const LineFilter &filter,
                             bool interlaced);

}  // namespace test
