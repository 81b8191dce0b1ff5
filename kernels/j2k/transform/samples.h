// SPDX-License-Identifier: LGPL-2.1-or-later
// Where the samples of a component lie in a picture, whatever its format.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../core/host_device.h"

namespace coalesce::j2k {

// What samples are taken out of: integers in the byte order of the host, or v210's words of 32 bits
// (little-endian, too), each of which holds three fields of ten bits, the lowest first.
enum class Container : std::uint8_t { u8, u16, u32, v210 };

// Sample (x, y) is (c >> shift) & (2^bits - 1), c being the container (of v210: the field) number
// first + (x0 + x) * step of row y0 + y. So for example
//   NV12's V       u8, the second plane, first 1, step 2
//   P010's luma    u16, step 1, shift 6, bits 10
//   UYVY's U       u8, first 0, step 4;  v210's Cr: first 2, step 4
// Any address will do.
struct Samples {
  const void *data = nullptr;
  std::size_t pitch = 0;  // bytes from one row to the next
  Container container = Container::u8;
  std::uint8_t shift = 0;
  std::uint8_t bits = 8;  // 1 to 16
  int first = 0, step = 1;
  int x0 = 0, y0 = 0;  // where the region begins, in samples
};

// The bits of a container; the bytes of one (v210: of three).
COALESCE_HOST_DEVICE int container_bits(Container c) {
  return c == Container::u8 ? 8 : c == Container::u16 ? 16 : c == Container::u32 ? 32 : 10;
}
COALESCE_HOST_DEVICE int container_bytes(Container c) {
  return c == Container::u8 ? 1 : c == Container::u16 ? 2 : 4;
}

}  // namespace coalesce::j2k
