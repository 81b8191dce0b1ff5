// SPDX-License-Identifier: LGPL-2.1-or-later
// What the back ends of invert share. max − sample has the bits of the sample complemented, so an
// inverted row is the row with some bits flipped.
#pragma once

#include <cstdint>

#include "../core/host_device.h"
#include "invert.h"

namespace coalesce {

// Of each plane the bits that are flipped in 8 bytes, which repeat along a row.
struct InvertBits {
  std::uint64_t of_plane[4];

  // x: in bytes from the start of the row, a multiple of 4.
  COALESCE_HOST_DEVICE std::uint32_t operator()(int plane, int x, std::uint32_t word) const {
    return word ^ static_cast<std::uint32_t>(of_plane[plane] >> (x & 4) * 8);
  }
};

InvertBits invert_bits(const PixelFormat &format);

}  // namespace coalesce
