// SPDX-License-Identifier: LGPL-2.1-or-later
#include "general.cuh"

#include <algorithm>
#include <limits>

#include "../../../core/cuda_status.h"
#include "../kernels.h"

namespace coalesce {
namespace {

using Smallest = MmaShape<8, 2, MmaWeights::bytes>;

bool built_for_device() {
  static MmaKernel kernel(reinterpret_cast<const void *>(mma_kernel<Smallest>), 80);
  return kernel.built();
}

// All that does not depend on the picture.
template <class Shape>
MmaArgs<Shape> make_args(const Filter &f, const ConvolvePlane &plane) {
  MmaArgs<Shape> a = {};
  static_assert(sizeof a <= 4096, "kernels take no more");
  static_assert(Shape::kSegments == 1 || kMaxMaskSize <= 4 * Shape::kTapWords, "a row's weights");
  a.left = f.left * plane.channels;
  a.above = f.above;
  a.right = mma_span(f, plane) - 1 - a.left;
  a.height = f.height;
  for (int d = 0; d < Shape::kDigits; ++d)
    for (int j = 0; j < f.height; ++j)
      for (int i = 0; i < f.width; ++i) {
        const int w = f.weights[static_cast<std::size_t>(j * f.width + i)];
        const int at = Shape::kSegments == 1 ? i * plane.channels : i;
        a.taps[d][j][at / 4] |= (static_cast<std::uint32_t>(w) >> 8 * d & 0xff) << 8 * (at % 4);
      }
  return a;
}

template <class Shape>
Status launch_shape(const ConvolveParams &params, const ConvolvePlane &plane, cudaStream_t stream) {
  auto &a = params.cache->get<MmaArgs<Shape>>(
      plane.channels, [&] { return make_args<Shape>(*params.filter, plane); });
  a.in = make_tile_source(params, plane);
  a.out = make_mma_output(params, plane);
  a.tiles_across = (plane.in.width - 1) / Shape::kColumns + 1;
  a.by_tiles_across = make_divider(a.tiles_across);
  // As tall as leaves no multiprocessor without its blocks.
  int multiprocessors = 1;
  if (Status s = count_multiprocessors(&multiprocessors); !s.ok()) return s;
  const std::int64_t passes =
      (std::int64_t{plane.in.height - 1} / Shape::kPassRows + 1) * a.tiles_across;
  const int wanted = Shape::kBlocks * multiprocessors;
  a.rows = Shape::kPassRows *
           static_cast<int>(std::clamp<std::int64_t>(passes / wanted, 1, Shape::kPasses));
  const std::int64_t blocks = std::int64_t{(plane.in.height - 1) / a.rows + 1} * a.tiles_across;
  if (blocks > std::numeric_limits<int>::max())
    return {StatusCode::unsupported, "convolve: the picture is too large"};
  return launch_early(mma_kernel<Shape>, dim3(static_cast<unsigned>(blocks)), dim3(Shape::kThreads),
                      0, stream, a);
}

// by_role: only those of several segments know offsets by role.
template <MmaWeights kWeights>
Status launch_weights(const ConvolveParams &params, const ConvolvePlane &plane, bool by_role,
                      cudaStream_t stream) {
  const Filter &f = *params.filter;
  const auto fits = [&](auto shape) {
    return mma_span(f, plane) <= shape.kMostWidth && f.height <= shape.kMostHeight &&
           (!by_role || shape.kSegments > 1);
  };
  if (MmaShape<8, 2, kWeights> s; fits(s)) return launch_shape<decltype(s)>(params, plane, stream);
  if (MmaShape<8, 3, kWeights> s; fits(s)) return launch_shape<decltype(s)>(params, plane, stream);
  if (MmaShape<16, 6, kWeights> s; fits(s)) return launch_shape<decltype(s)>(params, plane, stream);
  if (MmaShape<16, 9, kWeights> s; fits(s)) return launch_shape<decltype(s)>(params, plane, stream);
  if (MmaShape<32, 0, kWeights> s; fits(s)) return launch_shape<decltype(s)>(params, plane, stream);
  if (MmaShape<64, 0, kWeights> s; fits(s)) return launch_shape<decltype(s)>(params, plane, stream);
  if (MmaShape<96, 0, kWeights> s; fits(s)) return launch_shape<decltype(s)>(params, plane, stream);
  return launch_shape<MmaShape<128, 0, kWeights>>(params, plane, stream);
}

}  // namespace

bool mma_takes(const ConvolveParams &params, const ConvolvePlane &plane) {
  using Largest = MmaShape<128, 0, MmaWeights::bytes>;
  MmaWeights weights;
  bool by_role = false;
  return direct_sums_take(params, plane, &weights, &by_role) &&
         mma_span(*params.filter, plane) <= Largest::kMostWidth &&
         params.filter->height <= Largest::kMostHeight && built_for_device();
}

Status launch_mma(const ConvolveParams &params, const ConvolvePlane &plane, cudaStream_t stream) {
  MmaWeights weights = MmaWeights::bytes;
  bool by_role = false;
  direct_sums_take(params, plane, &weights, &by_role);
  switch (weights) {
    case MmaWeights::bytes:
      return launch_weights<MmaWeights::bytes>(params, plane, by_role, stream);
    case MmaWeights::words:
      return launch_weights<MmaWeights::words>(params, plane, by_role, stream);
    default:
      return launch_weights<MmaWeights::unsigned_words>(params, plane, by_role, stream);
  }
}

}  // namespace coalesce
