// SPDX-License-Identifier: LGPL-2.1-or-later
// The method of separable.cuh for 8-bit samples and short rows: pixels remain as they are, with
// zeros between the taps of a channel. A block's size and its memory are constants. On an H100
// separable.cuh takes 1.2 to 1.55 times as long for RGB at sigma 1 to 3, 1.05 times for grey.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../../core/grid_order.cuh"
#include "../../../core/load.cuh"
#include "bytes_fill.cuh"
#include "rows.cuh"
#include "store.cuh"

namespace coalesce {

// Puts back what is not to be filtered: of a warp's rows from (x, y) on, 16 samples a lane.
template <class Shape>
__device__ __noinline__ void restore_copied(const TileSource &in, std::uint32_t copied, int x,
                                            int y, std::uint8_t *stage) {
  constexpr int kLanes = Shape::kWindows, kAtOnce = 32 / kLanes;  // of a row; rows
  const int lane = threadIdx.x % 32;
  x += 16 * (lane % kLanes);
  y += lane / kLanes;
  const int rows = min(in.height - y, 16), bytes = min(in.width - x, 16);
  if (rows <= 0 || bytes <= 0) return;
  stage += lane / kLanes * Shape::kStagePitch + 16 * (lane % kLanes);
  const std::size_t pitch = in.pitch;
  const std::uint8_t *from = in.data + static_cast<std::size_t>(y) * pitch + x;
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

template <class Shape, SeparableSums kSums>
struct alignas(16) BytesShared {
  std::uint8_t ring[Shape::kRing * Shape::kPitch];
  std::uint8_t stage[Shape::kThreads / 32][16 * Shape::kStagePitch];
  std::uint32_t taps[MmaTypes<kSums>::kDigits * (Shape::kDownWords + Shape::kAcrossWords)];
  BytesColumns<Shape> columns;
};

// Blocks that are to share a multiprocessor: as its memory (of 9.0) and the registers allow.
template <class Shape, SeparableSums kSums>
constexpr int bytes_blocks() {
  constexpr int kUnits = Shape::kDownUnits + Shape::kAcrossUnits;
  constexpr bool kPacked = kSums == SeparableSums::packed, kWide = MmaTypes<kSums>::kWide;
  constexpr int kMost = kWide ? 16 : kPacked ? 24 : 20;  // warps
  constexpr int kWarps = kUnits > (kWide ? 7 : 8) ? kMost / 2 : kUnits > 4 ? kMost - 4 : kMost;
  constexpr int kByMemory = 227 * 1024 / static_cast<int>(sizeof(BytesShared<Shape, kSums>) + 1024);
  constexpr int kByWarps = kWarps * 32 / Shape::kThreads;
  return kByMemory < kByWarps ? kByMemory : kByWarps;
}

// blockIdx: strip, part of its rows, plane.
template <class Shape, SeparableSums kSums>
__global__ void __launch_bounds__(Shape::kThreads, (bytes_blocks<Shape, kSums>()))
    separable_bytes_kernel(const __grid_constant__ BytesArgs<Shape, kSums> p) {
#if __CUDA_ARCH__ >= 800
  wait_for_grid_before();
  __shared__ BytesShared<Shape, kSums> shared;
  const BytesPlane &plane = p.plane[blockIdx.z];
  const TileSource &in = plane.in;
  const int x0 = Shape::kColumns * static_cast<int>(blockIdx.x);
  const int y0 = Shape::kStep * p.steps * static_cast<int>(blockIdx.y);
  if (x0 >= in.width || y0 >= in.height) return;
  const int rows = min(Shape::kStep * p.steps, in.height - y0);  // of output

  const int top = y0 - p.above;  // the first row of input
  constexpr int kAhead = Shape::kStep + 16 * (Shape::kDownUnits - 1);
  const BytesRow<Shape, kSums> &taps = p.row[plane.row];
  BytesFill<Shape> fill;
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
  SeparableFinish finish = {};
  finish.shift = p.shift;
  finish.reciprocal = p.reciprocal;
#pragma unroll
  for (int &add : finish.add) {
    add = plane.add;
    asm volatile("" : "+r"(add));  // four registers, side by side, once
  }

  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int warp_row = 16 * (warp % Shape::kWarpsDown);
  const int warp_column = Shape::kSegment * (warp / Shape::kWarpsDown);
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
        lines[i] = static_cast<unsigned>(row) % Shape::kRing * Shape::kPitch;
      }
      std::uint8_t *stage = shared.stage[warp];
      const Segment segment = {ring, 0, stage, Shape::kStagePitch, 0};
      compute_rows(bands, finish, segment, lines);
      __syncwarp();
      const int x = x0 + warp_column, top_row = y0 + y + warp_row;
      if (plane.copied != 0) restore_copied<Shape>(plane.in, plane.copied, x, top_row, stage);
      store_rows<Shape>(plane, x, top_row, stage, Shape::kStagePitch);
      __syncwarp();
    }
    fill.gather(in, top, next, end, shared.columns, shared.ring);
  }
#endif
}

// Filters planes of 8-bit samples, if it can filter all that are to be: bits of those, or 0.
unsigned run_separable_bytes(const ConvolveParams &params, const ConvolvePlanes &image,
                             const MmaNumbers &numbers, int multiprocessors, cudaStream_t stream,
                             Status *status);

}  // namespace coalesce
