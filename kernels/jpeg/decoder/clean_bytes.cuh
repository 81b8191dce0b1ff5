// SPDX-License-Identifier: LGPL-2.1-or-later
// A group's bytes of a scan in shared memory, without stuffed zeros; of a marker its second byte,
// of which a bit says so. So no code's decoder looks for them byte by byte.
#pragma once

#include <cstdint>

#include "cuda_decode_job.h"

namespace coalesce::jpeg {
namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFF;
constexpr std::uint32_t kMostBits = 31;  // of a code and the number behind it
constexpr std::uint32_t kHalo = 16;      // raw bytes behind a group: kMostBits and a marker

struct BitsJob {
  ScanPlan plan;
  DecodeArrays arrays;
  std::uint32_t components;  // two bits for each block of an MCU
};

// The bytes of a group and of its lead, in shared memory.
struct Clean {
  static constexpr std::uint32_t kBytes = (kGroup + kLead) * kSubsequenceBytes + kHalo;

  // The first byte of a word is its highest. Some words more are there for who reads ahead.
  std::uint32_t words[kBytes / 4 + 4];
  std::uint32_t marks[kBytes / 32 + 2];  // a bit for each byte: it is a marker's

  __device__ __forceinline__ std::uint32_t byte(std::uint32_t i) const {
    return words[i / 4] >> (24 - i % 4 * 8) & 255;
  }
  __device__ __forceinline__ bool is_mark(std::uint32_t i) const {
    return (marks[i / 32] >> i % 32 & 1) != 0;
  }
  // The first marker from `byte` on that a code beginning before `end` (bits) may meet: its bit.
  __device__ __forceinline__ std::uint32_t next_mark(std::uint32_t byte, std::uint32_t end) const {
    const std::uint32_t last = (end + kMostBits + 7) / 256;
    std::uint32_t i = byte / 32, found = marks[i] & kNone << byte % 32;
    while (found == 0 && i < last)
      found = marks[++i];
    return found == 0
               ? kNone
               : 256 * i + 8 * static_cast<std::uint32_t>(__ffs(static_cast<int>(found)) - 1);
  }
};

// The highest bit of each byte that is 0.
__device__ __forceinline__ std::uint32_t zeros_of(std::uint32_t word) {
  return ~(((word & 0x7F7F7F7F) + 0x7F7F7F7F) | word | 0x7F7F7F7F);
}

// Four bytes of a scan: which of them are dropped, and which are markers.
struct Bytes {
  std::uint32_t word, dropped, marks;

  // The bytes at `at` (aligned); none is there from `end` on.
  __device__ __forceinline__ Bytes(const std::uint8_t *data, std::uint32_t at, std::uint32_t end) {
    const auto *words = reinterpret_cast<const std::uint32_t *>(data + at);
    word = words[0];
    const std::uint32_t before = at == 0 ? 0 : data[at - 1], behind = data[at + 4];
    const std::uint32_t full = zeros_of(~word);
    const std::uint32_t full_before = full << 8 | (before == 0xFF ? 0x80 : 0);
    const std::uint32_t zero = zeros_of(word);
    const std::uint32_t zero_behind = zero >> 8 | (behind == 0 ? 0x80000000 : 0);
    dropped = (full_before & zero) | (full & ~full_before & ~zero_behind);
    marks = full_before & ~zero & 0x80808080;
    if (at + 4 > end) {
      const std::uint32_t missing = at >= end ? 0x80808080 : 0x80808080 << 8 * (end - at);
      dropped |= missing;
      marks &= ~missing;
    }
  }
  __device__ __forceinline__ std::uint32_t count() const {
    return 4 - static_cast<std::uint32_t>(__popc(dropped));
  }
  // Returns the place behind them.
  __device__ __forceinline__ std::uint32_t write(std::uint32_t to, Clean *clean) const {
    auto *const bytes = reinterpret_cast<std::uint8_t *>(clean->words);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if ((marks >> (8 * i + 7) & 1) != 0) atomicOr(&clean->marks[to / 32], 1u << to % 32);
      if ((dropped >> (8 * i + 7) & 1) == 0)
        bytes[to++ ^ 3] = static_cast<std::uint8_t>(word >> 8 * i);
    }
    return to;
  }
};

// Sums of `own` of this thread and those before it. sums: of all threads.
template <std::uint32_t kThreads>
__device__ __forceinline__ std::uint32_t add_up(std::uint32_t own, std::uint32_t *sums) {
  const std::uint32_t t = threadIdx.x;
  sums[t] = own;
  __syncthreads();
  for (std::uint32_t distance = 1; distance < kThreads; distance *= 2) {
    const std::uint32_t other = t >= distance ? sums[t - distance] : 0;
    __syncthreads();
    sums[t] += other;
    __syncthreads();
  }
  return sums[t];
}

// Where a group is in Clean: bytes.
struct Extent {
  std::uint32_t begin, end;
};

// The clean bytes of a group, of kLeading subsequences before it, and of the halo behind it; each
// thread has an equal part of the file's. sums: of all threads.
template <std::uint32_t kLeading, std::uint32_t kThreads>
__device__ __forceinline__ Extent clean_bytes(const BitsJob &job, std::uint32_t group, Clean *clean,
                                              std::uint32_t *sums) {
  constexpr std::uint32_t kAll = (kGroup + kLeading) * kSubsequenceBytes, kPart = kAll / kThreads;
  constexpr std::uint32_t kBefore = kLeading * kSubsequenceBytes;
  static_assert(kAll % kThreads == 0 && kPart % 4 == 0 && kBefore % kPart == 0);
  const std::uint8_t *const data = job.arrays.data;
  const std::uint32_t t = threadIdx.x, all = job.plan.bytes + 2;  // with EOI
  for (std::uint32_t i = t; i < sizeof(Clean) / 4; i += kThreads)
    reinterpret_cast<std::uint32_t *>(clean)[i] = 0;
  const bool is_there = group != 0 || t * kPart + 1 > kBefore;
  const std::uint32_t from = is_there ? group * kGroupBytes + t * kPart - kBefore : all;
  std::uint32_t to = min(from + kPart, all), count = 0;
  for (std::uint32_t at = from; at < to; at += 4)
    count += Bytes(data, at, to).count();
  std::uint32_t place = add_up<kThreads>(count, sums) - count;
  if (t == kThreads - 1) to = min(to + kHalo, all);
  for (std::uint32_t at = from; at < to; at += 4)
    place = Bytes(data, at, to).write(place, clean);
  const Extent extent = {kLeading == 0 ? 0 : sums[max(kBefore / kPart, 1u) - 1],
                         sums[kThreads - 1]};
  __syncthreads();
  return extent;
}

}  // namespace
}  // namespace coalesce::jpeg
