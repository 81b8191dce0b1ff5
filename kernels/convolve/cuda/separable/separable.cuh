// SPDX-License-Identifier: LGPL-2.1-or-later
// Separable convolution of 8-bit planes on tensor cores, down and across in one kernel.
//
// Both ways are products of 8-bit matrices with 32-bit sums, the taps being the diagonals of one of
// them. A warp makes 16 rows of output at a time, in windows of 16 columns. Rows and columns stand
// in the first product in such an order that what it leaves in a lane is what the second one wants
// there (sums.cuh).
//
// A block walks down its strip of the picture. The rows of the next step are under way while it
// computes (fill.cuh).
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../../core/grid_order.cuh"
#include "../../../core/load.cuh"
#include "fill.cuh"
#include "sums.cuh"

namespace coalesce {

// `bytes` samples, byte by byte.
__device__ __noinline__ void store_some(std::uint8_t *to, const std::uint8_t *samples, int bytes) {
#pragma unroll 1
  for (int i = 0; i < bytes; ++i)
    to[i] = samples[i];
}

// Puts back what is not to be filtered: of the lane's 16 samples in its rows.
template <class Shape>
__device__ __noinline__ void restore_copied(const std::uint8_t *from, std::size_t pitch, int rows,
                                            int bytes, std::uint32_t copied, std::uint8_t *stage) {
  constexpr int kAtOnce = 32 / Shape::kWindows;
  if (bytes == 16 && ((reinterpret_cast<std::uintptr_t>(from) | pitch) & 15) == 0) {
    uint4 old[16 / kAtOnce];
#pragma unroll
    for (int i = 0; i < 16 / kAtOnce; ++i)
      if (i * kAtOnce < rows)
        old[i] = load_global(reinterpret_cast<const uint4 *>(from + i * kAtOnce * pitch));
#pragma unroll
    for (int i = 0; i < 16 / kAtOnce; ++i) {
      auto *now = reinterpret_cast<uint4 *>(stage + i * kAtOnce * Shape::kStagePitch);
      const auto choose = [&](std::uint32_t a, std::uint32_t b) {
        return (a & copied) | (b & ~copied);
      };
      if (i * kAtOnce < rows)
        *now = make_uint4(choose(old[i].x, now->x), choose(old[i].y, now->y),
                          choose(old[i].z, now->z), choose(old[i].w, now->w));
    }
    return;
  }
#pragma unroll 1
  for (int i = 0; i < rows; i += kAtOnce)
#pragma unroll 1
    for (int b = 0; b < bytes; ++b)
      if ((copied >> (8 * (b % 4)) & 1) != 0)
        stage[i * Shape::kStagePitch + b] = load_global(from + i * pitch + b);
}

// A warp's 16 rows (or what there is of them) from (x, y) on; 16 samples a lane.
template <class Shape>
__device__ __forceinline__ void store_rows(const MmaPlane &plane, int x, int y,
                                           std::uint8_t *stage) {
  constexpr int kLanes = Shape::kWindows, kAtOnce = 32 / kLanes;  // of a row; rows
  const int lane = threadIdx.x % 32;
  x += 16 * (lane % kLanes);
  y += lane / kLanes;
  const int rows = min(plane.in.height - y, 16), bytes = min(plane.in.width - x, 16);
  if (rows <= 0 || bytes <= 0) return;
  stage += lane / kLanes * Shape::kStagePitch + 16 * (lane % kLanes);
  if (plane.copied != 0)
    restore_copied<Shape>(plane.in.data + static_cast<std::size_t>(y) * plane.in.pitch + x,
                          plane.in.pitch, rows, bytes, plane.copied, stage);
  std::uint8_t *to =
      plane.out + static_cast<std::size_t>(y) * static_cast<std::uint32_t>(plane.out_pitch) + x;
  const auto step = std::size_t{kAtOnce} * static_cast<std::uint32_t>(plane.out_pitch);
  if (bytes == 16 && ((reinterpret_cast<std::uintptr_t>(to) | plane.out_pitch) & 15) == 0) {
#pragma unroll
    for (int i = 0; i < 16; i += kAtOnce, to += step)
      if (i < rows)
        __stcs(reinterpret_cast<uint4 *>(to),
               *reinterpret_cast<const uint4 *>(stage + i * Shape::kStagePitch));
  } else {
#pragma unroll 1
    for (int i = 0; i < rows; i += kAtOnce, to += step)
      store_some(to, stage + i * Shape::kStagePitch, bytes);
  }
}

template <class Shape, SeparableSums kSums>
struct alignas(16) SeparableShared {
  std::uint8_t ring[Shape::kRing * Shape::kPitch];
  std::uint8_t stage[Shape::kThreads / 32][16 * Shape::kStagePitch];
  std::uint32_t taps[MmaTypes<kSums>::kDigits * (Shape::kDownWords + Shape::kAcrossWords)];
  MmaColumns<Shape> columns;
};

// Blocks that are to share a multiprocessor: as its memory (of 9.0) and the registers allow.
template <class Shape, SeparableSums kSums>
constexpr int mma_blocks() {
  constexpr int kUnits = Shape::kDownUnits + Shape::kAcrossUnits;
  constexpr bool kPacked = kSums == SeparableSums::packed, kWide = MmaTypes<kSums>::kWide;
  constexpr int kMost = kWide ? 16 : kPacked ? 24 : 20;  // warps
  constexpr int kWarps = kUnits > (kWide ? 7 : 8) ? kMost / 2 : kUnits > 4 ? kMost - 4 : kMost;
  constexpr int kByMemory =
      227 * 1024 / static_cast<int>(sizeof(SeparableShared<Shape, kSums>) + 1024);
  constexpr int kByWarps = kWarps * 32 / Shape::kThreads;
  return kByMemory < kByWarps ? kByMemory : kByWarps;
}

// A warp's 16 rows from (x, y) on, window after window. rows: addresses for MmaRows.
template <class Shape, SeparableSums kSums>
__device__ __forceinline__ void compute_rows(const MmaBands<Shape, kSums> &bands,
                                             const SeparableFinish &finish, const MmaPlane &plane,
                                             int x, int y,
                                             std::uint32_t (&rows)[(Shape::kDownUnits + 1) / 2],
                                             std::uint8_t *stage) {
  constexpr int kUnits = Shape::kAcrossUnits;
  const int lane = threadIdx.x % 32;
  std::uint8_t *word = stage + lane / 4 * Shape::kStagePitch + 4 * (lane % 4);
  ColumnSums<MmaTypes<kSums>::kPlanes> sums[Shape::kWindows + kUnits - 1];
  constexpr bool kShifted = Shape::kShift != 0;
  // Loaded early: the stores in between would hold the compiler from doing so.
  MmaRows<Shape> now, next;
  now.load(rows, 0);
  next.load(rows, 16);
#pragma unroll
  for (int i = 0; i < kUnits - 1; ++i) {
    sums[i] = column_sums(bands, kShifted ? now.shift(next) : now);
    now = next;
    next.load(rows, 16 * (i + 2));
  }
#pragma unroll
  for (int w = 0; w < Shape::kWindows; ++w) {
    sums[w + kUnits - 1] = column_sums(bands, kShifted ? now.shift(next) : now);
    now = next;
    if (w + 2 - kShifted < Shape::kWindows) next.load(rows, 16 * (w + kUnits + 1));
    std::uint32_t samples[2];
    if (w % 2 == 0)
      row_sums<false>(bands, sums + w, finish, samples);
    else
      row_sums<true>(bands, sums + w, finish, samples);
    *reinterpret_cast<std::uint32_t *>(word + 16 * w) = samples[0];
    *reinterpret_cast<std::uint32_t *>(word + 16 * w + 8 * Shape::kStagePitch) = samples[1];
  }
  __syncwarp();
  store_rows<Shape>(plane, x, y, stage);
  __syncwarp();
}

// blockIdx: strip, part of its rows, plane.
template <class Shape, SeparableSums kSums>
__global__ void __launch_bounds__(Shape::kThreads, (mma_blocks<Shape, kSums>()))
    separable_mma_kernel(const __grid_constant__ SeparableMmaArgs<Shape, kSums> p) {
#if __CUDA_ARCH__ >= 800
  wait_for_grid_before();
  __shared__ SeparableShared<Shape, kSums> shared;
  const MmaPlane &plane = p.plane[blockIdx.z];
  const TileSource &in = plane.in;
  const int x0 = Shape::kColumns * static_cast<int>(blockIdx.x);
  const int y0 = Shape::kStep * p.steps * static_cast<int>(blockIdx.y);
  if (x0 >= in.width || y0 >= in.height) return;
  const int rows = min(Shape::kStep * p.steps, in.height - y0);  // of output

  const int top = y0 - p.above;  // the first row of input
  constexpr int kAhead = Shape::kStep + 16 * (Shape::kDownUnits - 1);
  const SeparableRow<Shape, kSums> &taps = p.row[plane.row];
  MmaFill<Shape> fill;
  if (fill.init(in, x0 - taps.left - Shape::kShift, top, in.width + taps.right, &shared.columns))
    __syncthreads();
  const int input_rows = rows + p.below;
  fill.copy(in, top, 0, min(input_rows, kAhead), shared.columns, shared.ring);
  fill.gather(in, top, 0, min(input_rows, kAhead), shared.columns, shared.ring);
  for (int i = threadIdx.x; i < static_cast<int>(sizeof shared.taps / 4); i += Shape::kThreads) {
    constexpr int kDownWords = MmaTypes<kSums>::kDigits * Shape::kDownWords;
    shared.taps[i] = i < kDownWords ? (&p.down[0][0])[i] : (&taps.across[0][0])[i - kDownWords];
  }
  __syncthreads();
  const MmaBands<Shape, kSums> bands(shared.taps);
  SeparableFinish finish;
  finish.shift = p.shift;
  finish.reciprocal = p.reciprocal;
#pragma unroll
  for (int &add : finish.add) {
    add = plane.add;
    asm volatile("" : "+r"(add));  // four registers, side by side, once
  }

  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int warp_row = 16 * (warp % Shape::kWarpsDown);
  const int warp_column = Shape::kWarpColumns * (warp / Shape::kWarpsDown);
  const std::uint32_t ring = shared_address(shared.ring) + warp_column;
#pragma unroll 1
  for (int y = 0; y < rows; y += Shape::kStep) {
    ptx::cp_async_wait_all();
    __syncthreads();
    // All have done with the step before: its rows make room.
    const int next = y + kAhead, end = min(input_rows, next + Shape::kStep);
    fill.copy(in, top, next, end, shared.columns, shared.ring);
    if (y + warp_row < rows && x0 + warp_column < in.width) {
      std::uint32_t lines[(Shape::kDownUnits + 1) / 2];
#pragma unroll
      for (int i = 0; i < (Shape::kDownUnits + 1) / 2; ++i) {
        const int row = y + warp_row + 32 * i + (2 * i + 1 < Shape::kDownUnits ? lane : lane % 16);
        lines[i] = ring + static_cast<unsigned>(row) % Shape::kRing * Shape::kPitch;
      }
      compute_rows(bands, finish, plane, x0 + warp_column, y0 + y + warp_row, lines,
                   shared.stage[warp]);
    }
    fill.gather(in, top, next, end, shared.columns, shared.ring);
  }
#endif
}

}  // namespace coalesce
