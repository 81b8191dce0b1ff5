// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sample_bits.h"

namespace coalesce::test {
namespace {

// Bit `bit` of a container, or of a field: its byte, and its number in it.
struct BitPlace {
  int byte, number;
};
BitPlace place_of(Container container, int number, int bit) {
  if (container == Container::be10) {
    const int at = 10 * number + 9 - bit;
    return {at / 8, 7 - at % 8};
  }
  const int at = container == Container::v210 ? 32 * (number / 3) + 10 * (number % 3) + bit
                                              : container_bits(container) * number + bit;
  return {at / 8, at % 8};
}

}  // namespace

int read_bits(const std::uint8_t *row, const PixelComponent &c, int x) {
  int sample = 0;
  for (int i = 0; i < c.bits; ++i) {
    const BitPlace at = place_of(c.container, c.first + x * c.step, c.shift + i);
    sample |= (row[at.byte] >> at.number & 1) << i;
  }
  return sample;
}

void write_bits(std::uint8_t *row, const PixelComponent &c, int x, int sample) {
  const bool alone = c.container == Container::u8 || c.container == Container::u16;
  const int first = alone ? 0 : c.shift,
            end = alone ? container_bits(c.container) : c.shift + c.bits;
  for (int i = first; i < end; ++i) {
    const BitPlace at = place_of(c.container, c.first + x * c.step, i);
    const int bit = i < c.shift ? 0 : sample >> (i - c.shift) & 1;
    row[at.byte] = static_cast<std::uint8_t>((row[at.byte] & ~(1 << at.number)) | bit << at.number);
  }
}

}  // namespace coalesce::test
