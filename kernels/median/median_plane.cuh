// SPDX-License-Identifier: LGPL-2.1-or-later
// Planes as the median's kernels see them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../core/grid_order.cuh"
#include "../picture/channels.h"
#include "../picture/tile.cuh"

namespace coalesce {

// A plane as the kernels see it, and the blocks that have a tile of it.
struct MedianPlane {
  TileSource in;
  std::uint8_t *out;
  std::size_t out_pitch;
  int channels;
  int samples;  // of a row
  ChannelRole role[4];
  std::uint32_t copied;  // bits of a word of bytes that are not filtered; not of three channels
  int tiles_across;
  int end;  // of its blocks, which begin where those of the plane before end
};

struct MedianArgs {
  MedianPlane plane[4];
  int sample_bytes, shift;
  std::uint32_t mask;  // of a sample in memory
  int width, height, rank;
  int threads, band_rows;  // of a block that counts
};

template <class T>
__device__ __forceinline__ void store(const MedianPlane &p, int x, int y, std::uint32_t sample) {
  reinterpret_cast<T *>(p.out + static_cast<std::size_t>(y) * p.out_pitch)[x] =
      static_cast<T>(sample);
}
__device__ __forceinline__ const MedianPlane &plane_of_block(const MedianArgs &a, int *block) {
  *block = static_cast<int>(blockIdx.x);
  int i = 0;
  while (*block >= a.plane[i].end)
    ++i;
  if (i > 0) *block -= a.plane[i - 1].end;
  return a.plane[i];
}

}  // namespace coalesce
