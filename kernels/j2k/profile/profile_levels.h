// SPDX-License-Identifier: LGPL-2.1-or-later
// Levels of profiles, and the bytes that these allow. The numbers: see profile.h.
#pragma once

#include <cstdint>

#include "profile.h"

namespace coalesce::j2k {

// 0: any.
struct LevelLimits {
  double samples = 0;           // a second, of the highest level
  std::uint64_t frame = 0;      // bytes of a codestream; where too many are wanted, of the highest
  std::uint64_t component = 0;  // of a component's tile-parts
};

enum class LevelFit : std::uint8_t { fits, no_frame_rate, too_many_samples, too_many_bytes };

// The levels that a picture of so many samples needs at this rate, as Rsiz has them (0 for cinema),
// and what they allow. Not for Profile::none.
LevelFit fit_levels(Profile profile, double samples, const ProfileRate &rate, unsigned *levels,
                    LevelLimits *limits);

}  // namespace coalesce::j2k
