// SPDX-License-Identifier: LGPL-2.1-or-later
// References' access to samples of any format, bit by bit.
#pragma once

#include <cstdint>

#include "picture/pixel_format.h"

namespace coalesce::test {

int read_bits(const std::uint8_t *row, const PixelComponent &c, int x);
// What shares its container with nobody loses the other bits of it.
void write_bits(std::uint8_t *row, const PixelComponent &c, int x, int sample);

}  // namespace coalesce::test
