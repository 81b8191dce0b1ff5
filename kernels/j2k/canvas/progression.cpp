// SPDX-License-Identifier: LGPL-2.1-or-later
#include "progression.h"

#include <algorithm>
#include <array>

namespace coalesce::j2k {
namespace {

// What the loops of B.12.1 run over, the outermost first: packets are sorted by it. (Precincts of
// one component and resolution are in raster order, which is that of their positions.)
using Key = std::array<int, 7>;

Key key_of(const TileGeometry &tile, const EncoderParams &params, const PacketPlace &packet) {
  const Precinct &p = tile.precincts[static_cast<std::size_t>(packet.precinct)];
  const Subband &band = packet_band(tile, packet);
  const int l = packet.layer, k = packet.precinct;
  const int r = band.resolution, c = band.component;
  const int s = params.largest_last && r == params.coding.levels;
  const int x = p.reference_x, y = p.reference_y;
  switch (params.progression) {
    case Progression::lrcp:
      return {s, l, r, c, k};
    case Progression::rlcp:
      return {s, r, l, c, k};
    case Progression::rpcl:
      return {s, r, y, x, c, k, l};
    case Progression::pcrl:
      return {s, y, x, c, r, k, l};
    case Progression::cprl:
      break;
  }
  return {s, c, y, x, r, k, l};
}

}  // namespace

const Subband &packet_band(const TileGeometry &tile, const PacketPlace &packet) {
  const Precinct &p = tile.precincts[static_cast<std::size_t>(packet.precinct)];
  const PrecinctBand &first = tile.precinct_bands[static_cast<std::size_t>(p.first_band)];
  return tile.bands[static_cast<std::size_t>(first.band)];
}

std::vector<PacketPlace> packet_order(const TileGeometry &tile, const EncoderParams &params) {
  struct Keyed {
    Key key;
    PacketPlace place;
  };
  std::vector<Keyed> packets;
  packets.reserve(tile.precincts.size() * static_cast<std::size_t>(params.layers));
  for (int precinct = 0; precinct < static_cast<int>(tile.precincts.size()); ++precinct)
    for (int layer = 0; layer < params.layers; ++layer)
      packets.push_back({key_of(tile, params, {precinct, layer}), {precinct, layer}});
  std::sort(packets.begin(), packets.end(),
            [](const Keyed &a, const Keyed &b) { return a.key < b.key; });
  std::vector<PacketPlace> order;
  order.reserve(packets.size());
  for (const Keyed &packet : packets)
    order.push_back(packet.place);
  return order;
}

std::vector<std::size_t> tile_part_ends(const TileGeometry &tile, TileParts parts,
                                        const std::vector<PacketPlace> &order) {
  const auto index = [&](const PacketPlace &packet) {
    if (parts == TileParts::one) return 0;
    if (parts == TileParts::layer) return packet.layer;
    const Subband &band = packet_band(tile, packet);
    return parts == TileParts::resolution ? band.resolution : band.component;
  };
  std::vector<std::size_t> ends;
  for (std::size_t i = 1; i < order.size(); ++i)
    if (index(order[i]) != index(order[i - 1])) ends.push_back(i);
  ends.push_back(order.size());
  return ends;
}

}  // namespace coalesce::j2k
