// SPDX-License-Identifier: LGPL-2.1-or-later
// The order of a tile's packets (ITU-T T.800 B.12).
#pragma once

#include <vector>

#include "encoder_params.h"

namespace coalesce::j2k {

struct PacketPlace {
  int precinct;  // of the tile's list
  int layer;
};

// One packet for each precinct and layer; the layers of a precinct in their order. Allocates.
std::vector<PacketPlace> packet_order(const TileGeometry &tile, Progression progression,
                                      int layers);

}  // namespace coalesce::j2k
