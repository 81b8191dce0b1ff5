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
        a->taps[d][j][i / 4] |= (static_cast<std::uint32_t>(w) >> 8 * d & 0xff) << 8 * (i % 4);
      }
}

template <class Shape>
Status launch_shape(const ConvolveParams &params, const ConvolvePlane &plane, int across, int rows,
                    cudaStream_t stream) {
  const Filter &f = *params.filter;
  StripArgs<Shape> a = {};
  static_assert(sizeof a <= 4096, "kernels take no more");
  a.in = make_tile_source(params, plane);
  a.out = make_mma_output(f, plane);
  a.left = window_left(f, plane);
  a.above = f.above;
  a.right = mma_span(f, plane) - 1 - f.left * plane.channels;
  a.across = across;
  a.rows = rows;
  a.tiles_across = (plane.in.width - 1) / (128 * across) + 1;
  a.by_tiles_across = make_divider(a.tiles_across);
  fill_taps(f, plane, &a);
  const std::int64_t tiles = std::int64_t{(plane.in.height - 1) / rows + 1} * a.tiles_across;
  if (tiles > std::numeric_limits<int>::max())
    return {StatusCode::unsupported, "convolve: the picture is too large"};
  a.tiles = static_cast<int>(tiles);
  int device = 0, multiprocessors = 1;
  if (Status s = cuda_checked(cudaGetDevice(&device)); !s.ok()) return s;
  if (Status s = cuda_checked(
          cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
      !s.ok())
    return s;
  auto *kernel = strip_kernel<Shape>;
  constexpr int kBytes = sizeof(StripShared<Shape>);
  if (kBytes > 48 * 1024)
    if (Status s = cuda_checked(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
        !s.ok())
      return s;
  const int blocks =
      Shape::kStages == 1 ? a.tiles : std::min(a.tiles, Shape::kBlocks * multiprocessors);
  return launch_shared(kernel, dim3(static_cast<unsigned>(blocks)), dim3(Shape::kThreads), kBytes,
                       stream, a);
}

}  // namespace
}  // namespace coalesce
