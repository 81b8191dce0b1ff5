// SPDX-License-Identifier: LGPL-2.1-or-later
// A decoder of whole codestreams, slow and plain, and a validator of their structure: markers,
// packets, codeword segments. Beside the names of bands and such it shares the geometry with the
// encoder, which has a test of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "j2k_decoded.h"

namespace coalesce::test {

// Whatever is wrong is the complaint.
Decoded decode_stream(const std::vector<std::uint8_t> &bytes);

}  // namespace coalesce::test
