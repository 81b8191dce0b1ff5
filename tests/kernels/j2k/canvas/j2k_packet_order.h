// SPDX-License-Identifier: LGPL-2.1-or-later
// The order of packets, by the loops of ITU-T T.800 B.12 as they stand there.
#pragma once

#include <functional>

#include "../codestream/j2k_markers.h"

namespace coalesce::test {

using VisitPacket = std::function<void(int component, int resolution, int precinct, int layer)>;

// Throws Malformed if the progressions have not every packet.
void for_packets(const Stream &stream, const j2k::TileGeometry &tile, const VisitPacket &visit);

}  // namespace coalesce::test
