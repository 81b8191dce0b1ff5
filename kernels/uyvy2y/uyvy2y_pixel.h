// SPDX-License-Identifier: LGPL-2.1-or-later
// What the back ends of uyvy2y share: where luma stands, and the value of no colour.
#pragma once

#include <cstdint>

#include "../core/host_device.h"
#include "uyvy2y.h"

namespace coalesce {

constexpr std::uint8_t kNeutralChroma = 128;

// The first luma byte of a macropixel; the second is two bytes further.
constexpr int luma_offset(const PixelFormat &packed) {
  return packed.component[0].first;
}

// The four luma bytes of two macropixels, each loaded as a little-endian word.
COALESCE_HOST_DEVICE std::uint32_t luma_of_words(std::uint32_t first, std::uint32_t second,
                                                 int offset) {
#if defined(__CUDA_ARCH__)
  return __byte_perm(first, second, offset != 0 ? 0x7531 : 0x6420);
#else
  const int shift = 8 * offset;
  const auto pair = [shift](std::uint32_t word) {
    return ((word >> shift) & 0xff) | ((word >> (shift + 8)) & 0xff00);
  };
  return pair(first) | pair(second) << 16;
#endif
}

}  // namespace coalesce
