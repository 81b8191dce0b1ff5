// SPDX-License-Identifier: LGPL-2.1-or-later
// The way of symbols to global memory: lanes queue theirs up in shared memory, from where they go
// out 16 at a time.
#pragma once

#include <cstdint>

#include "../../../core/host_device.h"
#include "lane_team.cuh"
#include "symbol_bytes.cuh"

namespace coalesce::j2k {

constexpr int kUnit = 16;
// Symbols that fit at a time: more than most passes have for a word of each lane, and than one lane
// ever has (ten for four samples). There is also room for what was left of a unit, a segmentation
// symbol, and what is read to keep such a rest.
constexpr int kStageSymbols = 1536;
constexpr int kStageBytes = kStageSymbols + 3 * kUnit;

template <int kLanes>
class SymbolWriter {
 public:
  __device__ SymbolWriter(Team<kLanes> team, std::uint8_t *stage, const std::uint32_t *table,
                          std::uint8_t *to)
      : team_(team),
        stage_(stage),
        table_(table),
        skipped_(static_cast<int>(reinterpret_cast<std::uintptr_t>(to) % kUnit)) {
    units_ = to - skipped_;
    end_ = skipped_;
  }
  __device__ int made() const { return end_ - skipped_; }

  // A word for each lane, in the order of lanes. signs: see put_half().
  __device__ void put(const WordSymbols &word, bool signs) {
    const int count = word.count();
    const int end = team_.sum_up_to_here(count), begin = end - count, total = team_.from_last(end);
    // In turns of as many lanes as there is room for: one, as a rule.
    for (int done = 0; __any_sync(kWholeWarp, done < total);) {
      const bool mine = begin >= done && end <= done + kStageSymbols;
      const int until = max(team_.from_highest(mine, end), done);
      std::uint8_t *room = take(until - done);
      put_symbols(word, signs, table_, mine, room + (mine ? begin - done : 0));
      done = until;
    }
  }
  __device__ void put_segmentation_symbol(bool wanted) {
    if (wanted && team_.lane < 4)
      stage_[end_ - flushed_ + team_.lane] = kUniformSymbol + 1 - team_.lane % 2;
    if (wanted) end_ += 4;
  }
  __device__ void finish() { flush(end_); }

 private:
  __device__ std::uint8_t *take(int count) {
    if (__any_sync(kWholeWarp, end_ - flushed_ + count > kStageSymbols + kUnit))
      flush(end_ / kUnit * kUnit);
    std::uint8_t *room = stage_ + (end_ - flushed_);
    end_ += count;
    return room;
  }

  __device__ void flush(int end) {
    __syncwarp();
    for (int at = flushed_ + kUnit * team_.lane; at < end; at += kUnit * kLanes) {
      const std::uint8_t *from = stage_ + (at - flushed_);
      if (at >= skipped_ && at + kUnit <= end) {
        *reinterpret_cast<uint4 *>(units_ + at) = *reinterpret_cast<const uint4 *>(from);
        continue;
      }
#pragma unroll 1
      for (int i = 0; i < kUnit; ++i)
        if (at + i >= skipped_ && at + i < end) units_[at + i] = from[i];
    }
    __syncwarp();
    auto *units = reinterpret_cast<uint4 *>(stage_);
    if (team_.lane == 0) units[0] = units[(end - flushed_) / kUnit];
    __syncwarp();
    flushed_ = end;
  }

  Team<kLanes> team_;
  std::uint8_t *stage_, *units_;  // in global memory, with the unit that the first symbol is in
  const std::uint32_t *table_;
  int skipped_;  // bytes of that unit which are not ours
  int end_;      // from units_ on
  int flushed_ = 0;
};

}  // namespace coalesce::j2k
