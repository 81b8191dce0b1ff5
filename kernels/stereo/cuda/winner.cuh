// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA: the best candidates, where the lanes of a group have the costs of a pixel and the group
// walks along a row.
#pragma once

#include <cstdint>

#include "../../core/load.cuh"
#include "../../core/ptx.cuh"
#include "../../core/warp_sum.cuh"
#include "scratch.h"

namespace coalesce {
namespace {

constexpr std::uint32_t kNoKey = 0xFFFFFFFF;

struct WinnerArgs {
  int width, height;
  int min_disparity, candidates;
  int uniqueness;
  bool subpixel;
  bool outside;  // may they be left of the right picture?
  Plane<std::uint16_t> found;
  std::uint32_t *winners, *right_keys;  // right_keys: nullptr if nobody wants them
};

inline WinnerArgs winner_args(const StereoJob &job, const StereoCudaScratch &s) {
  WinnerArgs a = {};
  a.width = job.width, a.height = job.height;
  a.min_disparity = job.params.min_disparity, a.candidates = job.params.disparities;
  a.uniqueness = job.params.uniqueness, a.subpixel = job.params.subpixel;
  a.outside = job.params.method == StereoMethod::sgm;
  a.found = job.found;
  a.winners = s.winners, a.right_keys = s.right_keys;
  return a;
}

// kEach: numbers of candidates that a lane has, which follow each other. Costs come in pairs of 16
// bits. A key is a cost above the number of its candidate.
template <int kLanes, int kEach>
class Winners {
 public:
  static constexpr int kPairs = kEach / 2, kAll = kLanes * kEach;
  static constexpr int kBatch = kLanes < 16 ? kLanes : 16;  // pixels that are stored together
  // Words of shared memory, for each group.
  static constexpr int kShared = kBatch * kAll / 2;

  __device__ __forceinline__ Winners(const WinnerArgs &args, std::uint32_t *shared, int lane)
      : args_(args), costs_(shared), lane_(lane) {}

  __device__ __forceinline__ void start_row(int y) {
    y_ = y;
#pragma unroll
    for (int j = 0; j < kEach; ++j)
      right_[j] = kNoKey;
  }

  // Of all groups of the warp together. x begins at a multiple of kBatch, and ends at one.
  __device__ __forceinline__ void put(int x, std::uint32_t (&costs)[kPairs]) {
    const int last = last_candidate(x);
    if (last < kAll - 1) {
#pragma unroll
      for (int i = 0; i < kPairs; ++i) {
        if (lane_ * kEach + 2 * i > last) costs[i] |= 0xFFFF;
        if (lane_ * kEach + 2 * i + 1 > last) costs[i] |= 0xFFFF0000;
      }
    }
    const int slot = x % kBatch;
    store(slot, costs);
    std::uint32_t keys[kEach], best = kNoKey;
#pragma unroll
    for (int j = 0; j < kEach; ++j) {
      const std::uint32_t cost = j % 2 == 0 ? costs[j / 2] << 16 : costs[j / 2] & 0xFFFF0000;
      keys[j] = cost | static_cast<std::uint32_t>(lane_ * kEach + j);
      best = min(best, keys[j]);
    }
    best = warp_least<kLanes>(best);
    std::uint32_t second = kNoKey;
    if (args_.uniqueness > 0) {
      const int first = static_cast<int>(best & 0xFFFF) - 1 - lane_ * kEach;
#pragma unroll
      for (int j = 0; j < kEach; ++j)
        if (static_cast<unsigned>(j - first) > 2) second = min(second, keys[j]);
      second = warp_least<kLanes>(second);
    }
    if (lane_ == slot) best_ = best, second_ = second;
    if (args_.right_keys != nullptr) put_right(x, keys);
    if (slot == kBatch - 1) put_batch(x - slot);
  }

  // x: the pixel after the last one.
  __device__ __forceinline__ void end_row(int x) const {
    if (args_.right_keys == nullptr) return;
#pragma unroll
    for (int j = 0; j < kEach; ++j)
      put_key(x - args_.min_disparity - lane_ * kEach - j, right_[j]);
  }

