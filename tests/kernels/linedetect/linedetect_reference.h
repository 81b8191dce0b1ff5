// SPDX-License-Identifier: LGPL-2.1-or-later
// docs/numerics.md, section linedetect, in the plainest words: sets of pixels, walks from neighbour
// to neighbour, recursion.
#pragma once

#include <vector>

#include "linedetect/linedetect.h"

namespace coalesce::test {

struct FoundLines {
  std::vector<Line> lines;
  LineCount count;
  int longest_chain;  // pixels: what a trial is about
};
FoundLines linedetect_reference(const LineParams &params, const ConstImage &in,
                                const ConstImage &edges);

}  // namespace coalesce::test
