// SPDX-License-Identifier: LGPL-2.1-or-later
#include "strip_mma.cuh"

#include <algorithm>
#include <limits>

#include "../core/cuda_status.h"
#include "convolve_kernels.h"

namespace coalesce {
namespace {

// Bytes before the sample where its window begins.
int window_left(const Filter &f, const ConvolvePlane &plane) {
  return (f.left * plane.channels + 3) & ~3;
}

// The taps of all 8 places must lie within a window of 16 bytes.
bool fits_window(const Filter &f, const ConvolvePlane &plane) {
  return window_left(f, plane) - f.left * plane.channels + mma_span(f, plane) <= 9;
}

template <class Shape>
void fill_taps(const Filter &f, const ConvolvePlane &plane, StripArgs<Shape> *a) {
  const int slack = a->left - f.left * plane.channels;
  for (int d = 0; d < Shape::kDigits; ++d)
    for (int j = 0; j < f.height; ++j)
      for (int i = 0; i < 4 * Shape::kTapWords; ++i) {
        const int at = i / 4 - 7 + i % 4 - slack;
        if (at < 0 || at % plane.channels != 0 || at / plane.channels >= f.width) continue;
        const int w = f.weights[static_cast<std::size_t>(j * f.width + at / plane.channels)];
        a->taps[d][j + 1][i / 4] |= (static_cast<std::uint32_t>(w) >> 8 * d & 0xff) << 8 * (i % 4);
      }
}

// rows: of a tile, a multiple of kUnitRows.
template <class Shape>
Status launch_shape(const ConvolveParams &params, const ConvolvePlane &plane, int rows,
                    cudaStream_t stream) {
  const Filter &f = *params.filter;
  StripArgs<Shape> a = {};
  static_assert(sizeof a <= 4096, "kernels take no more");
  if (!make_plane_map(plane.in, Shape::kTilePitch, rows + Shape::kHeight - 1, &a.map))
    return {StatusCode::device_error, "convolve: the driver cannot describe the picture"};
  a.in = make_tile_source(params, plane);
  a.out = make_mma_output(f, plane);
  a.rows = rows;
  a.left = window_left(f, plane);
  a.above = f.above;
  a.right = mma_span(f, plane) - 1 - f.left * plane.channels;
  fill_taps(f, plane, &a);
  auto *kernel = strip_kernel<Shape>;
  constexpr int kBytes = sizeof(StripShared<Shape>);
  if (kBytes > 48 * 1024)
    if (Status s = cuda_checked(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
        !s.ok())
      return s;
  const auto tiles = [](int size, int tile) {
    return static_cast<unsigned>((size - 1) / tile + 1);
  };
  return launch_shared(kernel,
                       dim3(tiles(plane.in.width, Shape::kColumns), tiles(plane.in.height, rows)),
                       dim3(Shape::kThreads), kBytes, stream, a);
}

}  // namespace
}  // namespace coalesce
