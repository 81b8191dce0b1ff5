// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#include "code_block.h"

namespace coalesce::j2k {

// A block of the picture: what Tier-1 takes, and where its results have room.
struct BlockPlan {
  std::size_t coefficient, pitch;  // its first one, and samples from row to row
  std::size_t first_byte, first_pass, first_symbol;
  std::uint32_t bytes;  // room
  std::uint16_t width, height;
  std::uint8_t max_planes;
  Band band;
  DistortionWeight weight;
};

}  // namespace coalesce::j2k
