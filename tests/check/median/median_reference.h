// SPDX-License-Identifier: LGPL-2.1-or-later
// What median has to give, in the plainest words.
#pragma once

#include <functional>

#include "../../support/elements/elements.h"

namespace test {

// A rank filter with everything spelled out.
struct RankFilter {
  int width = 3, height = 3;
  double percentile = 50;
  std::string border = "replicate";
  int border_value = 0;
  bool luma_only = false, filter_alpha = false;
};

// Empty if every sample of `out` is what the filter makes of `in`; else where not. rows_of: how
// many rows of a plane are filtered.
std::string rank_difference(const GstVideoFrame &in, const GstVideoFrame &out,
                            const RankFilter &filter,
                            const std::function<int(int plane)> &rows_of = {});

// Pushes a frame of these caps, random for `seed`, and checks what comes out.
void push_and_check(Harness &harness, const std::string &caps, const RankFilter &filter,
                    guint32 seed = 1, GstClockTime pts = GST_CLOCK_TIME_NONE);

}  // namespace test
