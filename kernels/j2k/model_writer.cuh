// SPDX-License-Identifier: LGPL-2.1-or-later
// The way of symbols to global memory: lanes put single bytes into shared memory, from where they
// go out 16 at a time.
#pragma once

#include <cstdint>

#include "../core/host_device.h"
#include "block_model.h"
#include "model_slice.cuh"
#include "word_logic.h"

namespace coalesce::j2k {

// Room for what a word for each lane makes at most (ten symbols for four samples), behind what was
// left of a unit of 16 bytes.
constexpr int kUnit = 16;
COALESCE_HOST_DEVICE constexpr int stage_bytes(int lanes) {
  return lanes * 160 + 2 * kUnit;
}

class SymbolWriter {
 public:
  __device__ SymbolWriter(std::uint8_t *stage, std::uint8_t *to)
      : stage_(stage), skipped_(static_cast<int>(reinterpret_cast<std::uintptr_t>(to) % kUnit)) {
    units_ = to - skipped_;
    end_ = skipped_;
  }
  __device__ int made() const { return end_ - skipped_; }

  // Where the next `count` symbols go, if all teams of a warp ask: in shared memory.
  __device__ std::uint8_t *take(const Team &team, int count) {
    if (__any_sync(kAllLanes, end_ - flushed_ + count > stage_bytes(team.lanes) - kUnit))
      flush(team, end_ / kUnit * kUnit);
    std::uint8_t *room = stage_ + (end_ - flushed_);
    end_ += count;
    return room;
  }
  __device__ void finish(const Team &team) { flush(team, end_); }

 private:
  __device__ void flush(const Team &team, int end) {
    __syncwarp();
    for (int at = flushed_ + kUnit * team.lane; at < end; at += kUnit * team.lanes) {
      const std::uint8_t *from = stage_ + (at - flushed_);
      if (at >= skipped_ && at + kUnit <= end) {
        *reinterpret_cast<uint4 *>(units_ + at) = *reinterpret_cast<const uint4 *>(from);
        continue;
      }
      for (int i = 0; i < kUnit; ++i)
        if (at + i >= skipped_ && at + i < end) units_[at + i] = from[i];
    }
    __syncwarp();
    if (team.lane == 0)
      *reinterpret_cast<uint4 *>(stage_) =
          reinterpret_cast<uint4 *>(stage_)[(end - flushed_) / kUnit];
    __syncwarp();
    flushed_ = end;
  }

  std::uint8_t *stage_, *units_;  // units_: with its unit of 16 bytes
  int skipped_;                   // bytes of that which are not ours
  int end_;                       // from units_ on
  int flushed_ = 0;
};

// A number of each sample: base plus what bits say, the lowest first.
struct SymbolBits {
  std::uint64_t bit[5];
  int base;
};

// What a pass makes of a word.
struct WordSymbols {
  std::uint64_t decisions;  // samples that have one of their own
  std::uint64_t fires;      // samples that become significant: their signs follow
  std::uint64_t runs;       // upper bits of columns with one decision for the four
  std::uint64_t ends;       // samples that end runs
  SymbolBits first, sign;

  __device__ int count() const {
    return __popcll(decisions | runs) + __popcll(fires) + 2 * __popcll(ends);
  }
};

template <int kBits>
__device__ __forceinline__ std::uint8_t symbol_at(const std::uint32_t (&bit)[5], int base,
                                                  std::uint32_t sample) {
  int symbol = base;
#pragma unroll
  for (int i = 0; i < kBits; ++i)
    if ((bit[i] & sample) != 0) symbol += 1 << i;
  return static_cast<std::uint8_t>(symbol);
}

constexpr int kRunSymbol = symbol_of(kContextRun, 0);
constexpr int kUniformSymbol = symbol_of(kContextUniform, 0);

__device__ inline void put_symbols(const WordSymbols &word, std::uint8_t *out) {
#pragma unroll 1
  for (int shift = 0; shift < 64; shift += 32) {
    const auto half = [shift](std::uint64_t bits) {
      return static_cast<std::uint32_t>(bits >> shift);
    };
    std::uint32_t first[5], sign[5];
#pragma unroll
    for (int i = 0; i < 5; ++i) {
      first[i] = half(word.first.bit[i]);
      sign[i] = half(word.sign.bit[i]);
    }
    const std::uint32_t fires = half(word.fires), runs = half(word.runs);
    std::uint32_t left = half(word.decisions) | runs;
    while (left != 0) {
      const std::uint32_t sample = left & (0u - left);
      left ^= sample;
      std::uint32_t fired = fires & sample;
      if ((runs & sample) == 0) {
        *out++ = symbol_at<5>(first, word.first.base, sample);
      } else {
        const std::uint32_t column = fires & sample * 15;
        fired = column & (0u - column);
        *out++ = static_cast<std::uint8_t>(kRunSymbol + (fired != 0));
        if (fired != 0) {
          *out++ = static_cast<std::uint8_t>(kUniformSymbol + ((fired & sample * 12) != 0));
          *out++ = static_cast<std::uint8_t>(kUniformSymbol + ((fired & sample * 10) != 0));
        }
      }
      if (fired != 0) *out++ = symbol_at<4>(sign, word.sign.base, fired);
    }
  }
}

}  // namespace coalesce::j2k
