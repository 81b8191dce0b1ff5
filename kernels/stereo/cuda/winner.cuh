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
  int strip;     // columns
  Plane<std::uint16_t> found;
  std::uint32_t *winners, *right_keys;  // right_keys: nullptr if nobody wants them
};

inline WinnerArgs winner_args(const StereoJob &job, const StereoCudaScratch &s) {
  WinnerArgs a = {};
  a.width = job.width, a.height = job.height;
  a.min_disparity = job.params.min_disparity, a.candidates = job.params.disparities;
  a.uniqueness = job.params.uniqueness, a.subpixel = job.params.subpixel;
  a.outside = job.params.method == StereoMethod::sgm;
  a.strip = kStereoStrip;
  a.found = job.found;
  a.winners = s.winners, a.right_keys = s.right_keys;
  return a;
}

// kEach: numbers of candidates that a lane has, which follow each other. Costs come in pairs of 16
// bits. A key is a cost above the number of its candidate. kRight: are the best candidates of the
// right picture's pixels wanted?
template <int kLanes, int kEach, bool kRight>
class Winners {
 public:
  static constexpr int kPairs = kEach / 2, kAll = kLanes * kEach;
  static constexpr int kBatch = kLanes < 16 ? kLanes : 16;  // pixels that are stored together
  // Words of shared memory, for each group.
  static constexpr int kShared = kBatch * kAll / 2 + (kRight ? 16 : 0);

  // Of a strip of pixels from x on, or of those of them that are in the picture.
  __device__ __forceinline__ Winners(const WinnerArgs &args, std::uint32_t *shared, int lane, int x)
      : args_(args),
        costs_(shared + lane * kPairs),
        leaving_(shared + kBatch * kAll / 2),
        lane_(lane),
        first_(x),
        limited_(args.candidates < kAll || x < 0 || x + args.strip > args.width ||
                 (!args.outside && x - args.min_disparity < args.candidates - 1)) {}

  __device__ __forceinline__ void start_row(int y) {
    y_ = y;
#pragma unroll
    for (int j = 0; j < kEach; ++j)
      right_[j] = kNoKey;
  }

