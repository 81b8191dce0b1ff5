// SPDX-License-Identifier: LGPL-2.1-or-later
// The bits of a packet header (ITU-T T.800 B.10.1): behind a byte FF a 0 is stuffed.
#pragma once

#include <cstdint>
#include <vector>

namespace coalesce::j2k {

class HeaderBits {
 public:
  explicit HeaderBits(std::vector<std::uint8_t> *bytes) : bytes_(*bytes) {}

  void put(bool bit) {
    byte_ = static_cast<std::uint8_t>(byte_ | bit << --free_);
    if (free_ == 0) next_byte();
  }
  // The low bits of a value, the highest first.
  void put(std::uint32_t value, int bits) {
    for (int i = bits - 1; i >= 0; --i)
      put((value >> i & 1) != 0);
  }
  // Fills the last byte with zeros. (One that follows FF exists even if it is empty: its first bit
  // is taken.)
  void end() {
    if (free_ != 8) bytes_.push_back(byte_);
  }

 private:
  void next_byte() {
    bytes_.push_back(byte_);
    free_ = byte_ == 0xFF ? 7 : 8;
    byte_ = 0;
  }

  std::vector<std::uint8_t> &bytes_;
  std::uint8_t byte_ = 0;
  int free_ = 8;
};

}  // namespace coalesce::j2k
