// SPDX-License-Identifier: LGPL-2.1-or-later
// How many bytes of a segment a decoder needs to get to a mark.
#pragma once

#include <cstdint>

#include "../../../core/host_device.h"
#include "mq_coder.h"

namespace coalesce::j2k {

// The code register: a carry (bit 27), the next byte (26 to 19), three spacer bits and 16 that the
// interval is added to.
constexpr int kByteShift = 19;
constexpr int kCarryShift = 27;

// The length without bytes at the end that are ones only, but for the 0 stuffed after FF.
COALESCE_HOST_DEVICE int without_ones(const std::uint8_t *bytes, int length) {
  while (length > 0) {
    const std::uint8_t last = bytes[length - 1];
    const bool stuffed = length > 1 && bytes[length - 2] == 0xFF;
    if (last != 0xFF && !(stuffed && last == 0x7F)) break;
    --length;
  }
  return length;
}

// The smallest number of bytes at the beginning of a complete segment with which a decoder decodes
// all that was coded before the mark. With one byte less it would not; and the last is no FF.
// (D.4.1 leaves the choice of lengths to the encoder. A decoder that reads ones behind byte n is
// right as long as this number is still below the upper end of the interval the symbols had left;
// it suffices to look at four bytes.)
COALESCE_HOST_DEVICE int least_length(const CoderMark &mark, const std::uint8_t *bytes,
                                      int length) {
  // Numbers are the code register's, shifted to the end of its next byte, in units of 2^-16.
  constexpr int kScale = 16, kPending = kCarryShift + kScale;
  const std::uint64_t begin = std::uint64_t{mark.low} << (mark.shifts + kScale);
  const std::uint64_t end = begin + (std::uint64_t{mark.range} << (mark.shifts + kScale));
  int n = mark.count + 1 < length ? mark.count + 1 : length;
  if (n == mark.count + 1) {
    // Of what was sent, the beginning is the carry into the byte that was pending. A decoder that
    // reads ones behind n bytes arrives just below sent + ones. Behind FF these are 7 ones, but
    // what was sent may have a carry in the place of the 0: so this may be too little, too.
    const std::uint8_t last = n > 0 ? bytes[n - 1] : std::uint8_t{0};
    std::uint64_t sent = std::uint64_t{last != mark.pending} << kPending;
    std::uint64_t ones = std::uint64_t{1} << kPending;
    int shift = kByteShift + kScale + (last == 0xFF ? 1 : 0);
    while (n < length && (sent + ones <= begin || sent + ones > end)) {
      sent += std::uint64_t{bytes[n]} << shift;
      ones = std::uint64_t{1} << shift;
      shift -= bytes[n] == 0xFF ? 7 : 8;
      ++n;
    }
  }
  return without_ones(bytes, n);
}

// The same for raw bits: the bytes that hold them, less those at the end in which they are all
// ones.
COALESCE_HOST_DEVICE int least_raw_length(const CoderMark &mark, const std::uint8_t *bytes,
                                          int length) {
  if (mark.count > length) return without_ones(bytes, length);
  if (mark.shifts == 0) return without_ones(bytes, mark.count);
  // The bits that follow in the last byte do not matter.
  const bool stuffed = mark.count > 1 && bytes[mark.count - 2] == 0xFF;
  const int filled = bytes[mark.count - 1] | ((1 << mark.shifts) - 1);
  const bool only_ones = filled == (stuffed ? 0x7F : 0xFF);
  return only_ones ? without_ones(bytes, mark.count - 1) : mark.count;
}

}  // namespace coalesce::j2k
