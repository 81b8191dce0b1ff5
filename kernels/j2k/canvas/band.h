// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>

namespace coalesce::j2k {

// Sub-band, named by its filters: the first letter is the horizontal one (T.800 B.5).
enum class Band : std::uint8_t { ll, hl, lh, hh };

}  // namespace coalesce::j2k
