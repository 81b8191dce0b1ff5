// SPDX-License-Identifier: LGPL-2.1-or-later
// A decoder of whole codestreams, slow and plain, and a validator of their structure: markers,
// packets, codeword segments. Beside the names of bands and such it shares the geometry with the
// encoder, which has a test of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "j2k_decoded.h"

namespace coalesce::test {

// What 9/7's coefficients of a region of interest are taken for, once all their bits are known: as
// others, the middle of a step of the quantiser; or its lower end, as OpenJPEG does.
enum class RegionSamples { middle, lower_end };

// Whatever is wrong is the complaint. So are pictures of more than so many points of the reference
// grid, all components together. layers: how many to decode; 0: all. (The others are looked at,
// too.)
constexpr std::int64_t kMostPoints = std::int64_t{1} << 28;
Decoded decode_stream(const std::vector<std::uint8_t> &bytes, int layers = 0,
                      std::int64_t most_points = kMostPoints,
                      RegionSamples region = RegionSamples::middle);

}  // namespace coalesce::test
