// SPDX-License-Identifier: LGPL-2.1-or-later
// Behind the coder: what can only be said of complete segments.
#pragma once

#include "../../../core/warp_sum.cuh"
#include "mq_kernel.cuh"
#include "mq_passes.h"

namespace coalesce::j2k {

constexpr int kFinishThreads = 128;
constexpr int kPassesOfLane = (kMaxPasses + kLanes - 1) / kLanes;

// Moves a segment to the left. The bytes of a round are read before the next are written.
__device__ inline void move_segment(std::uint8_t *bytes, std::uint32_t from, std::uint32_t to,
                                    std::uint32_t length, int lane) {
  if (from == to) return;
  for (std::uint32_t done = 0; done < length; done += kLanes) {
    const bool mine = done + lane < length;
    const std::uint8_t byte = mine ? bytes[from + done + lane] : std::uint8_t{0};
    __syncwarp();
    if (mine) bytes[to + done + lane] = byte;
    __syncwarp();
  }
}

// A warp for each block: the lengths of its passes, and its segments without gaps.
static __global__ void __launch_bounds__(kFinishThreads)
    finish_passes(DeviceFrame frame, CodingScratch scratch) {
  const std::uint32_t index = blockIdx.x * (kFinishThreads / kLanes) + threadIdx.x / kLanes;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  if (index >= static_cast<std::uint32_t>(frame.blocks)) return;
  const Codeword codeword = codeword_at(frame, scratch, index);
  const int planes = codeword.source.planes;
  const int passes = planes == 0 ? 0 : 3 * planes - 2;
  const unsigned style = codeword.source.style;

  Pass made[kPassesOfLane] = {};
  std::uint32_t segment[kPassesOfLane] = {};  // where it was coded
#pragma unroll
  for (int i = 0; i < kPassesOfLane; ++i) {
    const int pass = i * kLanes + lane;
    if (pass >= passes) break;
    const PassPlace place = pass_place(planes, pass);
    const bool raw = pass_is_raw(style, planes, place.plane, place.type);
    const bool last = pass_is_terminated(style, planes, place.plane, place.type);
    made[i] = {static_cast<std::uint32_t>(least_length_of(codeword, pass, raw, last)),
               codeword.source.made[pass].distortion,
               place.type,
               static_cast<std::uint8_t>(place.plane),
               last,
               raw};
    segment[i] = codeword.marks[pass].segment;
  }
  __syncwarp();  // nothing is written before all was read

  std::uint32_t begin = 0;  // of the segment that is open
#pragma unroll
  for (int i = 0; i < kPassesOfLane; ++i) {
    if (i * kLanes >= passes) break;
    const std::uint32_t own = made[i].terminated ? made[i].length : 0;
    const std::uint32_t sum = warp_sum_up_to_here(own, lane);
    const std::uint32_t to = begin + sum - own;
    for (unsigned ends = __ballot_sync(~0u, made[i].terminated); ends != 0; ends &= ends - 1) {
      const int from_lane = __ffs(static_cast<int>(ends)) - 1;
      move_segment(codeword.bytes, __shfl_sync(~0u, segment[i], from_lane),
                   __shfl_sync(~0u, to, from_lane), __shfl_sync(~0u, own, from_lane), lane);
    }
    begin += __shfl_sync(~0u, sum, kLanes - 1);
    made[i].length += to;
    if (i * kLanes + lane < passes) codeword.passes[i * kLanes + lane] = made[i];
  }
  if (lane == 0) frame.coded[index] = {frame.plan[index].max_planes - planes, passes, begin};
}

}  // namespace coalesce::j2k
