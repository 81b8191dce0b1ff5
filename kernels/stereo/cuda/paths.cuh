// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA: costs along the paths of sgm. A group of lanes has a path from end to end; each lane has
// eight candidates, in pairs of 16 bits.
#pragma once

#include <cstdint>

#include "../../core/load.cuh"
#include "../../core/warp_sum.cuh"
#include "scratch.h"

namespace coalesce {
namespace {

constexpr int kPathEach = 8;            // candidates of a lane
constexpr int kPathThreads = 128;       // of a block
constexpr int kPathAhead = 4;           // pixels whose costs are on their way
constexpr std::uint32_t kFar = 0x4000;  // more than any cost and penalty

struct PathArgs {
  int width, height, candidates;
  int lines;         // of all directions
  int axes;          // 2 or 4: along rows, down columns, and aslant
  bool backwards;    // the opposite directions, whose costs are added to what is there
  std::uint32_t p1;  // of a pair
  std::uint8_t penalty[256];
  StereoPlane<const std::uint8_t> bytes;  // of the left picture
  const std::uint8_t *costs;
  std::uint8_t *paths[4];  // by axis
};

// Where a path begins, the step from pixel to pixel, and how many there are.
struct PathLine {
  int x, y, dx, dy, length, axis;
};
__device__ __forceinline__ PathLine path_line(const PathArgs &a, int number) {
  PathLine line = {0, 0, 0, 0, 0, 0};
  const int aslant = a.width + a.height - 1;
  if (number >= a.lines) return line;
  if (number < a.height) {
    line = {0, number, 1, 0, a.width, 0};
  } else if (number < a.height + a.width) {
    line = {number - a.height, 0, 0, 1, a.height, 1};
  } else {
    // Those that begin in the first row, then those that begin in the first or last column.
    int at = number - a.height - a.width;
    const bool leftwards = at >= aslant;
    if (leftwards) at -= aslant;
    line.axis = leftwards ? 3 : 2;
    line.x = min(at, a.width - 1), line.y = max(at - a.width + 1, 0);
    line.dx = 1, line.dy = 1;
    // (Of rightwards ones, from the right end of the first row to its left one, then down.)
    if (!leftwards) line.x = a.width - 1 - line.x;
    if (leftwards) line.dx = -1;
    const int across = leftwards ? line.x + 1 : a.width - line.x;
    line.length = min(across, a.height - line.y);
  }
  if (a.backwards) {
    line.x += line.dx * (line.length - 1), line.y += line.dy * (line.length - 1);
    line.dx = -line.dx, line.dy = -line.dy;
  }
  return line;
}

__device__ __forceinline__ std::uint32_t pair_of(std::uint32_t number) {
  return number | number << 16;
}

// Two bytes of a word as a pair, and two pairs as bytes.
__device__ __forceinline__ std::uint32_t low_bytes(std::uint32_t word) {
  return __byte_perm(word, 0, 0x4140);
}
__device__ __forceinline__ std::uint32_t high_bytes(std::uint32_t word) {
  return __byte_perm(word, 0, 0x4342);
}
__device__ __forceinline__ std::uint32_t joined_bytes(std::uint32_t low, std::uint32_t high) {
  return __byte_perm(low, high, 0x6420);
}

// The least number of all lanes' pairs, for all of a group.
template <int kLanes>
__device__ __forceinline__ std::uint32_t least_number(std::uint32_t pair) {
  if constexpr (kLanes >= 16) {
    return warp_least<kLanes>(min(pair & 0xFFFF, pair >> 16));
  } else {
#pragma unroll
    for (int distance = kLanes / 2; distance > 0; distance /= 2)
      pair = __vminu2(pair, __shfl_xor_sync(kWholeWarp, pair, distance, kLanes));
    return min(pair & 0xFFFF, pair >> 16);
  }
}

// Eight costs after the path's step from those before, whose least one is `least`.
template <int kLanes>
__device__ __forceinline__ void step_path(std::uint32_t (&path)[4], const std::uint32_t (&costs)[4],
                                          std::uint32_t least, std::uint32_t penalty,
                                          std::uint32_t p1, int lane) {
  std::uint32_t left = __shfl_up_sync(kWholeWarp, path[3], 1, kLanes);
  std::uint32_t right = __shfl_down_sync(kWholeWarp, path[0], 1, kLanes);
  if (lane == 0) left = pair_of(kFar);
  if (lane == kLanes - 1) right = pair_of(kFar);
  // (a, b), (c, d) to (b, c)
  std::uint32_t between[5];
  between[0] = __byte_perm(left, path[0], 0x5432);
#pragma unroll
  for (int i = 1; i < 4; ++i)
    between[i] = __byte_perm(path[i - 1], path[i], 0x5432);
  between[4] = __byte_perm(path[3], right, 0x5432);
  const std::uint32_t limit = pair_of(least + penalty), before = pair_of(least);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const std::uint32_t beside = __vminu2(between[i], between[i + 1]);
    const std::uint32_t best = __vminu2(__viaddmin_u16x2(beside, p1, path[i]), limit);
    path[i] = best - before + costs[i];
  }
}

// What a path needs of its pixels, some of them ahead, and where its costs go. kFull: all lanes
// have candidates.
template <bool kAdds, bool kFull>
class PathMemory {
 public:
  struct Pixel {
    uint2 costs, paths;
    int byte;
  };

