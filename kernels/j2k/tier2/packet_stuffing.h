// SPDX-License-Identifier: LGPL-2.1-or-later
// Bytes of a packet header: behind each byte FF a zero is stuffed (ITU-T T.800 B.10.1). Where a
// byte begins depends on all zeros before. So the bits are cut into parts, and each is gone through
// for each of the few places where its first byte may begin, all at once; then it is clear from the
// first part on which of them was right.
#pragma once

#include <cstdint>

#include "packet_bits.h"

namespace coalesce::j2k {

// A byte FF takes the seven bits behind it with it, so a part's first byte begins at one of so many
// bits.
constexpr std::uint32_t kByteStarts = 15;

// Where a byte begins, and how many zeros were stuffed before.
struct ByteStart {
  std::uint32_t at, zeros;
};

// Of a word's bits, those that begin eight ones. The word behind it is read, too.
COALESCE_HOST_DEVICE std::uint32_t eight_ones(const std::uint32_t *words, std::uint32_t word) {
  std::uint64_t ones = std::uint64_t{words[word]} << 32 | words[word + 1];
  ones &= ones << 1;
  ones &= ones << 2;
  ones &= ones << 4;
  return static_cast<std::uint32_t>(ones >> 32);
}

COALESCE_HOST_DEVICE std::uint32_t leading_zeros(std::uint32_t v) {
#if defined(__CUDA_ARCH__)
  return static_cast<std::uint32_t>(__clz(static_cast<int>(v)));
#else
  return static_cast<std::uint32_t>(__builtin_clz(v));
#endif
}

// The first byte that begins at `end`, a multiple of 32, or behind it.
COALESCE_HOST_DEVICE ByteStart pass_bytes(const std::uint32_t *words, ByteStart start,
                                          std::uint32_t end) {
  while (start.at < end) {
    const std::uint32_t first = start.at & 31;
    const std::uint32_t full =
        eight_ones(words, start.at >> 5) & (0x80808080u >> (first & 7)) & (0xFFFFFFFFu >> first);
    if (full != 0) {
      start.at += leading_zeros(full) - first + kByteStarts;
      ++start.zeros;
    } else {
      start.at += (32 - first + 7) / 8 * 8;
    }
  }
  return start;
}

// Those that begin before `end`, and before the last of the bits.
COALESCE_HOST_DEVICE void write_bytes(const std::uint32_t *words, ByteStart start,
                                      std::uint32_t end, std::uint32_t bits, std::uint8_t *out) {
  out += (start.at + start.zeros) / 8;
  for (std::uint32_t at = start.at; at < end && at < bits;) {
    const std::uint32_t byte = bits_at(words, at, 8);
    *out++ = static_cast<std::uint8_t>(byte);
    at += 8;
    if (byte != 0xFF) continue;
    *out++ = static_cast<std::uint8_t>(bits_at(words, at, 7));
    at += 7;
  }
}

}  // namespace coalesce::j2k
