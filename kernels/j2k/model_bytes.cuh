// SPDX-License-Identifier: LGPL-2.1-or-later
// From bits of symbols to bytes without gaps. A column of four samples makes up to eight symbols:
// of each sample a first one, and a sign. They stand in two registers, and a table tells which of
// their bytes there are, so that nothing depends on how many.
#pragma once

#include <cstdint>

#include "block_model.h"
#include "transpose_bytes.cuh"

namespace coalesce::j2k {

constexpr int kSymbolBits = 6;
constexpr int kRunSymbol = symbol_of(kContextRun, 0);
constexpr int kUniformSymbol = symbol_of(kContextUniform, 0);

// What a pass makes of a word.
struct WordSymbols {
  std::uint64_t decisions;  // samples that have one of their own
  std::uint64_t fires;      // samples that become significant: their signs follow
  std::uint64_t runs;       // upper bits of columns with one decision for the four
  std::uint64_t ends;       // samples that end runs
  std::uint64_t first[kSymbolBits], sign[kSymbolBits];

  __device__ int count() const {
    return __popcll(decisions | runs) + __popcll(fires) + 2 * __popcll(ends);
  }
};

// For each set of decisions (bits 0 to 3) and signs (4 to 7) of a column: where the bytes of the
// result come from, 0 to 3 of the first register and 4 to 7 of the second; a nibble each. Those
// behind the last are 0: the upper bit of a symbol, repeated.
constexpr int kColumnTable = 256;
__device__ inline std::uint32_t column_entry(int set) {
  std::uint32_t entry = 0x88888888;
  int at = 0;
  for (int row = 0; row < 4; ++row)
    for (int source : {row, row + 4})
      if ((set >> source & 1) != 0) {
        entry ^= (8u ^ source) << at;
        at += 4;
      }
  return entry;
}

// __byte_perm() knows no repeated bits.
__device__ __forceinline__ std::uint32_t pick_bytes(std::uint32_t low, std::uint32_t high,
                                                    std::uint32_t which) {
  std::uint32_t picked;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(picked) : "r"(low), "r"(high), "r"(which));
  return picked;
}

// Bytes in shared memory that a lane writes from some address on, in words.
class ByteQueue {
 public:
  // Where others have written in the word before, their bytes stay; all lanes begin together.
  __device__ explicit ByteQueue(std::uint8_t *begin) : begin_(begin) {
    const auto bytes = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(begin) % 4);
    word_ = reinterpret_cast<std::uint32_t *>(begin - bytes);
    bits_ = 8 * bytes;
    __syncwarp();
    pending_ = *word_ & ((1u << bits_) - 1);
    __syncwarp();
  }
  // Up to four bytes, or eight; what is behind them is 0.
  __device__ __forceinline__ void push(std::uint32_t bytes, unsigned bits) {
    const unsigned end = bits_ + bits;
    const std::uint32_t first = pending_ | bytes << bits_;
    if (end >= 32) *word_ = first;
    pending_ = end >= 32 ? __funnelshift_l(bytes, 0, bits_) : first;
    word_ += end / 32;
    bits_ = end % 32;
  }
  __device__ __forceinline__ void push(std::uint32_t low, std::uint32_t high, unsigned bits) {
    const unsigned end = bits_ + bits;
    const std::uint32_t first = pending_ | low << bits_;
    const std::uint32_t second = __funnelshift_l(low, high, bits_);
    if (end >= 32) word_[0] = first;
    if (end >= 64) word_[1] = second;
    pending_ = end >= 64 ? __funnelshift_l(high, 0, bits_) : end >= 32 ? second : first;
    word_ += end / 32;
    bits_ = end % 32;
  }
  // The last word, which lanes share: by now each has written zeros where others end in its first.
  __device__ void finish() {
    __syncwarp();
    auto *bytes = reinterpret_cast<std::uint8_t *>(word_);
#pragma unroll
    for (int i = 0; i < 3; ++i)
      if (bytes + i >= begin_ && 8u * i < bits_)
        bytes[i] = static_cast<std::uint8_t>(pending_ >> 8 * i);
    __syncwarp();
  }

 private:
  std::uint8_t *begin_;
  std::uint32_t *word_, pending_;
  unsigned bits_;  // of pending_
};

// Bits of the symbols of half a word to bytes, a column in a register.
__device__ __forceinline__ void columns_of(const std::uint64_t (&bits)[kSymbolBits], int shift,
                                           std::uint32_t (&columns)[8]) {
  std::uint32_t rows[8] = {};
#pragma unroll
  for (int i = 0; i < kSymbolBits; ++i)
    rows[i] = static_cast<std::uint32_t>(bits[i] >> shift);
  transpose_bytes(rows);
#pragma unroll
  for (int odd = 0; odd < 2; ++odd) {
    const std::uint32_t *r = rows + 4 * odd;
    const std::uint32_t upper = __byte_perm(r[0], r[1], 0x5140);
    const std::uint32_t upper_behind = __byte_perm(r[0], r[1], 0x7362);
    const std::uint32_t lower = __byte_perm(r[2], r[3], 0x5140);
    const std::uint32_t lower_behind = __byte_perm(r[2], r[3], 0x7362);
    columns[0 + odd] = __byte_perm(upper, lower, 0x5410);
    columns[2 + odd] = __byte_perm(upper, lower, 0x7632);
    columns[4 + odd] = __byte_perm(upper_behind, lower_behind, 0x5410);
    columns[6 + odd] = __byte_perm(upper_behind, lower_behind, 0x7632);
  }
}

// D.3.4: whether and where a run ends, of which its column's `ends` are one bit, or none.
__device__ inline void put_run(ByteQueue &queue, std::uint32_t ends) {
  const std::uint32_t lower = (ends & 12) != 0, odd = (ends & 10) != 0;
  if (ends == 0)
    queue.push(kRunSymbol, 8);
  else
    queue.push((kRunSymbol + 1) | (kUniformSymbol + lower) << 8 | (kUniformSymbol + odd) << 16, 24);
}

// All lanes together; those that are not `active` put nothing.
__device__ inline void put_symbols(const WordSymbols &word, const std::uint32_t *table, bool active,
                                   std::uint8_t *room) {
  ByteQueue queue(room);
#pragma unroll 1
  for (int shift = 0; shift < 64; shift += 32) {
    const auto half = [shift, active](std::uint64_t bits) {
      return active ? static_cast<std::uint32_t>(bits >> shift) : 0;
    };
    const std::uint32_t decisions = half(word.decisions), fires = half(word.fires);
    const std::uint32_t runs = half(word.runs), ends = half(word.ends);
    std::uint32_t first[8], sign[8];
    columns_of(word.first, shift, first);
    columns_of(word.sign, shift, sign);
    constexpr std::uint32_t kEven = 0x0F0F0F0F;
    const std::uint32_t even = (decisions & kEven) | (fires & kEven) << 4;
    const std::uint32_t odd = (decisions >> 4 & kEven) | (fires & ~kEven);
#pragma unroll
    for (int x = 0; x < 8; ++x) {
      const std::uint32_t set = (x % 2 == 0 ? even : odd) >> 8 * (x / 2) & 255;
      const std::uint32_t entry = table[set];
      if ((runs >> 4 * x & 1) != 0) put_run(queue, ends >> 4 * x & 15);
      queue.push(pick_bytes(first[x], sign[x], entry), pick_bytes(first[x], sign[x], entry >> 16),
                 8 * __popc(set));
    }
  }
  queue.finish();
}

}  // namespace coalesce::j2k
