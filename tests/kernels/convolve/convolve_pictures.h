// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures of one channel, in sample units, for tests that filter whole ones.
#pragma once

#include <vector>

#include "convolve/planes.h"

namespace coalesce::test {

struct Picture {
  int width, height;
  std::vector<int> samples;

  int &at(int x, int y) { return samples[static_cast<std::size_t>(y * width + x)]; }
  int at(int x, int y) const { return samples[static_cast<std::size_t>(y * width + x)]; }
};

template <class F>
Picture picture(int width, int height, F sample) {
  Picture made = {width, height, {}};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      made.samples.push_back(sample(x, y));
  return made;
}

struct Surroundings {
  Border border = Border::replicate;
  int value = 0;
  ChannelRole role = ChannelRole::level;
};

// Throws std::runtime_error if it cannot be done.
Picture filtered(const FilterSettings &settings, SampleDepth depth, const Picture &in,
                 const Surroundings &around);

// The formula with real numbers, from what the user said: of each sample, before it is rounded.
std::vector<double> ideally_filtered(const FilterSettings &settings, SampleDepth depth,
                                     const Picture &in, const Surroundings &around);

}  // namespace coalesce::test
