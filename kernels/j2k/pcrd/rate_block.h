// SPDX-License-Identifier: LGPL-2.1-or-later
// The input of rate allocation.
#pragma once

#include <cstdint>

#include "../../core/host_device.h"
#include "../canvas/code_block.h"

namespace coalesce::j2k {

// Of the components in the set.
COALESCE_HOST_DEVICE std::uint64_t sum_of(const std::uint64_t (&bytes)[kMaxComponents],
                                          unsigned components) {
  std::uint64_t sum = 0;
  for (int c = 0; c < kMaxComponents; ++c)
    if ((components >> c & 1) != 0) sum += bytes[c];
  return sum;
}

// What each component may have, beside the target of the one layer that there is then. count: of
// all components; 0: there are no such limits.
struct ComponentLimits {
  const std::uint64_t *bytes = nullptr;  // of blocks and headers
  int count = 0;
};

// A block as Tier-1 left it.
struct RateBlock {
  const Pass *passes = nullptr;
  int num_passes = 0;       // 0 to kMaxPasses
  DistortionWeight weight;  // this and the next two of its band: BandQuantiser
  int visual_slope = 0;
  int fine_planes = 0;
  bool one_sample = false;           // it is all that the block has
  bool is_fine = false;              // of a band of level 2, or of a finer one
  std::uint16_t rounding_slope = 0;  // what it has if all of its planes are fine; and
  std::uint32_t rounding = 128;      // the last layer's LayerBudget::rounding
  std::uint32_t final_error = 0;     // final_error(); only targets of an error ask for it
  // Planes from this one on belong to a region of interest and are worth 4^-roi_shift of what their
  // number says, where errors are summed. (The slopes keep them as they are: they come first.) 0:
  // there is no region.
  int roi_shift = 0;
  std::uint8_t component = 0;  // 0 for all, if there are no limits of components
};

}  // namespace coalesce::j2k
