// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "../../picture/tile.cuh"
#include "../planes.h"

namespace coalesce {

inline TileSource make_tile_source(const ConvolveParams &params, const ConvolvePlane &plane) {
  const SampleDepth depth = params.filter->depth;
  std::uint64_t fill = 0;
  for (int c = 0; c < plane.channels; ++c) {
    const int value = plane.role[c] == ChannelRole::chroma ? depth.middle() : params.border_value;
    fill |= static_cast<std::uint64_t>(value << depth.shift) << (8 * depth.bytes() * c);
  }
  return make_tile_source(plane.in, plane.channels * depth.bytes(), params.border, fill);
}

}  // namespace coalesce
