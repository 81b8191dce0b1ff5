// SPDX-License-Identifier: LGPL-2.1-or-later
// What rate allocation takes and gives.
#pragma once

#include <cstdint>

#include "code_block.h"
#include "quantiser.h"

namespace coalesce::j2k {

// A block as Tier-1 left it.
struct RateBlock {
  const Pass *passes = nullptr;
  int num_passes = 0;       // 0 to kMaxPasses
  DistortionWeight weight;  // this and the next two of its band: BandQuantiser
  int visual_slope = 0;
  int fine_planes = 0;
  std::uint16_t rounding_slope = 0;  // what it has if all of its planes are fine
  std::uint32_t final_error = 0;     // final_error(); only targets of an error ask for it
  // Planes from this one on belong to a region of interest and are worth 4^-roi_shift of what their
  // number says, where errors are summed. (The slopes keep them as they are: they come first.) 0:
  // there is no region.
  int roi_shift = 0;
};

struct LayerResult {
  std::uint64_t body;     // bytes of the blocks, in this layer and those before
  std::uint64_t headers;  // of this layer alone; 0 if nobody was asked
  // All that is this steep or more is included; -1: all passes. (A layer of so many bytes may have
  // passes beyond that, too.)
  int slope;
};

}  // namespace coalesce::j2k
