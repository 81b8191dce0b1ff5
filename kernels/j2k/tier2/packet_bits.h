// SPDX-License-Identifier: LGPL-2.1-or-later
// Bits of a packet header before zeros are stuffed, so that each block can make its own, and write
// them where they come to stand, by itself.
#pragma once

#include <cstdint>

#include "../../core/host_device.h"

namespace coalesce::j2k {

// How many there are; and which, as long as they are not more than 64.
struct BitString {
  std::uint64_t bits = 0;
  std::uint32_t count = 0;

  COALESCE_HOST_DEVICE void put(std::uint32_t value, int more) {
    bits = bits << more | value;
    count += static_cast<std::uint32_t>(more);
  }
  COALESCE_HOST_DEVICE void zeros(std::uint32_t more) {
    bits = more < 64 ? bits << more : 0;
    count += more;
  }
};
constexpr std::uint32_t kMostStringBits = 64;

// Into words, the highest bit first, that were zeros. Neighbours share words, so several threads
// may write into one.
class BitWriter {
 public:
  COALESCE_HOST_DEVICE BitWriter(std::uint32_t *words, std::uint32_t at) : words_(words), at_(at) {}

  // 1 to 32 bits; the value has no more of them.
  COALESCE_HOST_DEVICE void put(std::uint32_t value, int bits) {
    const int used = static_cast<int>(at_ & 31);
    const std::uint64_t both = std::uint64_t{value} << (64 - used - bits);
    open_ |= static_cast<std::uint32_t>(both >> 32);
    advance(static_cast<std::uint32_t>(bits));
    if (used + bits >= 32) open_ = static_cast<std::uint32_t>(both);
  }
  COALESCE_HOST_DEVICE void zeros(std::uint32_t bits) {
    const bool leaves = (at_ & 31) + bits >= 32;
    advance(bits);
    if (leaves) open_ = 0;
  }
  // The last ones of a string.
  COALESCE_HOST_DEVICE void put_string(std::uint64_t bits, std::uint32_t count) {
    if (count > 32) put(static_cast<std::uint32_t>(bits >> 32), static_cast<int>(count) - 32);
    const std::uint32_t low = count < 32 ? count : 32;
    if (low > 0) put(static_cast<std::uint32_t>(bits), static_cast<int>(low));
  }
  COALESCE_HOST_DEVICE void end() { store(); }

 private:
  COALESCE_HOST_DEVICE void advance(std::uint32_t bits) {
    if ((at_ & 31) + bits >= 32) store();
    at_ += bits;
  }
  COALESCE_HOST_DEVICE void store() {
    if (open_ == 0) return;
#if defined(__CUDA_ARCH__)
    atomicOr(words_ + (at_ >> 5), open_);
#else
    words_[at_ >> 5] |= open_;
#endif
  }

  std::uint32_t *words_;
  std::uint32_t at_;        // bit
  std::uint32_t open_ = 0;  // what is to go into its word
};

// Up to 8 of them, from a bit on. The word behind it is read, too.
COALESCE_HOST_DEVICE std::uint32_t bits_at(const std::uint32_t *words, std::uint32_t at, int bits) {
  const std::uint64_t two = std::uint64_t{words[at >> 5]} << 32 | words[(at >> 5) + 1];
  return static_cast<std::uint32_t>(two << (at & 31) >> (64 - bits));
}

// How many words so many bits take, with what is read behind them.
COALESCE_HOST_DEVICE std::uint64_t words_of_bits(std::uint64_t bits) {
  return bits / 32 + 3;
}
// And at most as the bytes of a header: a zero is stuffed for 15 bits, and there may be one at the
// end.
COALESCE_HOST_DEVICE std::uint64_t words_of_header(std::uint64_t bits) {
  return (bits / 15 * 2 + 3 + 3) / 4;
}

}  // namespace coalesce::j2k
