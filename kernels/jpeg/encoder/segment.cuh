// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA: a block's coefficients as symbols, by eight threads of a warp; each has eight coefficients.
#pragma once

#include <cstdint>

#include "../../core/warp_sum.cuh"
#include "cuda_job.h"

namespace coalesce::jpeg {

// Of the scan, for kernels.
struct ScanLayout {
  Tiling tiling;
  std::uint32_t blocks;  // of all
  int blocks_of_mcu;
  // By number in the MCU: the table, and how many blocks before it the last one of its component
  // is.
  std::uint8_t table[kMostBlocksOfMcu], distance[kMostBlocksOfMcu];
};

inline ScanLayout scan_layout(const CodingPlan &plan) {
  ScanLayout layout = {};
  layout.tiling = make_tiling(plan);
  layout.blocks = static_cast<std::uint32_t>(plan.blocks());
  layout.blocks_of_mcu = plan.blocks_of_mcu;
  for (int i = 0; i < plan.components; ++i) {
    const CodedComponent &c = plan.component[i];
    const int blocks = c.h * c.v;
    for (int n = 0; n < blocks; ++n) {
      layout.table[c.first_in_mcu + n] = c.table;
      layout.distance[c.first_in_mcu + n] =
          static_cast<std::uint8_t>(n == 0 ? plan.blocks_of_mcu - blocks + 1 : 1);
    }
  }
  return layout;
}

// What a thread has of a block.
struct Segment {
  int numbers[8];    // in place of DC, in the first thread's, is the difference
  int table;         // 0: luma's, 1: chroma's
  bool is_there;     // else there is no block
  unsigned nonzero;  // bit i: is number i other than 0? DC's is 0
  int last;          // the last coefficient before that is other than 0; 0: none
};

__device__ __forceinline__ int size_of_number(int number) {
  return 32 - __clz(abs(number));
}

// block: of the scan; place: in its restart interval. All threads of a warp call it, each group of
// eight with one block.
__device__ __forceinline__ Segment load_segment(const ScanLayout &layout,
                                                const std::int16_t *coefficients,
                                                std::uint32_t block, std::uint32_t place,
                                                bool is_there) {
  const int lane = static_cast<int>(threadIdx.x) % 8;
  Segment s;
  s.is_there = is_there;
  const std::int16_t *const from = coefficients + std::size_t{is_there ? block : 0} * kCoefficients;
  const uint4 eight = *(reinterpret_cast<const uint4 *>(from) + lane);
  const std::uint32_t words[4] = {eight.x, eight.y, eight.z, eight.w};
  s.nonzero = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    s.numbers[2 * i] = static_cast<std::int16_t>(words[i] & 0xFFFF);
    s.numbers[2 * i + 1] = static_cast<int>(words[i]) >> 16;
    s.nonzero |= static_cast<unsigned>(s.numbers[2 * i] != 0) << 2 * i |
                 static_cast<unsigned>(s.numbers[2 * i + 1] != 0) << (2 * i + 1);
  }
  const int in_mcu = static_cast<int>(place % static_cast<std::uint32_t>(layout.blocks_of_mcu));
  s.table = layout.table[in_mcu];
  if (lane == 0) {
    s.nonzero &= ~1u;
    const std::uint32_t distance = layout.distance[in_mcu];
    if (is_there && place >= distance)
      s.numbers[0] -= from[-std::ptrdiff_t{kCoefficients} * distance];
  }
  if (!is_there) s.nonzero = 0;
  const int first_lane = static_cast<int>(threadIdx.x) % 32 - lane;
  const unsigned before =
      __ballot_sync(kWholeWarp, s.nonzero != 0) >> first_lane & ((1u << lane) - 1);
  const int source = before != 0 ? 31 - __clz(static_cast<int>(before)) : lane;
  const int last = __shfl_sync(kWholeWarp, 8 * lane + 31 - __clz(static_cast<int>(s.nonzero)),
                               first_lane + source);
  s.last = before != 0 ? last : 0;
  return s;
}

}  // namespace coalesce::jpeg
