// SPDX-License-Identifier: LGPL-2.1-or-later
// Separable convolution on tensor cores, down and across in one kernel.
//
// Both ways are products of 8-bit matrices with 32-bit sums, the taps being the diagonals of one of
// them. A warp makes 16 rows of output at a time, in windows of 16 columns. Rows and columns stand
// in the first product in such an order that what it leaves in a lane is what the second one wants
// there (sums.cuh).
//
// A block walks down its strip of the picture. The rows of the next step are under way while it
// computes (fill.cuh). Pixels of several bytes become byte planes (pixels.cuh), so that each
// channel is filtered as if it were alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../../core/grid_order.cuh"
#include "fill.cuh"
#include "pixels.cuh"
#include "rows.cuh"
#include "store.cuh"

namespace coalesce {

// Warps that share a multiprocessor, as the registers allow; of samples of 16 bits, the memory.
template <class Shape, SeparableSums kSums>
constexpr int separable_warps() {
  constexpr int kUnits = Shape::kDownUnits + Shape::kAcrossUnits;
  constexpr bool kWide = MmaTypes<kSums>::kWide;
  if (MmaTypes<kSums>::kDeep) return kUnits > 4 ? 8 : 12;
  constexpr int kMost = kWide ? 16 : 20;
  return kUnits > (kWide ? 7 : 8) ? 12 : kUnits > 4 ? kMost - 4 : kMost;
}

// Channels whose samples remain what they are, from the ring to the stage. row, column: of the
// ring, where the picture's first pixel in this step is. By all warps.
template <class Shape, int kBytes>
__device__ __noinline__ void copy_channels(std::uint32_t copied, Ring ring, int plane_columns,
                                           int row, int column, std::uint8_t *stage,
                                           int stage_pitch, int columns) {
  const int words = columns / 4;
#pragma unroll 1
  for (int c = 0; copied >> c != 0; ++c) {
    if ((copied >> c & 1) == 0) continue;
#pragma unroll 1
    for (int i = threadIdx.x; i < Shape::kStep * kBytes * words;
         i += static_cast<int>(blockDim.x)) {
      const int x = i & (words - 1), line = i / words;
      const int y = line / kBytes, byte = kBytes * c + line % kBytes, at = column + 4 * x;
      const auto *from = reinterpret_cast<const std::uint32_t *>(
          ring.rows +
          static_cast<unsigned>(row + y) % Shape::kRing * static_cast<unsigned>(ring.pitch) +
          byte * plane_columns + at);
      *reinterpret_cast<std::uint32_t *>(stage + y * stage_pitch + byte * columns + 4 * x) = *from;
    }
  }
}

// Rows first to end - 1 of the ring become byte planes.
template <class Shape, SeparableSums kSums>
__device__ __forceinline__ void split_ring(const SeparablePlane &plane, const Ring &ring,
                                           int plane_columns, int first, int end,
                                           const SampleBits &bits) {
  constexpr bool kDeep = MmaTypes<kSums>::kDeep;
  const auto split = [&](auto *rows) {
    rows(SharedLayout<Shape, kSums>::kRing, ring.pitch, Shape::kRing, plane_columns, first, end,
         bits, plane.copied);
  };
  if (plane.bytes == 2) split(split_rows<2, kDeep>);
  if (plane.bytes == 4) split(split_rows<4, kDeep>);
  if constexpr (kDeep) {
    if (plane.bytes == 8) split(split_rows<8, kDeep>);
  } else {
    if (plane.bytes == 3) split(split_rows<3, kDeep>);
  }
}

// x, y: of the block's first pixel in this step.
template <class Shape, SeparableSums kSums>
__device__ __forceinline__ void store_pixels(const SeparablePlane &plane, int x, int y, int rows,
                                             int stage, int stage_pitch) {
  const auto store = [&](auto *joined) {
    joined(plane.out + static_cast<std::size_t>(y) * plane.out_pitch + x * plane.bytes,
           plane.out_pitch, rows, plane.columns, plane.in.width - x * plane.bytes, stage,
           stage_pitch);
  };
  if (plane.bytes == 2) store(store_joined<2>);
  if (plane.bytes == 4) store(store_joined<4>);
  if constexpr (MmaTypes<kSums>::kDeep) {
    if (plane.bytes == 8) store(store_joined<8>);
  } else {
    if (plane.bytes == 3) store(store_joined<3>);
  }
}

// blockIdx: strip, part of its rows, plane.
template <class Shape, SeparableSums kSums>
__global__ void __launch_bounds__((32 * separable_warps<Shape, kSums>()), 1)
    separable_mma_kernel(const __grid_constant__ SeparableMmaArgs<Shape, kSums> p) {
#if __CUDA_ARCH__ >= 800
  wait_for_grid_before();
  COALESCE_DYNAMIC_SHARED(128, std::uint8_t, shared);
  constexpr int kBytes = MmaTypes<kSums>::kBytes;
  using Layout = SharedLayout<Shape, kSums>;
  const SeparablePlane &plane = p.plane[blockIdx.z];
  const TileSource &in = plane.in;
  const int bytes = plane.bytes;
  const int x0 = plane.columns * static_cast<int>(blockIdx.x);
  const int y0 = Shape::kStep * p.steps * static_cast<int>(blockIdx.y);
  if (x0 * bytes >= in.width || y0 >= in.height) return;
  const int rows = min(Shape::kStep * p.steps, in.height - y0);  // of output

  const Layout layout(bytes, plane.columns, static_cast<int>(blockDim.x));
  const int top = y0 - p.above;  // the first row of input
  constexpr int kAhead = Shape::kStep + 16 * (Shape::kDownUnits - 1);
  const MmaFill<Shape> fill = {
      reinterpret_cast<FillColumns *>(shared),
      reinterpret_cast<FillThread *>(shared + layout.threads),
      {reinterpret_cast<int *>(shared + layout.positions), shared + layout.fills},
      {shared + Layout::kRing, layout.pitch}};
  const Ring &ring = fill.ring;
  fill.init(in, (x0 - p.left - Shape::kShift) * bytes, top, in.width + p.right * bytes,
            layout.row_bytes);
  __syncthreads();
  const int input_rows = rows + p.below;
  fill.copy(in, top, 0, min(input_rows, kAhead));
  fill.gather(in, top, 0, min(input_rows, kAhead));
  auto *taps = reinterpret_cast<std::uint32_t *>(shared + sizeof(FillColumns));
  for (int i = threadIdx.x; i < Layout::kTapWords; i += static_cast<int>(blockDim.x)) {
    constexpr int kDownWords = MmaTypes<kSums>::kDigits * Shape::kDownWords;
    taps[i] = i < kDownWords ? (&p.down[0][0])[i] : (&p.across[0][0])[i - kDownWords];
  }
  __syncthreads();
  const MmaBands<Shape, kSums> bands(taps);
  SeparableFinish finish = {};
  finish.shift = p.shift;
  finish.reciprocal = p.reciprocal;
  finish.upper_weight = 256 >> p.bits.shift;
  finish.max = p.max;
  finish.sample_shift = p.bits.shift;
  finish.top = p.top;
  finish.divider = p.divider;

  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int warp_row = 16 * (warp % Shape::kWarpsDown);
  const int warps_across = static_cast<int>(blockDim.x) / (32 * Shape::kWarpsDown);
  // A channel's are side by side: so many.
  const int across = plane.columns / Shape::kSegment;
  const int segments = plane.channels * across;
  int arrived = 0;  // rows of input that are byte planes
#pragma unroll 1
  for (int y = 0; y < rows; y += Shape::kStep) {
    ptx::cp_async_wait_all();
    __syncthreads();
    // All have done with the step before: its rows make room.
    const int next = y + kAhead, end = min(input_rows, next + Shape::kStep);
    fill.copy(in, top, next, end);
    if (bytes > 1) {
      split_ring<Shape, kSums>(plane, ring, layout.plane_columns, arrived, min(input_rows, next),
                               p.bits);
      arrived = next;
      __syncthreads();
      if (plane.copied != 0)
        copy_channels<Shape, kBytes>(plane.copied, ring, layout.plane_columns, y + p.above,
                                     p.left + Shape::kShift, shared + layout.stage,
                                     layout.stage_pitch, plane.columns);
    }
#pragma unroll 1
    for (int s = y + warp_row < rows ? warp / Shape::kWarpsDown : segments; s < segments;
         s += warps_across) {
      const int place = s / across, x = Shape::kSegment * (s - place * across);
      if ((x0 + x) * bytes >= in.width) continue;
      const int first = plane.channel[place] * kBytes;  // byte plane
      const Segment segment = {
          shared_address(ring.rows) + first * layout.plane_columns + x, layout.plane_columns,
          shared + layout.stage + warp_row * layout.stage_pitch + first * plane.columns + x,
          layout.stage_pitch, plane.columns};
      finish.long_add = plane.add[place];
#pragma unroll
      for (int &add : finish.add) {
        add = static_cast<int>(plane.add[place]);
        asm volatile("" : "+r"(add));  // four registers, side by side, once
      }
      std::uint32_t lines[(Shape::kDownUnits + 1) / 2];
#pragma unroll
      for (int i = 0; i < (Shape::kDownUnits + 1) / 2; ++i) {
        const int row = y + warp_row + 32 * i + (2 * i + 1 < Shape::kDownUnits ? lane : lane % 16);
        lines[i] = static_cast<unsigned>(row) % Shape::kRing * static_cast<unsigned>(ring.pitch);
      }
      compute_rows(bands, finish, segment, lines);
      if (bytes == 1) {
        __syncwarp();
        store_rows<Shape>(plane, x0 + x, y0 + y + warp_row, segment.stage, layout.stage_pitch);
        __syncwarp();
      }
    }
    if (bytes > 1) {
      __syncthreads();
      store_pixels<Shape, kSums>(plane, x0, y0 + y, min(rows - y, Shape::kStep), layout.stage,
                                 layout.stage_pitch);
    }
    fill.gather(in, top, next, end);
  }
#endif
}

}  // namespace coalesce
