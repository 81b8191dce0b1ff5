// SPDX-License-Identifier: LGPL-2.1-or-later
// Four samples in a word: dot products and byte shuffles, on the host too (for tests).
#pragma once

#include <cstdint>

#include "../core/host_device.h"

namespace coalesce {

// The dot product of four samples and four signed weights, plus `sum`.
COALESCE_HOST_DEVICE int dot4(std::uint32_t samples, std::uint32_t weights, int sum) {
#if defined(__CUDA_ARCH__) && !defined(COALESCE_EMULATED)
  int result;
  asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(samples), "r"(weights), "r"(sum));
  return result;
#else
  for (int i = 0; i < 32; i += 8)
    sum += static_cast<std::uint8_t>(samples >> i) * static_cast<std::int8_t>(weights >> i);
  return sum;
#endif
}

// Byte i of the result is byte (selector >> 4 i) & 7 of the eight bytes of low and high.
COALESCE_HOST_DEVICE std::uint32_t shuffle_bytes(std::uint32_t low, std::uint32_t high,
                                                 std::uint32_t selector) {
#if defined(__CUDA_ARCH__)
  return __byte_perm(low, high, selector);
#else
  const std::uint64_t all = low | static_cast<std::uint64_t>(high) << 32;
  std::uint32_t result = 0;
  for (int i = 0; i < 4; ++i)
    result |= static_cast<std::uint32_t>((all >> (8 * (selector >> 4 * i & 7))) & 0xff) << 8 * i;
  return result;
#endif
}

// Byte i of each of four words: with all four i, the transposed matrix in eight shuffles.
COALESCE_HOST_DEVICE std::uint32_t column_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                                std::uint32_t d, int i) {
  const std::uint32_t pairs = i < 2 ? 0x5140 : 0x7362;
  return shuffle_bytes(shuffle_bytes(a, b, pairs), shuffle_bytes(c, d, pairs),
                       i % 2 == 0 ? 0x5410 : 0x7632);
}

// The same byte of four words. The selector names it in both of two words: 0x40, 0x51, ...
constexpr std::uint32_t kTopByte = 0x73;

COALESCE_HOST_DEVICE std::uint32_t same_bytes(const std::uint32_t (&words)[4],
                                              std::uint32_t selector) {
  return shuffle_bytes(shuffle_bytes(words[0], words[1], selector),
                       shuffle_bytes(words[2], words[3], selector), 0x5410);
}

// Bytes first, first + stride, first + 2 stride, first + 3 stride of a row of words. first and
// stride must be known when compiling.
template <int kWords>
COALESCE_HOST_DEVICE std::uint32_t gather_bytes(const std::uint32_t (&row)[kWords], int first,
                                                int stride) {
  const int word = first / 4;
  if (stride == 4)
    return column_bytes(row[word], row[word + 1], row[word + 2], row[word + 3], first % 4);
  std::uint32_t result = row[word];
  bool in_place = false;  // are the bytes found so far where they belong?
  for (int k = 1; k < 4; ++k) {
    std::uint32_t selector = 0;
    bool any = false;
    for (int i = 0; i < 4; ++i) {
      const int at = first % 4 + i * stride;
      const int digit = at / 4 == k ? 4 + at % 4 : in_place ? i : at % 4;
      selector |= static_cast<std::uint32_t>(digit) << 4 * i;
      any = any || at / 4 == k;
    }
    if (!any) continue;
    result = shuffle_bytes(result, row[word + k], selector);
    in_place = true;
  }
  return result;
}

}  // namespace coalesce
