// SPDX-License-Identifier: LGPL-2.1-or-later
// Tiles, whose packets were made, as tile-parts.
#pragma once

#include <cstdint>
#include <vector>

#include "../../core/status.h"
#include "../tier2/packets.h"
#include "encoder_plan.h"

namespace coalesce::j2k {

// Appends it. tlm: see put_main_header(), counted from the first byte of *out.
// Errors: unsupported for what SOT or PLT have no numbers for.
Status append_tile(const EncoderParams &params, const TilePlan &tile, const Packets &packets,
                   std::size_t tlm, std::vector<std::uint8_t> *out);

}  // namespace coalesce::j2k
