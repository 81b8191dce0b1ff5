// SPDX-License-Identifier: LGPL-2.1-or-later
// From bits of symbols to bytes without gaps. A column of four samples makes up to eight symbols:
// of each sample a first one, and a sign. They stand in two registers, and a table tells which of
// their bytes there are, so that nothing depends on how many.
#pragma once

#include <cstdint>

#include "../../../core/ptx.cuh"
#include "coding_pass.h"
#include "context_logic.h"
#include "lane_team.cuh"
#include "transpose_bytes.cuh"

namespace coalesce::j2k {

constexpr int kSymbolBits = 6;
constexpr int kRunSymbol = symbol_of(kContextRun, 0);
constexpr int kUniformSymbol = symbol_of(kContextUniform, 0);

// What a pass makes of a word.
struct WordSymbols {
  std::uint64_t decisions;  // samples that have one of their own; quiet runs: the upper ones
  std::uint64_t fires;      // samples that become significant: their signs follow
  std::uint64_t ends;       // samples that end a run: what tells so precedes their column
  std::uint64_t first[kSymbolBits];
  // Signs; in the refinement pass, which has none, its decisions. They count from `base` on.
  std::uint64_t nibble[4];
  std::uint32_t base;

  __device__ int count() const {
    return __popcll(decisions) + __popcll(fires) + 3 * __popcll(ends);
  }
  __device__ void set_runs(const CleanupSets &sets) {
    ends = sets.first;
    const std::uint64_t quiet = sets.runs & ~(ends | ends >> 1 | ends >> 2 | ends >> 3);
    decisions = sets.single | quiet;
#pragma unroll
    for (int i = 0; i < kSymbolBits; ++i)
      first[i] = (kRunSymbol >> i & 1) != 0 ? first[i] | quiet : first[i] & ~quiet;
  }
};

// For each set of first symbols (bits 0 to 3) and signs (4 to 7) of a column: where the bytes of
// the result come from, 0 to 3 of one register and 4 to 7 of the other; a nibble each. Those behind
// the last are 0: the upper bit of a symbol, repeated.
struct ColumnTable {
  std::uint32_t at[256];
};
constexpr ColumnTable make_column_table() {
  ColumnTable table = {};
  for (unsigned set = 0; set < 256; ++set) {
    table.at[set] = 0x88888888;
    int shift = 0;
    for (unsigned byte = 0; byte < 8; ++byte) {
      const unsigned source = byte / 2 + byte % 2 * 4;
      if ((set >> source & 1) == 0) continue;
      table.at[set] ^= (8 ^ source) << shift;
      shift += 4;
    }
  }
  return table;
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

// Bits of the symbols of half a word to bytes: byte b of rows[4 * o + y] is the sample of row y in
// column 2 * b + o.
__device__ __forceinline__ void first_symbols(const WordSymbols &word, int shift,
                                              std::uint32_t (&rows)[8]) {
#pragma unroll
  for (int i = 0; i < 8; ++i)
    rows[i] = i < kSymbolBits ? static_cast<std::uint32_t>(word.first[i] >> shift) : 0;
  transpose_bytes(rows);
}
__device__ __forceinline__ void nibble_symbols(const WordSymbols &word, int shift,
                                               std::uint32_t (&rows)[8]) {
  std::uint32_t nibbles[4];
#pragma unroll
  for (int i = 0; i < 4; ++i)
    nibbles[i] = static_cast<std::uint32_t>(word.nibble[i] >> shift);
  transpose_nibbles(nibbles);
#pragma unroll
  for (int y = 0; y < 4; ++y) {
    rows[y] = (nibbles[y] & 0x0F0F0F0F) + 0x01010101 * word.base;
    rows[4 + y] = (nibbles[y] >> 4 & 0x0F0F0F0F) + 0x01010101 * word.base;
  }
}
// Column 2 * b + odd.
__device__ __forceinline__ std::uint32_t column_of(const std::uint32_t (&rows)[8], int b, int odd) {
  const std::uint32_t two = 0x0040 + 0x0011 * b;
  return __byte_perm(__byte_perm(rows[4 * odd], rows[4 * odd + 1], two),
                     __byte_perm(rows[4 * odd + 2], rows[4 * odd + 3], two), 0x5410);
}

// D.3.4: a run ends, and where, which one bit of `end` tells.
__device__ __forceinline__ void put_end(ByteQueue &queue, std::uint32_t end) {
  const std::uint32_t lower = (end & 12) != 0, odd = (end & 10) != 0;
  queue.push((kRunSymbol + 1) | (kUniformSymbol + lower) << 8 | (kUniformSymbol + odd) << 16, 24);
}

// Half a word. kSigns: some samples become significant.
template <bool kSigns>
__device__ __forceinline__ void put_half(const WordSymbols &word, const std::uint32_t *table,
                                         bool active, int shift, ByteQueue &queue) {
  const auto half = [shift, active](std::uint64_t bits) {
    return active ? static_cast<std::uint32_t>(bits >> shift) : 0;
  };
  const std::uint32_t decisions = half(word.decisions);
  const std::uint32_t fires = kSigns ? half(word.fires) : 0, ends = kSigns ? half(word.ends) : 0;
  if (!__any_sync(kWholeWarp, (decisions | fires) != 0)) return;
  const bool any_end = kSigns && __any_sync(kWholeWarp, ends != 0);
  std::uint32_t first[8], sign[8];
  if (kSigns) {
    first_symbols(word, shift, first);
    nibble_symbols(word, shift, sign);
  } else {
    nibble_symbols(word, shift, first);
  }
  constexpr std::uint32_t kEven = 0x0F0F0F0F;
  const std::uint32_t even = (decisions & kEven) | (fires & kEven) << 4;
  const std::uint32_t odd = (decisions >> 4 & kEven) | (fires & ~kEven);
#pragma unroll 1  // what is unrolled further waits for instructions
  for (int b = 0; b < 4; ++b) {
#pragma unroll
    for (int o = 0; o < 2; ++o) {
      const std::uint32_t set = (o == 0 ? even : odd) >> 8 * b & 255;
      const std::uint32_t entry = table[set];
      const unsigned bits = 8 * static_cast<unsigned>(__popc(set));
      const std::uint32_t column = column_of(first, b, o);
      if (!kSigns) {
        queue.push(ptx::prmt(column, 0, entry), bits);
        continue;
      }
      const std::uint32_t signs = column_of(sign, b, o);
      const std::uint32_t end = ends >> (8 * b + 4 * o) & 15;
      if (any_end && end != 0) put_end(queue, end);
      queue.push(ptx::prmt(column, signs, entry), ptx::prmt(column, signs, entry >> 16), bits);
    }
  }
}

// All lanes together; those that are not `active` put nothing.
__device__ __forceinline__ void put_symbols(const WordSymbols &word, bool signs,
                                            const std::uint32_t *table, bool active,
                                            std::uint8_t *room) {
  ByteQueue queue(room);
#pragma unroll 1
  for (int shift = 0; shift < 64; shift += 32)
    if (signs)
      put_half<true>(word, table, active, shift, queue);
    else
      put_half<false>(word, table, active, shift, queue);
  queue.finish();
}

}  // namespace coalesce::j2k
