// SPDX-License-Identifier: LGPL-2.1-or-later
// A decoder that begins anywhere in a group's bytes and goes to some end.
//
// All threads of a warp wait for the slowest one. So a code is a few steps without a loop: it is
// looked up together with its number, and none crosses a marker but in the last bits before one.
#pragma once

#include <cstdint>

#include "clean_bytes.cuh"
#include "cuda_decode_job.h"

namespace coalesce::jpeg {
namespace {

constexpr int kComponents = 3;                   // of a file that is decoded
constexpr std::uint32_t kNoCode = kBadCodeBits;  // length and size of an entry of no code
constexpr std::uint32_t kLengthAndSize = 511;

// Where a code begins, in bits of a group's clean bytes.
struct State {
  std::uint32_t at, block, k;  // block: in the MCU; k: in the block, 0 before DC

  __device__ __forceinline__ std::uint32_t packed() const { return at << 11 | block << 7 | k; }
};
constexpr std::uint32_t kEnd = kNone;          // no more data; packed
constexpr std::uint32_t kNowhere = kNone - 1;  // a state in which no decoder is

__device__ __forceinline__ State state_of(std::uint32_t packed) {
  return {packed >> 11, packed >> 7 & 15, packed & 127};
}
// As seen from a place so many bytes later.
__device__ __forceinline__ std::uint32_t seen_from(std::uint32_t packed, std::uint32_t bytes) {
  return packed == kEnd ? kEnd : packed - (bytes << 14);
}
__device__ __forceinline__ std::uint32_t seen_before(std::uint32_t packed, std::uint32_t bytes) {
  return packed == kEnd ? kEnd : packed + (bytes << 14);
}

__device__ __forceinline__ bool is_restart(std::uint32_t byte) {
  return byte >= 0xD0 && byte <= 0xD7;
}

// 64 bits that begin with the word of a state, and the word behind them. That one is loaded a step
// after the step that used it up, so that no step waits for it.
class Window {
 public:
  __device__ __forceinline__ Window(const Clean &clean, std::uint32_t at) { go_to(clean, at); }
  __device__ __forceinline__ void go_to(const Clean &clean, std::uint32_t at) {
    const std::uint32_t *words = clean.words + at / 32;
    high_ = words[0];
    low_ = words[1];
    next_ = words + 2;
    is_short_ = 1;
  }
  // The 32 bits from `at` on.
  __device__ __forceinline__ std::uint32_t at(std::uint32_t at) {
    if (is_short_ != 0) behind_ = *next_++;
    is_short_ = 0;
    return __funnelshift_l(low_, high_, at);
  }
  // By 31 bits at most; after at().
  __device__ __forceinline__ void move(std::uint32_t from, std::uint32_t to) {
    is_short_ = (from ^ to) & 32;
    high_ = is_short_ != 0 ? low_ : high_;
    low_ = is_short_ != 0 ? behind_ : low_;
  }

 private:
  const std::uint32_t *next_;
  std::uint32_t high_, low_, behind_ = 0;
  std::uint32_t is_short_;  // not 0: there is no word behind them yet
};

// Tables of all components, DC and AC.
struct Tables {
  BitTable table[2 * kComponents];
  std::uint32_t components, blocks_of_mcu;  // the job's

