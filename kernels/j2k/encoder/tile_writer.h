// SPDX-License-Identifier: LGPL-2.1-or-later
// Tiles, whose packets were made, as tile-parts.
#pragma once

#include <cstdint>
#include <vector>

#include "../../core/status.h"
#include "../tier2/packets.h"
#include "encoder_plan.h"

namespace coalesce::j2k {

// How long the tile is, with all of its headers. components: adds to each component's the length of
// the tile-parts that begin with it; with TileParts::component, these are all that the component
// has. May be nullptr.
// Errors of both: unsupported.
Status tile_length(const EncoderParams &params, const TilePlan &tile, const Packets &packets,
                   std::uint64_t *length, std::uint64_t *components);

// Appends it. tlm: see put_main_header(), counted from the first byte of *out.
Status append_tile(const EncoderParams &params, const TilePlan &tile, const Packets &packets,
                   std::size_t tlm, std::vector<std::uint8_t> *out);

}  // namespace coalesce::j2k
