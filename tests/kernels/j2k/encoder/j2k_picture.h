// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures for the tests of JPEG 2000.
#pragma once

#include <cstdint>
#include <vector>

#include "../../../support/random.h"
#include "j2k/canvas/geometry.h"
#include "j2k/transform/samples.h"

namespace coalesce::test {

// Components of at most 16 bits, each in a plane of its own.
struct Picture {
  j2k::CodingParams params;
  std::vector<std::uint16_t> plane[j2k::kMaxComponents];

  // From the first sample of a tile-component on.
  j2k::Samples samples(int c, const j2k::Rect &tile_component) const;
  // Of the whole component.
  j2k::Samples samples(int c) const { return samples(c, component_rect(params, c)); }
  int at(int c, int x, int y) const;
};

// Smooth, with edges and some noise.
Picture picture(const j2k::CodingParams &params, Random &random);

}  // namespace coalesce::test