  __device__ __forceinline__ void load(const BitsJob &job, std::uint32_t threads) {
    const auto *from = reinterpret_cast<const uint4 *>(job.arrays.tables);
    const std::uint32_t words =
        2 * static_cast<std::uint32_t>(job.plan.components) * sizeof(BitTable) / sizeof(uint4);
    for (std::uint32_t i = threadIdx.x; i < words; i += threads)
      reinterpret_cast<uint4 *>(table)[i] = from[i];
    if (threadIdx.x != 0) return;
    components = job.components;
    blocks_of_mcu = static_cast<std::uint32_t>(job.plan.blocks_of_mcu);
  }
};

// Decodes the codes that begin before `end` (bits). Sink: what becomes of them. Returns the state
// in which it ends, packed.
template <class Sink>
__device__ __forceinline__ std::uint32_t walk(const BitsJob &job, const Clean &clean,
                                              const Tables &tables, std::uint32_t entry,
                                              std::uint32_t end, Sink &sink) {
  State s = state_of(entry);
  if (s.at >= end) return entry;
  // (In registers: the compiler would load a kernel's arguments again for each code.)
  const std::uint32_t components = tables.components, blocks_of_mcu = tables.blocks_of_mcu;
  const auto component_of = [&](std::uint32_t block) { return components >> 2 * block & 3; };
  const auto tables_of = [&](std::uint32_t block) {
    return tables.table + 2 * component_of(block);
  };
  std::uint32_t mark = clean.next_mark(s.at / 8, end);
  Window window(clean, s.at);
  const BitTable *dc = tables_of(s.block);
  // bits: the next 32.
  const auto look_up_here = [&](std::uint32_t bits) {
    const std::uint32_t is_ac = s.k == 0 ? 0 : 1;
    const std::uint32_t found = dc[is_ac].entries[entry_number(bits >> 16)];
    if (found != 0) return found;
    const std::uint32_t table = 2 * component_of(s.block) + is_ac;
    const std::uint32_t code = look_up(job.arrays.rest[table], bits >> 16);
    return entry_of(code & 255, code >> 8, is_ac == 0);
  };
  // Returns false behind the last block.
  const auto step = [&](std::uint32_t found, std::uint32_t bits) {
    sink.symbol(found, bits, s.k);
    const std::uint32_t to = s.at + (found & 31);
    window.move(s.at, to);
    s.at = to;
    s.k += found >> 9;
    // No branch here, either: in most steps one of a warp ends a block.
    const bool is_end = s.k >= kCoefficients;
    const std::uint32_t next = s.block + 1 == blocks_of_mcu ? 0 : s.block + 1;
    const BitTable *const next_dc = tables_of(next);
    s.k = is_end ? 0 : s.k;
    s.block = is_end ? next : s.block;
    dc = is_end ? next_dc : dc;
    return sink.end_block(is_end);
  };
  for (;;) {
    // No code that begins before this one ends behind the marker.
    const std::uint32_t bound = min(end, max(mark, kMostBits - 1) - (kMostBits - 1));
    while (s.at < bound) {
      const std::uint32_t bits = window.at(s.at);
      if (!step(look_up_here(bits), bits)) return kEnd;
    }
    if (s.at >= end) return s.packed();
    const std::uint32_t bits = window.at(s.at), left = mark - s.at;
    // Nothing but ones, and less than a byte: no code is there, as none has only ones.
    const bool is_padding = s.k == 0 && s.block == 0 && left < 8 && (~bits & ~(kNone >> left)) == 0;
    if (!is_padding) {
      const std::uint32_t found = look_up_here(bits);
      if ((found & 31) <= left) {
        if (!step(found, bits)) return kEnd;
        continue;
      }
      sink.spoil();
    }
    if (!is_restart(clean.byte(mark / 8))) return kEnd;
    sink.restart(clean, mark);
    s = {mark + 8, 0, 0};
    dc = tables_of(0);
    window.go_to(clean, s.at);
    mark = clean.next_mark(s.at / 8, max(end, s.at));
  }
}

struct Counter {
  std::uint32_t blocks = 0;

  __device__ __forceinline__ void symbol(std::uint32_t, std::uint32_t, std::uint32_t) {}
  __device__ __forceinline__ bool end_block(bool is_end) {
    blocks += is_end ? 1 : 0;
    return true;
  }
  __device__ __forceinline__ void spoil() {}
  __device__ __forceinline__ void restart(const Clean &, std::uint32_t) {}
};

}  // namespace
}  // namespace coalesce::jpeg
