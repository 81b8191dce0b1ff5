// SPDX-License-Identifier: LGPL-2.1-or-later
// docs/numerics.md, section deinterlace, in the plainest words: a sample at a time.
#pragma once

#include <vector>

#include "deinterlace/deinterlace.h"

namespace coalesce::test {

// The samples of a component, row by row.
struct SamplePlane {
  int width = 0, height = 0, bits = 8;
  bool deep = false;  // more than 8 bits have the picture's first components
  std::vector<int> samples;

  int at(int x, int y) const { return samples[static_cast<std::size_t>(y * width + x)]; }
};

// A component of a picture that the rows of `field` are kept of.
SamplePlane deinterlace_plane(const DeinterlaceParams &params, const SamplePlane &before,
                              const SamplePlane &current, const SamplePlane &after, int field,
                              bool second, bool end);

// The whole operation: every byte of every row.
void deinterlace_reference(const DeinterlaceParams &params, const ConstImage &before,
                           const ConstImage &current, const ConstImage &after,
                           const FieldPicture &picture);

}  // namespace coalesce::test
