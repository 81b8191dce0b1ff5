// SPDX-License-Identifier: LGPL-2.1-or-later
// Where the samples of a picture are in memory, for every format and every operation.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../core/host_device.h"

namespace coalesce {

// What samples are taken out of: integers in the byte order of the host, or fields of ten bits.
//   v210  three in a word of 32 bits (little-endian, too), the lowest first
//   be10  four in five bytes without a gap, the highest bits first (SMPTE ST 2110-20)
enum class Container : std::uint8_t { u8, u16, u32, v210, be10 };

// The bits of a container; the bytes of one (v210: of three, be10: of four); what divides the
// addresses and pitches of their planes.
COALESCE_HOST_DEVICE constexpr int container_bits(Container c) {
  return c == Container::u8 ? 8 : c == Container::u16 ? 16 : c == Container::u32 ? 32 : 10;
}
COALESCE_HOST_DEVICE constexpr int container_bytes(Container c) {
  return c == Container::u8 ? 1 : c == Container::u16 ? 2 : c == Container::be10 ? 5 : 4;
}
COALESCE_HOST_DEVICE constexpr int container_alignment(Container c) {
  return c == Container::be10 ? 1 : container_bytes(c);
}

// Field `number` of be10 is in two bytes: (row[byte] << 8 | row[byte + 1]) >> shift & 0x3FF.
struct Be10Place {
  std::ptrdiff_t byte;
  int shift;
};
COALESCE_HOST_DEVICE constexpr Be10Place be10_place(std::ptrdiff_t number) {
  const auto in_group = static_cast<int>(number & 3);
  return {5 * (number >> 2) + in_group, 6 - 2 * in_group};
}

enum class Role : std::uint8_t { grey, y, u, v, r, g, b, alpha };

// Sample x of a row is (c >> shift) & (2^bits - 1), c being container (of v210: field) number
// first + x * step of the row. So for example
//   NV12's V       plane 1, u8, first 1, step 2, log2_width 1, log2_height 1
//   P010's luma    plane 0, u16, shift 6, bits 10, step 1
//   UYVY's U       plane 0, u8, first 0, step 4;  v210's and UYVP's Cr: first 2, step 4
struct PixelComponent {
  std::uint8_t plane;
  Container container;
  std::uint8_t shift, bits;  // bits: 1 to 16
  std::int8_t first, step;
  std::uint8_t log2_width, log2_height;  // of the columns and rows that share a sample
  Role role;
};

// Components in the order R, G, B or Y, U, V or grey, then alpha, wherever they are in memory.
struct PixelFormat {
  std::uint8_t planes = 0, components = 0;
  PixelComponent component[4] = {};

  // nullptr if there is none.
  constexpr const PixelComponent *find(Role role) const {
    for (int c = 0; c < components; ++c)
      if (component[c].role == role) return component + c;
    return nullptr;
  }
  constexpr bool has(Role role) const { return find(role) != nullptr; }

  // Y, U and V in one plane by turns: UYVY, v210, Y210 and their like.
  constexpr bool is_packed_422() const {
    const auto is_half = [](const PixelComponent &c) {
      return c.step == 4 && c.log2_width == 1 && c.log2_height == 0;
    };
    return planes == 1 && components == 3 && component[0].step == 2 && is_half(component[1]) &&
           is_half(component[2]);
  }

  // Is every sample a byte?
  constexpr bool in_bytes() const {
    for (int c = 0; c < components; ++c)
      if (component[c].container != Container::u8 || component[c].bits != 8) return false;
    return components > 0;
  }
};

constexpr bool operator==(const PixelComponent &a, const PixelComponent &b) {
  return a.plane == b.plane && a.container == b.container && a.shift == b.shift &&
         a.bits == b.bits && a.first == b.first && a.step == b.step &&
         a.log2_width == b.log2_width && a.log2_height == b.log2_height && a.role == b.role;
}
constexpr bool operator==(const PixelFormat &a, const PixelFormat &b) {
  bool same = a.planes == b.planes && a.components == b.components;
  for (int c = 0; same && c < a.components; ++c)
    same = a.component[c] == b.component[c];
  return same;
}

}  // namespace coalesce
