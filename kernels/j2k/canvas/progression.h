// SPDX-License-Identifier: LGPL-2.1-or-later
// The order of a tile's packets (ITU-T T.800 B.12), and where tile-parts end.
#pragma once

#include <vector>

#include "../params/encoder_params.h"
#include "geometry.h"

namespace coalesce::j2k {

struct PacketPlace {
  int precinct;  // of the tile's list
  int layer;
};

// One packet for each precinct and layer; the layers of a precinct in their order. Allocates.
std::vector<PacketPlace> packet_order(const TileGeometry &tile, const EncoderParams &params);

// The resolution and the component of a packet.
const Subband &packet_band(const TileGeometry &tile, const PacketPlace &packet);

// Behind the last packet of each tile-part. (A tile without packets has one tile-part.) Allocates.
std::vector<std::size_t> tile_part_ends(const TileGeometry &tile, TileParts parts,
                                        const std::vector<PacketPlace> &order);

}  // namespace coalesce::j2k
