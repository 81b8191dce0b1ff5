// SPDX-License-Identifier: LGPL-2.1-or-later
// What canny has to make of a frame: the references of tests/kernels/canny, with the caps' colours.
#pragma once

#include "../../support/elements/elements.h"
#include "canny/canny.h"
#include "canny/edge_overlay.h"

namespace test {

// canny without a Gaussian, with everything spelled out.
struct CannyFilter {
  coalesce::CannyParams params;
  bool overlay = false;
  guint edge_color = 0xff00ff00;
};

// Of a colour, in a format and its colorimetry.
coalesce::EdgeColour colour_of(const GstVideoInfo &info, guint argb);

// Empty if every sample of `out` is what the filter makes of `in`; else where not.
std::string canny_difference(GstBuffer *in, const GstVideoInfo &in_info, GstBuffer *out,
                             const GstVideoInfo &out_info, const CannyFilter &filter,
                             bool interlaced);

// Pushes a frame of these caps, random for `seed`, and checks what comes out.
void push_and_check(Harness &harness, const std::string &caps, const CannyFilter &filter,
                    guint32 seed = 1, GstClockTime pts = GST_CLOCK_TIME_NONE);

}  // namespace test
