// SPDX-License-Identifier: LGPL-2.1-or-later
// Grok as a judge: its program, where there is one.
#pragma once

#include <cstdint>
#include <vector>

#include "j2k_decoded.h"

namespace coalesce::test {

bool have_grok();
// A codestream, or a JP2 file. (Three components that are subsampled, and of no known colour space,
// it converts to RGB.)
Decoded decode_with_grok(const std::vector<std::uint8_t> &bytes);

}  // namespace coalesce::test
