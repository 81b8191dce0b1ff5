// SPDX-License-Identifier: LGPL-2.1-or-later
// Blocks as symbols and bits (ITU-T T.81, annex F.1.2), for the CPU.
#pragma once

#include <cstdint>

#include "../plan/file_header.h"

namespace coalesce::jpeg {

// A code in the lower 16 bits, its length above.
struct CodeTable {
  std::uint32_t dc[kDcSymbols + 4];
  std::uint32_t ac[kSymbols];
};
CodeTable code_table(const HuffmanTable &dc, const HuffmanTable &ac);

// How often symbols occur.
struct Statistics {
  std::uint32_t dc[kSymbols] = {}, ac[kSymbols] = {};
};
void count_symbols(const std::int16_t *coefficients, int dc_before, Statistics *statistics);

// Bits to bytes of a scan: after each byte of ones comes a zero. The caller sees to the room:
// kMostBlockBytes for a block, kMostEndBytes for an end.
constexpr int kMostBlockBytes = 2 * 209, kMostEndBytes = 16;

class BitWriter {
 public:
  explicit BitWriter(std::uint8_t *to) : state_{to} {}

  void move_to(std::uint8_t *to) { state_.to = to; }
  std::uint8_t *end() const { return state_.to; }

  void put_block(const std::int16_t *coefficients, int dc_before, const CodeTable &codes);
  // Fills the last byte with ones.
  void end_interval();
  void put_marker(int code);

 private:
  // A copy in registers serves a block: the bytes that it writes could be anything's.
  struct State {
    std::uint8_t *to;
    std::uint64_t bits = 0;  // the lowest ones
    int free = 64;           // of them

    void put(std::uint32_t bits, int count);
    void flush();
  };
  State state_;
};

}  // namespace coalesce::jpeg
