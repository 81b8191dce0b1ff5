// SPDX-License-Identifier: LGPL-2.1-or-later
// Point operations in CUDA: one grid for all planes of a picture.
#pragma once

#include <cstdint>
#include <limits>

#include "../core/cuda_status.h"
#include "../core/grid_order.cuh"
#include "point.h"

namespace coalesce {

constexpr int kPointThreads = 128;  // of a block, along the row
constexpr int kPointBytes = 16;     // of a thread, along the row
constexpr int kPointRows = 4;       // of a thread

struct PointPlane {
  Plane<const std::uint8_t> in;
  Plane<std::uint8_t> out;
  int first_block, blocks_across;
  bool wide;  // every row of both starts on 16 bytes
};
struct PointArgs {
  PointPlane plane[4];
  int planes;
};

template <class Op>
__global__ void __launch_bounds__(kPointThreads)
    point_kernel(const __grid_constant__ PointArgs a, const __grid_constant__ Op op) {
  wait_for_grid_before();
  int p = 0;
  while (p + 1 < a.planes && static_cast<int>(blockIdx.x) >= a.plane[p + 1].first_block)
    ++p;
  const PointPlane &plane = a.plane[p];
  const int block = static_cast<int>(blockIdx.x) - plane.first_block;
  const int band = block / plane.blocks_across;
  const int x =
      ((block - band * plane.blocks_across) * kPointThreads + static_cast<int>(threadIdx.x)) *
      kPointBytes;
  const int y = band * kPointRows;
  const int rows = min(kPointRows, plane.out.height - y);
  if (x >= plane.out.width) return;
  const auto from = [&plane, y](int r) { return plane.in.row(point_row(y + r, plane.in.height)); };
  const int bytes = min(kPointBytes, plane.out.width - x);
  if (!plane.wide || bytes < kPointBytes) {
    for (int r = 0; r < rows; ++r)
      point_bytes(op, p, from(r) + x, plane.out.row(y + r) + x, x, bytes);
    return;
  }
  uint4 words[kPointRows];
#pragma unroll
  for (int r = 0; r < kPointRows; ++r)
    if (r < rows) words[r] = *reinterpret_cast<const uint4 *>(from(r) + x);
#pragma unroll
  for (int r = 0; r < kPointRows; ++r)
    if (r < rows)
      __stcs(reinterpret_cast<uint4 *>(plane.out.row(y + r) + x),
             make_uint4(op(p, x, words[r].x), op(p, x + 4, words[r].y), op(p, x + 8, words[r].z),
                        op(p, x + 12, words[r].w)));
}

// Op is copied to the device.
template <class Op>
Status point_cuda(const ConstImage &in, const Image &out, void *stream, const Op &op) {
  PointArgs a = {};
  a.planes = out.format.planes;
  std::int64_t blocks = 0;
  for (int p = 0; p < a.planes; ++p) {
    PointPlane &plane = a.plane[p];
    plane.in = in.plane[p];
    plane.out = out.plane[p];
    plane.first_block = static_cast<int>(blocks);
    plane.blocks_across = (plane.out.width - 1) / (kPointThreads * kPointBytes) + 1;
    const auto addresses = reinterpret_cast<std::uintptr_t>(plane.in.data) | plane.in.pitch |
                           reinterpret_cast<std::uintptr_t>(plane.out.data) | plane.out.pitch;
    plane.wide = addresses % kPointBytes == 0;
    blocks += std::int64_t{(plane.out.height - 1) / kPointRows + 1} * plane.blocks_across;
    if (blocks > std::numeric_limits<int>::max())
      return {StatusCode::unsupported, "the picture is too large"};
  }
  return launch_early(point_kernel<Op>, dim3(static_cast<unsigned>(blocks)), dim3(kPointThreads), 0,
                      static_cast<cudaStream_t>(stream), a, op);
}

}  // namespace coalesce