  // Pixels of the strip from `at` on, all of one batch; of all groups of the warp together. (A step
  // for all of them, then the next one: so they do not wait for each other's minima.)
  template <int kCount>
  __device__ __forceinline__ void put(int at, std::uint32_t (&costs)[kCount][kPairs]) {
    const int own = lane_ - at % kBatch;
    std::uint32_t *const to = costs_ + at % kBatch * (kAll / 2);
    std::uint32_t keys[kCount][kEach], best[kCount], second[kCount];
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      if (limited_) limit(last_candidate(first_ + at + i), costs[i]);
      store(to + i * (kAll / 2), costs[i]);
      best[i] = second[i] = kNoKey;
#pragma unroll
      for (int j = 0; j < kEach; ++j) {
        const std::uint32_t pair = costs[i][j / 2];
        keys[i][j] = (j % 2 == 0 ? pair << 16 : pair & 0xFFFF0000) |
                     static_cast<std::uint32_t>(lane_ * kEach + j);
        best[i] = min(best[i], keys[i][j]);
      }
    }
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      best[i] = warp_least<kLanes>(best[i]);
    if (args_.uniqueness > 0) {
#pragma unroll
      for (int i = 0; i < kCount; ++i) {
        const int first = static_cast<int>(best[i] & 0xFFFF) - 1 - lane_ * kEach;
#pragma unroll
        for (int j = 0; j < kEach; ++j)
          if (static_cast<unsigned>(j - first) > 2) second[i] = min(second[i], keys[i][j]);
      }
#pragma unroll
      for (int i = 0; i < kCount; ++i)
        second[i] = warp_least<kLanes>(second[i]);
    }
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      if (own == i) best_ = best[i], second_ = second[i];
      if constexpr (kRight) put_right(at + i, keys[i]);
    }
    if ((at + kCount) % kBatch == 0) end_batch(first_ + at + kCount - kBatch + lane_);
  }

  __device__ __forceinline__ void end_row() const {
    if constexpr (kRight) {
#pragma unroll
      for (int j = 0; j < kEach; ++j)
        put_key(first_ + args_.strip - args_.min_disparity - lane_ * kEach - j, right_[j]);
    }
  }

 private:
  // x: this lane's pixel.
  __device__ __forceinline__ void end_batch(int x) const {
    __syncwarp();
    if (lane_ < kBatch) {
      if (x >= 0 && x < args_.width) put_pixel(x);
      if constexpr (kRight) put_key(x - args_.min_disparity - kAll + 1, leaving_[lane_]);
    }
    __syncwarp();
  }
  __device__ __forceinline__ int last_candidate(int x) const {
    if (x < 0 || x >= args_.width) return -1;
    const int last = args_.candidates - 1;
    return args_.outside ? last : min(last, x - args_.min_disparity);
  }
  __device__ __forceinline__ void limit(int last, std::uint32_t (&costs)[kPairs]) const {
#pragma unroll
    for (int i = 0; i < kPairs; ++i) {
      if (lane_ * kEach + 2 * i > last) costs[i] |= 0xFFFF;
      if (lane_ * kEach + 2 * i + 1 > last) costs[i] |= 0xFFFF0000;
    }
  }

  __device__ __forceinline__ static void store(std::uint32_t *to,
                                               const std::uint32_t (&costs)[kPairs]) {
    if constexpr (kPairs == 4)
      *reinterpret_cast<uint4 *>(to) = make_uint4(costs[0], costs[1], costs[2], costs[3]);
    else
      *reinterpret_cast<uint2 *>(to) = make_uint2(costs[0], costs[1]);
  }
  // Of the pixel of the batch that is this lane's.
  __device__ __forceinline__ std::uint32_t cost_of(int candidate) const {
    const std::uint32_t pair = costs_[lane_ * (kAll / 2) - lane_ * kPairs + candidate / 2];
    return candidate % 2 == 0 ? pair & 0xFFFF : pair >> 16;
  }

  // Pixel p of the right picture has candidate k from pixel p + min + k. So keys move on by one
  // candidate a pixel, and leave the group after its last one.
  __device__ __forceinline__ void put_right(int at, const std::uint32_t (&keys)[kEach]) {
#pragma unroll
    for (int j = 0; j < kEach; ++j)
      right_[j] = min(right_[j], keys[j]);
    const std::uint32_t leaves = right_[kEach - 1];
    if (lane_ == kLanes - 1) leaving_[at % kBatch] = leaves;
    const std::uint32_t comes = __shfl_up_sync(kWholeWarp, leaves, 1, kLanes);
#pragma unroll
    for (int j = kEach - 1; j > 0; --j)
      right_[j] = right_[j - 1];
    right_[0] = lane_ == 0 ? kNoKey : comes;
  }
  __device__ __forceinline__ void put_key(int x, std::uint32_t key) const {
    if (x < 0 || x >= args_.width || (key >> 16) == kNoCost) return;
    atomicMin(args_.right_keys + place(x), key);
  }
  __device__ __forceinline__ std::size_t place(int x) const {
    return static_cast<std::size_t>(y_) * static_cast<unsigned>(args_.width) +
           static_cast<unsigned>(x);
  }

  __device__ __forceinline__ void put_pixel(int x) const {
    const int cost = static_cast<int>(best_ >> 16), candidate = static_cast<int>(best_ & 0xFFFF);
    const int second = static_cast<int>(second_ >> 16);
    std::uint32_t winner = kNoIndex << 16;
    const bool known = cost != static_cast<int>(kNoCost);
    const bool unique =
        second == static_cast<int>(kNoCost) || second * (100 - args_.uniqueness) > cost * 100;
    if (known && unique) {
      int offset = 0;
      if (args_.subpixel && candidate > 0 && candidate + 1 < args_.candidates) {
        const std::uint32_t behind = cost_of(candidate + 1);
        if (behind != kNoCost)
          offset = subpixel_offset(static_cast<int>(cost_of(candidate - 1)), cost,
                                   static_cast<int>(behind));
      }
      winner =
          static_cast<std::uint32_t>(candidate) << 16 |
          static_cast<std::uint32_t>(stored_disparity(args_.min_disparity + candidate, offset));
    }
    if constexpr (kRight)
      args_.winners[place(x)] = winner;
    else
      args_.found.row(y_)[x] = static_cast<std::uint16_t>(winner);
  }

  const WinnerArgs &args_;
  std::uint32_t *costs_, *leaving_;
  int lane_, first_, y_ = 0;
  bool limited_;  // may a pixel of the strip lack candidates?
  std::uint32_t right_[kEach] = {};
  std::uint32_t best_ = kNoKey, second_ = kNoKey;  // of the pixel of the batch that is this lane's
};

}  // namespace
}  // namespace coalesce
