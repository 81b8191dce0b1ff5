// SPDX-License-Identifier: LGPL-2.1-or-later
// From shared memory to the picture.
#pragma once

#include <cstddef>
#include <cstdint>

namespace coalesce {

// `bytes` samples, byte by byte.
inline __device__ __noinline__ void store_some(std::uint8_t *to, const std::uint8_t *samples,
                                               int bytes) {
#pragma unroll 1
  for (int i = 0; i < bytes; ++i)
    to[i] = samples[i];
}

// A warp's 16 rows (or what there is of them) from (x, y) on; 16 samples a lane.
template <class Shape, class Plane>
__device__ __forceinline__ void store_rows(const Plane &plane, int x, int y,
                                           const std::uint8_t *stage, int stage_pitch) {
  constexpr int kLanes = Shape::kWindows, kAtOnce = 32 / kLanes;  // of a row; rows
  const int lane = threadIdx.x % 32;
  x += 16 * (lane % kLanes);
  y += lane / kLanes;
  const int rows = min(plane.in.height - y, 16), bytes = min(plane.in.width - x, 16);
  if (rows <= 0 || bytes <= 0) return;
  stage += lane / kLanes * stage_pitch + 16 * (lane % kLanes);
  std::uint8_t *to =
      plane.out + static_cast<std::size_t>(y) * static_cast<std::uint32_t>(plane.out_pitch) + x;
  const auto step = std::size_t{kAtOnce} * static_cast<std::uint32_t>(plane.out_pitch);
  if (bytes == 16 && ((reinterpret_cast<std::uintptr_t>(to) | plane.out_pitch) & 15) == 0) {
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
