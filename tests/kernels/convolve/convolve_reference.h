// SPDX-License-Identifier: LGPL-2.1-or-later
// docs/numerics.md, section convolve, in the plainest words: a sample at a time, in integers that
// are wide enough for everything. What a Filter means is read off the comments in filter.h.
#pragma once

#include <cstdint>
#include <vector>

#include "convolve/planes.h"

namespace coalesce::test {

__extension__ typedef __int128 Wide;

// The position inside 0 .. size - 1 that stands for `position`; -1: none does.
using BorderRule = int (*)(Border border, int position, int size);
int position_inside(Border border, int position, int size);

// One channel of a plane in sample units, with what stands around it: as many samples on the left
// as `left`, and so on; `width` and `height` include them.
struct Surrounded {
  int width, height;
  std::vector<int> samples;

  Surrounded(const ConvolveParams &params, const ConvolvePlane &plane, int channel, int left,
             int above, int right, int below, BorderRule rule = position_inside);
  const int *row(int y) const { return &samples[static_cast<std::size_t>(y * width)]; }
};

int pixels_across(const ConvolvePlane &plane, SampleDepth depth);
void store_sample(const ConvolvePlane &plane, SampleDepth depth, int channel, int x, int y,
                  int value);

// Output sample of a weighted sum, for `level` or `chroma`.
int finished(Wide sum, const Filter &filter, ChannelRole role);

// The whole operation.
void convolve_reference(const ConvolveParams &params, const ConvolvePlanes &image,
                        BorderRule rule = position_inside);

}  // namespace coalesce::test
