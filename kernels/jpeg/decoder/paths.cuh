// SPDX-License-Identifier: LGPL-2.1-or-later
// Guesses at the states in which decoders come to subsequences.
#pragma once

#include <cstdint>

#include "walk.cuh"

namespace coalesce::jpeg {
namespace {

constexpr std::uint32_t kSubsequences = kLead + kGroup;  // of a block of threads

// Where a subsequence of a group begins, or ends the last one: its clean byte. The lead is counted
// back from the group's begin.
__device__ __forceinline__ std::uint32_t place_of(const Extent &own, std::uint32_t subsequence) {
  constexpr std::uint32_t kBack = kLead * kSubsequenceBytes;
  const std::uint32_t place = max(own.begin + subsequence * kSubsequenceBytes, kBack) - kBack;
  return min(place, subsequence < kLead ? own.begin : own.end);
}

// A state at most 62 bits behind a place (bytes) in 16 bits: what walk() returns for that end.
__device__ __forceinline__ std::uint16_t near_to(std::uint32_t packed, std::uint32_t place) {
  const State s = state_of(packed);
  if (packed == kEnd) return 0xFFFF;
  return static_cast<std::uint16_t>((s.at - 8 * place) << 10 | s.block << 6 | s.k);
}
__device__ __forceinline__ std::uint32_t far_from(std::uint32_t near, std::uint32_t place) {
  if (near == 0xFFFF) return kEnd;
  return State{8 * place + (near >> 10), near >> 6 & 15, near & 63}.packed();
}

// Guesses at how subsequences begin. The number of the block in its MCU is what a decoder that
// begins anywhere finds last; so for each subsequence there is a path that begins with each number.
// Nearly every decoder that comes from the left is on one of them after a few codes.
class Paths {
 public:
  // One path, number in 0 to count * kSubsequences.
  __device__ __forceinline__ void walk_one(const BitsJob &job, const Clean &clean,
                                           const Tables &tables, const Extent &own,
                                           std::uint32_t number) {
    const std::uint32_t count = count_of(job), i = number / count;
    const std::uint32_t begin = place_of(own, i), end = place_of(own, i + 1);
    const std::uint32_t next_end = place_of(own, min(i + 2, kSubsequences));
    std::uint32_t state = State{8 * begin, number % count, 0}.packed();
    Counter counter;
#pragma unroll 1
    for (int n = 0; n < kStates; ++n) {
      const std::uint32_t stop = n == kAtEnd     ? end
                                 : n == kAtCheck ? min(begin + kCheckBytes, end)
                                                 : min(end + kCheckBytes, next_end);
      state = walk(job, clean, tables, state, 8 * stop, counter);
      states_[n][number] = near_to(state, stop);
    }
  }
  // On which path of the next subsequence this one goes on. After all have been walked.
  __device__ __forceinline__ void link_one(const BitsJob &job, std::uint32_t number) {
    const std::uint32_t count = count_of(job), next = (number / count + 1) * count;
    std::uint32_t found = kNoPath;
    if (next < count * kSubsequences)
      for (std::uint32_t p = count; p-- > 0;)
        if (states_[kAtCheck][next + p] == states_[kAtNextCheck][number]) found = p;
    links_[number] = static_cast<std::uint8_t>(found);
  }
  // From path 0 of the first subsequence. One thread.
  __device__ __forceinline__ void follow_all(const BitsJob &job, const Extent &own,
                                             std::uint32_t *entries) const {
    const std::uint32_t count = count_of(job);
    std::uint32_t path = 0;
    entries[0] = State{8 * place_of(own, 0), 0, 0}.packed();
    for (std::uint32_t i = 0; i + 1 < kSubsequences; ++i) {
      entries[i + 1] = far_from(states_[kAtEnd][i * count + path], place_of(own, i + 1));
      path = links_[i * count + path];
      if (path == kNoPath) path = 0;
    }
  }
  // An entry has become the exit before it; what follows from that. Returns the last entry that has
  // changed. One thread.
  __device__ __forceinline__ std::uint32_t follow(const BitsJob &job, const Extent &own,
                                                  std::uint32_t i, std::uint32_t *entries) const {
    const std::uint32_t count = count_of(job);
    const std::uint32_t near = near_to(entries[i], place_of(own, i));
    std::uint32_t path = kNoPath;
    for (std::uint32_t p = 0; p < count; ++p)
      if (states_[kAtEnd][(i - 1) * count + p] == near) path = p;
    while (path != kNoPath && i + 1 < kSubsequences) {
      path = links_[(i - 1) * count + path];
      if (path == kNoPath) break;
      const std::uint32_t entry = far_from(states_[kAtEnd][i * count + path], place_of(own, i + 1));
      if (entry == entries[i + 1]) break;
      entries[++i] = entry;
    }
    return i;
  }
  __device__ __forceinline__ static std::uint32_t count_of(const BitsJob &job) {
    return static_cast<std::uint32_t>(job.plan.blocks_of_mcu);
  }

 private:
  static constexpr std::uint32_t kCheckBytes = 32;  // after which paths are compared
  static constexpr std::uint32_t kNoPath = 255;
  static constexpr std::uint32_t kMost = kMostBlocksOfMcu * kSubsequences;

  // Of paths: kCheckBytes after their begin, at their subsequence's end, and kCheckBytes after
  // that.
  enum Place { kAtCheck, kAtEnd, kAtNextCheck, kStates };
  std::uint16_t states_[kStates][kMost];
  std::uint8_t links_[kMost];
};

}  // namespace
}  // namespace coalesce::jpeg
