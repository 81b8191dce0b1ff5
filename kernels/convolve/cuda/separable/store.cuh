// SPDX-License-Identifier: LGPL-2.1-or-later
// From shared memory to the picture.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../../picture/runs.cuh"

namespace coalesce {

// `bytes` samples, byte by byte.
inline __device__ __noinline__ void store_some(std::uint8_t *to, const std::uint8_t *samples,
                                               int bytes) {
#pragma unroll 1
  for (int i = 0; i < bytes; ++i)
    to[i] = samples[i];
}

// Rows of a warp to any address.
__device__ __forceinline__ void store_rows_anywhere(std::uint8_t *to, std::size_t out_pitch,
                                                    int rows, const std::uint8_t *stage,
                                                    int stage_pitch, int bytes) {
#pragma unroll 2
  for (int i = 0; i < rows; ++i)
    store_row_anywhere(to + static_cast<std::size_t>(i) * out_pitch, stage + i * stage_pitch,
                       bytes);
}

// What store_rows() does, to any address.
template <class Shape, class Plane>
__device__ __noinline__ void store_segment_anywhere(const Plane &plane, int x, int y,
                                                    const std::uint8_t *stage, int stage_pitch) {
  __syncwarp();  // other lanes may have changed the stage
  store_rows_anywhere(plane.out + static_cast<std::size_t>(y) * plane.out_pitch + x,
                      plane.out_pitch, min(plane.in.height - y, 16), stage, stage_pitch,
                      min(plane.in.width - x, Shape::kSegment));
}

// A warp's 16 rows (or what there is of them) from (x, y) on; 16 samples a lane.
template <class Shape, class Plane>
__device__ __forceinline__ void store_rows(const Plane &plane, int x, int y,
                                           const std::uint8_t *stage, int stage_pitch) {
  constexpr int kLanes = Shape::kWindows, kAtOnce = 32 / kLanes;  // of a row; rows
  const int lane = threadIdx.x % 32;
  if (((reinterpret_cast<std::uintptr_t>(plane.out) | plane.out_pitch) & 15) != 0) {
    store_segment_anywhere<Shape>(plane, x, y, stage, stage_pitch);
    return;
  }
  x += 16 * (lane % kLanes);
  y += lane / kLanes;
  const int rows = min(plane.in.height - y, 16), bytes = min(plane.in.width - x, 16);
  if (rows <= 0 || bytes <= 0) return;
  stage += lane / kLanes * stage_pitch + 16 * (lane % kLanes);
  std::uint8_t *to =
      plane.out + static_cast<std::size_t>(y) * static_cast<std::uint32_t>(plane.out_pitch) + x;
  const auto step = std::size_t{kAtOnce} * static_cast<std::uint32_t>(plane.out_pitch);
  if (bytes == 16) {
#pragma unroll
    for (int i = 0; i < 16; i += kAtOnce, to += step)
      if (i < rows)
        __stcs(reinterpret_cast<uint4 *>(to),
               *reinterpret_cast<const uint4 *>(stage + i * stage_pitch));
  } else {
#pragma unroll 1
    for (int i = 0; i < rows; i += kAtOnce, to += step)
      store_some(to, stage + i * stage_pitch, bytes);
  }
}

}  // namespace coalesce