  __device__ __forceinline__ PathMemory(const PathArgs &a, const PathLine &line, int candidate)
      : length_(line.length), active_(kFull || candidate < a.candidates) {
    const std::ptrdiff_t row = a.width, pixel = line.y * row + line.x;
    const std::ptrdiff_t at = pixel * a.candidates + candidate;
    step_ = (line.dy * row + line.dx) * a.candidates;
    costs_ = a.costs + at;
    before_ = a.paths[line.axis] + at;
    to_ = a.paths[line.axis] + at;
    byte_ = a.bytes.row(line.y) + line.x;
    byte_step_ = line.dy * static_cast<std::ptrdiff_t>(a.bytes.pitch) + line.dx;
  }
  __device__ __forceinline__ bool active() const { return kFull || active_; }

  // The next pixel of the line; nothing after its last one.
  __device__ __forceinline__ Pixel load() {
    Pixel pixel = {};
    if (loaded_++ >= length_) return pixel;
    pixel.byte = load_global(byte_);
    byte_ += byte_step_;
    if (!active()) return pixel;
    pixel.costs = load_global(reinterpret_cast<const uint2 *>(costs_));
    costs_ += step_;
    if constexpr (kAdds) {
      pixel.paths = load_global(reinterpret_cast<const uint2 *>(before_));
      before_ += step_;
    }
    return pixel;
  }
  __device__ __forceinline__ void store(uint2 sums) {
    if (stored_++ >= length_ || !active()) return;
    *reinterpret_cast<uint2 *>(to_) = sums;
    to_ += step_;
  }

 private:
  int length_, loaded_ = 0, stored_ = 0;
  bool active_;
  std::ptrdiff_t step_, byte_step_;
  const std::uint8_t *costs_, *before_, *byte_;
  std::uint8_t *to_;
};

template <int kLanes, bool kAdds, bool kFull>
__global__ void __launch_bounds__(kPathThreads) path_kernel(const __grid_constant__ PathArgs a) {
  __shared__ std::uint8_t penalty[256];
  wait_for_grid_before();
  for (int i = static_cast<int>(threadIdx.x); i < 256; i += kPathThreads)
    penalty[i] = a.penalty[i];
  __syncthreads();
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const PathLine line =
      path_line(a, static_cast<int>(blockIdx.x * kPathThreads + threadIdx.x) / kLanes);
  // Groups of a warp go on together.
  int length = line.length;
#pragma unroll
  for (int distance = 16; distance >= kLanes; distance /= 2)
    length = max(length, __shfl_xor_sync(kWholeWarp, length, distance));
  PathMemory<kAdds, kFull> memory(a, line, lane * kPathEach);
  typename PathMemory<kAdds, kFull>::Pixel ahead[kPathAhead];
#pragma unroll
  for (int u = 0; u < kPathAhead; ++u)
    ahead[u] = memory.load();
  std::uint32_t path[4] = {}, least = 0;
  int byte = ahead[0].byte;
  for (int begin = 0; begin < length; begin += kPathAhead) {
#pragma unroll
    for (int u = 0; u < kPathAhead; ++u) {
      const auto pixel = ahead[u];
      ahead[u] = memory.load();
      std::uint32_t costs[4] = {low_bytes(pixel.costs.x), high_bytes(pixel.costs.x),
                                low_bytes(pixel.costs.y), high_bytes(pixel.costs.y)};
      if (!memory.active()) costs[0] = costs[1] = costs[2] = costs[3] = pair_of(kFar);
      step_path<kLanes>(path, costs, least, penalty[abs(pixel.byte - byte)], a.p1, lane);
      byte = pixel.byte;
      least =
          least_number<kLanes>(__vminu2(__vminu2(path[0], path[1]), __vminu2(path[2], path[3])));
      // (Two paths fit a byte.)
      uint2 sums = make_uint2(joined_bytes(path[0], path[1]), joined_bytes(path[2], path[3]));
      if constexpr (kAdds) sums.x += pixel.paths.x, sums.y += pixel.paths.y;
      memory.store(sums);
    }
  }
}

}  // namespace
}  // namespace coalesce
