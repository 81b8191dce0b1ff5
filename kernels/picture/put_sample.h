// SPDX-License-Identifier: LGPL-2.1-or-later
// CPU: one sample into a row of any format, of which all other bits are kept.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "pixel_format.h"

namespace coalesce {

// Replaces some bits of a word.
template <bool kLittleEndian>
void put_field(std::uint8_t *at, int shift, int bits, std::uint32_t value) {
  constexpr bool kSwapped = kLittleEndian && std::endian::native == std::endian::big;
  std::uint32_t word;
  std::memcpy(&word, at, sizeof word);
  if (kSwapped) word = __builtin_bswap32(word);
  word = (word & ~(((1u << bits) - 1) << shift)) | value << shift;
  if (kSwapped) word = __builtin_bswap32(word);
  std::memcpy(at, &word, sizeof word);
}

// Container or field `number`, counted as PixelComponent does. value: of u8 and u16 all of the
// container; else the component's bits.
inline void put_sample(std::uint8_t *row, const PixelComponent &c, std::ptrdiff_t number,
                       std::uint16_t value) {
  switch (c.container) {
    case Container::u8:
      row[number] = static_cast<std::uint8_t>(value);
      break;
    case Container::u16:
      std::memcpy(row + 2 * number, &value, sizeof value);
      break;
    case Container::u32:
      put_field<false>(row + 4 * number, c.shift, c.bits, value);
      break;
    case Container::v210:
      put_field<true>(row + 4 * (number / 3), static_cast<int>(10 * (number % 3)), 10, value);
      break;
    case Container::be10: {
      const Be10Place at = be10_place(number);
      std::uint8_t *bytes = row + at.byte;
      const int kept = (bytes[0] << 8 | bytes[1]) & ~(0x3FF << at.shift);
      const int both = kept | value << at.shift;
      bytes[0] = static_cast<std::uint8_t>(both >> 8);
      bytes[1] = static_cast<std::uint8_t>(both);
      break;
    }
  }
}

}  // namespace coalesce
