// SPDX-License-Identifier: LGPL-2.1-or-later
#include "strip.cuh"

#include <algorithm>

#include "../../../core/cuda_status.h"
#include "../kernels.h"

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

// All that does not depend on the picture.
template <class Shape>
StripArgs<Shape> make_args(const Filter &f, const ConvolvePlane &plane) {
  StripArgs<Shape> a = {};
  static_assert(sizeof a <= 4096, "kernels take no more");
  a.left = window_left(f, plane);
  a.above = f.above;
  a.right = mma_span(f, plane) - 1 - f.left * plane.channels;
  const int slack = a.left - f.left * plane.channels;
  for (int d = 0; d < Shape::kDigits; ++d)
    for (int j = 0; j < f.height; ++j)
      for (int i = 0; i < 4 * Shape::kTapWords; ++i) {
        const int at = i / 4 - 7 + i % 4 - slack;
        if (at < 0 || at % plane.channels != 0 || at / plane.channels >= f.width) continue;
        const int w = f.weights[static_cast<std::size_t>(j * f.width + at / plane.channels)];
        a.taps[d][j + 1][i / 4] |= (static_cast<std::uint32_t>(w) >> 8 * d & 0xff) << 8 * (i % 4);
      }
  return a;
}

// rows: of a tile, a multiple of kUnitRows.
template <class Shape>
Status launch_shape(const ConvolveParams &params, const ConvolvePlane &plane, int rows,
                    cudaStream_t stream) {
  auto &a = params.cache->get<StripArgs<Shape>>(
      plane.channels, [&] { return make_args<Shape>(*params.filter, plane); });
  if (!make_plane_map(plane.in, Shape::kTilePitch, rows + Shape::kHeight - 1, &a.map))
    return {StatusCode::device_error, "convolve: the driver cannot describe the picture"};
  a.in = make_tile_source(params, plane);
  a.out = make_mma_output(params, plane);
  a.rows = rows;
  const auto tiles = [](int size, int tile) {
    return static_cast<unsigned>((size - 1) / tile + 1);
  };
  return launch_early(strip_kernel<Shape>,
                      dim3(tiles(plane.in.width, Shape::kColumns), tiles(plane.in.height, rows)),
                      dim3(Shape::kThreads), sizeof(StripShared<Shape>), stream, a);
}

// As many rows as leave no multiprocessor without its tiles.
template <int kHeight, MmaWeights kWeights>
Status launch_rows(const ConvolveParams &params, const ConvolvePlane &plane, cudaStream_t stream) {
  using Shape = StripShape<kHeight, kWeights, StripConfig<kWeights>>;
  int multiprocessors = 1;
  if (Status s = count_multiprocessors(&multiprocessors); !s.ok()) return s;
  const std::int64_t across = (plane.in.width - 1) / Shape::kColumns + 1;
  const std::int64_t units = (std::int64_t{plane.in.height - 1} / kUnitRows + 1) * across;
  const int rows = static_cast<int>(std::clamp<std::int64_t>(
      units / (Shape::kBlocks * multiprocessors), 1, Shape::kMostRows / kUnitRows));
  return launch_shape<Shape>(params, plane, kUnitRows * rows, stream);
}

template <MmaWeights kWeights>
Status launch_weights(const ConvolveParams &params, const ConvolvePlane &plane,
                      cudaStream_t stream) {
  switch (params.filter->height / 2) {
    case 0:
    case 1:
      return launch_rows<3, kWeights>(params, plane, stream);
    case 2:
      return launch_rows<5, kWeights>(params, plane, stream);
    case 3:
      return launch_rows<7, kWeights>(params, plane, stream);
    default:
      return launch_rows<9, kWeights>(params, plane, stream);
  }
}

bool built_for_device() {
  using Smallest = StripShape<3, MmaWeights::bytes, StripConfig<MmaWeights::bytes>>;
  static MmaKernel kernel(reinterpret_cast<const void *>(strip_kernel<Smallest>),
                          COALESCE_BULK_COPY_FROM);
  return kernel.built();
}

}  // namespace

bool strip_takes(const ConvolveParams &params, const ConvolvePlane &plane) {
  constexpr int kMostHeight = 65535 * kUnitRows;  // of a grid
  const Filter &f = *params.filter;
  MmaWeights weights;
  return direct_sums_take(params, plane, &weights) && f.height <= 9 && fits_window(f, plane) &&
         plane.in.width >= 4 && plane.in.height <= kMostHeight && built_for_device() &&
         has_plane_maps();
}

Status launch_strip(const ConvolveParams &params, const ConvolvePlane &plane, cudaStream_t stream) {
  MmaWeights weights = MmaWeights::bytes;
  direct_sums_take(params, plane, &weights);
  switch (weights) {
    case MmaWeights::bytes:
      return launch_weights<MmaWeights::bytes>(params, plane, stream);
    case MmaWeights::words:
      return launch_weights<MmaWeights::words>(params, plane, stream);
    default:
      return launch_weights<MmaWeights::unsigned_words>(params, plane, stream);
  }
}

}  // namespace coalesce
