// SPDX-License-Identifier: LGPL-2.1-or-later
// A decoder of whole codestreams, slow and plain, and a validator of their structure: markers,
// packets, codeword segments. Beside the names of bands and such it shares the geometry with the
// encoder, which has a test of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "j2k_decoded.h"

namespace coalesce::test {

// Whatever is wrong is the complaint. layers: how many to decode; 0: all. (The others are looked
// at, too.)
Decoded decode_stream(const std::vector<std::uint8_t> &bytes, int layers = 0);

}  // namespace coalesce::test