 private:
  __device__ __forceinline__ int last_candidate(int x) const {
    if (x >= args_.width) return -1;
    const int last = args_.candidates - 1;
    return args_.outside ? last : min(last, x - args_.min_disparity);
  }

  __device__ __forceinline__ void store(int slot, const std::uint32_t (&costs)[kPairs]) const {
    std::uint32_t *const to = costs_ + slot * (kAll / 2) + lane_ * kPairs;
    if constexpr (kPairs == 4)
      *reinterpret_cast<uint4 *>(to) = make_uint4(costs[0], costs[1], costs[2], costs[3]);
    else
      *reinterpret_cast<uint2 *>(to) = make_uint2(costs[0], costs[1]);
  }
  __device__ __forceinline__ std::uint32_t cost_of(int slot, int candidate) const {
    const std::uint32_t pair = costs_[slot * (kAll / 2) + candidate / 2];
    return candidate % 2 == 0 ? pair & 0xFFFF : pair >> 16;
  }

  // Pixel to of the right picture has candidate k from pixel to + min + k. So keys move on by one
  // candidate a pixel, and leave the group after its last one.
  __device__ __forceinline__ void put_right(int x, const std::uint32_t (&keys)[kEach]) {
#pragma unroll
    for (int j = 0; j < kEach; ++j)
      right_[j] = min(right_[j], keys[j]);
    const std::uint32_t leaves = right_[kEach - 1];
    if (lane_ == kLanes - 1) put_key(x - args_.min_disparity - kAll + 1, leaves);
    const std::uint32_t comes = __shfl_up_sync(kWholeWarp, leaves, 1, kLanes);
#pragma unroll
    for (int j = kEach - 1; j > 0; --j)
      right_[j] = right_[j - 1];
    right_[0] = lane_ == 0 ? kNoKey : comes;
  }
  __device__ __forceinline__ void put_key(int to, std::uint32_t key) const {
    if (to < 0 || to >= args_.width || (key >> 16) == kNoCost) return;
    atomicMin(
        args_.right_keys + static_cast<std::size_t>(y_) * static_cast<unsigned>(args_.width) + to,
        key);
  }

  // A lane has a pixel.
  __device__ __forceinline__ void put_batch(int first) {
    __syncwarp();
    const int x = first + lane_;
    if (lane_ < kBatch && x < args_.width) {
      const int cost = static_cast<int>(best_ >> 16), candidate = static_cast<int>(best_ & 0xFFFF);
      const int second = static_cast<int>(second_ >> 16);
      std::uint32_t winner = kNoIndex << 16;
      const bool known = cost != static_cast<int>(kNoCost);
      const bool unique =
          second == static_cast<int>(kNoCost) || second * (100 - args_.uniqueness) > cost * 100;
      if (known && unique) {
        int offset = 0;
        if (args_.subpixel && candidate > 0 && candidate + 1 < args_.candidates) {
          const std::uint32_t behind = cost_of(lane_, candidate + 1);
          if (behind != kNoCost)
            offset = subpixel_offset(static_cast<int>(cost_of(lane_, candidate - 1)), cost,
                                     static_cast<int>(behind));
        }
        winner =
            static_cast<std::uint32_t>(candidate) << 16 |
            static_cast<std::uint32_t>(stored_disparity(args_.min_disparity + candidate, offset));
      }
      if (args_.right_keys != nullptr)
        args_.winners[static_cast<std::size_t>(y_) * static_cast<unsigned>(args_.width) + x] =
            winner;
      else
        args_.found.row(y_)[x] = static_cast<std::uint16_t>(winner);
    }
    __syncwarp();
  }

  const WinnerArgs &args_;
  std::uint32_t *costs_;
  int lane_, y_ = 0;
  std::uint32_t right_[kEach] = {};
  std::uint32_t best_ = kNoKey, second_ = kNoKey;  // of the pixel of the batch that is this lane's
};

}  // namespace
}  // namespace coalesce
