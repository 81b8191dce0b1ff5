// SPDX-License-Identifier: LGPL-2.1-or-later
// Markers of a codestream (ITU-T T.800 Table A.2), and how long those are that come with tile-parts
// and packets. Shared by the back ends.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../core/host_device.h"

namespace coalesce::j2k {

enum Marker : unsigned {
  kSoc = 0xFF4F,
  kSiz = 0xFF51,
  kCod = 0xFF52,
  kTlm = 0xFF55,
  kPlt = 0xFF58,
  kQcd = 0xFF5C,
  kQcc = 0xFF5D,
  kRgn = 0xFF5E,
  kPoc = 0xFF5F,
  kCom = 0xFF64,
  kSot = 0xFF90,
  kSop = 0xFF91,
  kEph = 0xFF92,
  kSod = 0xFF93,
  kEoc = 0xFFD9,
};

constexpr unsigned kSotBytes = 12, kSodBytes = 2, kSopBytes = 6, kEphBytes = 2;
constexpr unsigned kEndBytes = 2;  // EOC

// A.7.3: PLT has lengths of packets, in so many bytes at most.
constexpr unsigned kPltHead = 5, kPltRoom = 65535 - 3;
constexpr unsigned kMaxPltSegments = 256;
// Seven bits a byte, the highest first. Lengths are below 2^35.
constexpr int kMaxPltBytes = 5;
COALESCE_HOST_DEVICE int plt_bytes(std::uint64_t packet) {
  int bytes = 1;
  while (packet >>= 7)
    ++bytes;
  return bytes;
}
// The k-th byte of them from the last.
COALESCE_HOST_DEVICE unsigned plt_byte(std::uint64_t packet, int k) {
  return static_cast<unsigned>(packet >> (7 * k) & 0x7F) | (k > 0 ? 0x80u : 0u);
}

}  // namespace coalesce::j2k
