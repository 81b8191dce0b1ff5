// SPDX-License-Identifier: LGPL-2.1-or-later
// The code register, symbol by symbol, as the standard has it.
#pragma once

#include <cstdint>

#include "../../../core/host_device.h"
#include "mq_lengths.h"

namespace coalesce::j2k {

struct MqCRegisterState {
  std::uint8_t *bytes;         // of the segment
  std::uint32_t low, pending;  // CoderMark
  std::int32_t count;          // of bytes that are final; -1 as long as pending is no byte at all
  int shifts;

  COALESCE_HOST_DEVICE void begin() {
    low = 0;
    shifts = 12;
    pending = 0;
    count = -1;
  }

  // What MqCoder::byte_out() does. top: the register above its spacer bits; returns what stays of
  // it, one bit of a byte that has only seven.
  COALESCE_HOST_DEVICE std::uint32_t byte_out(std::uint32_t top) {
    const bool full = pending == 0xFF;
    pending += full ? 0 : top >> 8;
    if (!full) top &= 0xFF;
    if (count >= 0) bytes[count] = static_cast<std::uint8_t>(pending);
    ++count;
    const bool stuffed = pending == 0xFF;
    pending = stuffed ? top >> 1 : top;
    shifts = stuffed ? 7 : 8;
    return stuffed ? top & 1 : 0;
  }
  COALESCE_HOST_DEVICE void shift(int bits) {
    while (bits >= shifts) {
      bits -= shifts;
      low <<= shifts;
      const std::uint32_t stays = byte_out(low >> kByteShift);
      low = (low & ((1u << kByteShift) - 1)) | stays << kByteShift;
    }
    low <<= bits;
    shifts -= bits;
  }
};

}  // namespace coalesce::j2k
