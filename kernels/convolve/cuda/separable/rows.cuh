// SPDX-License-Identifier: LGPL-2.1-or-later
// A warp's part of a step, from the ring in shared memory to the stage there.
#pragma once

#include <cstdint>

#include "sums.cuh"

namespace coalesce {

// Where a segment is: of each byte of its samples, `next` bytes further on.
struct Segment {
  std::uint32_t ring;  // its first column's address in the first row of the ring
  int next;
  std::uint8_t *stage;
  int stage_pitch, stage_next;
};

// A warp's 16 rows of a segment, window after window. rows: of the ring, for MmaRows.
template <class Shape, SeparableSums kSums>
__device__ __forceinline__ void compute_rows(
    const MmaBands<Shape, kSums> &bands, const SeparableFinish &finish, const Segment &segment,
    const std::uint32_t (&lines)[(Shape::kDownUnits + 1) / 2]) {
  constexpr int kUnits = Shape::kAcrossUnits, kBytes = MmaTypes<kSums>::kBytes;
  const int lane = threadIdx.x % 32;
  std::uint8_t *word = segment.stage + lane / 4 * segment.stage_pitch + 4 * (lane % 4);
  std::uint32_t rows[kBytes][(Shape::kDownUnits + 1) / 2];
#pragma unroll
  for (int b = 0; b < kBytes; ++b)
#pragma unroll
    for (int i = 0; i < (Shape::kDownUnits + 1) / 2; ++i)
      rows[b][i] = segment.ring + b * segment.next + lines[i];
  ColumnSums<MmaTypes<kSums>::kPlanes> sums[Shape::kWindows + kUnits - 1];
  constexpr bool kShifted = Shape::kShift != 0;
  // Loaded early: the stores in between would hold the compiler from doing so.
  MmaRows<Shape> now[kBytes], next[kBytes];
  const auto load = [&](MmaRows<Shape>(&to)[kBytes], int offset) {
#pragma unroll
    for (int b = 0; b < kBytes; ++b)
      to[b].load(rows[b], offset);
  };
  const auto sum = [&] {
    MmaRows<Shape> used[kBytes];
#pragma unroll
    for (int b = 0; b < kBytes; ++b) {
      used[b] = kShifted ? now[b].shift(next[b]) : now[b];
      now[b] = next[b];
    }
    return column_sums(bands, used, finish.upper_weight);
  };
  load(now, 0);
  load(next, 16);
#pragma unroll
  for (int i = 0; i < kUnits - 1; ++i) {
    sums[i] = sum();
    load(next, 16 * (i + 2));
  }
#pragma unroll
  for (int w = 0; w < Shape::kWindows; ++w) {
    sums[w + kUnits - 1] = sum();
    if (w + 2 - kShifted < Shape::kWindows) load(next, 16 * (w + kUnits + 1));
    std::uint32_t samples[kBytes][2];
    if (w % 2 == 0)
      row_sums<false>(bands, sums + w, finish, samples);
    else
      row_sums<true>(bands, sums + w, finish, samples);
#pragma unroll
    for (int b = 0; b < kBytes; ++b)
#pragma unroll
      for (int h = 0; h < 2; ++h)
        *reinterpret_cast<std::uint32_t *>(word + b * segment.stage_next + 16 * w +
                                           8 * h * segment.stage_pitch) = samples[b][h];
  }
}

}  // namespace coalesce
