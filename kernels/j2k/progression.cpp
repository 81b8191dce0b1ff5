// SPDX-License-Identifier: LGPL-2.1-or-later
#include "progression.h"

#include <algorithm>
#include <array>

namespace coalesce::j2k {
namespace {

// What the loops of B.12.1 run over, the outermost first: packets are sorted by it. (Precincts of
// one component and resolution are in raster order, which is that of their positions.)
using Key = std::array<int, 6>;

Key key_of(const TileGeometry &tile, Progression progression, const PacketPlace &packet) {
  const Precinct &p = tile.precincts[static_cast<std::size_t>(packet.precinct)];
  const PrecinctBand &first = tile.precinct_bands[static_cast<std::size_t>(p.first_band)];
  const Subband &band = tile.bands[static_cast<std::size_t>(first.band)];
  const int l = packet.layer, k = packet.precinct;
  const int r = band.resolution, c = band.component;
  const int x = p.reference_x, y = p.reference_y;
  switch (progression) {
    case Progression::lrcp:
      return {l, r, c, k};
    case Progression::rlcp:
      return {r, l, c, k};
    case Progression::rpcl:
      return {r, y, x, c, k, l};
    case Progression::pcrl:
      return {y, x, c, r, k, l};
    case Progression::cprl:
      break;
  }
  return {c, y, x, r, k, l};
}

}  // namespace

std::vector<PacketPlace> packet_order(const TileGeometry &tile, Progression progression,
                                      int layers) {
  struct Keyed {
    Key key;
    PacketPlace place;
  };
  std::vector<Keyed> packets;
  packets.reserve(tile.precincts.size() * static_cast<std::size_t>(layers));
  for (int precinct = 0; precinct < static_cast<int>(tile.precincts.size()); ++precinct)
    for (int layer = 0; layer < layers; ++layer)
      packets.push_back({key_of(tile, progression, {precinct, layer}), {precinct, layer}});
  std::sort(packets.begin(), packets.end(),
            [](const Keyed &a, const Keyed &b) { return a.key < b.key; });
  std::vector<PacketPlace> order;
  order.reserve(packets.size());
  for (const Keyed &packet : packets)
    order.push_back(packet.place);
  return order;
}

}  // namespace coalesce::j2k
