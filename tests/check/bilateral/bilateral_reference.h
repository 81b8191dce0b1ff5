// SPDX-License-Identifier: LGPL-2.1-or-later
// What bilateral has to give: frames taken apart as GStreamer has them, then the reference of
// tests/kernels.
#pragma once

#include <functional>

#include "../../support/elements/elements.h"

namespace test {

// A bilateral filter with everything spelled out.
struct BilateralFilter {
  int radius = 2;
  double sigma_space = 2, sigma_range = 25;
  int iterations = 1;
  std::string border = "replicate";
  int border_value = 0;
  bool luma_only = false, filter_alpha = false;
};

// Empty if every sample of `out` is what the filter makes of `in`; else where not. rows_of: how
// many rows of a plane are filtered.
std::string bilateral_difference(const GstVideoFrame &in, const GstVideoFrame &out,
                                 const BilateralFilter &filter,
                                 const std::function<int(int plane)> &rows_of = {});

// Pushes a frame of these caps, random for `seed`, and checks what comes out.
void push_and_check(Harness &harness, const std::string &caps, const BilateralFilter &filter,
                    guint32 seed = 1, GstClockTime pts = GST_CLOCK_TIME_NONE);

}  // namespace test
